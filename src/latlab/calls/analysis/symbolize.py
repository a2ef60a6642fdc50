# SPDX-License-Identifier: BSD-3-Clause
"""The function of each fragment: by symbol, by the address that was called where there are none, by page where nothing called it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from latlab.calls.analysis.flow import Flow, flow_of_fragment
from latlab.calls.analysis.functions import function_of, image_of, place_of
from latlab.calls.analysis.paths import neighbours
from latlab.calls.model.crossings import LOOP, Arch, Fragment, Stretch
from latlab.core.model.symbols import Image

# A compiler's copies of a function count as the function: their numbers differ from build to build.
CLONE = re.compile(r"(\.(constprop|isra|part|cold|lto_priv|llvm)(\.\d+)?)+$")
LONGEST_FUNCTION = 1 << 16


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


class Names:
    """Names of the functions of a stream's fragments and the places of their source."""

    def __init__(self, fragments: Mapping[int, Fragment], images: Sequence[Image], called: Sequence[int] = ()) -> None:
        self._of = {number: CLONE.sub("", _name(fragment, images, called)) for number, fragment in fragments.items()}
        self.places: dict[str, str] = {}
        for number, name in self._of.items():
            self.places[name] = self.places.get(name) or place_of(fragments[number], images)

    def __getitem__(self, number: int) -> str:
        return self._of[number]


def _name(fragment: Fragment, images: Sequence[Image], called: Sequence[int]) -> str:
    at = bisect_right(called, fragment.address) - 1
    if at >= 0 and fragment.address - called[at] < LONGEST_FUNCTION and not image_of(fragment, images):
        return f"{called[at]:#x}"
    return function_of(fragment, images)
