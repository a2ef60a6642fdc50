# SPDX-License-Identifier: BSD-3-Clause
"""The device tree that Linux gets: QEMU's own with Linux's arguments and its initrd, which QEMU knows nothing of because the firmware
starts Linux. What Linux needs to find the firmware, the firmware adds at boot."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.readers.device_tree import read_tree


@dataclass(frozen=True, slots=True)
class Chosen:
    bootargs: str
    initrd_start: int
    initrd_bytes: int


def patch(tree: bytes, chosen: Chosen) -> bytes:
    """A device tree for Linux from the one that QEMU dumped."""
    parsed = read_tree(tree)
    end = chosen.initrd_start + chosen.initrd_bytes
    parsed.set_property("bootargs", chosen.bootargs, "/chosen")
    parsed.set_property("linux,initrd-start", _cells(chosen.initrd_start), "/chosen")
    parsed.set_property("linux,initrd-end", _cells(end), "/chosen")
    return bytes(parsed.to_dtb(17))


def _cells(value: int) -> list[int]:
    return [value >> 32, value & 0xFFFFFFFF]
