# SPDX-License-Identifier: BSD-3-Clause
"""An initramfs read back, from the kernel's description of the format (driver-api/early-userspace/buffer-format)."""

from __future__ import annotations

from dataclasses import dataclass

FIELDS = ("ino", "mode", "uid", "gid", "nlink", "mtime", "filesize", "maj", "min", "rmaj", "rmin", "namesize", "chksum")


@dataclass(frozen=True, slots=True)
class Member:
    """`device` is that of a device node; `folder` the device that the file lies on."""

    inode: int
    mode: int
    owner: tuple[int, int]
    links: int
    time: int
    data: bytes
    folder: tuple[int, int]
    device: tuple[int, int]
    checksum: int


def members(archive: bytes) -> dict[str, Member]:
    found: dict[str, Member] = {}
    at = 0
    while True:
        assert at % 4 == 0 and archive[at : at + 6] == b"070701"
        one = {name: int(archive[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i, name in enumerate(FIELDS)}
        name = archive[at + 110 : at + 110 + one["namesize"]]
        assert name.endswith(b"\0") and name.count(b"\0") == 1
        at += 110 + one["namesize"]
        at += -at % 4
        data = archive[at : at + one["filesize"]]
        assert len(data) == one["filesize"]
        at += one["filesize"]
        at += -at % 4
        if name == b"TRAILER!!!\0":
            return found
        folder, device = (one["maj"], one["min"]), (one["rmaj"], one["rmin"])
        owner = (one["uid"], one["gid"])
        found[name[:-1].decode()] = Member(one["ino"], one["mode"], owner, one["nlink"], one["mtime"], data, folder, device, one["chksum"])
