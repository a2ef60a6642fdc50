# SPDX-License-Identifier: BSD-3-Clause
"""The statistical tests behind the verdicts. docs/explanation/statistics.md has the sources of the methods."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import comb

import numpy as np

from latlab.core.statistics.distributions import normal_quantile, normal_upper
from latlab.core.statistics.sample_matrix import Floats

CountedValues = tuple[Floats, Floats]
"""Values, and how often each of them counts."""
_EXACT_PAIRS = 2500
_EXACT_TIED = 60


@dataclass(frozen=True, slots=True)
class Shift:
    """A shift with its confidence interval (infinite for too few samples) and the p-value of the hypothesis of no shift.

    `error` is its standard error and `dof` the degrees of freedom of that error, if the method has one.
    """

    value: float
    low: float
    high: float
    p: float
    error: float = np.inf
    dof: float = 0.0


NO_SHIFT = Shift(0.0, 0.0, 0.0, 1.0)


def two_sample_shift(a: Floats, b: Floats, confidence: float = 0.95) -> Shift:
    """Hodges-Lehmann shift from `a` to `b`, the interval that inverts the Mann-Whitney test, and that test's p-value.

    The p-value is exact for up to 2,500 pairs, with ties for up to 60 values; beyond, it is the normal approximation with tie correction.
    """
    differences = np.sort(np.subtract.outer(b, a), axis=None)
    low, high = _ends(differences, _mann_whitney_cut(len(a), len(b), confidence))
    ties = len(np.unique(np.r_[a, b])) < len(a) + len(b)
    if not ties and len(a) * len(b) <= _EXACT_PAIRS:
        smaller = int(np.searchsorted(differences, 0.0))
        p = min(1.0, 2 * _mann_whitney_shares(len(a), len(b))[min(smaller, len(differences) - smaller)])
    elif ties and len(a) + len(b) <= _EXACT_TIED:
        p = _mann_whitney_with_ties(a, b)
    else:
        p = mann_whitney_p(singly(a), singly(b))
    return Shift(float(np.median(differences)), low, high, p)


def singly(values: Floats) -> CountedValues:
    """Each value once."""
    return values, np.ones(len(values))


def cliffs_delta(a: CountedValues, b: CountedValues) -> float:
    """Cliff's delta: P(b > a) - P(b < a) over all pairs, -1 to 1."""
    (x, n), (y, m) = a, b
    below, up_to = _counted_below(x, n, y)
    pairs = float(n.sum() * m.sum())
    return (float((m * (below + up_to)).sum()) - pairs) / pairs


def mann_whitney_p(a: CountedValues, b: CountedValues) -> float:
    """The Mann-Whitney test by the normal approximation with tie correction."""
    (x, n), (y, m) = a, b
    below, up_to = _counted_below(x, n, y)
    u = float((m * (below + up_to)).sum() / 2)
    _, which = np.unique(np.r_[x, y], return_inverse=True)
    ties = np.bincount(which.reshape(-1), weights=np.r_[n, m])
    pairs, total = float(n.sum()) * float(m.sum()), float(n.sum()) + float(m.sum())
    variance = pairs / 12 * ((total + 1) - float((ties**3 - ties).sum()) / (total * (total - 1)))
    if variance <= 0:
        return 1.0
    z = max(0.0, abs(u - pairs / 2) - 0.5) / float(np.sqrt(variance))
    return 2 * normal_upper(z)


def family_wise(p_values: list[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: the chance that any of them is called wrongly."""
    out = [1.0] * len(p_values)
    highest = 0.0
    for place, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[i]))
        out[i] = highest
    return out


def false_discovery_control(p_values: list[float]) -> list[float]:
    """Benjamini-Hochberg adjusted p-values, in the order given. scipy.stats has the same function and takes longer to load than
    everything else."""
    order = np.argsort(p_values)[::-1]
    steps = np.asarray(p_values, dtype=float)[order] * len(p_values) / np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.minimum.accumulate(steps), 1.0)
    return [float(p) for p in adjusted]


def by_family(
    p_values: Sequence[float], families: Sequence[Hashable], adjust: Callable[[list[float]], list[float]], share: float
) -> list[float]:
    """p-values adjusted within each family, divided by `share`, the part of alpha for these families."""
    out = [1.0] * len(p_values)
    for family in dict.fromkeys(families):
        members = [i for i, label in enumerate(families) if label == family]
        for i, p in zip(members, adjust([p_values[i] for i in members]), strict=True):
            out[i] = min(1.0, p / share)
    return out


def _ends(ordered: Floats, cut: int) -> tuple[float, float]:
    """The interval from the cut-th smallest to the cut-th largest value; infinite for a cut of 0."""
    if cut < 1:
        return -np.inf, np.inf
    return float(ordered[cut - 1]), float(ordered[-cut])


def _counted_below(x: Floats, n: Floats, y: Floats) -> tuple[Floats, Floats]:
    """For each value of `y`, the number of `x` below it and the number of `x` not above it."""
    order = np.argsort(x)
    sums = np.r_[0.0, np.cumsum(n[order])]
    return sums[np.searchsorted(x[order], y, side="left")], sums[np.searchsorted(x[order], y, side="right")]


def _mann_whitney_with_ties(a: Floats, b: Floats) -> float:
    """The exact two-sided p-value of the rank sum given the ties, which scipy has not."""
    _, which, times = np.unique(np.r_[a, b], return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(times) - times + 1)[which.reshape(-1)]
    ways = np.zeros((len(a) + 1, int(doubled.sum()) + 1))
    ways[0, 0] = 1.0
    reach = 0
    for rank in np.sort(doubled):
        reach += rank
        ways[1:, rank : reach + 1] += ways[:-1, : reach + 1 - rank].copy()
    probability = ways[len(a)] / comb(len(a) + len(b), len(a))
    rank_sum = int(doubled[: len(a)].sum())
    return float(min(1.0, 2 * min(probability[: rank_sum + 1].sum(), probability[rank_sum:].sum())))


@lru_cache(maxsize=256)
def _mann_whitney_cut(n: int, m: int, confidence: float) -> int:
    """How many ordered pairwise differences lie outside the interval on each side, plus one; 0 if there is no interval."""
    tail = (1 - confidence) / 2
    if n * m > _EXACT_PAIRS:
        z = normal_quantile(1 - tail)
        return max(0, int(n * m / 2 - z * float(np.sqrt(n * m * (n + m + 1) / 12))))
    return bisect_right(_mann_whitney_shares(n, m), tail)


@lru_cache(maxsize=256)
def _mann_whitney_shares(n: int, m: int) -> list[float]:
    """The distribution function of Mann and Whitney's U without ties, at 0 to n * m."""
    counts = [1] + [0] * (n * m)
    for i in range(1, n + 1):
        for u in range(n * m, m + i - 1, -1):
            counts[u] -= counts[u - m - i]
        for u in range(i, n * m + 1):
            counts[u] += counts[u - i]
    return [count / comb(n + m, n) for count in accumulate(counts)]
