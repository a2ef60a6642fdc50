# SPDX-License-Identifier: BSD-3-Clause
"""Wake-ups of two runs compared: for each CPU level, spread, shape, quantiles, maximum and missed periods, for each tool the rate of late
wake-ups of all CPUs together.

A distribution is what the tests rest on, with its counts as weights. What is too rare for a result leaves `unchanged (tail inconclusive)`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import inf

from latlab.core.comparison.between_runs import ask_for_repeat, p_of_stretch, with_scatter
from latlab.core.comparison.comparison import Row, Statistic, WakeupComparison, large_untold
from latlab.core.comparison.findings import LargestGrew, LargeUntold, Notable
from latlab.core.comparison.verdicts import CHANGED, Limits, Verdict
from latlab.core.comparison.wakeup_findings import THINGS, CauseCounted, RarestSeen, ScatterUnknown
from latlab.core.comparison.wording import capital, said_blame
from latlab.core.model.blame import Blame
from latlab.core.model.distributions import Distribution, distributions_of, load_of
from latlab.core.model.enums import Clock, Metric, RowKind
from latlab.core.model.run import CoreId, Run
from latlab.core.shown import significant
from latlab.core.statistics.histogram import histogram_of
from latlab.core.statistics.statistics import NO_SHIFT, Shift, false_discovery_control, family_wise
from latlab.rt.analysis.cause_rates import LEAST_RATIO, CauseChange, changes_of, events_of, is_kept
from latlab.rt.analysis.lateness import NEAR, RAREST, AtLevel, Lateness
from latlab.rt.analysis.wakeup import spans_of
from latlab.rt.analysis.wakeup_claims import large_rate, wakeup_claims
from latlab.rt.analysis.wakeup_identity import WakeupPair, pair_wakeups
from latlab.rt.analysis.wakeup_rows import CpuRows, test_of
from latlab.rt.analysis.wakeup_scatter import with_scatter_of_runs

EXPOSURE_RATIO = 1.5
LOAD_RATIO = 1.25
_PARTS = 1_000_000
ALL_CPUS = "all CPUs"
CLIPPED_MAXIMUM = 2.0
"""How many times the other maximum must not pass if a histogram ends before it: nothing else says how late those were."""


def compare_wakeups(a: Run, b: Run, limits: Limits, earlier: Sequence[Run] = ()) -> WakeupComparison:
    """The scatter of `earlier` runs of the same thing enters. Raises NotComparable where the two do not belong together."""
    pair = pair_wakeups(a, b)
    exact = a.tick.clock is not Clock.TIME
    cpus = [CpuRows(histogram_of(a, ours), histogram_of(b, theirs), limits) for ours, theirs in pair.joined]
    identical = not exact and all(_figures(ours) == _figures(theirs) for ours, theirs in pair.joined)
    late = {} if exact else _late(cpus)
    rows = [row for cpu in cpus for row in cpu.exact()] if exact else _judged(cpus, late, a, limits, () if identical else earlier)
    changes = {test: changes_of(lateness.a, lateness.b, limits.alpha) for test, lateness in late.items()}
    judged = [
        (test, cause_change, row)
        for test, cause_changes in changes.items()
        for cause_change, row in _cause_rows(test, cause_changes, a, limits, earlier)
    ]
    claims = () if exact else wakeup_claims(cpus, rows, a, earlier, limits)
    rows += [row for _, _, row in judged]
    if identical:
        rows = [replace(row, shift=NO_SHIFT, verdict=Verdict.SAME, basis="identical figures") for row in rows]
    notes = (
        *pair.notes,
        *_load_notes(a, b),
        *_exposure_notes(pair),
        *(_digest_notes(pair) if exact else () if identical else _one_run_note(a, b, earlier, cpus)),
    )
    is_assumed = not earlier and not exact and not identical
    clipped = {(test_of(cpu.a, cpu.b), cpu.core) for cpu in cpus if cpu.a.beyond or cpu.b.beyond}
    return WakeupComparison(
        a=pair.a,
        b=pair.b,
        limits=limits,
        unit=a.tick.unit,
        rows=tuple(rows),
        claims=claims,
        notes=notes,
        gaps=pair.gaps,
        wakeups=_counted(pair),
        rarest_seen=() if identical else tuple(_rarest_seen(late, limits)),
        scatter_assumed=is_assumed,
        notable=tuple(_notable(rows, (a, b), limits, is_assumed, clipped)),
        causes=() if identical else tuple((test, _counted_cause(change, row.verdict, late[test])) for test, change, row in judged),
    )


def _notable(
    rows: Sequence[Row], runs: tuple[Run, Run], limits: Limits, is_assumed: bool, clipped: Collection[tuple[str, CoreId | None]]
) -> Iterator[Notable]:
    """The CPU whose maximum grew most, told or not, and the one where it shrank most; and what may hold a large difference."""
    maxima = [row for row in rows if row.statistic is Statistic.MAXIMUM and abs(row.shift.value) > row.threshold]
    grown = [
        (
            LargestGrew(row.metric, row.test, row.title, row.before, row.after, row.verdict in CHANGED),
            CLIPPED_MAXIMUM if (row.test, row.core) in clipped else limits.large_maximum,
        )
        for row in maxima
    ]
    for later in (True, False):
        one_way = [growth for growth, least in grown if (growth.after > growth.before) is later and growth.ratio >= least]
        if one_way:
            yield max(one_way, key=lambda growth: growth.ratio)
    large = [row for row in large_untold(rows, is_assumed) if row.statistic is not Statistic.MAXIMUM]
    if large and is_assumed:
        yield ScatterUnknown(
            large[0].metric, large[0].test, large[0].title, large[0].before, large[0].after, len(large), ask_for_repeat(*runs)
        )
    elif large:
        yield LargeUntold(large[0].metric, large[0].test, large[0].title, large[0].before, large[0].largest, len(large))


def _rarest_seen(lateness_of: dict[str, Lateness], limits: Limits) -> Iterator[RarestSeen]:
    for test, late in lateness_of.items():
        alpha = limits.alpha / len(lateness_of)
        wakeups = late.wakeups_for(1 / RAREST, alpha)
        interval = max((side.interval or 0.0 for side in late.a), default=0.0)
        seconds = wakeups * interval / 1e9 / len(late.a) if interval else None
        yield RarestSeen(test, spans_of(late.a[0]), late.once_in(alpha), 1 / RAREST, wakeups, seconds, late.is_by_event)


def _late(cpus: Sequence[CpuRows]) -> dict[str, Lateness]:
    """The late wake-ups of each tool that has counts of all its CPUs in both runs."""
    by_tool: dict[str, list[CpuRows]] = {}
    for cpu in cpus:
        by_tool.setdefault(test_of(cpu.a, cpu.b), []).append(cpu)
    return {
        test: Lateness(tuple(cpu.a for cpu in rows), tuple(cpu.b for cpu in rows))
        for test, rows in by_tool.items()
        if all(side.is_counted and side.total for cpu in rows for side in (cpu.a, cpu.b))
    }


def _judged(cpus: Sequence[CpuRows], late: dict[str, Lateness], a: Run, limits: Limits, earlier: Sequence[Run]) -> list[Row]:
    """The rows of all CPUs are one family of tests, those of late wake-ups another."""
    tested = [(cpu, row) for cpu in cpus for row in cpu.tested()]
    rows = list(with_scatter_of_runs(tested, a, earlier))
    adjusted = false_discovery_control([within for _, within in rows])
    late_rows = {test: _late_row(lateness, limits, len(late), a) for test, lateness in late.items()}
    judged_rows = []
    for (row, _), p in zip(rows, adjusted, strict=True):
        judged = replace(row, p_adjusted=max(p, row.shift.p))
        verdict = _verdict(judged, limits)
        if row.statistic is Statistic.MAXIMUM and row.test in late_rows and verdict is not late_rows[row.test].verdict:
            verdict = _near(judged, late_rows[row.test])
        judged_rows.append(replace(judged, verdict=verdict))
    return [*judged_rows, *late_rows.values()]


def _verdict(row: Row, limits: Limits) -> Verdict:
    """What is shown to differ has a detail at least."""
    if row.p_adjusted < limits.alpha:
        if abs(row.shift.value) <= row.threshold:
            return Verdict.MOVED
        return Verdict.REGRESSED if row.shift.value > 0 else Verdict.IMPROVED
    within = -row.threshold <= row.shift.low and row.shift.high <= row.threshold
    return Verdict.SAME if within and not row.is_large else Verdict.CANNOT_TELL


def _near(row: Row, late: Row) -> Verdict:
    """A maximum of one run a side is told by itself in neither way: to differ only where the late wake-ups do, to be the same where the two
    lie near each other and the late wake-ups below them are shown to be alike."""
    near = max(row.before, row.after) <= NEAR * min(row.before, row.after)
    return Verdict.SAME if near and late.verdict is Verdict.SAME else Verdict.CANNOT_TELL


def _late_row(late: Lateness, limits: Limits, tools: int, base: Run) -> Row:
    """The rates of late wake-ups over all CPUs: at the level where they differ most clearly, or at the rarest where they are alike.

    They are `unchanged` only where nothing that comes once in a hundred thousand could have been overlooked.
    """
    p = min(1.0, late.p * tools)
    alike = late.rarest_alike if late.rarest_alike and late.are_maxima_near and p >= limits.alpha else None
    at = alike or late.clearest
    before, after = (events.events * _PARTS / total for events, total in zip((at.before, at.after), late.totals, strict=True))
    moved = after - before
    # The ratio counts half an event more on each side (Haldane), so its ends can leave out a difference from or to none.
    shift = Shift(moved, min(moved, before * (at.low - 1)), max(moved, before * (at.high - 1)), p)
    side = late.a[0]
    place = test_of(side, late.b[0]), Metric.LATE_WAKEUPS, ALL_CPUS, None
    limit, basis = max(before, after) / 2, _late_basis(at, late)
    row = Row(*place, before, after, shift, limit, Verdict.CANNOT_TELL, basis, statistic=Statistic.LATE, later_than=at.level)
    row = with_scatter(row, (), base)
    row = replace(row, p_adjusted=row.shift.p, large=large_rate(at, late.totals, limits.alpha / tools / len(late.levels)))
    if row.p_adjusted < limits.alpha:
        row = replace(row, p_adjusted=max(row.p_adjusted, p_of_stretch(late.stretch(late.clearest), base)))
    if row.p_adjusted < limits.alpha:
        return replace(row, verdict=_verdict(row, limits))
    is_seen = late.once_in(limits.alpha / tools) >= 1 / RAREST
    return replace(row, verdict=Verdict.SAME if alike and is_seen else Verdict.CANNOT_TELL)


def _cause_rows(
    test: str, cause_changes: Sequence[CauseChange], base: Run, limits: Limits, earlier: Sequence[Run]
) -> Iterator[tuple[CauseChange, Row]]:
    """Each named cause by itself, in events per million wake-ups; all causes of a tool are one family."""
    adjusted = family_wise([tested_cause.p for tested_cause in cause_changes])
    for cause_change, p in zip(cause_changes, adjusted, strict=True):
        before, after = (side.rate.events * _PARTS / side.rate.wakeups for side in (cause_change.before, cause_change.after))
        shift = (
            Shift(after - before, before * (cause_change.low - 1), before * (cause_change.high - 1), cause_change.p)
            if before
            else Shift(after, 0.0, inf, cause_change.p)
        )
        name, limit = said_blame(cause_change.blame), max(before, after) * (1 - 1 / LEAST_RATIO)
        basis = (
            f"{cause_change.before.rate.events} "
            f"events of "
            f"{cause_change.before.rate.wakeups:,} and "
            f"{cause_change.after.rate.events} of {cause_change.after.rate.wakeups:,}"
        )
        row = Row(test, Metric.LATE_WAKEUPS, name, None, before, after, shift, limit, Verdict.CANNOT_TELL, basis, statistic=Statistic.CAUSE)
        row = with_scatter(row, tuple(_earlier_rates(cause_change.blame, test, earlier)), base)
        row = replace(row, p_adjusted=max(p, row.shift.p))
        yield cause_change, replace(row, verdict=_verdict(row, limits))


def _counted_cause(cause_change: CauseChange, verdict: Verdict, late: Lateness) -> CauseCounted:
    interval = max((side.interval or 0.0 for side in late.a), default=0.0)
    seconds = cause_change.needed * interval / 1e9 / len(late.a) if cause_change.needed and interval else None
    before, after = ((side.rate.events, side.rate.wakeups) for side in (cause_change.before, cause_change.after))
    return CauseCounted(
        verdict, cause_change.blame, before, after, cause_change.ratio, cause_change.low, cause_change.high, cause_change.needed, seconds,
        late.a[0].distribution.metric,
    )  # fmt: skip


def _earlier_rates(blame: Blame, test: str, earlier: Sequence[Run]) -> Iterator[float]:
    for run in earlier:
        sides = [histogram_of(run, distribution) for distribution in distributions_of(run) if distribution.test == test]
        if sides and is_kept(sides) and (rate := events_of(sides, blame).rate).events:
            yield rate.events * _PARTS / rate.wakeups


def _late_basis(at: AtLevel, late: Lateness) -> str:
    counted = (
        "events" if at.before.seen and at.after.seen else "events at ten wake-ups to one, as a histogram does not say which came together"
    )
    counts = f"{at.before.events} of {late.totals[0]:,} and {at.after.events} of {late.totals[1]:,}"
    return f"{counts}, {counted}"


def _counted(pair: WakeupPair) -> tuple[int, int]:
    before, after = (
        sum(max(pair_of_rows[side].got, sum(n for _, _, n in pair_of_rows[side].counts)) for pair_of_rows in pair.joined) for side in (0, 1)
    )
    return before, after


def _one_run_note(base: Run, candidate: Run, earlier: Sequence[Run], cpus: Sequence[CpuRows]) -> tuple[str, ...]:
    if earlier:
        names = ", ".join(run.id for run in earlier)
        return (f"one run on each side: the variation from run to run is that of {names}, earlier runs under the same conditions",)
    ask = ask_for_repeat(base, candidate)
    if all(side.blocks for cpu in cpus for side in (cpu.a, cpu.b)):
        return (
            f"one run on each side: the variation from run to run is taken from inside the two. A boot may change more. {capital(ask)}",
        )
    return (f"one run on each side: the variation of {spans_of(cpus[0].a)}s from run to run is assumed, not measured. {capital(ask)}",)


def _load_notes(a: Run, b: Run) -> Iterator[str]:
    """A load that did less left more room: what it did is a condition, though nobody set it."""
    before = {base_load.name: base_load.per_second for base_load in load_of(a)}
    for load in load_of(b):
        ours, theirs = before.get(load.name, 0.0), load.per_second
        if min(ours, theirs) > 0 and max(ours, theirs) > LOAD_RATIO * min(ours, theirs):
            yield (
                f"the load {load.name} did {theirs / ours:.2f} times the work in {b.id}, "
                f"{significant(theirs, 4, grouped=True)} bogo operations per second against "
                f"{significant(ours, 4, grouped=True)} in {a.id}: it may cause the difference"
            )
        elif (ours > 0) != (theirs > 0) and load.name in before:
            idle = a.id if ours == 0 else b.id
            yield f"the load {load.name} did nothing at all in {idle}: it may cause the difference"


def _exposure_notes(pair: WakeupPair) -> Iterator[str]:
    ours, theirs = (max((pair_of_rows[side].got for pair_of_rows in pair.joined), default=0) for side in (0, 1))
    if min(ours, theirs) and max(ours, theirs) > EXPOSURE_RATIO * min(ours, theirs):
        longer, factor = (pair.b, theirs / ours) if theirs > ours else (pair.a, ours / theirs)
        yield (
            f"{longer.id} counted {factor:.1f} times as many {THINGS[pair.joined[0][0].metric]}s, so its maximum had that many more "
            "opportunities"
        )
    for run, side in ((pair.a, 0), (pair.b, 1)):
        clipped = sum(pair_of_rows[side].beyond for pair_of_rows in pair.joined)
        if clipped:
            yield f"{clipped} {THINGS[pair.joined[0][0].metric]}s of {run.id} lie beyond the end of its histogram"


def _figures(distribution: Distribution) -> Distribution:
    """The distribution without the kind of its rows, which files of earlier versions lack."""
    return replace(distribution, rows=RowKind.CPU, thread=None)


def _digest_notes(pair: WakeupPair) -> Iterator[str]:
    """Whether all samples are the same says more than any figure of them."""
    for ours, theirs in pair.joined:
        if ours.digest and theirs.digest:
            yield f"{ours.test}, {ours.place}: the samples {_digests(ours, theirs)}"


def _digests(ours: Distribution, theirs: Distribution) -> str:
    if ours.digest == theirs.digest:
        return "are all identical"
    if (ours.counts, ours.average_ticks, ours.maximum_ticks) == (theirs.counts, theirs.average_ticks, theirs.maximum_ticks):
        return "came in another order, or differ within an interval of the histogram"
    return "differ"
