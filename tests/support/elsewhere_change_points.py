# SPDX-License-Identifier: BSD-3-Clause
"""Borders in a series against those that ruptures finds by dynamic programming."""

from __future__ import annotations

import numpy as np
import pytest

from latlab.core.statistics.change_null import NullShape, strongest
from latlab.core.statistics.change_points import ChangeKind, changes_of

ruptures = pytest.importorskip("ruptures", reason="ruptures is built for Python 3.13 at most")
LENGTHS = (9, 12, 16)
DEVIATIONS = 10.0


def borders(values: np.ndarray, count: int, shortest: int) -> list[int]:
    """Where `count` borders leave the least sum of squares, parts of fewer than `shortest` points aside."""
    search = ruptures.Dynp(model="l2", min_size=shortest, jump=1).fit(values)
    return [int(border) for border in search.predict(n_bkps=count)[:-1]]


def the_best_border_is_that_of_ruptures_and_leaves_the_same_squares(inputs: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(inputs):
        n = int(rng.integers(5, 40))
        values = rng.standard_normal(n) + rng.choice([0.0, 1.0, 5.0]) * (np.arange(n) >= rng.integers(0, n))
        ours = next(best for best in strongest(values, 0.0, True, correlations=(0.0,)) if best.shape is NullShape.STEP)
        assert list(ours.borders) == borders(values, 1, shortest=2)
        left = ((values - values.mean()) ** 2).sum() * np.exp(-2 * ours.statistic / n)
        assert left == pytest.approx(float(ruptures.costs.CostL2().fit(values).sum_of_costs([*ours.borders, n])), rel=1e-9)


def large_steps_stand_where_ruptures_puts_as_many(inputs: int) -> None:
    """One step or two that no noise hides, each level of three points or more. Ours has to find out by itself how many there are."""
    rng = np.random.default_rng(2)
    as_many = 0
    for _ in range(inputs):
        n, steps = int(rng.choice(LENGTHS)), int(rng.integers(1, 3))
        places = [n // 2] if steps == 1 else [n // 3, 2 * n // 3]
        sizes = rng.choice([1.0, -1.0]) * DEVIATIONS * np.array([2.0, -1.0])
        values = rng.standard_normal(n) + sum(size * (np.arange(n) >= place) for size, place in zip(sizes, places, strict=False))
        changes = changes_of(list(values), lambda before, after: True)
        found = [change.start for change in changes if change.kind is ChangeKind.STEP]
        if len(found) == steps:
            as_many += 1
            assert found == borders(values, steps, shortest=2)
    assert as_many >= 0.85 * inputs


CHECKS = (the_best_border_is_that_of_ruptures_and_leaves_the_same_squares, large_steps_stand_where_ruptures_puts_as_many)
