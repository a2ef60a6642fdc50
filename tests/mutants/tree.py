# SPDX-License-Identifier: BSD-3-Clause
"""The copy of the tree in which mutants are tried: the working tree itself is never changed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

_SECONDS = count(1)


def files_of(root: Path) -> list[str]:
    """What git keeps or would keep: everything that is not ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return sorted({name for name in listed.split("\0") if name and (root / name).is_file()})


@dataclass(frozen=True)
class Copy:
    """A copy of a tree; `digest` is that of all its files."""

    path: Path
    digest: str

    def text(self, file: str) -> str:
        return (self.path / file).read_text()

    @contextmanager
    def changed(self, file: str, line: int, after: str) -> Iterator[None]:
        """The copy with one line of one file replaced."""
        path = self.path / file
        whole, times = path.read_text(), path.stat()
        lines = whole.splitlines(keepends=True)
        lines[line - 1] = after + "\n"
        _write(path, "".join(lines))
        try:
            yield
        finally:
            _write(path, whole)
            if path.suffix == ".py":
                os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _write(path: Path, text: str) -> None:
    """Python tells a stale byte code by whole seconds and size: each text gets a second of its own."""
    path.write_text(text)
    if path.suffix == ".py":
        second = int(path.stat().st_mtime) + next(_SECONDS)
        os.utime(path, (second, second))


def copy_tree(root: Path, to: Path, extra: tuple[str, ...] = ()) -> Copy:
    """Brings the copy at `to` up to date. What is built there stays: a build tool sees what changed."""
    files = files_of(root)
    digest = hashlib.sha256()
    for name in files:
        data = (root / name).read_bytes()
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
        _update(root / name, to / name, data)
    for name in set(_kept(to)) - set(files):
        (to / name).unlink()
    for name in extra:
        if not (to / name).exists():
            shutil.copytree(root / name, to / name) if (root / name).is_dir() else _update(
                root / name, to / name, (root / name).read_bytes()
            )
    if not (to / ".venv").exists() and (root / ".venv").exists():
        (to / ".venv").symlink_to(root / ".venv")
    (to / ".copied").write_text("\n".join(files))
    return Copy(to, digest.hexdigest()[:16])


def _kept(to: Path) -> list[str]:
    """The files of the last copy."""
    listed = to / ".copied"
    return [name for name in listed.read_text().splitlines() if (to / name).is_file()] if listed.exists() else []


def _update(source: Path, target: Path, data: bytes) -> None:
    if target.is_file() and target.read_bytes() == data:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    shutil.copymode(source, target)
