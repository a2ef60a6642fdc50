# SPDX-License-Identifier: BSD-3-Clause
"""Fragments to functions: what ran inside a call, by name where an image has one, by address where none has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from latlab.model.crossings import Fragment
from latlab.model.symbols import Image

PAGE_MASK = ~0xFFF


class WrongImage(Exception):
    """One sentence: the symbols are of another build."""


def check_code(fragments: Iterable[Fragment], images: Sequence[Image]) -> None:
    """Raises WrongImage where code that ran is not what the image has at its address."""
    for image in images:
        compared = different = 0
        first = 0
        for fragment in fragments:
            held = image.bytes_at(fragment.address, len(fragment.code))
            if held is None:
                continue
            compared += 1
            if held != fragment.code:
                different += 1
                first = first or fragment.address
        if different:
            raise WrongImage(
                f"{image.name} is of another build: of {compared} pieces of code that ran at its addresses {different} differ, "
                f"the first at {first:#x}"
            )
        if not compared:
            raise WrongImage(f"{image.name} has nothing at the addresses that ran; if it was loaded elsewhere give FILE@OFFSET")


def function_of(fragment: Fragment, images: Sequence[Image]) -> str:
    for image in images:
        name = image.function(fragment.address)
        if name:
            return name
    return f"{fragment.address & PAGE_MASK:#x}+"


def place_of(fragment: Fragment, images: Sequence[Image]) -> str:
    """`file:line` of the function's source; empty where no image says it."""
    return next((image.place(fragment.address) for image in images if image.function(fragment.address)), "")


def instructions_by_function(runs: Iterable[tuple[int, int]], fragments: Mapping[int, Fragment], images: Sequence[Image]) -> Counter[str]:
    """Instructions of each function over these runs of fragments (number, times)."""
    total: Counter[str] = Counter()
    for number, times in runs:
        fragment = fragments[number]
        total[function_of(fragment, images)] += fragment.instructions * times
    return total
