# SPDX-License-Identifier: BSD-3-Clause
"""Change points of a series: circular binary segmentation (Olshen et al. 2004) with autocorrelated errors.

For a change of one shape the statistic is n / 2 * log(RSS of one level / RSS with the change), maximised over the borders and over the
correlation of the errors. Its p-value comes from change_null.py.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np

from latlab.core.statistics.change_null import ALPHA, MOST_POINTS, Best, NullShape, p_value, strongest
from latlab.core.statistics.sample_matrix import Floats

Beyond = Callable[[float, float], bool]
FIRST_LOOK = 0.8
FEWEST = 3
OF_A_BORDER = 4.5
MOST_DOUBLED = 12


class ChangeKind(StrEnum):
    """A step is permanent. A single release may differ alone, or be the newest, so that its future is unknown. A drift is a line that
    explains more than steps."""

    STEP = "step"
    ALONE = "alone"
    NEWEST = "newest"
    DRIFT = "drift"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the level from `before` to `after` in the points `start` to below `end`; `left` is the last point of the level before.

    `p` is adjusted so that 0.05 is its significance level, and None for a border that was given. A drift goes from point `left` to the
    point before `end`, the ends of its line.
    """

    kind: ChangeKind
    left: int
    start: int
    end: int
    before: float
    after: float
    p: float | None


def changes_of(
    values: Sequence[float], beyond: Beyond, resolution: float = 0.0, known_starts: Collection[int] = (), joins: bool = True
) -> tuple[Change, ...]:
    """The changes of a series, in order. `known_starts` are points at which the series is known to change; the parts between them are
    searched. `joins`: two known points that move one value away and back are reported as one single point.

    A change counts only if `beyond(level before, level after)`. The scatter is at least the rounding error of `resolution`. Chance
    produces a change in at most 5 % of series without one, for normal errors with a correlation of 0 to 0.8 between neighbours, and for
    independent Student's t errors with 3 degrees of freedom. The null distribution has a fixed seed.
    """
    series = _Series(np.array(values, float), resolution**2 / 12)
    borders = _known_marks(series, sorted(known_starts), beyond, joins)
    edges = [0, *sorted(known_starts), len(values)]
    inner_marks = [mark for a, b in pairwise(edges) for mark in _search(series, tuple(range(a, b)))]
    drifts = [
        change
        for mark in inner_marks
        if mark.kind is ChangeKind.DRIFT
        for change in [_drift(series, mark)]
        if beyond(change.before, change.after)
    ]
    marks = sorted([*borders, *(mark for mark in inner_marks if mark.kind is not ChangeKind.DRIFT)], key=lambda mark: mark.start)
    changes = _levelled(series, marks)
    while small := [change for change in changes if change.p is not None and not beyond(change.before, change.after)]:
        least = min(small, key=lambda change: abs(change.after - change.before))
        marks = [mark for mark in marks if mark.start != least.start]
        changes = _levelled(series, marks)
    return tuple(sorted([*drifts, *changes], key=lambda change: (change.start, change.end)))


def on_values(changes: Sequence[Change], values: Sequence[float]) -> tuple[Change, ...]:
    """Changes with their levels taken from `values`, one for each point, in their unit. A drift has the values at its ends."""
    series = _Series(np.array(values, float), 0.0)
    drifts = [change for change in changes if change.kind is ChangeKind.DRIFT]
    kinds = {change.start: ChangeKind.ALONE if change.kind is ChangeKind.ALONE else ChangeKind.STEP for change in changes}
    marks = [_Mark(kinds[change.start], change.start, change.end, change.p) for change in changes if change not in drifts]
    levels = {(change.start, change.end): change for change in _levelled(series, sorted(marks, key=lambda mark: mark.start))}
    return tuple(
        replace(change, before=values[change.left], after=values[change.end - 1])
        if change in drifts
        else replace(change, before=levels[change.start, change.end].before, after=levels[change.start, change.end].after)
        for change in changes
    )


@dataclass(frozen=True, slots=True)
class Visible:
    """The smallest detectable changes at this scatter: of the last point, and of the last half of the points. None: no change is
    detectable."""

    newest: float | None
    step: float | None


def visible(values: Sequence[float], resolution: float = 0.0) -> Visible:
    """The smallest changes that would be detected in a series with this scatter."""
    n = len(values)
    return Visible(_least_shown(values, resolution, n - 1), _least_shown(values, resolution, n // 2) if n > FEWEST else None)


def _least_shown(values: Sequence[float], resolution: float, start: int) -> float | None:
    """The smallest increase of the values from `start` on that is detected, by bisection, to 1 %."""
    series = np.array(values, float)

    def is_shown(size: float) -> bool:
        risen = _Series(series + size * (np.arange(len(series)) >= start), resolution**2 / 12)
        return _best(risen, tuple(range(len(series))), ALPHA * FIRST_LOOK) is not None

    high = max(float(np.ptp(series)), resolution, 1e-9 * abs(float(series[0])))
    tries = 0
    while not is_shown(high):
        high, tries = 2 * high, tries + 1
        if tries > MOST_DOUBLED:
            return None
    low = 0.0
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if is_shown(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class _Series:
    values: Floats
    floor: float

    def level(self, members: Sequence[int]) -> float:
        return float(np.median(self.values[list(members)]))


@dataclass(frozen=True, slots=True)
class _Mark:
    """A detected change: a border before `start`, a single point `start`, or a drift of the points up to `end`."""

    kind: ChangeKind
    start: int
    end: int
    p: float | None


def _known_marks(series: _Series, known_starts: Sequence[int], beyond: Beyond, joins: bool) -> list[_Mark]:
    marks: list[_Mark] = []
    for start in known_starts:
        if joins and marks and marks[-1].kind is ChangeKind.STEP and marks[-1].start == start - 1 and start > 1:
            before, middle, after = series.values[start - 2 : start + 1]
            if (middle - before) * (after - middle) < 0 and not beyond(before, after):
                marks[-1] = _Mark(ChangeKind.ALONE, start - 1, start, None)
                continue
        marks.append(_Mark(ChangeKind.STEP, start, start + 1, None))
    return marks


def _levelled(series: _Series, marks: list[_Mark]) -> list[Change]:
    """The changes with the levels before and after each border, and the surrounding level of each single point. Single points belong to
    no level."""
    total = len(series.values)
    alone = {mark.start for mark in marks if mark.kind is ChangeKind.ALONE}
    edges = [0, *(mark.start for mark in marks if mark.kind is ChangeKind.STEP), total]
    levels = {a: [i for i in range(a, b) if i not in alone] for a, b in pairwise(edges)}
    changes = []
    for mark in marks:
        edge = edges[bisect_right(edges, mark.start) - 1]
        if mark.kind is ChangeKind.ALONE:
            last_before = max((i for i in levels[edge] if i < mark.start), default=mark.start - 1)
            about = levels[edge] or [last_before]
            changes.append(Change(mark.kind, last_before, mark.start, mark.end, series.level(about), series.level([mark.start]), mark.p))
            continue
        before = levels[edges[edges.index(edge) - 1]] or [edge - 1]
        end = edges[edges.index(edge) + 1]
        kind = ChangeKind.NEWEST if edge == total - 1 else ChangeKind.STEP
        changes.append(Change(kind, before[-1], edge, end, series.level(before), series.level(levels[edge] or [edge]), mark.p))
    return changes


def _drift(series: _Series, mark: _Mark) -> Change:
    line = _line(series, tuple(range(mark.start, mark.end)))
    return Change(ChangeKind.DRIFT, mark.start, mark.start + 1, mark.end, line.first, line.last, mark.p)


def _search(series: _Series, members: tuple[int, ...]) -> Iterator[_Mark]:
    """The strongest change of these points, then those of the parts into which it divides them."""
    mark_parts = _strongest(series, members, ALPHA * FIRST_LOOK) or _behind(series, members)
    if mark_parts is None:
        return
    marks, parts = mark_parts
    yield from marks
    for part in parts:
        yield from _search(series, part)


_Found = tuple[tuple[_Mark, ...], list[tuple[int, ...]]]


def _behind(series: _Series, members: tuple[int, ...]) -> _Found | None:
    """Handles changes that hide each other: divides the points at the likeliest change and tests whether one part shows a change by
    itself."""
    if len(members) < FEWEST:
        return None
    best = _likeliest(candidate for candidate in _candidates(series, members) if candidate.shape is not NullShape.LINE)
    for part in _parts(members, best):
        part_change = _strongest(series, part, ALPHA * (1 - FIRST_LOOK))
        if part_change is not None:
            marks, _ = part_change
            return marks, _cut(members, marks)
    return None


def _strongest(series: _Series, members: tuple[int, ...], level: float) -> _Found | None:
    """The strongest significant change, and the parts that remain to be searched. None if no change is significant."""
    best_with_p = _best(series, members, level)
    if best_with_p is None:
        return None
    best, p = best_with_p
    if best.shape is NullShape.LINE:
        return (_Mark(ChangeKind.DRIFT, members[0], members[-1] + 1, p),), []
    if best.shape is NullShape.ALONE and len(best.borders) == 2:
        at = best.borders[0]
        return (_Mark(ChangeKind.ALONE, members[at], members[at] + 1, p),), [members[:at] + members[at + 1 :]]
    parts = _parts(members, best)
    return tuple(_Mark(ChangeKind.STEP, part[0], part[0] + 1, p) for part in parts[1:]), parts


def _parts(members: tuple[int, ...], best: Best) -> list[tuple[int, ...]]:
    return [members[a:b] for a, b in pairwise((0, *best.borders, len(members)))]


def _cut(members: tuple[int, ...], marks: tuple[_Mark, ...]) -> list[tuple[int, ...]]:
    """The points before, between and after the detected changes of these points."""
    if marks[0].kind is ChangeKind.ALONE:
        return [tuple(i for i in members if i != marks[0].start)]
    edges = [m for mark in marks for m in ((mark.start, mark.end) if mark.kind is ChangeKind.DRIFT else (mark.start,))]
    places = [0, *(bisect_left(members, edge) for edge in edges), len(members)]
    inside = 1 if marks[0].kind is ChangeKind.DRIFT else None
    return [members[a:b] for i, (a, b) in enumerate(pairwise(places)) if i != inside and a < b]


def _best(series: _Series, members: tuple[int, ...], level: float) -> tuple[Best, float] | None:
    """The significant change with the largest statistic, and its p-value adjusted for the search."""
    n, total = len(members), len(series.values)
    if n < FEWEST:
        return None
    tries = total / n * max(1.0, n / MOST_POINTS) * ALPHA / level
    has_newest = members[-1] == total - 1
    candidates = _candidates(series, members)
    shown = {best: p for best in candidates if best.statistic and (p := p_value(n, has_newest, best) * tries) <= ALPHA}
    if not shown:
        return None
    best = _likeliest(shown)
    line = next((candidate for candidate in shown if candidate.shape is NullShape.LINE), None)
    if line is not None and line.statistic == max(candidate.statistic for candidate in candidates):
        best = line
    return best, shown[best]


def _candidates(series: _Series, members: tuple[int, ...]) -> list[Best]:
    return strongest(series.values[list(members)], series.floor, members[-1] == len(series.values) - 1)


def _likeliest(shown: Iterable[Best]) -> Best:
    """The candidate with the largest statistic. Each further border must add `OF_A_BORDER`, because chance finds a smaller gain beside a
    real change."""
    return max(shown, key=lambda best: best.statistic - OF_A_BORDER * len(best.borders))


@dataclass(frozen=True, slots=True)
class _Line:
    squares: float
    first: float
    last: float


def _line(series: _Series, members: tuple[int, ...]) -> _Line:
    """The least-squares line through these points."""
    x, y = np.array(members, float), series.values[list(members)]
    slope, start = np.polyfit(x - x[0], y, 1) if len(members) > 2 else (0.0, float(np.mean(y)))
    fitted = start + slope * (x - x[0])
    return _Line(float(((y - fitted) ** 2).sum()), float(fitted[0]), float(fitted[-1]))
