# SPDX-License-Identifier: BSD-3-Clause
"""What two tools saw of the same CPUs, and which percentiles a distribution can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from latlab.core.model.distributions import Counts, Distribution
from latlab.core.statistics.histogram import Histogram
from latlab.rt.analysis.wakeup import PERCENTILES, same_distribution_ks
from latlab.rt.model.wakeups import Wakeups

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
    others = {cpu.number: cpu for cpu in second.cpus}
    return tuple(
        Agreement(
            cpu.number,
            _distance(cpu, other, second.resolution_ns),
            cpu.missed,
            other.missed,
            other.beyond if other.counts or other.beyond else None,
        )
        for cpu in first.cpus
        if (other := others.get(cpu.number)) is not None
    )


def told_percentiles(cpus: Sequence[Distribution]) -> tuple[float, ...]:
    """A percentile needs ten samples above it on one of the CPUs, else it is the maximum under another name."""
    return tuple(
        percent for percent in PERCENTILES if any(cpu.counts and cpu.counted * (1 - percent / 100) >= FEWEST_ABOVE for cpu in cpus)
    )


def percentile_ns(cpu: Distribution, percent: float) -> int | None:
    """Never above the maximum, which is known better than the interval that holds it. None if it was clipped or there is no sample."""
    value = Histogram(cpu).at_rank(ceil(cpu.counted * percent / 100)) if cpu.counts else None
    return None if value is None else int(value)


def together(a: Counts, b: Counts) -> Counts:
    """The two counted as one."""
    merged: dict[int, tuple[int, int]] = {}
    for low, high, n in (*a, *b):
        end, count = merged.get(low, (0, 0))
        merged[low] = max(end, high), count + n
    return tuple((low, *merged[low]) for low in sorted(merged))


def _distance(a: Distribution, b: Distribution, resolution_ns: int) -> float | None:
    return same_distribution_ks(Histogram(a), Histogram(b), resolution_ns) if a.counts and b.counts else None
