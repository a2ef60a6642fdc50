# SPDX-License-Identifier: BSD-3-Clause
"""Which file a subject is: the user's own, or one that comes with latlab, for a build where its project's makefile leaves it."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from latlab.core.errors import UsageError

FOLDER = Path(str(resources.files("latlab"))) / "catalog" / "subjects"


def subject_file(reference: Path) -> tuple[Path, Path]:
    """The file, and the folder that its files are named from: its own, or for one of latlab's this folder. Raises UsageError for a bare
    word that is neither."""
    if reference.is_file() or reference.suffix or reference.parent != Path():
        return reference, reference.parent
    bundled = FOLDER / f"{reference}.toml"
    if bundled.is_file():
        return bundled, Path()
    names = ", ".join(path.stem for path in sorted(FOLDER.glob("*.toml")))
    raise UsageError(f"neither a file nor a subject of latlab's own; those are {names} (`latlab identify` says more)", place=reference)


def no_image(where: str, image: Path, made_by: str) -> UsageError:
    """`where` names the subject."""
    do = f"run this where `{made_by}` was run, or write a file of your own" if made_by else "name an image of the firmware"
    return UsageError(f"{where}{image}: no such file; {do}")
