# SPDX-License-Identifier: BSD-3-Clause
"""What a tool measured of wake-ups: a distribution in ns for each CPU, late wake-ups, and what was never measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latlab.core.model.conditions import NO_CONDITIONS, Conditions
from latlab.core.model.distributions import Counts, Distribution
from latlab.core.model.enums import Metric, RowKind
from latlab.core.model.run import CoreId


@dataclass(frozen=True, slots=True)
class Outlier:
    """A late wake-up. `wake_ns` is CLOCK_MONOTONIC when the thread ran, `wake_ticks` the system counter then (None: not readable)."""

    cpu: int
    wake_ns: int
    late_ns: int
    missed: int = 0
    wake_ticks: int | None = None


BLOCKS = 20
FEWEST_OF_BLOCK = 100


def intervals(low: NDArray[np.int64], high: NDArray[np.int64], counts: NDArray[np.int64]) -> Counts:
    """The intervals [low, high) in ns, sorted and disjoint, with the number of samples in each."""
    return tuple(zip(low.tolist(), high.tolist(), counts.tolist(), strict=True))


def counted_values(late: NDArray[np.int64], unit_ns: int) -> Counts:
    """The intervals of values that a tool prints in steps of `unit_ns`; `late` is in that unit."""
    values, counts = np.unique(late, return_counts=True)
    return counted_us(values, counts, unit_ns)


def counted_us(low_us: NDArray[np.int64], counts: NDArray[np.int64], unit_ns: int = 1000) -> Counts:
    """Intervals of whole units, microseconds unless `unit_ns` says another, as cyclictest truncates them: bucket n is [n, n + 1)."""
    order = np.argsort(low_us)
    low = low_us[order] * unit_ns
    return intervals(low, low + unit_ns, counts[order])


def in_blocks(late: NDArray[np.int64], unit_ns: int) -> tuple[Counts, ...]:
    """The intervals of consecutive parts of equal size, from values in the order of their times. Empty if a part would be too small for a
    median."""
    if len(late) < BLOCKS * FEWEST_OF_BLOCK:
        return ()
    return tuple(counted_values(part, unit_ns) for part in np.array_split(late, BLOCKS))


def cpu_row(
    number: int,
    counts: Counts,
    got: int,
    min_ns: int,
    max_ns: int,
    average_ns: float,
    beyond: int = 0,
    expected: int | None = None,
    missed: int | None = None,
    digest: str = "",
    late_dropped: int = 0,
    blocks: tuple[Counts, ...] = (),
) -> Distribution:
    """The wake-ups of one CPU, thread or pair as a tool measured them; the run that they belong to gives the test its name. `counts` is
    empty if the tool prints no histogram. `average_ns` is exact if the tool prints it."""
    core, metric = CoreId(0, number), Metric.TASK_WAKEUP
    ends = min_ns, max_ns, average_ns
    return Distribution(
        "", metric, core, counts, beyond, got, expected, missed, *ends, digest=digest, late_dropped=late_dropped, blocks=blocks
    )


@dataclass(frozen=True)
class Wakeups:
    """What one tool measured in one measurement.

    `resolution_ns` is the smallest difference that the tool can show. `sync` is one moment on both clocks: (CLOCK_MONOTONIC in ns,
    system counter in ticks). Most tools measure wake-ups. Some count stalls of a busy loop in the same form: `metric` says which. `rows`
    says what a row is about. `implied` are for each of `cpus` the latencies of the periods that passed while a thread was late.
    """

    tool: str
    interval_ns: int | None
    resolution_ns: int
    cpus: tuple[Distribution, ...]
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
    implied: tuple[Counts, ...] = ()

    @property
    def max_ns(self) -> int:
        return max((cpu.maximum_ticks for cpu in self.cpus), default=0)

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
