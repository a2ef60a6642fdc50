# SPDX-License-Identifier: BSD-3-Clause
"""Functions of an image by address."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

CALL = struct.Struct("<HH")
CALL_BYTES = CALL.size


@dataclass(frozen=True, slots=True)
class Symbols:
    """Functions of an image, by address."""

    addresses: tuple[int, ...]
    names: tuple[str, ...]
    places: tuple[str, ...] = ()  # the section of each, where they were kept

    def place(self, address: int) -> str:
        """The section of the function that holds the address; empty where none does or where sections were not kept."""
        index = bisect_right(self.addresses, address) - 1
        return self.places[index] if index >= 0 and self.places else ""

    def name(self, address: int) -> str:
        """The function that holds the address, or the address itself where none does."""
        index = bisect_right(self.addresses, address) - 1
        return self.names[index] if index >= 0 else f"{address:#010x}"


@dataclass(frozen=True, slots=True)
class InlinedCode:
    """Code in [`start`, `end`) that is an inlined copy of a function; `place` is the function's `file:line`."""

    start: int
    end: int
    name: str
    place: str


@dataclass(frozen=True, slots=True)
class Image:
    """The functions of an ELF file and its code. `code` is (address, bytes) of each executable segment. `places` are the `file:line` of
    the functions, empty if the file does not state them. `machine` is the processor's name in ELF, such as EM_AARCH64; empty if unknown.
    `inlined` is sorted by address."""

    name: str
    starts: tuple[int, ...]
    sizes: tuple[int, ...]
    names: tuple[str, ...]
    code: tuple[tuple[int, bytes], ...]
    places: tuple[str, ...] = ()
    machine: str = ""
    inlined: tuple[InlinedCode, ...] = ()

    def inlined_at(self, address: int) -> InlinedCode | None:
        """The inlined copy that holds the address."""
        index = bisect_right(self.inlined, address, key=lambda code: code.start) - 1
        return self.inlined[index] if index >= 0 and address < self.inlined[index].end else None

    def function(self, address: int) -> str | None:
        """The function that holds the address; None outside the image's code."""
        index = self._index(address)
        return self.names[index] if index >= 0 else None

    def place(self, address: int) -> str:
        """Where the source of the function that holds the address begins; empty where nothing says it."""
        index = self._index(address)
        return self.places[index] if index >= 0 and self.places else ""

    def moved(self, offset: int) -> Image:
        """A copy of the image, `offset` bytes higher."""
        code = tuple((start + offset, data) for start, data in self.code)
        inlined = tuple(
            replace(inlined_call, start=inlined_call.start + offset, end=inlined_call.end + offset) for inlined_call in self.inlined
        )
        return replace(self, starts=tuple(start + offset for start in self.starts), code=code, inlined=inlined)

    def _index(self, address: int) -> int:
        """The index of the function; -1 outside the image's code and before its first function."""
        return -1 if self.bytes_at(address, 1) is None else bisect_right(self.starts, address) - 1

    def bytes_at(self, address: int, size: int) -> bytes | None:
        """The image's code there, None where it has none."""
        for start, data in self.code:
            if start <= address and address + size <= start + len(data):
                return data[address - start : address - start + size]
        return None


def called_behind(link: int, images: Sequence[Image]) -> str:
    """The function that Thumb code called with the BL before this return address; empty if there is no such BL, or no image has it."""
    address = link & ~1
    code = next((code for image in images if (code := image.bytes_at(address - CALL_BYTES, CALL_BYTES))), bytes(CALL_BYTES))
    first, second = CALL.unpack(code)
    if first & 0xF800 != 0xF000 or second & 0xD000 != 0xD000:
        return ""
    sign = first >> 10 & 1
    offset = (first & 0x3FF) << 12 | (second & 0x7FF) << 1
    offset |= (1 ^ sign ^ second >> 13 & 1) << 23 | (1 ^ sign ^ second >> 11 & 1) << 22
    target = address + offset - (sign << 24)
    return next((name for image in images if (name := image.function(target))), "")
