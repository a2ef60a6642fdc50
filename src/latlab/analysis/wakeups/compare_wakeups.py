# SPDX-License-Identifier: BSD-3-Clause
"""Wake-ups of two runs compared: for each CPU the median, 99 % and 99.9 %, the maximum and the missed periods.

A distribution is what the tests rest on, with its counts as weights. A maximum and missed periods are rare events: they can be shown to
differ, but not to be the same, so one that is undecided does not decide the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latlab.analysis.base.comparison import Comparison, Row, Statistic
from latlab.analysis.base.distributions import normal_quantile, normal_upper
from latlab.analysis.base.statistics import NO_SHIFT, Shift, false_discovery_control
from latlab.analysis.base.verdicts import Limits, Verdict, decide, decide_exact, overall
from latlab.analysis.base.weighted import Weighted, dominance, exceedance_p, quantile_shift, rate_p, weighted, weighted_shift
from latlab.analysis.wakeups.between_runs import FEWEST_EARLIER, with_scatter
from latlab.analysis.wakeups.wakeup_identity import WakeupPair, pair_wakeups
from latlab.model.enums import Clock, Metric
from latlab.model.run import CoreId, Distribution, Run

QUANTILES = ((Statistic.MEDIAN, 0.5), (Statistic.P99, 0.99), (Statistic.P99_9, 0.999))
RARE = (Statistic.MAXIMUM, Statistic.MINIMUM, Statistic.MISSED)
EXPOSURE_RATIO = 1.5
SPANS = {Metric.TASK_WAKEUP: "wake-up", Metric.STALL: "stall"}
_PARTS = 1_000_000


def compare_wakeups(a: Run, b: Run, limits: Limits, earlier: Sequence[Run] = ()) -> Comparison:
    """The scatter of `earlier` runs of the same thing enters. Raises NotComparable where the two do not belong together."""
    pair = pair_wakeups(a, b)
    exact = a.tick.clock is not Clock.TIME
    rows: list[Row] = []
    for ours, theirs in pair.joined:
        cpu = _Cpu(_side(a, ours), _side(b, theirs), limits)
        rows += cpu.exact_rows() if exact else _scattered(cpu.tested_rows(), ours, theirs, earlier)
    if not exact:
        adjusted = false_discovery_control([row.shift.p for row in rows])
        rows = [
            replace(row, verdict=decide(row.shift, row.threshold, p, limits.alpha), p_adjusted=p)
            for row, p in zip(rows, adjusted, strict=True)
        ]
    verdict = overall((row.verdict for row in rows if not (is_rare(row) and row.verdict is Verdict.CANNOT_TELL)), bool(pair.gaps))
    notes = (*pair.notes, *_exposure_notes(pair), *(_digest_notes(pair) if exact else _one_run_note(earlier, pair.joined[0][0].metric)))
    return Comparison(
        pair.a,
        pair.b,
        limits,
        a.tick.unit,
        verdict,
        tuple(rows),
        (),
        (),
        {},
        (None, None),
        (1, 1),
        notes,
        wakeups=_counted(pair),
        gaps=pair.gaps,
    )


def is_rare(row: Row) -> bool:
    return row.statistic in RARE


@dataclass(frozen=True)
class Side:
    """One CPU's wake-ups by one tool, in ns or instructions."""

    one: Distribution
    tick_value: float
    counted: Weighted | None
    interval: float | None

    @property
    def minimum(self) -> float:
        return self.one.minimum_ticks * self.tick_value

    @property
    def maximum(self) -> float:
        return self.one.maximum_ticks * self.tick_value

    @property
    def average(self) -> float:
        return self.one.average_ticks * self.tick_value

    @property
    def resolution(self) -> float:
        return self.one.resolution_ticks * self.tick_value

    @property
    def due(self) -> int:
        return self.one.expected or self.one.got + (self.one.missed or 0)

    @property
    def missed_rate(self) -> float | None:
        """Missed periods per million that were due."""
        return None if self.one.missed is None or not self.due else self.one.missed * _PARTS / self.due

    @property
    def late_by_a_period(self) -> int | None:
        """Wake-ups that missed periods: each is one event, however many it missed."""
        if self.counted is None or self.interval is None:
            return None
        return self.counted.above(self.interval - self.tick_value)


def _side(run: Run, one: Distribution) -> Side:
    interval = run.conditions.interval_ns
    scale = run.tick.value if run.tick.clock is not Clock.TIME else 1.0
    return Side(one, run.tick.value, weighted(one, run.tick.value), interval * scale if interval else None)


@dataclass(frozen=True)
class _Cpu:
    a: Side
    b: Side
    limits: Limits

    @property
    def core(self) -> CoreId:
        return self.a.one.core

    def tested_rows(self) -> Iterator[Row]:
        """Rows without their verdict: that needs the p-values of all of them."""
        a, b = self.a.counted, self.b.counted
        if a is not None and b is not None:
            yield from self._quantiles(a, b)
        else:
            yield self._row(
                Statistic.AVERAGE, self.a.average, self.b.average, self._mean_shift(), basis="one run's distribution is unknown"
            )
            yield self._row(
                Statistic.MINIMUM,
                self.a.minimum,
                self.b.minimum,
                _undecided(self.b.minimum - self.a.minimum),
                basis=_single(self.a.one.metric),
            )
        yield self._maximum()
        if (row := self._missed()) is not None:
            yield row

    def exact_rows(self) -> Iterator[Row]:
        """A deterministic clock has no noise to test against."""
        a, b = self.a, self.b
        figures = [(Statistic.AVERAGE, a.average, b.average, "exact"), (Statistic.MAXIMUM, a.maximum, b.maximum, "exact")]
        if a.counted is not None and b.counted is not None:
            for name, share in QUANTILES:
                before, after = a.counted.quantile(share), b.counted.quantile(share)
                if before is not None and after is not None:
                    figures.append((name, before, after, "exact to an interval of the histogram"))
        for name, before, after, basis in figures:
            yield self._settled_exactly(self._row(name, before, after, NO_SHIFT, basis=basis))
        if a.missed_rate is not None and b.missed_rate is not None:
            yield self._settled_exactly(
                self._row(Statistic.MISSED, a.missed_rate, b.missed_rate, NO_SHIFT, basis="exact", metric=Metric.MISSED_PERIODS)
            )

    def _settled_exactly(self, row: Row) -> Row:
        difference = row.after - row.before
        threshold = self.limits.relative_exact * abs(row.before)
        shift = Shift(difference, difference, difference, 0.0 if difference else 1.0)
        return replace(row, shift=shift, threshold=threshold, verdict=decide_exact(difference, threshold))

    def _row(
        self,
        statistic: Statistic,
        before: float,
        after: float,
        shift: Shift,
        *,
        basis: str,
        coarse: float = 0.0,
        metric: Metric | None = None,
    ) -> Row:
        metric = metric or self.a.one.metric
        one, other = self.a.one.test, self.b.one.test
        test = one if one == other else f"{one}-to-{other}"
        steps = max(coarse, self.a.resolution, self.b.resolution)
        threshold = self.limits.threshold(before, 0.0 if metric is Metric.MISSED_PERIODS else steps, 0.0)
        named = f"CPU {self.core.core} {statistic}"
        row = Row(test, metric, named, self.core.cluster, before, after, shift, threshold, Verdict.CANNOT_TELL, basis)
        return replace(row, statistic=statistic, core=self.core)

    def _quantiles(self, a: Weighted, b: Weighted) -> Iterator[Row]:
        basis = f"{a.total:,} and {b.total:,} {SPANS[self.a.one.metric]}s"
        for name, share in QUANTILES:
            before, after = a.quantile(share), b.quantile(share)
            shift = weighted_shift(a, b) if share == 0.5 else quantile_shift(a, b, share)
            if before is None or after is None or shift is None:
                continue
            coarse = max(a.width_at(share), b.width_at(share))
            row = self._row(name, before, after, shift, basis=basis, coarse=coarse)
            yield replace(row, effect=dominance(a, b)) if share == 0.5 else row

    def _maximum(self) -> Row:
        a, b = self.a, self.b
        later, other = (b, a) if b.maximum > a.maximum else (a, b)
        above = later.counted.above(other.maximum) if later.counted is not None else 0
        below = other.counted.total if other.counted is not None else other.due
        others = later.counted.total if later.counted is not None else later.due
        p = exceedance_p(below, others, above)
        basis = f"{above} of {others:,} later than all of {below:,}" if above else _single(self.a.one.metric)
        return self._row(Statistic.MAXIMUM, a.maximum, b.maximum, replace(_undecided(b.maximum - a.maximum), p=p), basis=basis)

    def _missed(self) -> Row | None:
        before, after = self.a.missed_rate, self.b.missed_rate
        if before is None or after is None:
            return None
        events = self.a.late_by_a_period, self.b.late_by_a_period
        shift = NO_SHIFT if before == after == 0 else _undecided(after - before)
        told = f"{self.a.one.missed} of {self.a.due:,} and {self.b.one.missed} of {self.b.due:,}"
        if events[0] is not None and events[1] is not None:
            shift = replace(shift, p=rate_p(events[0], self.a.due, events[1], self.b.due))
            told += f", in {events[0]} and {events[1]} wake-ups"
        return self._row(Statistic.MISSED, before, after, shift, basis=told, metric=Metric.MISSED_PERIODS)

    def _mean_shift(self) -> Shift:
        """Averages: the spread of the counted side, and what the printed side may have been rounded by. No count, no test."""
        errors = [side.counted.mean_and_error[1] for side in (self.a, self.b) if side.counted is not None]
        difference = self.b.average - self.a.average
        if not errors:
            return _undecided(difference)
        rounding = max(self.a.resolution, self.b.resolution)
        error = float(np.linalg.norm(errors))
        half = normal_quantile(0.975) * error + rounding
        beyond = max(abs(difference) - rounding, 0.0)
        p = 2 * normal_upper(beyond / error) if error > 0 else float(beyond == 0)
        return Shift(difference, difference - half, difference + half, p)


def _undecided(difference: float) -> Shift:
    return Shift(difference, -np.inf, np.inf, 1.0)


def _single(metric: Metric) -> str:
    return f"one {SPANS[metric]} of each run"


def _counted(pair: WakeupPair) -> tuple[int, int]:
    before, after = (sum(max(one[side].got, sum(n for _, _, n in one[side].counts)) for one in pair.joined) for side in (0, 1))
    return before, after


def _scattered(rows: Iterator[Row], ours: Distribution, theirs: Distribution, earlier: Sequence[Run]) -> Iterator[Row]:
    """By the earlier runs of the same tool and CPU. Two tools differ by more than runs scatter, so nothing is said of these."""
    same = [(run, one) for run in earlier for one in run.distributions if (one.test, one.core) == (ours.test, ours.core)]
    sides = [_side(run, one) for run, one in same] if ours.test == theirs.test else []
    for row in rows:
        values = [value for side in sides if (value := _value(side, row.statistic)) is not None]
        yield with_scatter(row, values)


def _value(side: Side, statistic: Statistic | None) -> float | None:
    if statistic is Statistic.MISSED:
        return side.missed_rate
    simple = {Statistic.MAXIMUM: side.maximum, Statistic.MINIMUM: side.minimum, Statistic.AVERAGE: side.average}
    if statistic in simple:
        return simple[statistic]
    share = dict(QUANTILES).get(statistic) if statistic else None
    return side.counted.quantile(share) if share is not None and side.counted is not None else None


def _one_run_note(earlier: Sequence[Run], metric: Metric) -> tuple[str, ...]:
    if len(earlier) >= FEWEST_EARLIER:
        names = ", ".join(run.id for run in earlier)
        return (f"one run a side: what changes from run to run is taken from {names}, earlier runs under the same conditions",)
    return (
        f"one run a side: {SPANS[metric]}s are taken as independent; "
        "what changes from boot to boot or with other work on the machine is not in it",
    )


def _exposure_notes(pair: WakeupPair) -> Iterator[str]:
    ours, theirs = (max((one[side].got for one in pair.joined), default=0) for side in (0, 1))
    if min(ours, theirs) and max(ours, theirs) > EXPOSURE_RATIO * min(ours, theirs):
        longer, factor = (pair.b, theirs / ours) if theirs > ours else (pair.a, ours / theirs)
        yield f"{longer.id} counted {factor:.1f} times as many {SPANS[pair.joined[0][0].metric]}s: its maximum had that many more chances"
    for run, side in ((pair.a, 0), (pair.b, 1)):
        clipped = sum(one[side].beyond for one in pair.joined)
        if clipped:
            yield f"{clipped} {SPANS[pair.joined[0][0].metric]}s of {run.id} lie beyond the end of its histogram"


def _digest_notes(pair: WakeupPair) -> Iterator[str]:
    """Whether all samples are the same says more than any figure of them."""
    for ours, theirs in pair.joined:
        if ours.digest and theirs.digest:
            same = "are identical, all of them" if ours.digest == theirs.digest else "differ"
            yield f"{ours.test}, CPU {ours.core.core}: the samples {same}"
