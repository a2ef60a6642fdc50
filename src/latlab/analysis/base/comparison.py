# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison of two runs is made of, whichever analysis made it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from latlab.analysis.base.check import RuleChange
from latlab.analysis.base.conditions import ALIKE, Differences, caveat_of
from latlab.analysis.base.detectable import Detectable
from latlab.analysis.base.findings import BootApart, CauseCounted, LargeUntold, RarestSeen, SamplesMissing, SpreadMoved
from latlab.analysis.base.iterations import Drift, InIterations
from latlab.analysis.base.ladders import Ladders
from latlab.analysis.base.statistics import Shift
from latlab.analysis.base.suspicion import Suspicion
from latlab.analysis.base.verdicts import Limits, Verdict
from latlab.analysis.base.wording import heading_unit, unit_of
from latlab.model.enums import Kind, Metric
from latlab.model.run import CoreId, Run

ROW_P = 0.05
CELL_P = 0.01


class Statistic(StrEnum):
    """What is compared of one CPU's wake-ups."""

    MEDIAN = "median"
    SPREAD = "spread"
    SHAPE = "shape"
    P90 = "90 %"
    P99 = "99 %"
    P99_9 = "99.9 %"
    AVERAGE = "average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    LATE = "late wake-ups"
    CAUSE = "events of one cause"
    MISSED = "missed periods"
    COVERAGE = "samples"


@dataclass(frozen=True, slots=True)
class Cell:
    """One core (or place) of a row. `verdict` needs boots of its own; with fewer it is `cannot tell`."""

    label: str
    before: float
    after: float
    shift: Shift
    verdict: Verdict
    p_adjusted: float = 1.0

    @property
    def difference(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity of one test: a term of the ladder, a group of like cores, or a statistic of one CPU.

    Values in ns or instructions. A shift beyond `threshold` counts; one whose interval lies within it is none; one beyond `large` must not
    pass untold. `p_adjusted` is that of what the verdict stands on: the row itself, or the level it belongs to. `is_occasional`:
    what the row is of comes in some boots only, so that it can be shown to differ but need not be told.
    """

    test: str
    metric: Metric
    name: str
    cluster: int | None
    before: float
    after: float
    shift: Shift
    threshold: float
    verdict: Verdict
    basis: str
    cells: tuple[Cell, ...] = ()
    effect: float | None = None
    is_term: bool = False
    statistic: Statistic | None = None
    core: CoreId | None = None
    large: float = 0.0
    is_occasional: bool = False
    p_adjusted: float = 1.0
    in_iterations: InIterations | None = None
    detectable: tuple[Detectable, ...] = ()
    maxima: tuple[float, float] | None = None
    drifts: tuple[Drift | None, Drift | None] = (None, None)

    @property
    def relative(self) -> float:
        """Infinite where there is no base to speak of, as of an extra that was hardly there, or of what never came before."""
        if (abs(self.before) <= self.threshold and self.is_term) or (self.shift.value and not self.before):
            return float("inf")
        return self.shift.value / self.before if self.before else 0.0

    @property
    def largest(self) -> float:
        """The row's shift, or the difference of a cell that is larger and no noise."""
        return max((self.shift.value, *(cell.difference for cell in self.cells if cell.shift.p < CELL_P)), key=abs)

    @property
    def is_large(self) -> bool:
        """Too large to pass, and not called changed."""
        is_changed = self.verdict in (Verdict.REGRESSED, Verdict.IMPROVED)
        return not (is_changed or self.is_occasional or not self.large) and abs(self.largest) > self.large

    @property
    def is_large_untold(self) -> bool:
        """Large, and more than its noise makes likely or with no noise known."""
        likely = self.shift.p > ROW_P and np.isfinite(self.shift.low)
        return self.is_large and not (likely and self.largest == self.shift.value)


@dataclass(frozen=True, slots=True)
class Level:
    """Rows that are tested together: those of one metric and role over all tests, the parallel (`at_once`) or the serial ones, of one
    cluster or of all. They are of so many `tests`."""

    metric: Metric
    cluster: int | None
    role: str | None
    at_once: bool | None
    rows: int
    shift: Shift
    p_adjusted: float = 1.0
    tests: int = 1


@dataclass(frozen=True, slots=True)
class Order:
    """Who was served when in a parallel test, in the first iteration of each run."""

    test: str
    before: tuple[CoreId, ...]
    after: tuple[CoreId, ...]

    @property
    def changed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What a comparison of any kind has. `differences` are those of the conditions, `missing` what the second run has fewer samples of.

    `gaps` say what could not be judged, because the second run lacks it or one of the two is partial: such a comparison is never `same`.
    """

    a: Run
    b: Run
    limits: Limits
    unit: str
    verdict: Verdict
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    gaps: tuple[str, ...]
    differences: Differences = ALIKE
    missing: tuple[SamplesMissing, ...] = ()

    @property
    def kind(self) -> Kind:
        return self.a.kind

    @property
    def interval_percent(self) -> int:
        """What the intervals of the rows hold."""
        return 95

    @property
    def large_untold(self) -> tuple[Row, ...]:
        """Rows that may hold a large change, the largest share first."""
        found = [row for row in self.rows if row.is_large_untold]
        return tuple(sorted(found, key=lambda row: -abs(row.largest) / row.large))

    @property
    def caveat(self) -> str:
        """What is said with the verdict wherever it stands: which conditions differ, and what takes something from the figures."""
        return "; ".join(filter(None, (self.differences.title, caveat_of(self.a, self.b))))

    @property
    def heading(self) -> str:
        """The unit as a table's heading has it."""
        return f"simulated {heading_unit(self.unit)}" if self.a.is_simulated else heading_unit(self.unit)

    def unit_of(self, metric: Metric) -> str:
        return unit_of(metric, self.unit)


@dataclass(frozen=True, kw_only=True)
class SpanComparison(Compared):
    """`large_moves` moved far without a verdict, whatever the model of scatter says. `rule_changes` are rules that one of the two keeps and
    the other does not. What a suspicion covers is not judged, and nothing that holds one has a verdict as a whole."""

    levels: tuple[Level, ...]
    ladders: dict[str, tuple[Ladders, Ladders]]
    leads: tuple[CoreId | None, CoreId | None]
    boots: tuple[int, int]
    rule_changes: tuple[RuleChange, ...]
    suspicions: tuple[Suspicion, ...]
    large_moves: tuple[LargeUntold | BootApart | SpreadMoved, ...] = ()

    @property
    def interval_percent(self) -> int:
        """What two one-sided tests at 5 % need."""
        return 90

    @property
    def orders(self) -> tuple[Order, ...]:
        return tuple(Order(test, before.names_in_order(), after.names_in_order()) for test, (before, after) in self.ladders.items())


@dataclass(frozen=True, kw_only=True)
class WakeupComparison(Compared):
    """`wakeups` are how many of each run are compared. `rarest_seen` says how rare a late wake-up could have been found, `causes` how often
    each named one made wake-ups late, by test, `scatter_assumed` that what runs of one thing scatter by was not measured."""

    wakeups: tuple[int, int]
    rarest_seen: tuple[RarestSeen, ...]
    causes: tuple[tuple[str, CauseCounted], ...]
    scatter_assumed: bool

    @property
    def large_untold(self) -> tuple[Row, ...]:
        """An assumed scatter is no reason to let a large shift pass; a measured one is."""
        found = [row for row in self.rows if row.is_large_untold or (self.scatter_assumed and row.is_large)]
        return tuple(sorted(found, key=lambda row: -abs(row.largest) / row.large))


@dataclass(frozen=True, kw_only=True)
class AmountComparison(Compared):
    """`repetitions` are the fewest values that a quantity of each run has."""

    repetitions: tuple[int, int]


Comparison = SpanComparison | WakeupComparison | AmountComparison
