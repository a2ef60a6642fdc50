# SPDX-License-Identifier: BSD-3-Clause
"""The function of each fragment and of each instruction: by symbol, by the called address without symbols, by page where nothing called it.

An instruction may be of a function that link-time optimisation inlined in the fragment. Stacks keep the functions of the symbol table:
code that was inlined was not called.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from latlab.calls.analysis.opcodes import Flow, flow_of_fragment, instructions_of
from latlab.calls.analysis.paths import neighbours, runs_of
from latlab.calls.model.crossings import LOOP, Arch, Fragment, Stretch
from latlab.core.model.symbols import Image

# A compiler's copies of a function count as the function: their numbers differ from build to build.
CLONE = re.compile(r"(\.(constprop|isra|part|cold|lto_priv|llvm)(\.\d+)?)+$")
LONGEST_FUNCTION = 1 << 16
PAGE_MASK = ~0xFFF


class Names:
    """Names of the functions of a stream's fragments and the places of their source."""

    def __init__(self, fragments: Mapping[int, Fragment], images: Sequence[Image], called: Sequence[int] = ()) -> None:
        self._of = {number: CLONE.sub("", _name(fragment, images, called)) for number, fragment in fragments.items()}
        self.places: dict[str, str] = {}
        for number, name in self._of.items():
            self.places[name] = self.places.get(name) or place_of(fragments[number], images)

    def __getitem__(self, number: int) -> str:
        return self._of[number]


class ByInstruction:
    """Names of a stream's instructions and the places of their functions' source."""

    def __init__(self, arch: Arch, fragments: Mapping[int, Fragment], images: Sequence[Image], names: Names) -> None:
        self._fragments, self._names = fragments, names
        self._places: dict[str, str] = {}
        self._of: dict[int, tuple[str, ...]] = {}
        for number, fragment in fragments.items() if any(image.inlined for image in images) else ():
            image = image_of(fragment, images)
            if image is not None and image.inlined:
                self._of[number] = tuple(self._name(image, address, names[number]) for address, _ in instructions_of(arch, fragment))

    def names(self, number: int) -> tuple[str, ...]:
        """The function of each instruction of a fragment whose code is known."""
        return self._of.get(number) or (self._names[number],) * self._fragments[number].instructions

    def counts(self, number: int) -> Counter[str]:
        """Instructions of each function in one run of a fragment."""
        counts = Counter(self.names(number))
        cut = self._fragments[number].instructions - counts.total()
        if cut > 0:
            counts[self._names[number]] += cut
        return counts

    def place(self, name: str) -> str:
        """`file:line` of a function; empty where no image says it."""
        return self._names.places.get(name) or self._places.get(name, "")

    def _name(self, image: Image, address: int, of_fragment: str) -> str:
        copy = image.inlined_at(address)
        if copy is None:
            return of_fragment
        self._places.setdefault(copy.name, copy.place)
        return copy.name


def entry_addresses(arch: Arch, fragments: Mapping[int, Fragment], spans: Iterable[Sequence[Stretch]]) -> tuple[int, ...]:
    """Where calls went in these spans, and where spans began if no code that ran leads there, as none does to a vector; rising."""
    is_call = {number: flow_of_fragment(arch, fragment) is Flow.CALL for number, fragment in fragments.items()}
    behind = {fragment.address + len(fragment.code) for fragment in fragments.values()}
    paths: set[tuple[int, ...]] = set()
    addresses: set[int] = set()
    for span in spans:
        paths.update(stretch.steps for stretch in span)
        first = next((number for stretch in span[:1] for number in stretch.steps[::2] if number < LOOP), None)
        if first is not None and fragments[first].address not in behind:
            addresses.add(fragments[first].address)
    addresses |= {fragments[into].address for path in paths for out, into in neighbours(path) if is_call[out]}
    return tuple(sorted(addresses))


def _name(fragment: Fragment, images: Sequence[Image], called: Sequence[int]) -> str:
    at = bisect_right(called, fragment.address) - 1
    if at >= 0 and fragment.address - called[at] < LONGEST_FUNCTION and not image_of(fragment, images):
        return f"{called[at]:#x}"
    return function_of(fragment, images)


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
