# SPDX-License-Identifier: BSD-3-Clause
"""What two tools saw of the same CPUs, and which percentiles a distribution can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latlab.rt.analysis.wakeup import PERCENTILES, same_distribution_ks
from latlab.rt.model.wakeups import CpuWakeups, Histogram, Wakeups

FEWEST_ABOVE = 10


@dataclass(frozen=True, slots=True)
class Agreement:
    """One CPU by two tools. `distance` is the largest between their distribution functions, None where one has no histogram."""

    cpu: int
    distance: float | None
    missed_by_first: int | None
    missed_by_second: int | None
    clipped_by_second: int | None


def agreement(first: Wakeups, second: Wakeups) -> tuple[Agreement, ...]:
    """Each CPU that both have measured, by the second's resolution."""
    others = {cpu.cpu: cpu for cpu in second.cpus}
    return tuple(
        Agreement(
            cpu.cpu,
            _distance(cpu, other, second.resolution_ns),
            cpu.missed,
            other.missed,
            other.histogram.beyond if other.histogram else None,
        )
        for cpu in first.cpus
        if (other := others.get(cpu.cpu)) is not None
    )


def told_percentiles(cpus: Sequence[CpuWakeups]) -> tuple[float, ...]:
    """A percentile needs ten samples above it on one of the CPUs, else it is the maximum under another name."""
    return tuple(
        percent
        for percent in PERCENTILES
        if any(cpu.histogram is not None and cpu.histogram.total * (1 - percent / 100) >= FEWEST_ABOVE for cpu in cpus)
    )


def percentile_ns(cpu: CpuWakeups, percent: float) -> int | None:
    """Never above the maximum, which is known better than the interval that holds it."""
    value = cpu.histogram.percentile_ns(percent) if cpu.histogram else None
    return None if value is None else min(value, cpu.max_ns)


def together(a: Histogram, b: Histogram) -> Histogram:
    """The two counted as one."""
    low, place = np.unique(np.concatenate((a.low_ns, b.low_ns)), return_inverse=True)
    high = np.zeros(len(low), dtype=np.int64)
    counts = np.zeros(len(low), dtype=np.int64)
    np.maximum.at(high, place, np.concatenate((a.high_ns, b.high_ns)))
    np.add.at(counts, place, np.concatenate((a.counts, b.counts)))
    return Histogram(low, high, counts, a.beyond + b.beyond)


def _distance(a: CpuWakeups, b: CpuWakeups, resolution_ns: int) -> float | None:
    if a.histogram is None or b.histogram is None:
        return None
    return same_distribution_ks(a.histogram, b.histogram, resolution_ns)
