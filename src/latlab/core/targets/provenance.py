# SPDX-License-Identifier: BSD-3-Clause
"""Which files a machine was given and which source tree they lay in, asked before it starts."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from hashlib import file_digest
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path

from latlab.core.model.provenance import LoadedFile, Provenance, SourceTree
from latlab.core.readers.qemu_command import loaded_files

LARGEST_BYTES = 256 << 20
"""A disk image of gigabytes would hold up the start for longer than its digest is worth."""
GIT_S = 5
COMMIT_VARIABLE, JOB_VARIABLE = "LATLAB_COMMIT", "LATLAB_JOB"


def provenance_of(command: Sequence[str], latlab_command: tuple[str, ...] = ()) -> Provenance:
    """Of an emulator's command line, and what the job of a CI says. What cannot be read, or has no tree, is left out or empty: no run
    fails of it."""
    files = tuple(map(Path, loaded_files(command)))
    loaded = tuple(LoadedFile(file.name, _sha256(file)) for file in files)
    commit, job = (os.environ.get(name, "").strip() for name in (COMMIT_VARIABLE, JOB_VARIABLE))
    return Provenance(loaded, _trees(files), latlab_command, _version(), commit, job)


def _version() -> str:
    try:
        return version("latlab")
    except PackageNotFoundError:
        return ""


def _sha256(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return file_digest(stream, "sha256").hexdigest() if file.is_file() and file.stat().st_size <= LARGEST_BYTES else ""
    except OSError:
        return ""


def _trees(files: Iterable[Path]) -> tuple[SourceTree, ...]:
    names: dict[str, list[str]] = {}
    for folder, inside in groupby(files, lambda file: file.resolve().parent):
        if top := _git(folder, "rev-parse", "--show-toplevel"):
            names.setdefault(top.strip(), []).extend(file.name for file in inside)
    trees = (_tree(Path(top), tuple(of_top)) for top, of_top in names.items())
    return tuple(tree for tree in trees if tree)


def _tree(top: Path, files: tuple[str, ...]) -> SourceTree | None:
    commit, changes = _git(top, "rev-parse", "HEAD"), _git(top, "status", "--porcelain", "--untracked-files=no")
    return SourceTree(commit.strip(), not changes.strip(), files) if commit and changes is not None else None


def _git(folder: Path, *words: str) -> str | None:
    """Its answer; None where there is no git, no tree or no answer in time."""
    try:
        done = subprocess.run(
            ("git", "-C", str(folder), "--no-optional-locks", *words), capture_output=True, text=True, timeout=GIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    return done.stdout if done.returncode == 0 else None
