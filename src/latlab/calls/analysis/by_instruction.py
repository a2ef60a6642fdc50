# SPDX-License-Identifier: BSD-3-Clause
"""The function of each instruction: that of its fragment, or the one that link-time optimisation inlined there.

Stacks keep the functions of the symbol table: code that was inlined was not called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from latlab.calls.analysis.functions import image_of
from latlab.calls.analysis.operations import instructions_of
from latlab.calls.analysis.symbolize import Names
from latlab.calls.model.crossings import Arch, Fragment
from latlab.core.model.symbols import Image


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
