# SPDX-License-Identifier: BSD-3-Clause
"""A distribution as weighted values, and the tests on two of them: as in statistics.py, without a row for each of millions of spans.

docs/explanation/statistics.md has the sources of the methods.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, exp, floor, log, log1p, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latlab.core.model.distributions import Distribution, distributions_of
from latlab.core.model.enums import Clock
from latlab.core.model.run import Run
from latlab.core.statistics.distributions import normal_quantile, normal_upper
from latlab.core.statistics.sample_matrix import Floats
from latlab.core.statistics.statistics import CountedValues, Shift, cliffs_delta, mann_whitney_p, two_sample_shift

FEWEST_ABOVE = 10
IQR = 1.349
"""Of a normal distribution, in standard deviations."""
_SMALL = 60
_PARTS = 1_000_000


@dataclass(frozen=True)
class Histogram:
    """A distribution in ns or instructions: one tick is `step`. `interval` is the time between two spans that were due, None if unknown.

    `counts` spans are in [`low`, `high`). If only minimum, average and maximum are known, these are empty and `is_counted` is false.
    `filled_to` is the end of the last interval that any CPU of the run filled: no clipped span is earlier.
    """

    distribution: Distribution
    step: float = 1.0
    interval: float | None = None
    filled_to: float = 0.0

    @property
    def is_counted(self) -> bool:
        return bool(self.distribution.counts or self.distribution.beyond)

    @cached_property
    def end(self) -> float:
        """The least that a clipped span can be."""
        return max(self.filled_to, float(self.high[-1]) if len(self.high) else self.minimum)

    @cached_property
    def _table(self) -> Floats:
        return np.array(self.distribution.counts, dtype=np.float64).reshape(-1, 3)

    @cached_property
    def low(self) -> Floats:
        return self._table[:, 0] * self.step

    @cached_property
    def high(self) -> Floats:
        return self._table[:, 1] * self.step

    @property
    def counts(self) -> Floats:
        return self._table[:, 2]

    @property
    def beyond(self) -> int:
        return self.distribution.beyond

    @property
    def minimum(self) -> float:
        return self.distribution.minimum_ticks * self.step

    @property
    def maximum(self) -> float:
        return self.distribution.maximum_ticks * self.step

    @property
    def average(self) -> float:
        return self.distribution.average_ticks * self.step

    @property
    def resolution(self) -> float:
        return self.distribution.resolution_ticks * self.step

    @property
    def missed_rate(self) -> float | None:
        """Missed periods per million that were due."""
        missed, due = self.distribution.missed, self.distribution.due
        return None if missed is None or not due else missed * _PARTS / due

    @cached_property
    def blocks(self) -> tuple[Histogram, ...]:
        """Equal parts in time; empty if the order of the spans is not known."""
        return tuple(
            Histogram(replace(self.distribution, counts=counts, beyond=0), self.step) for counts in self.distribution.blocks if counts
        )

    @cached_property
    def total(self) -> int:
        """The number of spans; the number that was due if they are not counted."""
        return int(self.counts.sum()) + self.beyond if self.is_counted else self.distribution.due

    @cached_property
    def middles(self) -> Floats:
        """The representative value of each interval, at most the maximum."""
        return np.minimum((self.low + self.high - self.step) / 2, self.maximum)

    @cached_property
    def _cumulative(self) -> Floats:
        return np.cumsum(self.counts)

    def place(self, rank: int) -> int | None:
        """The interval, from 1, of the span with this rank; None if the span was clipped."""
        interval = int(np.searchsorted(self._cumulative, rank))
        return interval if interval < len(self.counts) else None

    def at_rank(self, rank: int) -> float | None:
        """The upper bound of the span with this rank; None if it was clipped or there is none."""
        place = self.place(min(max(rank, 1), self.total)) if self.total else None
        return None if place is None else min(float(self.high[place] - self.step), self.maximum)

    def quantile(self, share: float) -> float | None:
        return self.at_rank(self._rank(share))

    def _rank(self, share: float) -> int:
        """The place in order of the sample that the quantile is. The product is rounded, as 41,000 * 0.999 may exceed 40,959 by a rounding
        error."""
        return min(max(ceil(round(self.total * share, 6)), 1), self.total)

    def quantile_edges(self, share: float) -> tuple[float | None, float | None]:
        """The least and the most that the quantile can be, by its interval. Of a clipped one the end of the histogram is the least, and the
        most is not known, except of the largest span."""
        rank = self._rank(share)
        place = self.place(rank)
        if place is not None:
            low, largest = float(self.low[place]), self.maximum + self.resolution - self.step
            return low, min(float(self.high[place]) - self.step, max(largest, low))
        return (self.maximum, self.maximum) if rank == self.total else (self.end, None)

    def interpolated(self, share: float) -> float | None:
        """The quantile, with spans distributed evenly within an interval; None if it was clipped."""
        rank = max(self.total * share, 1.0)
        place = self.place(self._rank(share))
        if place is None:
            return None
        below = float(self._cumulative[place]) - float(self.counts[place])
        inside = (rank - below) / float(self.counts[place])
        return min(float(self.low[place]) + inside * float(self.high[place] - self.low[place]), self.maximum + self.step)

    def width_at(self, share: float) -> float:
        """The width of the interval that contains this quantile."""
        place = self.place(self._rank(share))
        return float(self.high[place] - self.low[place]) if place is not None else 0.0

    def above(self, level: float) -> int:
        """The number of spans that are certainly later than `level`. Of the clipped spans only the latest is known beyond the end of the
        histogram."""
        inside = int(self.counts[self.low > level].sum())
        if not self.beyond or level < self.end:
            return inside + self.beyond
        return inside + int(self.maximum > level)

    @property
    def at_least(self) -> CountedValues:
        """The middles of the intervals with their counts, and the clipped spans at the least that they can be."""
        if not self.beyond:
            return self.middles, self.counts
        return np.r_[self.middles, self.end], np.r_[self.counts, float(self.beyond)]

    @property
    def mean_and_error(self) -> tuple[float, float]:
        """The mean and its standard error for independent spans; clipped spans count as the least that they can be."""
        values, counts = self.at_least
        mean = float(np.average(values, weights=counts))
        variance = float(np.average((values - mean) ** 2, weights=counts))
        return mean, float(np.sqrt(variance / max(self.total, 1)))


def trimmed_mean(histogram: Histogram, share: float = 0.05) -> tuple[float, float]:
    """The mean of the spans without this share at either end, and its standard error: a level that no tail moves."""
    low, high = share * histogram.total, (1 - share) * histogram.total
    values, counts = histogram.at_least
    ends = np.cumsum(counts)
    inside = np.clip(np.minimum(ends, high) - np.maximum(ends - counts, low), 0.0, None)
    mean = float(np.average(values, weights=inside))
    variance = float(np.average((values - mean) ** 2, weights=inside))
    return mean, float(np.sqrt(variance / inside.sum())) / (1 - 2 * share)


def mean_rounding(histogram: Histogram) -> float:
    """The most that the intervals of a histogram can have shifted its mean by, as long as they are equal: the first term of the Fourier
    series of the rounding error, exp(-2 pi^2 (s / w)^2) w / pi for intervals of width w and a normal middle of deviation s (Sheppard 1898).
    A middle within one interval leaves half of it."""
    width = histogram.width_at(0.5)
    ends = histogram.interpolated(0.25), histogram.interpolated(0.75)
    if width <= histogram.step or None in ends:
        return 0.0 if None not in ends else width / 2
    deviation = ((ends[1] or 0.0) - (ends[0] or 0.0)) / IQR
    return width * min(0.5, exp(-2 * (pi * deviation / width) ** 2) / pi)


def histogram_of(run: Run, distribution: Distribution) -> Histogram:
    """In the unit of the run."""
    interval = run.conditions.interval_ns
    scale = run.tick.value if run.tick.clock is not Clock.TIME else 1.0
    filled = (other.counts[-1][1] for other in distributions_of(run) if other.test == distribution.test and other.counts)
    return Histogram(distribution, run.tick.value, interval * scale if interval else None, max(filled, default=0) * run.tick.value)


def weighted_shift(a: Histogram, b: Histogram, confidence: float = 0.95) -> Shift:
    """The Hodges-Lehmann shift, the interval that inverts the Mann-Whitney test, and its p-value with tie correction.

    Up to 60 spans the exact tests of single values are used. Clipped values rank above all others and have the largest value.
    """
    x, y = _with_beyond(a), _with_beyond(b)
    if a.total + b.total <= _SMALL:
        return two_sample_shift(np.repeat(x[0], x[1].astype(int)), np.repeat(y[0], y[1].astype(int)), confidence)
    n, m = float(a.total), float(b.total)
    differences = np.subtract.outer(y[0], x[0]).ravel()
    order = np.argsort(differences)
    cumulative = np.cumsum(np.multiply.outer(y[1], x[1]).ravel()[order])

    def ranked(rank: float) -> float:
        place = int(np.searchsorted(cumulative, min(max(rank, 1.0), n * m)))
        return float(differences[order[min(place, len(order) - 1)]])

    half = float(normal_quantile((1 + confidence) / 2) * np.sqrt(n * m * (n + m + 1) / 12))
    return Shift(ranked(n * m / 2), ranked(n * m / 2 - half), ranked(n * m / 2 + half), mann_whitney_p(x, y))


def shift_effect(a: Histogram, b: Histogram) -> float:
    """Cliff's delta of all spans."""
    return cliffs_delta(_with_beyond(a), _with_beyond(b))


def quantile_shift(a: Histogram, b: Histogram, share: float) -> Shift | None:
    """The difference of a quantile, its interval from the intervals of the order statistics, and the p-value of the counts above the
    common quantile. None if a run has fewer than ten spans above it, or if it was clipped in the first run. If it was clipped in the
    second, the difference is the least that it can be."""
    if min(a.total, b.total) * (1 - share) < FEWEST_ABOVE or a.quantile(share) is None:
        return None
    (low_a, value_a, high_a), (low_b, value_b, high_b) = _quantile_with_ends(a, share), _quantile_with_ends(b, share)
    difference = value_b - value_a
    low = difference - float(np.hypot(high_a - value_a, value_b - low_b))
    high = difference + float(np.hypot(value_a - low_a, high_b - value_b))
    return Shift(difference, low, high, _common_quantile_p(a, b, share))


def spread_shift(a: Histogram, b: Histogram, low: float = 0.1, high: float = 0.9) -> Shift | None:
    """The difference of the distances between two quantiles, its interval from those of all four, and the p-value of that interval.

    None if a quantile has fewer than ten spans beyond it or was clipped in the first run.
    """
    lower, upper = quantile_shift(a, b, low), quantile_shift(a, b, high)
    if lower is None or upper is None or min(a.total, b.total) * low < FEWEST_ABOVE:
        return None
    value = upper.value - lower.value
    down = float(np.hypot(upper.value - upper.low, lower.high - lower.value))
    up = float(np.hypot(upper.high - upper.value, lower.value - lower.low))
    half = down if value > 0 else up
    error = half / normal_quantile(0.975)
    p = 2 * normal_upper(abs(value) / error) if error > 0 else float(value == 0)
    return Shift(value, value - down, value + up, p)


@dataclass(frozen=True, slots=True)
class DistributionDistance:
    """The distance of two distributions: the mean increase and the mean decrease over all spans. Their sum is the Wasserstein distance,
    their difference that of the means. `p` is the bound of Kolmogorov and Smirnov, which ties make larger."""

    later: float
    earlier: float
    p: float


def wasserstein_and_ks(a: Histogram, b: Histogram, step: float) -> DistributionDistance:
    """The distance of two distributions, both in steps of the coarser one, so that two tools are compared at a resolution that both
    have."""
    (x, n), (y, m) = _in_steps(a, step), _in_steps(b, step)
    points = np.union1d(x, y)
    ahead = share_up_to(x, n, points, a.total) - share_up_to(y, m, points, b.total)
    widths = np.diff(points)
    later, earlier = (float((np.maximum(part, 0.0)[:-1] * widths).sum()) for part in (ahead, -ahead))
    largest = float(np.abs(ahead).max())
    p = min(1.0, 2 * exp(-2 * largest**2 * a.total * b.total / (a.total + b.total)))
    return DistributionDistance(later, earlier, p)


def share_up_to(values: NDArray[Any], counts: NDArray[Any], points: NDArray[Any], total: int) -> Floats:
    """The distribution function at each of `points`: the share of `total` spans whose value is not above it. The largest difference of two
    is the statistic of Kolmogorov and Smirnov."""
    order = np.argsort(values)
    sums = np.r_[0.0, np.cumsum(counts[order])]
    return np.asarray(sums[np.searchsorted(values[order], points, side="right")] / max(total, 1))


def exceedance_p(below: int, others: int, above: int) -> float:
    """Rosenbaum's test, two-sided: `above` spans of a run with `others` spans are later than all `below` spans of the other run."""
    if above == 0 or below == 0:
        return 1.0
    ranks = np.arange(above)
    return float(min(1.0, 2 * np.exp(np.log((others - ranks) / (below + others - ranks)).sum())))


def rate_p(events_a: int, of_a: int, events_b: int, of_b: int) -> float:
    """The p-value that two rates of rare events are equal: the exact conditional test of two Poisson counts, by the binomial
    distribution."""
    events = events_a + events_b
    if events == 0:
        return 1.0
    from scipy import special

    share, k = of_b / (of_a + of_b), np.arange(events + 1)
    logs = special.gammaln(events + 1) - special.gammaln(k + 1) - special.gammaln(events - k + 1)
    likely = np.exp(logs + k * log(share) + (events - k) * log1p(-share))
    return float(min(1.0, likely[likely <= likely[events_b] * (1 + 1e-7)].sum()))


def _in_steps(histogram: Histogram, step: float) -> tuple[Floats, Floats]:
    values, counts = (
        (np.r_[histogram.low, histogram.maximum], np.r_[histogram.counts, float(histogram.beyond)])
        if histogram.beyond
        else (histogram.low, histogram.counts)
    )
    return np.floor(values / step) * step, counts


def _with_beyond(histogram: Histogram) -> CountedValues:
    if not histogram.beyond:
        return histogram.middles, histogram.counts
    return np.r_[histogram.middles, histogram.maximum], np.r_[histogram.counts, float(histogram.beyond)]


def _quantile_with_ends(histogram: Histogram, share: float, confidence: float = 0.95) -> tuple[float, float, float]:
    """The quantile between the order statistics that hold it with this confidence; of clipped spans the least that they can be, and no
    upper end."""
    half = normal_quantile((1 + confidence) / 2) * (histogram.total * share * (1 - share)) ** 0.5
    middle = histogram.total * share
    low, value, high = histogram.at_rank(floor(middle - half)), histogram.quantile(share), histogram.at_rank(ceil(middle + half) + 1)
    return (
        histogram.end if low is None else low,
        histogram.end if value is None else value,
        float("inf") if high is None else high,
    )


def _common_quantile_p(a: Histogram, b: Histogram, share: float) -> float:
    """The p-value that two shares of spans above the common quantile of both runs are equal, by the normal approximation."""
    ends = np.r_[a.high, b.high]
    order = np.argsort(ends)
    sums = np.cumsum(np.r_[a.counts, b.counts][order])
    n, m = a.total, b.total
    place = min(int(np.searchsorted(sums, (n + m) * share)), len(order) - 1)
    level = float(ends[order[place]]) - min(a.step, b.step)
    above_a, above_b = a.above(level), b.above(level)
    pooled = (above_a + above_b) / (n + m)
    error = (pooled * (1 - pooled) * (1 / n + 1 / m)) ** 0.5
    return 2 * normal_upper(abs(above_b / m - above_a / n) / error) if error > 0 else 1.0
