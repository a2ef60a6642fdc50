# SPDX-License-Identifier: BSD-3-Clause
"""Where the values of a series change: E-Divisive change points (Matteson and James 2014)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from latlab.analysis.base.columns import Floats

PERMUTATIONS = 999
FEWEST_A_SIDE = 3
ALPHA = 0.05


def change_points(values: Floats, permutations: int = PERMUTATIONS, alpha: float = ALPHA, seed: int = 1) -> list[tuple[int, float]]:
    """Indices at which the distribution of `values` changes, in order, each with its permutation p-value.

    Hierarchical bisection by the energy statistic with exponent 1; a split leaves at least three values on each side. The permutations
    are drawn from a fixed seed, so that the same values give the same answer.
    """
    rng = np.random.default_rng(seed)
    borders = [0, len(values)]
    accepted: list[tuple[int, float]] = []
    while True:
        best = max((_best_split(values[a:b], a) for a, b in pairwise(borders)), default=(0.0, 0))
        statistic, index = best
        if statistic <= 0:
            break
        shuffled = [max(_best_split(rng.permutation(values[a:b]), a)[0] for a, b in pairwise(borders)) for _ in range(permutations)]
        p = (1 + sum(other >= statistic for other in shuffled)) / (permutations + 1)
        if p >= alpha:
            break
        accepted.append((index, p))
        borders = sorted([*borders, index])
    return sorted(accepted)


def _best_split(values: Floats, offset: int) -> tuple[float, int]:
    """The largest energy statistic of all splits, and its index; 0 where the segment is too short."""
    n = len(values)
    if n < 2 * FEWEST_A_SIDE:
        return 0.0, offset
    distances = np.abs(np.subtract.outer(values, values))
    sums = distances.cumsum(axis=0).cumsum(axis=1)
    m = np.arange(FEWEST_A_SIDE, n - FEWEST_A_SIDE + 1)
    left, total = sums[m - 1, m - 1], sums[-1, -1]
    across = sums[m - 1, -1] - left
    right = total - left - 2 * across
    k = n - m
    statistic = (m * k / n) * (2 * across / (m * k) - left / (m * (m - 1)) - right / (k * (k - 1)))
    best = int(np.argmax(statistic))
    return float(statistic[best]), offset + int(m[best])
