# SPDX-License-Identifier: BSD-3-Clause
"""Where a figure changed over many releases: E-Divisive change points (Matteson and James 2014) on the figure's values in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise

import numpy as np

from latlab.analysis.base.columns import Floats
from latlab.analysis.base.explanation import Explanation
from latlab.analysis.base.figures import figures_of
from latlab.analysis.base.identity import NotComparable, pair_runs
from latlab.analysis.base.summary import TURNS_MARK, mark_of
from latlab.analysis.base.verdicts import Limits
from latlab.analysis.compare import compare
from latlab.analysis.explain_pair import explain_pair
from latlab.analysis.wakeups.wakeup_identity import pair_wakeups
from latlab.model.enums import Clock
from latlab.model.run import Run, Tick

PERMUTATIONS = 999
FEWEST_A_SIDE = 3
ALPHA = 0.05
EXACT_NOTE = "the clock is deterministic, so every change beyond the threshold is exact and is named"
TURNS_NOTE = "cores take turns under the instruction clock, so no change of a parallel test is named"


@dataclass(frozen=True, slots=True)
class Point:
    run: Run
    values: tuple[float, ...]

    @property
    def value(self) -> float:
        return float(np.median(self.values))


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """The change lies before `points[index]`. Levels are medians of the segments beside it; explanations compare its two neighbours.

    `p` is None under a deterministic clock, where a change is no matter of chance.
    """

    index: int
    before: float
    after: float
    p: float | None
    explanations: tuple[Explanation, ...]


@dataclass(frozen=True, slots=True)
class Series:
    path: str
    unit: str
    points: tuple[Point, ...]
    changes: tuple[ChangePoint, ...]
    note: str = ""


def history(runs: Sequence[Run], pattern: str, limits: Limits | None = None) -> tuple[Series, ...]:
    """A series for each figure whose path matches `pattern` (`susp_deep_parallel/powerdown/step`, `*/wakeup/*`).

    Raises NotComparable where two neighbouring runs do not belong together or no figure matches.
    """
    for before, after in pairwise(runs):
        pair_wakeups(before, after) if before.distributions or after.distributions else pair_runs(before, after)
    found: dict[str, tuple[str, list[Point]]] = {}
    known: dict[str, None] = {}
    for run in runs:
        for figure in figures_of(run):
            known[figure.path] = None
            if fnmatchcase(figure.path, pattern):
                found.setdefault(figure.path, (figure.unit, []))[1].append(Point(run, figure.values))
    if not found:
        raise NotComparable(f"no figure matches {pattern!r}; there are {', '.join(list(known)[:8])} and {max(0, len(known) - 8)} more")
    return tuple(_series(path, unit, points, limits) for path, (unit, points) in found.items())


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


def _series(path: str, unit: str, points: list[Point], limits: Limits | None) -> Series:
    """A point with several boots lends all of them to the test; a change inside one point's boots belongs to the point."""
    first = points[0].run
    if mark_of(first, path.partition("/")[0]) == TURNS_MARK:
        return Series(path, unit, tuple(points), (), TURNS_NOTE)
    if first.tick.clock is not Clock.TIME:
        return Series(path, unit, tuple(points), _exact_changes(points, limits or Limits()), EXACT_NOTE)
    values = np.concatenate([point.values for point in points])
    owner = np.concatenate([np.full(len(point.values), i) for i, point in enumerate(points)])
    if len(values) < 2 * FEWEST_A_SIDE:
        note = f"{len(values)} values are too few for change points; {2 * FEWEST_A_SIDE} are needed; `latlab compare` judges two neighbours"
        return Series(path, unit, tuple(points), (), note)
    changes = []
    borders = [(int(owner[index]), p) for index, p in change_points(values)]
    edges = sorted({0, len(points), *(index for index, _ in borders)})
    for index, p in sorted({index: p for index, p in borders if index > 0}.items()):
        at = edges.index(index)
        before = np.concatenate([point.values for point in points[edges[at - 1] : index]])
        after = np.concatenate([point.values for point in points[index : edges[at + 1]]])
        changes.append(_change(points, index, float(np.median(before)), float(np.median(after)), p, limits))
    return Series(path, unit, tuple(points), tuple(changes))


def _exact_changes(points: list[Point], limits: Limits) -> tuple[ChangePoint, ...]:
    """Every release whose figure left the level of the last change by more than the threshold: slow drift adds up to a change, too."""
    level, changes = points[0].value, []
    for index, point in enumerate(points):
        if abs(point.value - level) > _exact_threshold(level, point.run.tick, limits):
            changes.append(_change(points, index, level, point.value, None, limits))
            level = point.value
    return tuple(changes)


def _exact_threshold(level: float, tick: Tick, limits: Limits) -> float:
    return limits.relative_exact * abs(level) if tick.clock is Clock.INSTRUCTIONS else limits.threshold(level, tick.value, 0.0)


def _change(points: list[Point], index: int, before: float, after: float, p: float | None, limits: Limits | None) -> ChangePoint:
    comparison = compare(points[index - 1].run, points[index].run, limits)
    return ChangePoint(index, before, after, p, explain_pair(comparison))
