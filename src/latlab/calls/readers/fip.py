# SPDX-License-Identifier: BSD-3-Clause
"""The firmware image package of TF-A: another non-trusted firmware (BL33) in place of the one that is in it."""

from __future__ import annotations

import struct

from latlab.core.errors import DataError

NAME = 0xAA640001
HEADER = struct.Struct("<IIQ")
ENTRY = struct.Struct("<16sQQQ")
BL33 = bytes.fromhex("d6d0eea7fcead54b97829934f234b6e4")
LAST = bytes(16)
ALIGNMENT = 16
EMPTY = b"\x00\xff"


PAGE_BYTES = 4096


def package_at(data: bytes) -> int | None:
    """Where a package begins, at a whole page; None where there is none."""
    places = range(0, len(data) - HEADER.size - ENTRY.size + 1, PAGE_BYTES)
    return next((at for at in places if HEADER.unpack_from(data, at)[0] == NAME), None)


def with_bl33(package: bytes, program: bytes, source: str) -> bytes:
    """The package, or what has one behind it, with `program` as its BL33, appended; the old one stays unused where it is. `source` names
    the package in errors."""
    begin = package_at(package) or 0
    if begin:
        return package[:begin] + with_bl33(package[begin:], program, source)
    entries = _entries(package, source)
    place = next((at for at, uuid in entries if uuid == BL33), None)
    if place is None:
        raise DataError("the package has no BL33 that the program can replace", "build it with BL33=", place=source)
    package = _without_padding(package, entries)
    start = (len(package) + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    changed = bytearray(package.ljust(start, b"\0") + program)
    flags = ENTRY.unpack_from(package, place)[3]
    ENTRY.pack_into(changed, place, BL33, start, len(program), flags)
    last = entries[-1][0]
    ENTRY.pack_into(changed, last, LAST, len(changed), 0, ENTRY.unpack_from(package, last)[3])
    return bytes(changed)


def _without_padding(package: bytes, entries: list[tuple[int, bytes]]) -> bytes:
    """Up to the end of its last image where only what an empty flash holds comes behind: one that is filled up has no room at its end."""
    ends = [sum(ENTRY.unpack_from(package, at)[1:3]) for at, uuid in entries if uuid != LAST]
    used = max(ends, default=len(package))
    return package if package[used:].strip(EMPTY) else package[:used]


def _entries(package: bytes, source: str) -> list[tuple[int, bytes]]:
    """Where each entry of the table stands and its UUID, the terminating one included."""
    if len(package) < HEADER.size or HEADER.unpack_from(package)[0] != NAME:
        raise DataError("not a firmware image package of TF-A", "name its fip.bin", place=source)
    entries = []
    at = HEADER.size
    while at + ENTRY.size <= len(package):
        uuid = ENTRY.unpack_from(package, at)[0]
        entries.append((at, uuid))
        if uuid == LAST:
            _check_images(package, entries[:-1], source)
            return entries
        at += ENTRY.size
    raise DataError("the table of this firmware image package does not end; it is cut off", place=source)


def _check_images(package: bytes, entries: list[tuple[int, bytes]], source: str) -> None:
    for at, _ in entries:
        _, start, size, _ = ENTRY.unpack_from(package, at)
        if start + size > len(package):
            raise DataError(f"an image ends at byte {start + size:#x}, the file has {len(package)} bytes; it is cut off", place=source)
