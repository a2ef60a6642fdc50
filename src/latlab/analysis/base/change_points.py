# SPDX-License-Identifier: BSD-3-Clause
"""Where the values of a series change: circular binary segmentation (Olshen et al. 2004) with a null of heavy tails."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np

from latlab.analysis.base.change_null import ALPHA, MOST_POINTS, Best, Lasting, critical, extra_edge, p_value, strongest, variance
from latlab.analysis.base.columns import Floats

Beyond = Callable[[float, float], bool]
FIRST_LOOK = 0.8
FEWEST_STEPS = 6
MEDIAN_CHI_SQUARE = 0.4549


class Kind(StrEnum):
    """A step stays; one release may differ alone, or be the newest and nobody knows yet; drift is a line that explains more than a step."""

    STEP = "step"
    ALONE = "alone"
    NEWEST = "newest"
    DRIFT = "drift"


@dataclass(frozen=True, slots=True)
class Change:
    """The points `start` to below `end` left the level `before` for the level `after`; `left` is the last point of the level before.

    `p` is adjusted so that 0.05 is its level. A drift goes from the point `left` to the one before `end`, the ends of its line.
    """

    kind: Kind
    left: int
    start: int
    end: int
    before: float
    after: float
    p: float


@dataclass(frozen=True, slots=True)
class Visible:
    """The smallest changes that would be shown with this scatter: of the newest point alone, and of a half that stays (None: none)."""

    newest: float | None
    step: float | None


def changes_of(points: Sequence[Floats], beyond: Beyond, resolution: float = 0.0) -> tuple[Change, ...]:
    """The changes of a series in order. Each point holds the values of its boots; the points' medians are judged.

    A change counts only where `beyond(level before, level after)`; the scatter is never taken as less than what rounding to
    `resolution` leaves. Chance finds any change in at most 5 % of level series with independent errors as heavy-tailed as Student's t
    with three degrees of freedom; the null comes from a fixed seed.
    """
    series = _Series(points, resolution)
    marks = sorted(_search(series, tuple(range(len(points)))), key=lambda mark: mark.start)
    drifts = [
        change for mark in marks if mark.kind is Kind.DRIFT for change in [_drift(series, mark)] if beyond(change.before, change.after)
    ]
    changes = _levelled(series, [mark for mark in marks if mark.kind is not Kind.DRIFT])
    while small := [change for change in changes if not beyond(change.before, change.after)]:
        least = min(small, key=lambda change: abs(change.after - change.before))
        marks = [mark for mark in marks if mark.kind is Kind.DRIFT or mark.start != least.start]
        changes = _levelled(series, [mark for mark in marks if mark.kind is not Kind.DRIFT])
    return tuple(sorted([*drifts, *changes], key=lambda change: (change.start, change.end)))


def visible(points: Sequence[Floats], resolution: float = 0.0) -> Visible:
    """What a series could show if nothing in it changed. Nothing where its scatter cannot be estimated."""
    series = _Series(points, resolution)
    members = tuple(range(len(points)))
    if not series.is_enough(members):
        return Visible(None, None)
    weights = series.counts[: len(members)]
    sizes = {Lasting.NEWEST: weights[-1], Lasting.STAYS: weights[: len(members) // 2].sum()}
    squares = float((weights * (series.medians - np.average(series.medians, weights=weights)) ** 2).sum())
    scatter = float(variance(np.array(squares), series.within(members), len(members), int(weights.sum()), series.floor, parameters=1))
    total = weights.sum()
    found = {
        lasting: float(
            np.sqrt(critical(series.key(members), True, lasting, ALPHA * FIRST_LOOK) * scatter * total / (size * (total - size)))
        )
        for lasting, size in sizes.items()
        if lasting is Lasting.NEWEST or len(members) > 3
    }
    return Visible(found[Lasting.NEWEST], found.get(Lasting.STAYS))


class _Series:
    def __init__(self, points: Sequence[Floats], resolution: float) -> None:
        self.points = points
        self.medians = np.array([float(np.median(point)) for point in points])
        self.counts = np.array([len(point) for point in points])
        self.squares = np.array([float(((point - np.median(point)) ** 2).sum()) for point in points])
        self.floor = max(resolution**2 / 12, self._between())

    def _between(self) -> float:
        """Where releases scatter more than the boots of one: a change must stand out of that too, also in a part of two or three points.

        The median of the squared steps, which the few that are changes do not raise; of one boot each the parts have the scatter itself.
        """
        if len(self.points) < FEWEST_STEPS or self.counts.max() == 1:
            return 0.0
        return float(np.median(np.diff(self.medians) ** 2) / (2 * MEDIAN_CHI_SQUARE) * self.counts.mean())

    def is_enough(self, members: Sequence[int]) -> bool:
        """Two levels must leave something to estimate the scatter by."""
        return len(members) > 1 and int(self.counts[list(members)].sum()) > 2

    def key(self, members: Sequence[int]) -> tuple[int, ...]:
        return tuple(int(n) for n in self.counts[list(members)][:MOST_POINTS])

    def within(self, members: Sequence[int]) -> float:
        return float(self.squares[list(members)].sum())

    def level(self, members: Sequence[int]) -> float:
        return float(np.median(np.concatenate([self.points[i] for i in members])))


def _levelled(series: _Series, marks: list[_Mark]) -> list[Change]:
    """Each border with the levels on both sides of it, a point alone with the level about it. Points alone belong to no level."""
    total = len(series.points)
    alone = {mark.start for mark in marks if mark.kind is Kind.ALONE}
    edges = [0, *(mark.start for mark in marks if mark.kind is Kind.STEP), total]
    levels = {a: [i for i in range(a, b) if i not in alone] for a, b in pairwise(edges)}
    changes = []
    for mark in marks:
        own = edges[bisect_right(edges, mark.start) - 1]
        if mark.kind is Kind.ALONE:
            left = max((i for i in levels[own] if i < mark.start), default=mark.start - 1)
            changes.append(Change(mark.kind, left, mark.start, mark.end, series.level(levels[own]), series.level([mark.start]), mark.p))
            continue
        before = levels[edges[edges.index(own) - 1]]
        end = edges[edges.index(own) + 1]
        kind = Kind.NEWEST if own == total - 1 else Kind.STEP
        changes.append(Change(kind, before[-1], own, end, series.level(before), series.level(levels[own]), mark.p))
    return changes


def _drift(series: _Series, mark: _Mark) -> Change:
    line = _line(series, tuple(range(mark.start, mark.end)))
    return Change(Kind.DRIFT, mark.start, mark.start + 1, mark.end, line.first, line.last, mark.p)


@dataclass(frozen=True, slots=True)
class _Mark:
    """Something found: a border before `start`, one point `start`, or a drift of the points up to `end`."""

    kind: Kind
    start: int
    end: int
    p: float


def _search(series: _Series, members: tuple[int, ...]) -> Iterator[_Mark]:
    """The strongest change of these points, then those of the parts into which it cuts them."""
    mark_parts = _strongest(series, members, ALPHA * FIRST_LOOK) or _behind(series, members)
    if mark_parts is None:
        return
    marks, parts = mark_parts
    yield from marks
    for part in parts:
        yield from _search(series, part)


_Found = tuple[tuple[_Mark, ...], list[tuple[int, ...]]]


def _behind(series: _Series, members: tuple[int, ...]) -> _Found | None:
    """Several changes hide each other: cut where a change would be, and look whether a part shows one by itself."""
    if not series.is_enough(members):
        return None
    best = min(_candidates(series, members), key=lambda one: one.squares)
    for part in _parts(members, best):
        found = _strongest(series, part, ALPHA * (1 - FIRST_LOOK))
        if found is not None:
            marks, _ = found
            return marks, _cut(members, marks)
    return None


def _strongest(series: _Series, members: tuple[int, ...], level: float) -> _Found | None:
    """The strongest change that chance does not explain, and what is left to be searched; None where there is none."""
    found = _best(series, members, level)
    if found is None:
        return None
    best, p = found
    if _line(series, members).squares < best.squares:
        return (_Mark(Kind.DRIFT, members[0], members[-1] + 1, p),), []
    if best.end - best.start == 1 and best.end < len(members):
        mark = _Mark(Kind.ALONE, members[best.start], members[best.start] + 1, p)
        return (mark,), [members[: best.start] + members[best.end :]]
    parts = _parts(members, best)
    return tuple(_Mark(Kind.STEP, part[0], part[0] + 1, p) for part in parts[1:]), parts


def _parts(members: tuple[int, ...], best: Best) -> list[tuple[int, ...]]:
    return [part for part in (members[: best.start], members[best.start : best.end], members[best.end :]) if part]


def _cut(members: tuple[int, ...], marks: tuple[_Mark, ...]) -> list[tuple[int, ...]]:
    """The points on both sides of what was found among some of them."""
    if marks[0].kind is Kind.ALONE:
        return [tuple(i for i in members if i != marks[0].start)]
    edges = [m for mark in marks for m in ((mark.start, mark.end) if mark.kind is Kind.DRIFT else (mark.start,))]
    places = [0, *(bisect_left(members, edge) for edge in edges), len(members)]
    inside = 1 if marks[0].kind is Kind.DRIFT else None
    return [members[a:b] for i, (a, b) in enumerate(pairwise(places)) if i != inside and a < b]


def _best(series: _Series, members: tuple[int, ...], level: float) -> tuple[Best, float] | None:
    """The change that explains most of those that chance does not explain, with its p-value adjusted for the search."""
    if not series.is_enough(members):
        return None
    key = series.key(members)
    tries = len(series.points) / len(members) * max(1.0, len(members) / MOST_POINTS) * ALPHA / level
    has_newest = members[-1] == len(series.points) - 1
    shown = {best: p for best in _candidates(series, members) if (p := p_value(key, has_newest, best) * tries) <= ALPHA}
    if not shown:
        return None
    best = _simpler(shown, len(members), key)
    return best, shown[best]


def _candidates(series: _Series, members: tuple[int, ...]) -> list[Best]:
    index = list(members)
    weights = series.counts[index].astype(float)
    return strongest(series.medians[index], weights, series.within(members), series.floor, members[-1] == len(series.points) - 1)


def _simpler(shown: Collection[Best], n: int, key: tuple[int, ...]) -> Best:
    """What explains most; one border rather than two, unless the second explains more than it does where there is but one."""
    most = min(shown, key=lambda best: best.squares)
    steps = [best for best in shown if best.end == n]
    if most.end == n or not steps:
        return most
    step = min(steps, key=lambda best: best.squares)
    return most if step.squares > most.squares * extra_edge(key) else step


@dataclass(frozen=True, slots=True)
class _Line:
    squares: float
    first: float
    last: float


def _line(series: _Series, members: tuple[int, ...]) -> _Line:
    """The straight line through these points by weighted least squares."""
    index = list(members)
    x, y, weights = np.array(members, float), series.medians[index], series.counts[index].astype(float)
    slope, start = np.polyfit(x - x[0], y, 1, w=np.sqrt(weights)) if len(members) > 2 else (0.0, float(np.mean(y)))
    fitted = start + slope * (x - x[0])
    return _Line(float((weights * (y - fitted) ** 2).sum()), float(fitted[0]), float(fitted[-1]))
