# SPDX-License-Identifier: BSD-3-Clause
"""The `newc` cpio archive that Linux takes as an initramfs (kernel documentation, buffer-format). Same input, same bytes."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from dataclasses import dataclass

MAGIC = b"070701"
TRAILER = "TRAILER!!!"


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """`path` is relative to the root; `mode` holds type and permissions; a link's target is its data; `device` is major and minor."""

    path: str
    mode: int
    data: bytes = b""
    device: tuple[int, int] = (0, 0)


def folder(path: str) -> ArchiveEntry:
    return ArchiveEntry(path, stat.S_IFDIR | 0o755)


def file(path: str, data: bytes, executable: bool = False) -> ArchiveEntry:
    return ArchiveEntry(path, stat.S_IFREG | (0o755 if executable else 0o644), data)


def link(path: str, target: str) -> ArchiveEntry:
    return ArchiveEntry(path, stat.S_IFLNK | 0o777, target.encode())


def character_device(path: str, major: int, minor: int) -> ArchiveEntry:
    return ArchiveEntry(path, stat.S_IFCHR | 0o600, device=(major, minor))


def archive(entries: Iterable[ArchiveEntry]) -> bytes:
    """The archive of the entries, preceded by the folders that they are in; padded to 512 bytes so that archives can follow each other."""
    all_entries = list(entries)
    named = {entry.path for entry in all_entries}
    missing = sorted({parent for entry in all_entries for parent in _parents(entry.path)} - named)
    ordered = [*map(folder, missing), *all_entries, ArchiveEntry(TRAILER, 0)]
    packed = b"".join(_packed(entry, number) for number, entry in enumerate(ordered, 1))
    return packed + bytes(-len(packed) % 512)


def _parents(path: str) -> Iterable[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[: i + 1]) for i in range(len(parts)))


def _packed(entry: ArchiveEntry, inode: int) -> bytes:
    name = entry.path.encode() + b"\0"
    links = 2 if stat.S_ISDIR(entry.mode) else 1
    fields = (inode, entry.mode, 0, 0, links, 0, len(entry.data), 0, 0, *entry.device, len(name), 0)
    head = MAGIC + b"".join(b"%08X" % field for field in fields) + name
    return head + bytes(-len(head) % 4) + entry.data + bytes(-len(entry.data) % 4)
