# SPDX-License-Identifier: BSD-3-Clause
"""Late wake-ups of a whole machine, counted by event: those that come together have one cause and count once.

The recorder keeps late wake-ups with their times. Of a histogram nobody can say which of its wake-ups came together, so ten of them are
taken for one event: a cause that makes more than ten late at once would be taken for several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, inf, log

import numpy as np

from latlab.core.statistics.distributions import normal_quantile
from latlab.core.statistics.histogram import Histogram, rate_p
from latlab.core.statistics.sample_matrix import Floats

AN_EVENT = 10
GAP_PERIODS = 10
SHORTEST_GAP_NS = 1_000_000
LEVELS = (10, 30, 100, 300, 1_000, 3_000, 10_000)
MOST = 1e-3
ENOUGH_EVENTS = 100
POWER = 0.9
RAREST = 1e-5
FACTOR = 2.0
NEAR = 1.5
UNLIKE_P = 0.05
STRETCHES = np.geomspace(1.0, 8.0, 25)


@dataclass(frozen=True, slots=True)
class Events:
    """`wakeups` later than a level, in so many `events`; `seen` where their times are known, else it is ten to an event."""

    wakeups: int
    events: int
    seen: bool


def events_above(sides: Sequence[Histogram], level: float) -> Events:
    """Over the CPUs of one tool: what makes several of them late at one time is one event as well."""
    wakeups = sum(side.above(level) for side in sides if side.is_counted)
    times = sorted(late.wake_ns for side in sides for late in side.distribution.late if late.late_ticks * side.step > level)
    dropped = any(side.distribution.late_dropped for side in sides)
    if not times or dropped or len(times) < wakeups:
        return Events(wakeups, ceil(wakeups / AN_EVENT), wakeups == 0)
    gap = max(GAP_PERIODS * max(side.interval or 0.0 for side in sides), SHORTEST_GAP_NS)
    return Events(len(times), 1 + int((np.diff(times) > gap).sum()), True)


@dataclass(frozen=True, slots=True)
class AtLevel:
    """Events later than one level in both runs, and the ratio of their rates with its 95 % interval, half an event added to each."""

    level: float
    before: Events
    after: Events
    p: float
    ratio: float
    low: float
    high: float

    @property
    def is_told(self) -> bool:
        """Whether so many events show the two rates to be within a factor of two."""
        return self.before.events + self.after.events >= ENOUGH_EVENTS and self.low >= 1 / FACTOR and self.high <= FACTOR


@dataclass(frozen=True)
class Lateness:
    """The late wake-ups of one tool in two runs, all CPUs together."""

    a: tuple[Histogram, ...]
    b: tuple[Histogram, ...]

    @cached_property
    def totals(self) -> tuple[int, int]:
        return sum(side.total for side in self.a), sum(side.total for side in self.b)

    @cached_property
    def levels(self) -> tuple[AtLevel, ...]:
        """The rarest last: levels that ten, thirty, a hundred, ... wake-ups of both runs exceed, the end of the shorter histogram, and the
        smaller one of the maxima."""
        largest = min(max(side.maximum for side in sides) for sides in (self.a, self.b))
        if self.end is None:
            return tuple(self.at(level) for level in sorted({largest, *_levels((*self.a, *self.b))}))
        inside = {level for level in _levels((*self.a, *self.b)) if level < self.end}
        return tuple(self.at(level) for level in sorted({largest, self.end, *inside}))

    @cached_property
    def end(self) -> float | None:
        """The last level of which both runs know how many wake-ups are later, if one of them clipped any. Later levels are of the latest
        wake-up alone."""
        ends = [side.end - side.step for side in (*self.a, *self.b) if side.beyond]
        return min(ends) if ends else None

    @cached_property
    def clearest(self) -> AtLevel:
        """The level at which the two differ most clearly."""
        return min(self.levels, key=lambda at: at.p)

    @property
    def p(self) -> float:
        """That of the clearest level, for having looked at all of them."""
        return min(1.0, self.clearest.p * len(self.levels))

    @cached_property
    def rarest_alike(self) -> AtLevel | None:
        """The rarest level at which the two are shown to be alike, None where there is none or where a rarer one that could tell is not."""
        enough = [at for at in self.levels if at.before.events + at.after.events >= ENOUGH_EVENTS]
        return enough[-1] if enough and enough[-1].is_told else None

    @property
    def are_maxima_near(self) -> bool:
        largest, other = (max(side.maximum for side in sides) for sides in (self.a, self.b))
        return max(largest, other) <= NEAR * min(largest, other)

    def stretch(self, at: AtLevel) -> float:
        """By how much the tail of the run that was late less often would have to be longer in time to be no less often beyond the level
        and any later one: runs of one machine differ by that, and far out a little of it makes many times as many."""
        n, m = self.totals
        rarer, of, other, out_of = (self.a, n, self.b, m) if at.after.events * n > at.before.events * m else (self.b, m, self.a, n)
        enough = 0
        for level in at.level * STRETCHES:
            often = events_above(other, level).events
            while not _is_as_often(events_above(rarer, level / STRETCHES[enough]).events, of, often, out_of):
                enough += 1
                if enough == len(STRETCHES):
                    return inf
        return float(STRETCHES[enough])

    @cached_property
    def is_by_event(self) -> bool:
        """Whether the times of all late wake-ups are known, so that those of one event can be counted as one."""
        return all(at.before.seen and at.after.seen for at in self.levels)

    def once_in(self, alpha: float) -> float:
        """How often an added cause later than both maxima must come, once in so many wake-ups, to be found in nine of ten comparisons."""
        return self.totals[1] / self._needed(alpha)

    def wakeups_for(self, rarity: float, alpha: float) -> float:
        """How many wake-ups of each run it takes to find one that comes once in `rarity`."""
        return rarity * self._needed(alpha)

    def _needed(self, alpha: float) -> float:
        """How many late wake-ups must be expected, so that enough for a verdict come in nine of ten runs (Poisson)."""
        from scipy import special  # slow to load, and spans need none of it

        n, m = self.totals
        events = max(1, ceil(log(alpha / 2 / len(self.levels)) / log(m / (n + m))))
        wakeups = events if self.is_by_event else AN_EVENT * (events - 1) + 1
        return float(special.gammaincinv(wakeups, POWER))

    def at(self, level: float) -> AtLevel:
        before, after = events_above(self.a, level), events_above(self.b, level)
        n, m = self.totals
        events, other = before.events + 0.5, after.events + 0.5
        ratio = other / m / (events / n)
        half = exp(normal_quantile(0.975) * (1 / events + 1 / other) ** 0.5)
        p = rate_p(before.events, n, after.events, m)
        return AtLevel(level, before, after, p, ratio, ratio / half, ratio * half)


def _is_as_often(events: int, of: int, often: int, out_of: int) -> bool:
    """Whether the first rate is as high as the second or not told to be less."""
    return events * out_of >= often * of or rate_p(events, of, often, out_of) > UNLIKE_P


def _levels(sides: Sequence[Histogram]) -> set[float]:
    most = MOST * sum(side.total for side in sides if side.is_counted)
    return levels_above_which(sides, [target for target in LEVELS if target <= most])


def levels_above_which(sides: Sequence[Histogram], targets: Sequence[float]) -> set[float]:
    """The latest levels that so many wake-ups exceed. They are ends of intervals of the histograms, so that no interval lies across one."""
    counted = [side for side in sides if side.is_counted]
    if not counted:
        return set()
    low: Floats = np.concatenate([side.low for side in counted])
    counts: Floats = np.concatenate([side.counts for side in counted])
    order = np.argsort(-low)
    above = np.cumsum(counts[order]) + sum(side.beyond for side in counted)
    places = (int(np.searchsorted(above, target)) for target in targets)
    return {float(low[order[place]]) - min(side.step for side in counted) for place in places if place < len(order)}
