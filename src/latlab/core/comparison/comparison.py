# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a comparison of two runs, for every kind of run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

import numpy as np

from latlab.core.comparison.account import Account
from latlab.core.comparison.check import RuleChange
from latlab.core.comparison.conditions import ALIKE, Differences, caveat_of
from latlab.core.comparison.decision import Claim, decide
from latlab.core.comparison.findings import Notable, SamplesMissing
from latlab.core.comparison.iterations import Drift, InIterations
from latlab.core.comparison.queue_model import Ladders
from latlab.core.comparison.suspicion import Suspicion
from latlab.core.comparison.verdicts import Limits, Verdict
from latlab.core.comparison.wakeup_findings import CauseCounted, RarestSeen
from latlab.core.comparison.wording import amount, heading_unit, row_title, unit_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run
from latlab.core.statistics.power_analysis import Detectable
from latlab.core.statistics.statistics import Shift

MOST_APART = 0.5
"""The share of a shift that the difference of the medians may lack before a reader asks for the rest."""
ROW_P = 0.05
CELL_P = 0.01


class Statistic(StrEnum):
    """The statistic that is compared."""

    MEDIAN = "median"
    SPREAD = "spread"
    SHAPE = "shape"
    P90 = "90 %"
    P99 = "99 %"
    P99_9 = "99.9 %"
    SLOWEST = "slowest tenth"
    AVERAGE = "average"
    MEAN = "trimmed mean"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    LATE = "late wake-ups"
    CAUSE = "events of one cause"
    MISSED = "missed periods"
    COVERAGE = "samples"


@dataclass(frozen=True, slots=True)
class Cell:
    """One core (or queue position) of a row. `verdict` needs several boots; with fewer it is `inconclusive`. `threshold` and `large` are
    relative to the cell's own value before."""

    label: str
    before: float
    after: float
    shift: Shift
    verdict: Verdict
    p_adjusted: float = 1.0
    threshold: float = 0.0
    large: float = 0.0

    @property
    def difference(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity of one test: a term of the queue model, a group of like cores, or a statistic of one CPU.

    Values are in ns or instructions. A shift beyond `threshold` is a change; one whose interval lies within it is equivalent; one beyond
    `large` must be reported even if it is not significant. `p_adjusted` is the adjusted p-value behind the verdict, of the row or of its
    group. `of` is the value before of the figure that moved by the shift, if that is not `before`. `is_whole`: all samples of a parallel
    test by position, the parent of its other rows. `is_cell`: one data point of another row, which changed otherwise than it.
    `is_beyond_runs`: it moved by more than several runs of the base scatter by. `later_than`: the latency that a rate of late wake-ups
    counts from. A value of a row that cannot be judged is NaN if a run does not show it.
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
    is_whole: bool = False
    is_cell: bool = False
    p_adjusted: float = 1.0
    in_iterations: InIterations | None = None
    detectable: tuple[Detectable, ...] = ()
    maxima: tuple[float, float] | None = None
    drifts: tuple[Drift | None, Drift | None] = (None, None)
    of: float | None = None
    is_beyond_runs: bool = False
    later_than: float | None = None

    @property
    def title(self) -> str:
        """The name in the words of the field. Files keep the name itself."""
        if self.later_than is not None:
            return f"later than {amount(self.later_than, 'ns')}"
        is_quantile = self.statistic in (Statistic.P90, Statistic.P99, Statistic.P99_9)
        return f"{row_title(self.name)}{' quantile' * is_quantile}"

    @property
    def place(self) -> str:
        """The cores that the row is of, without its statistic."""
        return self.title if self.statistic is None else row_title(self.name).removesuffix(str(self.statistic)).rstrip(", ")

    @property
    def is_of_level(self) -> bool:
        """Whether it is of a level, and not of a spread, a tail or a cause."""
        return self.statistic in (None, Statistic.MEDIAN, Statistic.AVERAGE, Statistic.MEAN)

    @property
    def relative(self) -> float:
        """The shift as a share of the value before, of the same figure; infinite if that value is about 0."""
        before = self.before if self.of is None else self.of
        if (abs(before) <= self.threshold and self.is_term) or (self.shift.value and not before):
            return float("inf")
        return self.shift.value / before if before else 0.0

    @property
    def is_of_some_cores(self) -> bool:
        """Whether the medians over its cores did not move as their mean did: a few cores can cause that."""
        is_of_medians = self.statistic is None and not self.is_term and isfinite(self.shift.value)
        return is_of_medians and abs(self.after - self.before - self.shift.value) > MOST_APART * abs(self.shift.value)

    @property
    def largest(self) -> float:
        """The shift of the row, or the difference of a cell that is larger and not noise."""
        return max((self.shift.value, *(cell.difference for cell in self.cells if cell.shift.p < CELL_P)), key=abs)

    @property
    def is_large(self) -> bool:
        """Whether the shift is beyond `large` and the row is not called changed."""
        is_changed = self.verdict in (Verdict.REGRESSED, Verdict.IMPROVED)
        return not is_changed and bool(self.large) and (self.is_beyond_runs or abs(self.largest) > self.large)

    @property
    def is_large_untold(self) -> bool:
        """Whether the shift is large, and either significant against its noise or of unknown noise."""
        likely = self.shift.p > ROW_P and np.isfinite(self.shift.low) and not self.is_beyond_runs
        return self.is_large and not (likely and self.largest == self.shift.value)


def large_untold(rows: Sequence[Row], is_assumed: bool = False) -> tuple[Row, ...]:
    """Rows that may hold a large change, the largest share first. A scatter that is assumed excuses none."""
    large_rows = [row for row in rows if row.is_large_untold or (is_assumed and row.is_large)]
    return tuple(sorted(large_rows, key=lambda row: -abs(row.largest) / row.large))


@dataclass(frozen=True, slots=True)
class Order:
    """The order in which the cores were served in a parallel test, in the first iteration of each run. `varies`: a run has other orders in
    later iterations, so that the first one says nothing of the others."""

    test: str
    before: tuple[CoreId, ...]
    after: tuple[CoreId, ...]
    varies: bool = False

    @property
    def changed(self) -> bool:
        return self.before != self.after and not self.varies


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The fields of every comparison. `differences` are the differing conditions, `missing` the places with fewer samples in the second
    run.

    `rows` and `claims` are what was judged. `figures` are the figures of the shape of rows that did not change, which no screen shows.
    `account` says how many samples were judged, for kinds of runs that count them. `notable` is what has to be named with the verdict; some
    of it stops. `gaps` are sentences on what could not be judged, because the second run lacks it or a run is partial. `rule_changes` are
    rules that only one run keeps. Data under one of the `suspicions` gets no verdict. `decide` makes the verdict of the whole of all these
    and of nothing else.
    """

    a: Run
    b: Run
    limits: Limits
    unit: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    gaps: tuple[str, ...]
    differences: Differences = ALIKE
    missing: tuple[SamplesMissing, ...] = ()
    account: Account | None = None
    figures: tuple[Row, ...] = ()
    claims: tuple[Claim, ...] = ()
    notable: tuple[Notable, ...] = ()
    rule_changes: tuple[RuleChange, ...] = ()
    suspicions: tuple[Suspicion, ...] = ()

    @property
    def what_shows_more(self) -> str:
        """What to do where a difference is inconclusive."""
        return "measure more boots of both"

    @property
    def verdict(self) -> Verdict:
        """The verdict of the whole, as `decide` says."""
        return decide(self).verdict

    @property
    def leaves(self) -> tuple[Row, ...]:
        """Every row that the base has, whatever the candidate is: single data points are in their rows."""
        return tuple(row for row in (*self.rows, *self.figures) if not row.is_cell)

    @property
    def stops(self) -> tuple[Notable, ...]:
        """What is large and inconclusive: nothing passes with it."""
        return tuple(finding for finding in self.notable if finding.stops)

    @property
    def interval_percent(self) -> int:
        """The confidence level of the intervals of the rows, in percent."""
        return 95

    @property
    def large_untold(self) -> tuple[Row, ...]:
        """Rows that may hold a large change, the largest share first."""
        return large_untold(self.rows)

    @property
    def caveat(self) -> str:
        """The text that is printed with the verdict everywhere: the differing conditions, and what limits the figures."""
        return "; ".join(filter(None, (self.differences.title, caveat_of(self.a, self.b))))

    @property
    def heading(self) -> str:
        """The unit, as in the heading of a table."""
        return f"simulated {heading_unit(self.unit)}" if self.a.is_simulated else heading_unit(self.unit)

    def unit_of(self, metric: Metric) -> str:
        return unit_of(metric, self.unit)


@dataclass(frozen=True, kw_only=True)
class SpanComparison(Compared):
    """`ladders` are the queue models of both runs by test, `boots` the numbers of boots."""

    ladders: dict[str, tuple[Ladders, Ladders]]
    leads: tuple[CoreId | None, CoreId | None]
    boots: tuple[int, int]

    @property
    def interval_percent(self) -> int:
        """The confidence level that corresponds to two one-sided tests at 5 %."""
        return 90

    @property
    def orders(self) -> tuple[Order, ...]:
        return tuple(
            Order(test, before.names_in_order(), after.names_in_order(), before.order_varies or after.order_varies)
            for test, (before, after) in self.ladders.items()
        )


@dataclass(frozen=True, kw_only=True)
class WakeupComparison(Compared):
    """`wakeups` are the numbers of compared wake-ups of each run. `rarest_seen` is the lowest detectable rate of late wake-ups. `causes`
    are the rates of each named cause, by test. `scatter_assumed`: the scatter between runs was not measured."""

    wakeups: tuple[int, int]
    rarest_seen: tuple[RarestSeen, ...]
    causes: tuple[tuple[str, CauseCounted], ...]
    scatter_assumed: bool

    @property
    def what_shows_more(self) -> str:
        return "measure both again for longer"

    @property
    def large_untold(self) -> tuple[Row, ...]:
        """The rows with a large shift. An assumed scatter does not excuse a large shift; a measured scatter does."""
        return large_untold(self.rows, self.scatter_assumed)


@dataclass(frozen=True, kw_only=True)
class AmountComparison(Compared):
    """`repetitions` are the smallest numbers of values of a quantity in each run."""

    repetitions: tuple[int, int]

    @property
    def what_shows_more(self) -> str:
        return "measure more runs of both and join them, as in A1+A2"


Comparison = SpanComparison | WakeupComparison | AmountComparison
