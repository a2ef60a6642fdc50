# SPDX-License-Identifier: BSD-3-Clause
"""Where a figure changed over many releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise

import numpy as np

from latlab.analysis.base.change_points import Change, changes_of, visible
from latlab.analysis.base.change_points import Kind as ChangeKind
from latlab.analysis.base.columns import Floats
from latlab.analysis.base.explanation import Explanation
from latlab.analysis.base.figure import Figure
from latlab.analysis.base.identity import NotComparable, check_same, pair_runs, resolution
from latlab.analysis.base.summary import Mark, mark_of
from latlab.analysis.base.verdicts import Limits
from latlab.analysis.base.wording import amount, count
from latlab.analysis.compare import compare
from latlab.analysis.explain import explain_pair
from latlab.analysis.figures import figures_of
from latlab.analysis.wakeups.wakeup_identity import pair_wakeups
from latlab.model.enums import Clock, Kind, Metric
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
    """The points `index` to below `end` left the level `before`; `left` is the last point of that level, which explanations compare.

    `p` is None under a deterministic clock, where a change is no matter of chance. A drift goes from `left` to `index`.
    """

    kind: ChangeKind
    left: int
    index: int
    end: int
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
        _check_pair(before, after)
    found: dict[str, list[tuple[Run, Figure]]] = {}
    known: dict[str, None] = {}
    for run in runs:
        for figure in figures_of(run):
            known[figure.path] = None
            if fnmatchcase(figure.path, pattern):
                found.setdefault(figure.path, []).append((run, figure))
    if not found:
        raise NotComparable(f"no figure matches {pattern!r}; there are {', '.join(list(known)[:8])} and {max(0, len(known) - 8)} more")
    return tuple(_series(path, figures, limits or Limits()) for path, figures in found.items())


def _check_pair(before: Run, after: Run) -> None:
    kinds = (before.kind, after.kind)
    if Kind.WAKEUPS in kinds:
        pair_wakeups(before, after)
    elif kinds == (Kind.AMOUNTS, Kind.AMOUNTS):
        check_same(before, after, [])
    else:
        pair_runs(before, after)


def _series(path: str, figures: list[tuple[Run, Figure]], limits: Limits) -> Series:
    points = [Point(run, figure.values) for run, figure in figures]
    first, figure = figures[0]
    if mark_of(first, figure.test) is Mark.TURNS:
        return Series(path, figure.unit, tuple(points), (), TURNS_NOTE)
    if first.tick.clock is not Clock.TIME:
        return Series(path, figure.unit, tuple(points), _exact_changes(points, limits), EXACT_NOTE)
    step = _rounding(points, figure.metric)
    values: list[Floats] = [np.array(point.values) for point in points]
    changes = changes_of(values, lambda before, after: abs(after - before) > limits.threshold(before, step, 0.0), step)
    note = "" if changes else _silence(values, step, figure.unit)
    return Series(path, figure.unit, tuple(points), tuple(_judged(points, change, limits) for change in changes), note)


def _rounding(points: list[Point], metric: Metric) -> float:
    """What one step of the coarsest figures is worth; rates and averages have none."""
    if points[0].run.kind is Kind.SPANS:
        return max(resolution(point.run, metric) for point in points)
    if metric is Metric.MISSED_PERIODS or points[0].run.kind is Kind.AMOUNTS:
        return 0.0
    return max(one.resolution_ticks * point.run.tick.value for point in points for one in point.run.distributions)


def _silence(values: list[Floats], step: float, unit: str) -> str:
    """What it means that nothing is shown."""
    smallest = visible(values, step)
    if smallest.newest is None:
        said = f"{count(len(values), 'run')} of one boot each say nothing of the scatter; three are the fewest that may show a change"
        return f"{said}; `latlab compare` judges two neighbours"
    lasting = f", one that stays from the middle on from {amount(smallest.step, unit)} on" if smallest.step is not None else ""
    return f"no change is shown; with this scatter a change of the newest run would be from {amount(smallest.newest, unit)} on{lasting}"


def _judged(points: list[Point], change: Change, limits: Limits) -> ChangePoint:
    index = change.end - 1 if change.kind is ChangeKind.DRIFT else change.start
    why = _why(points, change.left, index, limits)
    return ChangePoint(change.kind, change.left, index, change.end, change.before, change.after, change.p, why)


def _exact_changes(points: list[Point], limits: Limits) -> tuple[ChangePoint, ...]:
    """Every release whose figure left the level of the last change by more than the threshold: slow drift adds up to a change, too."""
    level = points[0].value
    changes: list[ChangePoint] = []
    for index, point in enumerate(points):
        if abs(point.value - level) > _exact_threshold(level, point.run.tick, limits):
            why = _why(points, index - 1, index, limits)
            changes.append(ChangePoint(ChangeKind.STEP, index - 1, index, len(points), level, point.value, None, why))
            level = point.value
    return tuple(changes)


def _exact_threshold(level: float, tick: Tick, limits: Limits) -> float:
    return limits.relative_exact * abs(level) if tick.clock is Clock.INSTRUCTIONS else limits.threshold(level, tick.value, 0.0)


def _why(points: list[Point], before: int, after: int, limits: Limits) -> tuple[Explanation, ...]:
    return explain_pair(compare(points[before].run, points[after].run, limits))
