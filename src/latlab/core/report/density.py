# SPDX-License-Identifier: BSD-3-Clause
"""Histograms whose intervals have different widths, added up as a density: samples per unit of the axis from edge to edge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from latlab.core.model.distributions import Distribution


@dataclass(frozen=True, slots=True)
class DensityStep:
    """`per_tick` samples in each tick from `low` to below `high`; 0 where nothing was measured."""

    low: int
    high: int
    per_tick: float


def density(distributions: Iterable[Distribution]) -> tuple[DensityStep, ...]:
    """The steps of all rows together, in ticks, without a gap. What is beyond a histogram lies between its end and the row's maximum;
    nothing closer is known of it."""
    rises: dict[int, float] = defaultdict(float)
    for distribution in distributions:
        for low, high, n in _intervals(distribution):
            rises[low] += n / (high - low)
            rises[high] -= n / (high - low)
    steps = []
    height = 0.0
    least = min((abs(rise) for rise in rises.values() if rise), default=0.0)
    for low, high in pairwise(sorted(rises)):
        height += rises[low]
        steps.append(DensityStep(low, high, height if height > least / 2 else 0.0))  # what is left of sums is rounding
    return tuple(steps)


def _intervals(distribution: Distribution) -> Iterable[tuple[int, int, int]]:
    yield from ((low, max(high, low + 1), n) for low, high, n in distribution.counts if n)
    if distribution.beyond:
        end = distribution.counts[-1][1] if distribution.counts else distribution.minimum_ticks
        yield end, max(distribution.maximum_ticks, end + 1), distribution.beyond
