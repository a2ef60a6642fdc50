# SPDX-License-Identifier: BSD-3-Clause
"""What a tool measured of wake-ups: counts of intervals in ns for each CPU, late wake-ups, and what was never measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from latlab.model.conditions import UNSAID, Conditions
from latlab.model.enums import Metric, RowKind


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
    """Counts of [low, high) intervals in ns, rising and apart from each other. `beyond` counts what was clipped above the last."""

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
        """For each interval its low end, and the share of samples that are at least as late."""
        if self.total == 0:
            return self.low_ns, np.zeros(len(self.low_ns))
        above = self.total - np.concatenate(([0], np.cumsum(self.counts)[:-1]))
        return self.low_ns, above / self.total


BLOCKS = 20
FEWEST_OF_BLOCK = 100


def counted_values(late: NDArray[np.int64], unit_ns: int) -> Histogram:
    """Values that are printed in steps of `unit_ns`, in that unit."""
    values, counts = np.unique(late, return_counts=True)
    low = values * unit_ns
    return Histogram(low, low + unit_ns, counts.astype(np.int64))


def in_blocks(late: NDArray[np.int64], unit_ns: int) -> tuple[Histogram, ...]:
    """Values in the order of their times as parts of equal size; none where these would be too small to have a median."""
    if len(late) < BLOCKS * FEWEST_OF_BLOCK:
        return ()
    return tuple(counted_values(part, unit_ns) for part in np.array_split(late, BLOCKS))


@dataclass(frozen=True)
class CpuWakeups:
    """One CPU. `expected` is what the schedule asked for, `got` what was measured, `missed` the periods that passed unmeasured.

    None means that the tool which measured does not say. `average_ns` is exact where the tool says it. `blocks` are the same wake-ups in
    equal parts, one after the other in time, where their order is known. Where the rows of a tool are no CPUs, `cpu` is the row's number;
    `thread` is that of the thread, where a tool says both.
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
    """What one tool measured in one go. `resolution_ns` is the smallest difference that the tool can show, `sync` one moment on both
    clocks: (CLOCK_MONOTONIC in ns, system counter in ticks). Most tools measure wake-ups; some count stalls of a busy loop in the same
    form, as `metric` says; `rows` says what a row is of."""

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
    conditions: Conditions = UNSAID
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
        """A time of the system counter on CLOCK_MONOTONIC, in the same way."""
        if self.sync is None or not self.counter_hz:
            return None
        return self.sync[0] + (ticks - self.sync[1]) * 1e9 / self.counter_hz

    @property
    def missed(self) -> int | None:
        known = [cpu.missed for cpu in self.cpus if cpu.missed is not None]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class Glance:
    """A measurement that goes on: how long it has measured by its own clock; CPU, wake-ups and maximum in ns of each CPU; and of each late
    wake-up when it came, its CPU and how late it was."""

    measured_s: float
    cpus: tuple[tuple[int, int, int], ...]
    late: tuple[tuple[int, int, int], ...] = ()


def counted_us(low_us: NDArray[np.int64], counts: NDArray[np.int64], beyond: int = 0, unit_ns: int = 1000) -> Histogram:
    """A histogram of whole units, microseconds unless `unit_ns` says another, as cyclictest truncates them: bucket n is [n, n + 1)."""
    order = np.argsort(low_us)
    low = low_us[order] * unit_ns
    return Histogram(low, low + unit_ns, counts[order], beyond)
