# SPDX-License-Identifier: BSD-3-Clause
"""Fragments to functions: what ran inside a call, by name where an image has one, by address where none has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from latlab.calls.analysis.paths import runs_of
from latlab.calls.model.crossings import Fragment, Stretch
from latlab.core.model.symbols import Image

PAGE_MASK = ~0xFFF


def image_of(fragment: Fragment, images: Sequence[Image]) -> Image | None:
    """The image that has this code at this address, in one of its functions."""
    for image in images:
        if image.function(fragment.address) and image.bytes_at(fragment.address, len(fragment.code)) == fragment.code:
            return image
    return None


def function_of(fragment: Fragment, images: Sequence[Image]) -> str:
    image = image_of(fragment, images)
    return (image.function(fragment.address) if image else None) or f"{fragment.address & PAGE_MASK:#x}+"


def place_of(fragment: Fragment, images: Sequence[Image]) -> str:
    """`file:line` of the function's source; empty where no image says it."""
    image = image_of(fragment, images)
    return image.place(fragment.address) if image else ""


def instructions_by_function(stretches: Iterable[Stretch], fragments: Mapping[int, Fragment], images: Sequence[Image]) -> Counter[str]:
    """Instructions of each function in these stretches."""
    total: Counter[str] = Counter()
    for number, times in runs_of(stretches).items():
        fragment = fragments[number]
        total[function_of(fragment, images)] += fragment.instructions * times
    return total
