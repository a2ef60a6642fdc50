# SPDX-License-Identifier: BSD-3-Clause
"""Instruction counts of two releases whose published times changed, with their sentences. Amounts are instructions per call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import count, percent, signed, signed_bare
from latlab.core.model.counts import CommitOf
from latlab.core.model.enums import InstructionClass, Metric

HARDLY_MOVED = 0.01
MOST_SHOWN = 3
C = InstructionClass
OUTSIDE = (C.DEVICE, C.UNCACHED_LOAD, C.UNCACHED_STORE, C.UNCACHED_FETCH, C.UNCACHED_BRANCH, C.DC_SET_WAY, C.DC_LINE)
"""The classes of instructions that wait for more than the core: for memory, a device, or a whole cache."""


class Agreement(StrEnum):
    """Whether the counts can explain the change of the time, by their direction. OUT_OF_SIGHT: they changed too little."""

    AGREED = "same direction"
    CONTRADICTED = "opposite direction"
    OUT_OF_SIGHT = "too small"


class Sight(StrEnum):
    """The evidence for the agreement."""

    OUTSIDE = "uncached accesses and cache maintenance"
    WHOLE = "all instructions"
    STILL = "nearly unchanged"
    TOO_FEW = "too few for the change of the time"


@dataclass(frozen=True, slots=True)
class CountedBeside:
    """Counts of spans whose time changed in one direction, in all of these tests on all of these processors, by the same functions and
    classes. `functions` and `classes` are (name, difference), the largest first. `shares` are the smallest and the largest share of a
    span. `commits` are known to have changed one of the functions."""

    metric: Metric
    verdict: Verdict
    tests: tuple[str, ...]
    processors: tuple[str, ...]
    difference: float
    shares: tuple[float, float]
    functions: tuple[tuple[str, float], ...]
    classes: tuple[tuple[InstructionClass, float], ...]
    agreement: Agreement
    sight: Sight
    commits: tuple[CommitOf, ...] = ()

    def sentence(self, unit: str) -> str:
        shares = " to ".join(dict.fromkeys(map(percent, self.shares)))
        where = f"{self.metric} of {' and '.join(self.tests)}, counted on {' and '.join(self.processors)}"
        moved = f"{signed(self.difference, unit)} ({shares}){self._explains(unit)}"
        by_class = f". By class: {_listed(self.classes, unit)}" if self.classes else ""
        commits = "".join(f". {' and '.join(commit.functions)} by {commit.id[:9]}, {commit.subject}" for commit in self.commits)
        return f"{where}: {moved}{by_class}{self._by_function(unit)}{commits}"

    @property
    def largest_with_time(self) -> tuple[str, float] | None:
        """The function that changed most in the direction of the time; None if all changed in the opposite direction."""
        return next((move for move in self.functions if self._is_with_time(move)), None)

    def _is_with_time(self, move: tuple[str, float]) -> bool:
        return (move[1] > 0) == (self.verdict is Verdict.REGRESSED)

    def _explains(self, unit: str) -> str:
        """All instructions may rise while those outside of the caches, which decide, fall: these have their own figure."""
        if self.agreement is Agreement.OUT_OF_SIGHT:
            return f", {self.sight}"
        outside = sum(difference for name, difference in self.classes if name in OUTSIDE)
        of_them = f". Of these {self.sight} {signed_bare(outside, unit)}" if self.sight is Sight.OUTSIDE else ""
        return f"{of_them}, in the {self.agreement} {'as' if self.agreement is Agreement.AGREED else 'to'} the time"

    def _by_function(self, unit: str) -> str:
        """The functions that changed in the direction of the time come first: a few of them may be slow and all others fast."""
        with_time = [move for move in self.functions if self._is_with_time(move)]
        against = [move for move in self.functions if move not in with_time]
        directions = (("Functions in the same direction", with_time), ("Functions in the opposite direction", against))
        return "".join(f". {words}: {_listed(moves, unit)}" for words, moves in directions if moves)


@dataclass(frozen=True, slots=True)
class CountsAreOf:
    """The source of the counts of two releases; `untold` are spans whose time changed in tests that were not counted."""

    releases: tuple[str, str]
    subject: str
    untold: tuple[tuple[Metric, tuple[str, ...]], ...]

    def sentence(self, unit: str) -> str:
        not_counted = "".join(f". No count is of {metric} of {', '.join(tests)}" for metric, tests in self.untold)
        return f"counts of {' and '.join(self.releases)} are of {self.subject}{not_counted}"


CountedFinding = CountedBeside | CountsAreOf


def _listed(moves: Sequence[tuple[str, float]], unit: str) -> str:
    shown, others = moves[:MOST_SHOWN], moves[MOST_SHOWN:]
    text = ", ".join(f"{name} {signed_bare(difference, unit)}" for name, difference in shown)
    return f"{text}, {count(len(others), 'other')} {signed_bare(sum(difference for _, difference in others), unit)}" if others else text
