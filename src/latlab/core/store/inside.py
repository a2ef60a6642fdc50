# SPDX-License-Identifier: BSD-3-Clause
"""Files of a folder that somebody else may have filled: no name and no link in it leads out of it."""

from __future__ import annotations

import os
from pathlib import Path

from latlab.core.store.reading import read_file

OUTSIDE = "it is outside of that folder"


def path_inside(folder: Path, name: str) -> Path:
    """The file of that name, its links followed. Raises OSError if it is missing, ValueError if it is outside or is no file."""
    path = Path(os.path.realpath(folder / name, strict=True))
    if not path.is_relative_to(os.path.realpath(folder)):
        raise ValueError(OUTSIDE)
    if not path.is_file():
        raise ValueError("it is no file")
    return path


def text_inside(folder: Path, name: str) -> str:
    """Raises what `path_inside` and `read_file` do, and ValueError for what is no UTF-8."""
    return read_file(path_inside(folder, name)).decode("utf-8")


def write_beside(folder: Path, name: str, data: bytes) -> Path:
    """The file that becomes the one of that name once it replaces it. Links to files are not followed. Raises OSError, also for a folder
    that a link leads out of."""
    place = folder / name
    if not Path(os.path.realpath(place.parent)).is_relative_to(os.path.realpath(folder)):
        raise OSError(0, f"a link leads out of {folder}")
    place.parent.mkdir(parents=True, exist_ok=True)
    ready = place.with_name(f".{place.name}.new")
    ready.unlink(missing_ok=True)
    with ready.open("xb") as file:
        file.write(data)
    return ready
