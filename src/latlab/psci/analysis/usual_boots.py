# SPDX-License-Identifier: BSD-3-Clause
"""Boots that are off in the same way in both runs, such as a first boot with cold caches: no change, and no scatter either."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from latlab.core.comparison.identity import Pair
from latlab.core.comparison.verdicts import Limits
from latlab.core.comparison.wording import percent
from latlab.core.model.enums import Clock
from latlab.core.statistics.sample_matrix import Columns, Floats

FEWEST_LEFT = 3
MOST_APART = 2.0
"""How many times as far off the boot of one run may be as that of the other."""


def without_usual_boots(pair: Pair, limits: Limits) -> tuple[Pair, tuple[str, ...]]:
    """The pair without the boots that are off in both runs by half of a large share, one way and about as far, and a note on each. A boot's
    offset is the median over its data points of their ratio to the run's median."""
    if pair.a.tick.clock is not Clock.TIME:
        return pair, ()
    off_a, off_b = _offsets(pair.columns_a), _offsets(pair.columns_b)
    usual = [boot for boot in off_a if boot in off_b and _is_usual(off_a[boot], off_b[boot], limits.large / 2)]
    if not usual or min(len(off_a), len(off_b)) - len(usual) < FEWEST_LEFT:
        return pair, ()
    columns = (_without(pair.columns_a, usual), _without(pair.columns_b, usual))
    notes = [
        f"boot {boot + 1} of both runs is off in the same way, {percent(off_a[boot])} and {percent(off_b[boot])}: left out of the verdicts"
        for boot in usual
    ]
    return replace(pair, columns_a=columns[0], columns_b=columns[1]), tuple(notes)


def _is_usual(ours: float, theirs: float, least: float) -> bool:
    low, high = sorted((abs(ours), abs(theirs)))
    return ours * theirs > 0 and low > least and high <= MOST_APART * low


def _offsets(columns: Columns) -> dict[int, float]:
    """By boot, as a share of the run's medians."""
    ratios: dict[int, list[Floats]] = {}
    for matrix in columns.matrices.values():
        by_boot = matrix.every.by_boot
        middle = np.nanmedian(by_boot, axis=0)
        for boot, values in zip(np.unique(matrix.every.boots), by_boot, strict=True):
            ratios.setdefault(int(boot), []).append(values[middle > 0] / middle[middle > 0])
    whole = {boot: np.concatenate(parts) for boot, parts in ratios.items()}
    return {boot: float(np.nanmedian(values)) - 1 if np.isfinite(values).any() else 0.0 for boot, values in whole.items()}


def _without(columns: Columns, boots: list[int]) -> Columns:
    matrices = {span: matrix.of_boots(set(matrix.every.boots.tolist()) - set(boots)) for span, matrix in columns.matrices.items()}
    return replace(columns, matrices=matrices)
