# SPDX-License-Identifier: BSD-3-Clause
"""Where images were when they ran: the code that ran is looked up in them, at whatever offset it was loaded or moved itself to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from latlab.calls.model.crossings import Arch, Fragment
from latlab.core.errors import DataError
from latlab.core.model.symbols import Image

# A core with AArch64 may run AArch32 code below EL3.
ELF_MACHINES = {Arch.AARCH64: ("EM_AARCH64", "EM_ARM"), Arch.ARMV8M: ("EM_ARM",), Arch.RISCV: ("EM_RISCV",)}
SOUGHT_BYTES = 20
MOST_SOUGHT = 4096
LEAST_SOUGHT = 8
"""So much code says that an image was at a place where nobody put it."""
PAGE_BYTES = 4096
"""Code that is loaded elsewhere or moves itself goes by whole pages; that of another build is off by less."""


class WrongImage(DataError):
    """One sentence: the symbols are of another build or another processor."""


def placed(fragments: Iterable[Fragment], images: Sequence[Image], arch: Arch) -> tuple[Image, ...]:
    """The images where their code ran, each once for every place. Raises WrongImage where one is for another processor, ran nowhere, or is
    not what ran at its addresses."""
    for image in images:
        if image.machine and image.machine not in ELF_MACHINES[arch]:
            raise WrongImage(
                f"{image.name} is an ELF file for {image.machine.removeprefix('EM_')}, the machine's cores are {arch.name}",
                "name that of the firmware",
            )
    pieces = list({(fragment.address, fragment.code): fragment for fragment in fragments}.values())
    all_places = [_places(image, pieces) for image in images]
    for image, places in zip(images, all_places, strict=True):
        others = [place for other_places in all_places if other_places is not places for place in other_places]
        _check(image, places, pieces, others)
    return tuple(place for places in all_places for place in places)


def _has(image: Image, fragment: Fragment) -> bool:
    return image.bytes_at(fragment.address, len(fragment.code)) == fragment.code


def _places(image: Image, pieces: Sequence[Fragment]) -> list[Image]:
    """The place that it was given, where that is not another's, and those that it was moved to; where it was nowhere, the nearest."""
    is_there = any(_has(image, piece) for piece in pieces)
    candidates = [image.moved(offset) for offset in _offsets(image, pieces)]
    moved = [place for place in candidates if not _different(place, pieces)]
    if is_there and not _different(image, pieces):
        return [image, *moved]
    return moved or ([] if is_there else candidates[:1]) or [image]


def _offsets(image: Image, pieces: Sequence[Fragment]) -> list[int]:
    """Whole pages from where it was linked, the one with most of the code first."""
    sought = _sought([piece for piece in pieces if not _has(image, piece)])
    votes = Counter(offset for address, code in islice(sought, MOST_SOUGHT) if (offset := _offset(image, address, code)) is not None)
    return [offset for offset, count in votes.most_common() if offset % PAGE_BYTES == 0 and count >= LEAST_SOUGHT]


def _sought(pieces: Sequence[Fragment]) -> Iterator[tuple[int, bytes]]:
    """Code that ran and lies together, cut into lengths that hardly stand twice in an image: a piece may be one instruction."""
    start, code = 0, b""
    for piece in sorted(pieces, key=lambda fragment: fragment.address):
        if piece.address != start + len(code):
            start, code = piece.address, b""
        code += piece.code
        while len(code) >= SOUGHT_BYTES:
            yield start, code[:SOUGHT_BYTES]
            start, code = start + SOUGHT_BYTES, code[SOUGHT_BYTES:]


def _offset(image: Image, address: int, code: bytes) -> int | None:
    """How far from its place in the image the code ran; None where the image does not have it, or has it twice."""
    offset = None
    for start, data in image.code:
        at = data.find(code)
        if at >= 0 and (offset is not None or data.find(code, at + 1) >= 0):
            return None
        if at >= 0:
            offset = address - start - at
    return offset


def _overlaps(image: Image, fragment: Fragment) -> bool:
    return image.bytes_at(fragment.address, len(fragment.code)) is not None


def _different(image: Image, pieces: Iterable[Fragment]) -> list[Fragment]:
    return [piece for piece in pieces if _overlaps(image, piece) and not _has(image, piece)]


def _check(image: Image, places: Sequence[Image], pieces: Iterable[Fragment], others: Sequence[Image]) -> None:
    """Raises WrongImage where what ran at these places, and is in no other image, is another's."""
    compared = [
        piece for piece in pieces if any(_overlaps(place, piece) for place in places) and not any(_has(other, piece) for other in others)
    ]
    different = [piece for piece in compared if not any(_has(place, piece) for place in places)]
    if not compared and not others:
        raise WrongImage(
            f"none of the executed code is in {image.name}, at any address: the firmware stopped before it, or it is of another build. "
            "Read the run's logs, or name the file of the build that ran"
        )
    if len(different) == len(compared):
        where = ", at any address" if not others else " and in no other of these files"
        raise WrongImage(
            f"{image.name} is of another build: none of the executed code is in it{where}", "name the file of the build that ran"
        )
    if different:
        raise WrongImage(
            f"{image.name} is of another build: of {len(compared)} pieces of code that ran at its addresses {len(different)} differ, "
            f"the first at {different[0].address:#x}"
        )
