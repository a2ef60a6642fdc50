# SPDX-License-Identifier: BSD-3-Clause
"""Findings on wake-ups, each with its sentence. Amounts are in the run's unit, which `sentence` takes."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import MODES, amount, count, percent, printed, said_blame, said_duration, signed, unit_of
from latlab.core.model.blame import Blame
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Metric, RowKind
from latlab.core.shown import significant

THINGS = {Metric.TASK_WAKEUP: "wake-up", Metric.STALL: "stall", Metric.CYCLE: "cycle"}
LATE = {Metric.TASK_WAKEUP: "late wake-up", Metric.STALL: "long stall", Metric.CYCLE: "overrun"}


def row_of(metric: Metric, rows: RowKind, number: int) -> str:
    """`CPU 2`, `thread 0`. The test of a thread's cycles has its name, and they are of no CPU."""
    return "cycles" if metric is Metric.CYCLE else rows.named(number)


@dataclass(frozen=True, slots=True)
class ScatterUnknown:
    """A figure of wake-ups has a large difference, and the scatter between runs of the same system is unknown. `again` is the command
    for a second run of the base, which would show it."""

    metric: Metric
    test: str
    name: str
    before: float
    after: float
    rows: int
    again: str

    @property
    def stops(self) -> bool:
        return True

    def sentence(self, unit: str) -> str:
        share = f" ({percent(self.after / self.before - 1)})" if self.before else ""
        size = f"{signed(self.after - self.before, unit)}{share}"
        more = f", and {count(self.rows - 1, 'more row')} by that or less" if self.rows > 1 else ""
        why = "inconclusive, because one run each does not show the scatter between equal runs"
        return f"{self.metric} in {self.test}, {self.name}, differs by {size}{more}: {why}; {self.again}"


@dataclass(frozen=True, slots=True)
class RarestSeen:
    """The lowest detectable rate of a comparison of wake-ups or stalls: a cause with one event in `once_in` was detected in nine of ten
    comparisons; counted by event if `is_by_event`. A rate of one in `rarest` needs `wakeups` of each run, which take `seconds`, None if
    the interval is not known."""

    test: str
    thing: str
    once_in: float
    rarest: float
    wakeups: float
    seconds: float | None
    is_by_event: bool

    def sentence(self, unit: str) -> str:
        longer = f" ({said_duration(self.seconds)})" if self.seconds is not None else ""
        needed = f"; for once in {self.rarest:,.0f} measure {self.wakeups:,.0f} {self.thing}s{longer} in each run"
        more = needed if self.once_in < self.rarest else ""
        assumed = f"; assumes ten late {self.thing}s for each event, which a histogram does not separate"
        return (
            f"{self.test}: these runs detect a cause of the longest latencies with 90 % power if it comes once in {self.once_in:,.0f} "
            f"{self.thing}s or more often{more}{'' if self.is_by_event else assumed}"
        )


@dataclass(frozen=True, slots=True)
class ModeCaveat:
    """The limits of a measurement in this mode; `pair` if the modes of two runs differ."""

    mode: Mode
    pair: bool

    def sentence(self, unit: str) -> str:
        return MODES[self.mode] + (
            ": the hypervisor may have caused a change" if self.pair else ": the figures describe this virtual machine"
        )


@dataclass(frozen=True, slots=True)
class Spread:
    """The wake-ups of one CPU. `median` is None if only a summary is known, whose figures were printed in steps of `step`. `missed`
    periods passed while the task was late."""

    cpu: int
    average: float
    median: float | None
    maximum: float
    wakeups: int
    missed: int
    step: float = 0.0
    metric: Metric = Metric.TASK_WAKEUP
    rows: RowKind = RowKind.CPU

    def sentence(self, unit: str) -> str:
        row = row_of(self.metric, self.rows, self.cpu)
        missed = f"; {self.missed:,} periods passed while the task was late" if self.missed else ""
        longest = printed(self.maximum, self.step, unit)
        if self.median:
            figures = f"median {amount(self.median, unit)}, maximum {longest}, {self.maximum / self.median:.1f} times the median"
            return f"{row}: {figures}, over {self.wakeups:,} {THINGS[self.metric]}s{missed}"
        step = f", printed to {amount(self.step, unit)}" if self.step else ""
        return f"{row}: average {printed(self.average, self.step, unit)}, maximum {longest}{step}{missed}"


@dataclass(frozen=True, slots=True)
class LateByBlame:
    blame: Blame
    wakeups: int
    of: int
    latest: float
    metric: Metric = Metric.TASK_WAKEUP

    def sentence(self, unit: str) -> str:
        late = f"{self.wakeups} of {count(self.of, LATE[self.metric])}"
        return f"{late}: {said_blame(self.blame)}, the latest {amount(self.latest, unit)}"


@dataclass(frozen=True, slots=True)
class LateInPeriod:
    wakeups: int
    period_s: float

    def sentence(self, unit: str) -> str:
        return f"{self.wakeups} late wake-ups have a period of {significant(self.period_s)} s"


@dataclass(frozen=True, slots=True)
class StatisticMoved:
    """One statistic of the wake-ups of one CPU, in the unit of its metric."""

    statistic: str
    metric: Metric
    before: float
    after: float
    relative: float

    def phrase(self, unit: str) -> str:
        metric_unit = unit_of(self.metric, unit)
        relative = f" ({percent(self.relative)})" if self.before else ""
        return f"{self.statistic} {amount(self.before, metric_unit)} to {amount(self.after, metric_unit)}{relative}"


@dataclass(frozen=True, slots=True)
class CpuMoved:
    cpu: int
    verdict: Verdict
    figures: tuple[StatisticMoved, ...]
    quiet: tuple[int, ...]
    metric: Metric = Metric.TASK_WAKEUP
    rows: RowKind = RowKind.CPU

    def sentence(self, unit: str) -> str:
        text = ", ".join(moved.phrase(unit) for moved in self.figures)
        others = ", ".join(row_of(self.metric, self.rows, other) for other in self.quiet)
        row = row_of(self.metric, self.rows, self.cpu)
        return f"{row} {self.verdict}: {text}{f'; no significant change of {others}' if others else ''}"


@dataclass(frozen=True, slots=True)
class LateMoved:
    """A changed rate of wake-ups of all CPUs that are later than a level, which `name` states, per million."""

    verdict: Verdict
    name: str
    before: float
    after: float
    metric: Metric = Metric.TASK_WAKEUP

    def sentence(self, unit: str) -> str:
        return (
            f"{THINGS[self.metric]}s {self.name} {self.verdict}: {significant(self.before, 4)} to {significant(self.after, 4)} per million"
        )


@dataclass(frozen=True, slots=True)
class CauseCounted:
    """How often one cause made wake-ups late in both runs, by event: (events, wake-ups), the ratio of the rates with its 95 % interval,
    and the verdict. With `needed` wake-ups of each run, which take `seconds` if the interval is known, a doubled rate would be detected;
    None if that cannot be computed."""

    verdict: Verdict
    blame: Blame
    before: tuple[int, int]
    after: tuple[int, int]
    ratio: float
    low: float
    high: float
    needed: float | None
    seconds: float | None
    metric: Metric = Metric.TASK_WAKEUP

    def sentence(self, unit: str) -> str:
        """With what a verdict would need."""
        (events, of), (after, out_of) = self.before, self.after
        ratio = (
            ""
            if self.ratio == float("inf")
            else f", {significant(self.ratio, 2)} times as often ({significant(self.low, 2)} to {significant(self.high, 2)})"
        )
        counted = f"{events:,} events of {of:,} {THINGS[self.metric]}s, then {after:,} of {out_of:,}"
        text = f"{said_blame(self.blame)}: {self.verdict}, {counted}{ratio}"
        if self.verdict is not Verdict.CANNOT_TELL or self.needed is None:
            return text
        if self.needed <= min(of, out_of):
            return f"{text}; equal runs may differ by as much; measure further runs of the base, not longer ones"
        longer = f" ({said_duration(self.seconds)})" if self.seconds is not None else ""
        return f"{text}; to detect twice the rate, measure {self.needed:,.0f} {THINGS[self.metric]}s{longer} in each run"


@dataclass(frozen=True, slots=True)
class BlameMoved:
    """The number of late wake-ups with one cause, before and after. All times in which a CPU was not available are one blame."""

    blame: Blame
    before: int
    after: int
    metric: Metric = Metric.TASK_WAKEUP

    def sentence(self, unit: str) -> str:
        return f"{LATE[self.metric]}s by cause: {said_blame(self.blame)}, {self.before} before and {self.after} after"


@dataclass(frozen=True, slots=True)
class NoWakeupMoved:
    """No CPU shows a change of its wake-ups, nor a thread one of its cycles; `inconclusive` is a number of rows."""

    inconclusive: int = 0
    has_cycles: bool = False

    def sentence(self, unit: str) -> str:
        remainder = f"; {count(self.inconclusive, 'row')} inconclusive" if self.inconclusive else ""
        cycles = " or any thread's cycles" if self.has_cycles else ""
        return f"no significant change of any CPU's wake-ups{cycles}{remainder}"
