# SPDX-License-Identifier: BSD-3-Clause
"""What a run's wake-ups are made of, and why two runs differ, CPU by CPU."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from latlab.core.comparison import findings as f
from latlab.core.comparison import wakeup_findings as w
from latlab.core.comparison.comparison import Row, Statistic, WakeupComparison
from latlab.core.comparison.conditions import unreliable_mode
from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.comparison.verdicts import CHANGED, Verdict
from latlab.core.model.blame import UNTRACED, Blame, BlameKind
from latlab.core.model.distributions import Distribution, LateWakeup, distributions_of
from latlab.core.model.enums import Clock, Metric, RowKind
from latlab.core.model.run import Run
from latlab.core.statistics.histogram import Histogram
from latlab.rt.analysis.causes import running_while_away, without_name
from latlab.rt.analysis.periodicity import find_period
from latlab.rt.analysis.wakeup_identity import check_machine

USUAL = Metric.TASK_WAKEUP, RowKind.CPU
"""What rows are of if each run has them by another tool."""
_UNBLAMED = (BlameKind.UNEXPLAINED, BlameKind.UNTRACED)


def explain_wakeups(run: Run) -> tuple[Explanation, ...]:
    """Raises NotComparable where the run's figures are no latencies."""
    check_machine(run)
    unit = run.tick.unit
    mode = unreliable_mode(run)
    out = [Explanation("", w.ModeCaveat(mode, pair=False), Basis.EXACT, unit)] if mode else []
    for test in dict.fromkeys(distribution.test for distribution in distributions_of(run)):
        of_test = [distribution for distribution in distributions_of(run) if distribution.test == test]
        out += [
            Explanation(test, _spread(distribution, run), Basis.EXACT if distribution.counts else Basis.PRINTED, unit)
            for distribution in of_test
        ]
        out += [Explanation(test, finding, Basis.INFERRED, unit) for finding in _late(of_test, run)]
    return tuple(out)


def explain_wakeup_pair(comparison: WakeupComparison) -> tuple[Explanation, ...]:
    """One finding for each figure that changed, one for the blame of late wake-ups that came or went."""
    basis = Basis.INFERRED if comparison.a.tick.clock is Clock.TIME else Basis.EXACT
    unit = comparison.unit
    out = [
        Explanation("", finding, basis if isinstance(finding, f.LargestGrew) else Basis.INFERRED, comparison.unit_of(finding.metric))
        for finding in comparison.notable
    ]
    moved = [Explanation(test, moved, basis, unit) for test, moved in _changes(comparison)]
    moved += [Explanation(test, cause, Basis.INFERRED, unit) for test, cause in comparison.causes]
    moved += [Explanation(test, moved, Basis.INFERRED, unit) for test, moved in _blame_changes(comparison)]
    if not moved and not out:
        inconclusive = sum(row.verdict is Verdict.CANNOT_TELL for row in comparison.rows)
        has_cycles = any(distribution.metric is Metric.CYCLE for distribution in distributions_of(comparison.a))
        moved = [Explanation("", w.NoWakeupMoved(inconclusive, has_cycles), basis, unit)]
    out += [*moved, *(Explanation("", rarest, Basis.INFERRED, unit) for rarest in comparison.rarest_seen)]
    if mode := unreliable_mode(comparison.a, comparison.b):
        out.append(Explanation("", w.ModeCaveat(mode, pair=True), Basis.INFERRED, unit))
    return tuple(out)


def _spread(distribution: Distribution, run: Run) -> w.Spread:
    scale = run.tick.value
    counted = Histogram(distribution, scale)
    return w.Spread(
        distribution.core.core,
        average=distribution.average_ticks * scale,
        median=counted.quantile(0.5) if counted.is_counted else None,
        maximum=distribution.maximum_ticks * scale,
        wakeups=counted.total if counted.is_counted else distribution.got,
        missed=distribution.missed or 0,
        step=0.0 if counted.is_counted else max(distribution.resolution_ticks * scale, dict(run.resolutions).get(distribution.metric, 0.0)),
        metric=distribution.metric,
        rows=distribution.rows,
    )


def _late(distributions: list[Distribution], run: Run) -> Iterator[f.Finding]:
    late = [entry for distribution in distributions for entry in distribution.late]
    if not late:
        return
    for blame, entries in _by_blame(late).items():
        latest = max(entry.late_ticks for entry in entries) * run.tick.value
        yield w.LateByBlame(blame, len(entries), len(late), latest, distributions[0].metric)
    interval_ns = run.conditions.interval_ns
    period = find_period(sorted(entry.wake_ns - entry.late_ticks for entry in late), interval_ns) if interval_ns else None
    if period is not None:
        yield w.LateInPeriod(period.outliers, period.period_s)


def _by_blame(late: list[LateWakeup]) -> dict[Blame, list[LateWakeup]]:
    """The one of the latest wake-up first, then the most frequent, those without a cause last."""
    away = Blame(BlameKind.AWAY, running_while_away(entry.blame for entry in late))
    latest = max(late, key=lambda entry: entry.late_ticks)
    groups: dict[Blame, list[LateWakeup]] = defaultdict(list)
    for entry in late:
        groups[away if entry.blame.kind is BlameKind.AWAY else entry.blame].append(entry)
    return dict(sorted(groups.items(), key=lambda pair: (latest not in pair[1], pair[0].kind in _UNBLAMED, -len(pair[1]))))


def _changes(comparison: WakeupComparison) -> Iterator[tuple[str, w.CpuMoved | w.LateMoved]]:
    """Rows of one CPU and verdict in one finding; the CPUs of which no change is shown are named with it."""
    kinds = {distribution.test: (distribution.metric, distribution.rows) for distribution in distributions_of(comparison.a)}
    groups: dict[tuple[str, int, Verdict], list[Row]] = defaultdict(list)
    for row in comparison.rows:
        if row.verdict not in CHANGED or row.statistic is Statistic.CAUSE:
            continue
        if row.core is None:
            yield row.test, w.LateMoved(row.verdict, row.title, row.before, row.after, kinds.get(row.test, USUAL)[0])
        else:
            groups[row.test, row.core.core, row.verdict].append(row)
    for (test, cpu, verdict), rows in groups.items():
        moved = {c for t, c, _ in groups if t == test}
        quiet = sorted({row.core.core for row in comparison.rows if row.test == test and row.core} - moved)
        yield test, w.CpuMoved(cpu, verdict, tuple(map(_figure, rows)), tuple(quiet), *kinds.get(test, USUAL))


def _figure(row: Row) -> w.StatisticMoved:
    return w.StatisticMoved(str(row.statistic), row.metric, row.before, row.after, row.relative)


def _blame_changes(comparison: WakeupComparison) -> list[tuple[str, w.BlameMoved]]:
    before, after = _blame_counts(comparison.a), _blame_counts(comparison.b)
    tested = {(test, cause.blame) for test, cause in comparison.causes}
    metrics = {distribution.test: distribution.metric for distribution in distributions_of(comparison.a)}
    out = []
    for test in sorted(before.keys() & after.keys()):
        if {UNTRACED} in (before[test].keys(), after[test].keys()):
            continue  # a count that was not taken is unknown
        for blame in dict.fromkeys([*before[test], *after[test]]):
            was, became = before[test][blame], after[test][blame]
            if was != became and (test, blame) not in tested:
                out.append((test, w.BlameMoved(blame, was, became, metrics[test])))
    return out


def _blame_counts(run: Run) -> dict[str, Counter[Blame]]:
    counts: dict[str, Counter[Blame]] = defaultdict(Counter)
    for distribution in distributions_of(run):
        counts[distribution.test].update(without_name(entry.blame) for entry in distribution.late)
    return counts
