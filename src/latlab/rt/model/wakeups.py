# SPDX-License-Identifier: BSD-3-Clause
"""What a tool measured of wake-ups: counts of intervals in ns for each CPU, late wake-ups, and what was never measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from latlab.core.model.conditions import NO_CONDITIONS, Conditions
from latlab.core.model.enums import Metric, RowKind


@dataclass(frozen=True, slots=True)
class Outlier:
    """A late wake-up. `wake_ns` is CLOCK_MONOTONIC when the thread ran, `wake_ticks` the system counter then (None: not readable)."""

    cpu: int
    wake_ns: int
    late_ns: int
    missed: int = 0
    wake_ticks: int | None = None


@dataclass(frozen=True)
class Histogram:
    """Counts of the half-open intervals [low, high) in ns, sorted by their ends and disjoint. `beyond` counts the values above the last
    interval."""

    low_ns: NDArray[np.int64]
    high_ns: NDArray[np.int64]
    counts: NDArray[np.int64]
    beyond: int = 0

    @cached_property
    def total(self) -> int:
        return int(self.counts.sum()) + self.beyond

    def percentile_ns(self, percent: float) -> int | None:
        """Upper bound of the interval that holds the sample of this rank; None where it was clipped or there is none."""
        rank = int(np.ceil(self.total * percent / 100.0))
        if rank == 0:
            return None
        place = int(np.searchsorted(np.cumsum(self.counts), rank))
        return None if place == len(self.counts) else int(self.high_ns[place]) - 1

    def survival(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The low end of each interval, in ns, and the share of samples that are at least as late. Both arrays have one value for each
        interval."""
        if self.total == 0:
            return self.low_ns, np.zeros(len(self.low_ns))
        above = self.total - np.concatenate(([0], np.cumsum(self.counts)[:-1]))
        return self.low_ns, above / self.total


BLOCKS = 20
FEWEST_OF_BLOCK = 100


def counted_values(late: NDArray[np.int64], unit_ns: int) -> Histogram:
    """A histogram of values that a tool prints in steps of `unit_ns`; `late` is in that unit."""
    values, counts = np.unique(late, return_counts=True)
    low = values * unit_ns
    return Histogram(low, low + unit_ns, counts.astype(np.int64))


def in_blocks(late: NDArray[np.int64], unit_ns: int) -> tuple[Histogram, ...]:
    """Histograms of consecutive parts of equal size, from values in the order of their times. Empty if a part would be too small for a
    median."""
    if len(late) < BLOCKS * FEWEST_OF_BLOCK:
        return ()
    return tuple(counted_values(part, unit_ns) for part in np.array_split(late, BLOCKS))


@dataclass(frozen=True)
class CpuWakeups:
    """The wake-ups of one CPU. `expected` is the number that the schedule asked for, `got` the number measured, `missed` the periods
    that passed unmeasured.

    None means that the tool does not report the number. `average_ns` is exact if the tool reports it. `blocks` are the same wake-ups in
    equal consecutive parts of the time, if their order is known. If the rows of a tool are not CPUs, `cpu` is the number of the row.
    `thread` is the number of the thread, if a tool reports both.
    """

    cpu: int
    histogram: Histogram | None
    got: int
    expected: int | None
    missed: int | None
    min_ns: int
    max_ns: int
    average_ns: float
    digest: str = ""
    implied: Histogram | None = None
    outliers_dropped: int = 0
    blocks: tuple[Histogram, ...] = ()
    thread: int | None = None


@dataclass(frozen=True)
class Wakeups:
    """What one tool measured in one measurement.

    `resolution_ns` is the smallest difference that the tool can show. `sync` is one moment on both clocks: (CLOCK_MONOTONIC in ns,
    system counter in ticks). Most tools measure wake-ups. Some count stalls of a busy loop in the same form: `metric` says which. `rows`
    says what a row is about.
    """

    tool: str
    interval_ns: int | None
    resolution_ns: int
    cpus: tuple[CpuWakeups, ...]
    outliers: tuple[Outlier, ...] = ()
    start_ns: int | None = None
    end_ns: int | None = None
    counter_hz: int | None = None
    sync: tuple[int, int] | None = None
    complete: bool = True
    conditions: Conditions = NO_CONDITIONS
    facts: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    metric: Metric = Metric.TASK_WAKEUP
    rows: RowKind = RowKind.CPU

    @property
    def max_ns(self) -> int:
        return max((cpu.max_ns for cpu in self.cpus), default=0)

    def ticks_of(self, ns: int) -> int | None:
        """A time of CLOCK_MONOTONIC on the system counter; None where the tool could not read the counter."""
        if self.sync is None or self.counter_hz is None:
            return None
        return self.sync[1] + (ns - self.sync[0]) * self.counter_hz // 1_000_000_000

    def ns_of(self, ticks: int) -> float | None:
        """The time on CLOCK_MONOTONIC, in ns, of a value of the system counter. None if the tool could not read the counter."""
        if self.sync is None or not self.counter_hz:
            return None
        return self.sync[0] + (ticks - self.sync[1]) * 1e9 / self.counter_hz

    @property
    def missed(self) -> int | None:
        counts = [cpu.missed for cpu in self.cpus if cpu.missed is not None]
        return sum(counts) if counts else None


@dataclass(frozen=True, slots=True)
class LiveSnapshot:
    """The state of a measurement that still runs: the time it has measured so far by its own clock; the CPU, number of wake-ups and
    maximum in ns of each CPU; and the time, the CPU and the lateness of each late wake-up."""

    measured_s: float
    cpus: tuple[tuple[int, int, int], ...]
    late: tuple[tuple[int, int, int], ...] = ()


def counted_us(low_us: NDArray[np.int64], counts: NDArray[np.int64], beyond: int = 0, unit_ns: int = 1000) -> Histogram:
    """A histogram of whole units, microseconds unless `unit_ns` says another, as cyclictest truncates them: bucket n is [n, n + 1)."""
    order = np.argsort(low_us)
    low = low_us[order] * unit_ns
    return Histogram(low, low + unit_ns, counts[order], beyond)
