# SPDX-License-Identifier: BSD-3-Clause
"""Where a figure changed over many releases: change points of its values in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise

import numpy as np

from latlab.analysis.base.change_points import FEWEST_A_SIDE, change_points
from latlab.analysis.base.explanation import Explanation
from latlab.analysis.base.identity import NotComparable, pair_runs
from latlab.analysis.base.summary import Mark, mark_of
from latlab.analysis.base.verdicts import Limits
from latlab.analysis.compare import compare
from latlab.analysis.explain import explain_pair
from latlab.analysis.figures import figures_of
from latlab.analysis.wakeups.wakeup_identity import pair_wakeups
from latlab.model.enums import Clock, Kind
from latlab.model.run import Run, Tick

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
        pair_wakeups(before, after) if Kind.WAKEUPS in (before.kind, after.kind) else pair_runs(before, after)
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


def _series(path: str, unit: str, points: list[Point], limits: Limits | None) -> Series:
    """A point with several boots lends all of them to the test; a change inside one point's boots belongs to the point."""
    first = points[0].run
    if mark_of(first, path.partition("/")[0]) is Mark.TURNS:
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
