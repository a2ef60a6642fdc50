# SPDX-License-Identifier: BSD-3-Clause
"""The rows of one CPU by one tool: level, spread, shape, quantiles, maximum and missed periods, each with its shift and its test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from latlab.core.comparison.comparison import Row, Statistic
from latlab.core.comparison.verdicts import Limits, Verdict, decide_exact
from latlab.core.comparison.wording import amount
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.statistics.distributions import normal_quantile, normal_upper
from latlab.core.statistics.histogram import (
    FEWEST_ABOVE,
    Histogram,
    exceedance_p,
    mean_rounding,
    quantile_shift,
    rate_p,
    shift_effect,
    spread_shift,
    trimmed_mean,
    wasserstein_and_ks,
    weighted_shift,
)
from latlab.core.statistics.statistics import NO_SHIFT, Shift
from latlab.rt.analysis.lateness import events_above
from latlab.rt.analysis.wakeup import spans_of

HALF_OF_95 = normal_quantile(0.975)
QUANTILES = ((Statistic.MEDIAN, 0.5), (Statistic.P90, 0.9), (Statistic.P99, 0.99), (Statistic.P99_9, 0.999))


@dataclass(frozen=True, slots=True)
class Moved:
    """What a figure of a CPU moved by. `error` is the standard error of the difference, `rounding` the most that intervals shift it by."""

    before: float
    after: float
    error: float
    rounding: float
    threshold: float

    @property
    def shift(self) -> Shift:
        difference = self.after - self.before
        half = HALF_OF_95 * self.error + self.rounding
        beyond = max(abs(difference) - self.rounding, 0.0)
        p = 2 * normal_upper(beyond / self.error) if self.error > 0 else float(beyond == 0)
        return Shift(difference, difference - half, difference + half, p)


@dataclass(frozen=True)
class CpuRows:
    """One CPU by one tool in both runs."""

    a: Histogram
    b: Histogram
    limits: Limits

    @property
    def core(self) -> CoreId:
        return self.a.distribution.core

    @property
    def has_spread(self) -> bool:
        """Whether the base has its quantiles of 10 and 90 %."""
        return self.a.interpolated(0.9) is not None and self.a.total * 0.1 >= FEWEST_ABOVE

    def tested(self) -> Iterator[Row]:
        """Rows without their verdict: that needs the p-values of all of them. The first run decides which rows there are. What the second
        clipped is known from below only."""
        if self.a.is_counted and self.b.is_counted:
            yield from self._quantiles(self.a, self.b)
            yield self._mean(self.a, self.b)
            yield from self._shape(self.a, self.b)
        else:
            yield self._level(Statistic.AVERAGE, self.a.average, self.b.average, self._mean_shift(), "one run's distribution is unknown")
            yield self._row(Statistic.MINIMUM, self.a.minimum, self.b.minimum, undecided(self.b.minimum - self.a.minimum), self._single)
        yield self._maximum()
        if (row := self._missed()) is not None:
            yield row

    def exact(self) -> Iterator[Row]:
        """A deterministic clock has no noise to test against. Wake-ups with one digest are the same, one by one."""
        a, b = self.a, self.b
        figures = [(Statistic.AVERAGE, a.average, b.average, "exact"), (Statistic.MAXIMUM, a.maximum, b.maximum, "exact")]
        if a.is_counted and b.is_counted:
            for name, share in QUANTILES:
                before, after = a.quantile(share), b.quantile(share)
                if before is not None and after is not None:
                    figures.append((name, before, after, "exact to an interval of the histogram"))
            distance = wasserstein_and_ks(a, b, 1.0)
            moved = distance.later or -distance.earlier
            identical = a.distribution.digest and a.distribution.digest == b.distribution.digest
            text = "the wake-ups are identical, all of them" if identical else _told_apart(distance.later, distance.earlier, "insns")
            figures.append((Statistic.SHAPE, a.average, a.average + moved, f"exact: {text}"))
        for name, before, after, basis in figures:
            yield self._settled(self._row(name, before, after, NO_SHIFT, basis))
        if a.missed_rate is not None and b.missed_rate is not None:
            yield self._settled(self._row(Statistic.MISSED, a.missed_rate, b.missed_rate, NO_SHIFT, "exact", metric=Metric.MISSED_PERIODS))

    def _settled(self, row: Row) -> Row:
        difference = row.after - row.before
        threshold = self.limits.relative_exact * abs(row.before)
        shift = Shift(difference, difference, difference, 0.0 if difference else 1.0)
        return replace(row, shift=shift, threshold=threshold, verdict=decide_exact(difference, threshold))

    @property
    def _single(self) -> str:
        return f"one {spans_of(self.a)} of each run"

    def _row(
        self,
        statistic: Statistic,
        before: float,
        after: float,
        shift: Shift,
        basis: str,
        coarse: float = 0.0,
        metric: Metric | None = None,
    ) -> Row:
        metric = metric or self.a.distribution.metric
        steps = max(coarse, self.a.resolution, self.b.resolution)
        threshold = self.limits.threshold(before, 0.0 if metric is Metric.MISSED_PERIODS else steps, 0.0)
        named = f"{self.a.distribution.place} {statistic}"
        test = test_of(self.a, self.b)
        row = Row(test, metric, named, self.core.cluster, before, after, shift, threshold, Verdict.CANNOT_TELL, basis)
        return replace(row, statistic=statistic, core=self.core)

    def _level(self, statistic: Statistic, before: float, after: float, shift: Shift, basis: str, coarse: float = 0.0) -> Row:
        """A row of which a large shift must not pass untold."""
        row = self._row(statistic, before, after, shift, basis, coarse)
        return replace(row, large=max(self.limits.large * before, coarse, self.a.resolution, self.b.resolution))

    def _quantiles(self, a: Histogram, b: Histogram) -> Iterator[Row]:
        basis = f"{a.total:,} and {b.total:,} {spans_of(self.a)}s"
        for name, share in QUANTILES:
            before, after = a.quantile(share), b.quantile(share)
            if before is None or (name is not Statistic.MEDIAN and a.total * (1 - share) < FEWEST_ABOVE):
                continue
            least = b.end if after is None else after
            shift = weighted_shift(a, b) if name is Statistic.MEDIAN else quantile_shift(a, b, share)
            text = basis if after is not None else f"{basis}, clipped in the second run: that or more"
            row = self._level(name, before, least, shift or undecided(least - before), text, max(a.width_at(share), b.width_at(share)))
            yield replace(row, effect=shift_effect(a, b)) if name is Statistic.MEDIAN else row

    def mean_moved(self) -> Moved:
        """Thousands of wake-ups know their mean better than the two intervals that a median may move by. Both ends are left out: they are
        for the tail to tell."""
        (before, error_a), (after, error_b) = trimmed_mean(self.a), trimmed_mean(self.b)
        rounding = mean_rounding(self.a) + mean_rounding(self.b)
        threshold = max(self.limits.relative * before, self.limits.steps * rounding, self.limits.steps * self.a.step)
        return Moved(before, after, float(np.hypot(error_a, error_b)), rounding, threshold)

    def spread_moved(self) -> Moved:
        """The distance from 10 to 90 %."""
        before, shift, steps = spread_of(self.a), self._spread_shift(), self._spread_steps
        half = max(shift.value - shift.low, shift.high - shift.value)
        return Moved(before, before + shift.value, half / HALF_OF_95, 0.0, self.limits.threshold(before, steps, 0.0))

    @property
    def _spread_steps(self) -> float:
        return max(self.a.width_at(0.9), self.b.width_at(0.9), self.a.resolution, self.b.resolution)

    def _spread_shift(self) -> Shift:
        shift, moved = spread_shift(self.a, self.b), spread_of(self.b) - spread_of(self.a)
        return _as_printed(_around(shift, moved), self._spread_steps) if shift else undecided(moved)

    def _mean(self, a: Histogram, b: Histogram) -> Row:
        moved = self.mean_moved()
        row = self._level(Statistic.MEAN, moved.before, moved.after, moved.shift, f"{a.total:,} and {b.total:,} {spans_of(a)}s")
        return replace(row, threshold=moved.threshold)

    def _shape(self, a: Histogram, b: Histogram) -> Iterator[Row]:
        """What the quantiles do not see: that the middle lies wider, and that some wake-ups came later and others earlier."""
        coarse = max(a.width_at(0.9), b.width_at(0.9))
        if self.has_spread:
            before = spread_of(a)
            row = self._row(Statistic.SPREAD, before, spread_of(b), self._spread_shift(), "from 10 to 90 %", coarse)
            yield replace(row, large=max(self.limits.large * before, self._spread_steps))
        distance = wasserstein_and_ks(a, b, max(self.a.resolution, self.b.resolution))
        middle = a.mean_and_error[0]
        row = self._row(Statistic.SHAPE, middle, middle, NO_SHIFT, _told_apart(distance.later, distance.earlier, "ns"), coarse)
        moved = distance.later if distance.later > row.threshold or distance.later >= distance.earlier else -distance.earlier
        yield replace(
            row,
            after=middle + moved,
            shift=Shift(moved, -distance.earlier, distance.later, distance.p),
            large=max(self.limits.large * middle, coarse),
        )

    def _maximum(self) -> Row:
        """How many events of one run are later than all of the other."""
        a, b = self.a, self.b
        later, other = (b, a) if b.maximum > a.maximum else (a, b)
        events = events_above((later,), other.maximum) if later.is_counted else None
        p = exceedance_p(other.total, later.total, events.events) if events else 1.0
        basis = self._single
        if events and events.wakeups:
            text = f"{events.events} event{'s' if events.events > 1 else ''}"
            text += "" if events.seen else " at ten to one, as a histogram does not say which came together"
            basis = f"{events.wakeups} of {later.total:,} later than all of {other.total:,}, {text}"
        shift = replace(undecided(b.maximum - a.maximum), p=p)
        return self._row(Statistic.MAXIMUM, a.maximum, b.maximum, shift, basis)

    def _missed(self) -> Row | None:
        before, after = self.a.missed_rate, self.b.missed_rate
        if before is None or after is None:
            return None
        shift = NO_SHIFT if before == after == 0 else undecided(after - before)
        basis = (
            f"{self.a.distribution.missed} of {self.a.distribution.due:,} and {self.b.distribution.missed} of {self.b.distribution.due:,}"
        )
        events, other = (_missing(side) for side in (self.a, self.b))
        if events is not None and other is not None:
            shift = replace(shift, p=rate_p(events, self.a.distribution.due, other, self.b.distribution.due))
            basis += f", in {events} and {other} events"
        return self._row(Statistic.MISSED, before, after, shift, basis, metric=Metric.MISSED_PERIODS)

    def _mean_shift(self) -> Shift:
        """Averages: the spread of the counted side, and what the printed side may have been rounded by. No count, no test."""
        errors = [side.mean_and_error[1] for side in (self.a, self.b) if side.is_counted]
        difference = self.b.average - self.a.average
        if not errors:
            return undecided(difference)
        rounding = max(self.a.resolution, self.b.resolution)
        return Moved(self.a.average, self.b.average, float(np.linalg.norm(errors)), rounding, 0.0).shift


def test_of(a: Histogram, b: Histogram) -> str:
    """The test's name; that of both tools where two are compared."""
    return a.distribution.test if a.distribution.test == b.distribution.test else f"{a.distribution.test}-to-{b.distribution.test}"


def spread_of(side: Histogram) -> float:
    """From 10 to 90 %, or the least that it can be if the histogram ends before."""
    low, high = (side.interpolated(share) for share in (0.1, 0.9))
    return (side.end if high is None else high) - (side.end if low is None else low)


def undecided(difference: float) -> Shift:
    return Shift(difference, -np.inf, np.inf, 1.0)


def _as_printed(shift: Shift, step: float) -> Shift:
    """The interval with what steps cut off of four quantiles: each is anywhere in its step, a variance of a twelfth."""
    half = HALF_OF_95 * step * (4 / 12) ** 0.5
    low, high = (float(np.hypot(shift.value - end, half)) for end in (shift.low, shift.high))
    return replace(shift, low=shift.value - low, high=shift.value + high)


def _around(shift: Shift, value: float) -> Shift:
    """The same interval around another estimate."""
    off = value - shift.value
    return replace(shift, value=value, low=shift.low + off, high=shift.high + off)


def _missing(side: Histogram) -> int | None:
    """Events that missed periods, however many each of them missed."""
    if not side.is_counted or side.interval is None:
        return None
    return events_above((side,), side.interval - side.step).events


def _told_apart(later: float, earlier: float, unit: str) -> str:
    return f"what came later adds {amount(later, unit)} to the average, what came earlier takes {amount(earlier, unit)}"
