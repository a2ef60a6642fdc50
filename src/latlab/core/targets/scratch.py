# SPDX-License-Identifier: BSD-3-Clause
"""Folders that say in their name whose they are, so that a later process can tell one that is in use from one that was left behind."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from latlab.core.errors import UsageError

NAME = re.compile(r"latlab-(\d+)-(\d+)-(\d+)-\w+")
MARK = ".store"
PERSISTENT = Path("/var/tmp")


def base(persistent: bool = False) -> Path:
    """Where folders are made; a persistent one outlives a restart of the machine, unless the user chose a place with TMPDIR."""
    return PERSISTENT if persistent and "TMPDIR" not in os.environ and PERSISTENT.is_dir() else Path(tempfile.gettempdir())


@contextmanager
def scratch(persistent: bool = False) -> Iterator[Path]:
    """A folder of this process, removed at the end."""
    pid = os.getpid()
    prefix = f"latlab-{space()}-{pid}-{_started(pid)}-"
    try:
        folder = tempfile.mkdtemp(prefix=prefix, dir=base(persistent))
    except OSError as error:
        raise UsageError(f"no folder can be made ({error.strerror})", "name another folder in TMPDIR", place=base(persistent)) from error
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def abandoned() -> list[Path]:
    """Folders of this user whose process is no more, of this space of process ids."""
    folders = []
    for place in dict.fromkeys((base(), base(persistent=True))):
        for folder in place.glob("latlab-*-*-*-*"):
            match = NAME.fullmatch(folder.name)
            if match and int(match[1]) == space() and _is_mine(folder) and _started(int(match[2])) != int(match[3]):
                folders.append(folder)
    return sorted(folders)


def belong_to(folder: Path, store: str) -> None:
    """Say in the folder which store's run it is of, so that the commands of other stores leave it alone."""
    (folder / MARK).write_text(_name(store), "utf-8")


def may_remove(folder: Path, store: str) -> bool:
    """Whether an abandoned folder is of this store, of none, or of a file that is no more."""
    try:
        owner = (folder / MARK).read_text("utf-8")
    except OSError:
        return True
    return owner == _name(store) or (owner.startswith("/") and not Path(owner).exists())


def _name(store: str) -> str:
    """A file's whole path; of a database a digest, as its URL may hold a password."""
    return sha256(store.encode()).hexdigest() if "://" in store else str(Path(store).resolve())


def is_own(folder: Path) -> bool:
    """Whether it is a folder that `scratch` made for this user. A store that somebody else wrote may name any other."""
    return NAME.fullmatch(folder.name) is not None and _is_mine(folder)


def remove(folder: Path) -> None:
    """One that `abandoned` named, or that `is_own`."""
    shutil.rmtree(folder, ignore_errors=True)


def _is_mine(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    return status.st_uid == os.geteuid() and stat.S_ISDIR(status.st_mode)


def space() -> int:
    """This process's space of process ids; 0 where the system does not say it."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0


def _started(pid: int) -> int:
    """0 for a process that is not there, and where the system does not say it."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
    except OSError:
        return 0
