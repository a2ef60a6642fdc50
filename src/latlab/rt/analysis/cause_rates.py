# SPDX-License-Identifier: BSD-3-Clause
"""Late wake-ups by cause, counted by event, with exact intervals of their rates, and how long it takes to see a rate change.

Wake-ups of one cause that follow each other without one in time between them are one event. Events of one cause that come in bursts are
worth as many fewer as their counts scatter more than those of a Poisson process (quasi-likelihood, Wedderburn 1974).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from latlab.core.model.blame import UNEXPLAINED, UNTRACED, Blame, BlameKind
from latlab.core.statistics.histogram import Histogram, rate_p
from latlab.core.statistics.sample_matrix import Floats
from latlab.rt.analysis.result import RtResult

SAME_EVENT_PERIODS = 2.5
SHORTEST_GAP_NS = 1_000_000
BLOCKS = 20
FEWEST_TO_SCATTER = 20
ALPHA = 0.05
BY_CHANCE = 0.01
POWER = 0.9
FACTOR = 2.0
LEAST_RATIO = 1.5
TOLD_FROM = 1.67
"""The ratio from which what real machines scatter by lets a cause be told."""
MOST_EVENTS = 5000
SOURCES = (
    BlameKind.FIRMWARE,
    BlameKind.KERNEL,
    BlameKind.STOLEN,
    BlameKind.HYPERVISOR,
    BlameKind.SMI,
    BlameKind.INTERRUPT,
    BlameKind.SOFTIRQ,
    BlameKind.THREAD,
    BlameKind.THROTTLED,
    BlameKind.QUOTA,
    BlameKind.MASKED,
    BlameKind.UNPREEMPTED,
    BlameKind.KERNEL_CODE,
    BlameKind.MIGRATED,
    BlameKind.PAGE_FAULT,
    BlameKind.LOCK,
    BlameKind.BLOCKED,
)
"""What has a rate of its own; the others are what is left where nothing is named."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Events in so many wake-ups; `low` and `high` are the 95 % interval of how many are expected, exact for a Poisson process (Garwood
    1936). `dispersion` is by how much their counts scatter more than its counts do, 1 where that cannot be told."""

    events: int
    wakeups: int
    dispersion: float = 1.0

    @property
    def worth(self) -> int:
        """As how many independent events they count."""
        return round(self.events / self.dispersion)

    @property
    def low(self) -> float:
        from scipy import special  # slow to load, and spans need none of it

        worth = self.worth
        return self.dispersion * float(special.gammaincinv(worth, ALPHA / 2)) if worth else 0.0

    @property
    def high(self) -> float:
        from scipy import special  # slow to load, and spans need none of it

        return self.dispersion * float(special.gammaincinv(self.worth + 1, 1 - ALPHA / 2))

    def once_in(self, events: float) -> float:
        """One in so many wake-ups, if so many events were seen or are expected."""
        return self.wakeups / events if events else float("inf")


@dataclass(frozen=True, slots=True)
class CauseEvents:
    """The events of one cause over all CPUs of one tool; `latest` in ns or instructions, None where there was none."""

    blame: Blame
    rate: Rate
    wakeups: int
    latest: float | None


@dataclass(frozen=True, slots=True)
class CauseChange:
    """One cause in two runs: the ratio of its rates with its 95 % interval, exact given the sum of the events, and the p-value of no
    change. `needed` are the wake-ups of each run that show it to come twice as often, None where more events than are counted."""

    blame: Blame
    before: CauseEvents
    after: CauseEvents
    ratio: float
    low: float
    high: float
    p: float
    needed: float | None


def causes_of(sides: Sequence[Histogram], above: float = 0.0) -> tuple[CauseEvents, ...]:
    """The most frequent first, what is unexplained last; only wake-ups later than `above`."""
    blames = dict.fromkeys(late.blame for side in sides for late in side.distribution.late if late.late_ticks * side.step > above)
    return _in_order([events_of(sides, blame, above) for blame in blames])


def _in_order(causes: Sequence[CauseEvents]) -> tuple[CauseEvents, ...]:
    return tuple(sorted(causes, key=lambda cause: (cause.blame in (UNEXPLAINED, UNTRACED), -cause.rate.events, str(cause.blame))))


def events_of(sides: Sequence[Histogram], blame: Blame, above: float = 0.0) -> CauseEvents:
    late = [
        (late_entry.wake_ns, late_entry.late_ticks * side.step)
        for side in sides
        for late_entry in side.distribution.late
        if late_entry.blame == blame
    ]
    interval = max(side.interval or 0.0 for side in sides)
    return _events(blame, [(at, by) for at, by in late if by > above], interval, sum(side.total for side in sides), _span(sides))


def rates_of(result: RtResult) -> tuple[CauseEvents, ...]:
    """Of one measurement: every cause that is known of the recorder's late wake-ups, ordered as by `causes_of`; none where it kept none."""
    recorder = result.recorder
    if recorder is None or not recorder.outliers or any(cpu.late_dropped for cpu in recorder.cpus):
        return ()
    blames = {id(entry.outlier): entry.blame for entry in result.attributed or ()}
    late: dict[Blame, list[tuple[int, float]]] = {}
    for outlier in recorder.outliers:
        late.setdefault(blames.get(id(outlier), UNEXPLAINED), []).append((outlier.wake_ns, float(outlier.late_ns)))
    total = sum(cpu.got for cpu in recorder.cpus)
    times = [outlier.wake_ns for outlier in recorder.outliers]
    begin, end = recorder.start_ns or min(times), recorder.end_ns or max(times) + 1
    interval = float(recorder.interval_ns or 0)
    return _in_order([_events(blame, entries, interval, total, (float(begin), float(end - begin))) for blame, entries in late.items()])


def _events(blame: Blame, late: Sequence[tuple[int, float]], interval: float, total: int, span: tuple[float, float] | None) -> CauseEvents:
    times = np.array(sorted(at for at, _ in late), dtype=float)
    gap = max(SAME_EVENT_PERIODS * interval, SHORTEST_GAP_NS)
    starts = times[np.r_[True, np.diff(times) > gap]] if len(times) else times
    rate = Rate(len(starts), total, _dispersion(starts, span))
    return CauseEvents(blame, rate, len(late), max((by for _, by in late), default=None))


def kept_from(sides: Sequence[Histogram]) -> float:
    """The lateness above which every wake-up was kept with its time: what the recorder's threshold was, whatever it was called."""
    return max((_kept_from(side) for side in sides), default=0.0)


def is_kept(sides: Sequence[Histogram]) -> bool:
    """Whether the late wake-ups of all CPUs were kept, as far as there were any."""
    return all(side.is_counted and not side.distribution.late_dropped for side in sides)


def is_traced(sides: Sequence[Histogram]) -> bool:
    """Whether any late wake-up was traced, as far as there were any."""
    blames = {late.blame for side in sides for late in side.distribution.late}
    return not blames or blames != {UNTRACED}


def changes_of(a: Sequence[Histogram], b: Sequence[Histogram], alpha: float = ALPHA) -> tuple[CauseChange, ...]:
    """Each named cause of either run, at lateness that both kept; none where a tool kept none, or one run traced nothing: a count that was
    not taken is unknown. `alpha` is what all of them together may
    be wrong by."""
    if not all(is_kept(sides) and is_traced(sides) for sides in (a, b)):
        return ()
    above = max(kept_from(a), kept_from(b))
    named = dict.fromkeys(cause.blame for cause in (*causes_of(a, above), *causes_of(b, above)) if cause.blame.kind in SOURCES)
    return tuple(_change(events_of(a, blame, above), events_of(b, blame, above), alpha / len(named)) for blame in named)


def wakeups_to_see(rate: Rate, factor: float = FACTOR, alpha: float = ALPHA) -> float | None:
    """How many wake-ups of each of two runs show the rate to be `factor` times as high in nine of ten comparisons; None where the cause
    never came, or where it takes more than MOST_EVENTS."""
    needed = events_to_see(factor, alpha)
    return None if needed is None or not rate.events else rate.once_in(rate.events) * needed * rate.dispersion


@lru_cache(maxsize=64)
def events_to_see(factor: float = FACTOR, alpha: float = ALPHA) -> int | None:
    """How many events the first of two runs must expect, so that `factor` times as many are told in nine of ten comparisons (Poisson)."""
    low, high = 1, MOST_EVENTS
    if _power(high, factor, alpha) < POWER:
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(middle, factor, alpha) >= POWER else (middle + 1, high)
    return low


def _power(expected: int, factor: float, alpha: float) -> float:
    """How often two Poisson counts with such means are told apart, given their sum, by the exact test of two rates and by their ratio."""
    from scipy import stats

    most = int(stats.poisson.isf(1e-6, expected * (1 + factor)))
    least = int(stats.poisson.ppf(1e-6, expected * (1 + factor)))
    sums = np.arange(max(least, 1), most + 1)
    critical = np.maximum(stats.binom.isf(alpha / 2, sums, 0.5), np.floor(sums * TOLD_FROM / (1 + TOLD_FROM)))
    power = stats.binom.sf(critical, sums, factor / (1 + factor))
    return float((stats.poisson.pmf(sums, expected * (1 + factor)) * power).sum())


def _change(before: CauseEvents, after: CauseEvents, alpha: float) -> CauseChange:
    """Both runs' events are worth as much as those of the one whose counts scatter more."""
    from scipy import stats

    dispersion = max(before.rate.dispersion, after.rate.dispersion)
    events, other = (round(side.rate.events / dispersion) for side in (before, after))
    n, m = before.rate.wakeups, after.rate.wakeups
    interval = stats.binomtest(other, events + other, 0.5).proportion_ci(1 - ALPHA, "exact") if events + other else None
    low, high = (_odds(interval.low) * n / m, _odds(interval.high) * n / m) if interval else (0.0, float("inf"))
    ratio = after.rate.events / m / (before.rate.events / n) if before.rate.events else float("inf")
    rarer = before.rate if before.rate.events else after.rate
    return CauseChange(before.blame, before, after, ratio, low, high, rate_p(events, n, other, m), wakeups_to_see(rarer, FACTOR, alpha))


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else float("inf")


def _kept_from(side: Histogram) -> float:
    """The lowest end of an interval above which the histogram counts no more than were kept."""
    if not side.is_counted:
        return float("inf")
    ends = np.unique(side.low) - side.step
    above = np.array([side.above(float(end)) for end in ends])
    enough = np.flatnonzero(above <= len(side.distribution.late))
    return float(ends[enough[0]]) if len(enough) else float(side.maximum)


def _span(sides: Sequence[Histogram]) -> tuple[float, float] | None:
    """From when to when a run measured, as far as its late wake-ups and its interval tell."""
    times = [late.wake_ns for side in sides for late in side.distribution.late]
    interval = max((side.interval or 0.0 for side in sides), default=0.0)
    if not times or not interval:
        return None
    length = max(interval * max(side.distribution.due for side in sides), float(max(times) - min(times)) + 1)
    return float(min(times)), length


def _dispersion(starts: Floats, span: tuple[float, float] | None) -> float:
    """Variance over mean of the counts in equal stretches of the run, where that is more than chance makes it."""
    from scipy import stats

    if len(starts) < FEWEST_TO_SCATTER or span is None:
        return 1.0
    begin, length = span
    counts = np.bincount(np.clip(((starts - begin) / length * BLOCKS).astype(int), 0, BLOCKS - 1), minlength=BLOCKS)
    index = float(counts.var(ddof=1) / counts.mean())
    by_chance = float(stats.chi2.isf(BY_CHANCE, BLOCKS - 1)) / (BLOCKS - 1)
    return index if index > by_chance else 1.0
