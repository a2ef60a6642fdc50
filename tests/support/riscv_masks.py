# SPDX-License-Identifier: BSD-3-Clause
"""Which interrupts a RISC-V hart has masked while it goes from world to world: MIE and SIE, kept by traps, put back by mret and sret."""

from __future__ import annotations

from dataclasses import dataclass, field

from latlab.calls.model.crossings import Masked

U, S, HS, M, VU, VS = range(6)
LINES = 2
VECTORS = {M: "m_trap", HS: "s_trap", S: "s_trap"}


@dataclass
class Begun:
    """Stretches of one line that began alike: at a vector, with the hart (`start`), or elsewhere."""

    count: int = 0
    instructions: int = 0


@dataclass
class Masks:
    """Of a hart from its start, in M with all masked."""

    mie: bool = False
    mpie: bool = False
    sie: bool = False
    spie: bool = False
    changed_at: int = 0
    last: tuple[int, tuple[bool, ...]] = (M, (True, True))
    under_way: dict[int, tuple[str, int]] = field(default_factory=lambda: {line: ("start", 0) for line in range(LINES)})
    ended: list[tuple[int, str, int]] = field(default_factory=list)

    def trapped(self, taker: int, ran: int) -> None:
        if taker == M:
            self.mpie, self.mie = self.mie, False
        elif taker in (S, HS):
            self.spie, self.sie = self.sie, False
        self._look(taker, ran, VECTORS.get(taker, ""))

    def returned(self, left: int, to: int, ran: int) -> None:
        if left == M:
            self.mie, self.mpie = self.mpie, True
        elif left in (S, HS):
            self.sie, self.spie = self.spie, True
        self._look(to, ran, "")

    def _look(self, world: int, ran: int, where: str) -> None:
        masked = (world == M and not self.mie, world == M or (world in (S, HS) and not self.sie))
        for line, is_masked in enumerate(masked):
            if is_masked:
                self.under_way.setdefault(line, (where, ran))
            elif line in self.under_way:
                self._end(line, ran)
        if (world, masked) != self.last:
            self.last, self.changed_at = (world, masked), ran

    def _end(self, line: int, ran: int) -> None:
        where, since = self.under_way.pop(line)
        self.ended.append((line, where, ran - since))

    def of_harts(self, harts: int, before: int) -> dict[tuple[int, str], Begun]:
        """Of so many harts that do this, with `before` instructions in front of it. What has not ended lasts to the last change."""
        for line in list(self.under_way):
            self._end(line, self.changed_at)
        found: dict[tuple[int, str], Begun] = {}
        for line, where, instructions in self.ended:
            begun = found.setdefault((line, where), Begun())
            begun.count += harts
            begun.instructions += harts * (instructions + (before if where == "start" else 0))
        return found


def begun_of(masked: list[Masked], vectors: dict[int, str]) -> dict[tuple[int, str], Begun]:
    """The same of what the probe saw; `vectors` are names of addresses."""
    found: dict[tuple[int, str], Begun] = {}
    for one in masked:
        begun = found.setdefault((one.line, "start" if one.from_start else vectors.get(one.begin, "")), Begun())
        begun.count += one.count
        begun.instructions += one.instructions
    return found
