# SPDX-License-Identifier: BSD-3-Clause
"""Sentences on wake-ups: what a run's tail is made of, and why two runs differ, CPU by CPU."""

from __future__ import annotations

from collections import Counter, defaultdict

from latlab.analysis.base.comparison import Comparison, Row
from latlab.analysis.base.explanation import EXACT, INFERRED, Explanation
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.weighted import weighted
from latlab.analysis.base.wording import amount, count, percent
from latlab.analysis.wakeups.periodicity import find_period
from latlab.analysis.wakeups.wakeup_identity import caveat_of, check_latencies, distributions_of, interval_ns
from latlab.model.run import Distribution, LateWakeup, Run

UNEXPLAINED = "unexplained"
UNTRACED = "not traced"
_CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)


def explain_wakeups(run: Run) -> tuple[Explanation, ...]:
    """Raises NotComparable where the run's figures are no latencies."""
    check_latencies(run)
    found = distributions_of(run)
    out = [Explanation("", f"{caveat}: the figures are this virtual machine's", EXACT) for caveat in [caveat_of(run)] if caveat]
    for test in dict.fromkeys(one.test for one in found):
        own = [one for one in found if one.test == test]
        out += [Explanation(test, _spread(one, run), EXACT) for one in own]
        out += [Explanation(test, sentence, INFERRED) for sentence in _late_sentences(own, run)]
    return tuple(out)


def explain_wakeup_pair(comparison: Comparison) -> tuple[Explanation, ...]:
    """One sentence for each figure that changed, one for the causes of late wake-ups that came or went."""
    basis = EXACT if comparison.rows and comparison.rows[0].basis.startswith("exact") else INFERRED
    out = [Explanation(test, sentence, basis) for (test, sentence) in _changes(comparison)]
    out += [Explanation(test, sentence, INFERRED) for test, sentence in _cause_changes(comparison)]
    if not out:
        out.append(Explanation("", "no CPU's wake-ups changed beyond the threshold", basis))
    if comparison.caveat:
        out.append(Explanation("", f"{comparison.caveat}: a change may be the hypervisor's", INFERRED))
    return tuple(out)


def _spread(one: Distribution, run: Run) -> str:
    unit, scale = run.tick.unit, run.tick.value
    longest = amount(one.maximum_ticks * scale, unit)
    counted = weighted(one, scale)
    middle = counted.quantile(0.5) if counted else None
    told = f"CPU {one.core.core}: average {amount(one.average_ticks * scale, unit)}, maximum {longest}"
    if counted is not None and middle:
        ratio = one.maximum_ticks * scale / middle
        told = f"CPU {one.core.core}: median {amount(middle, unit)}, maximum {longest}, {ratio:.1f} times the median"
        told += f", over {counted.total:,} wake-ups"
    if one.missed:
        told += f"; {one.missed:,} periods passed while the task was late"
    return told


def _late_sentences(found: list[Distribution], run: Run) -> list[str]:
    late = [entry for one in found for entry in one.late]
    if not late:
        return []
    out = []
    for cause, entries in _by_cause(late).items():
        latest = amount(max(entry.late_ticks for entry in entries) * run.tick.value, run.tick.unit)
        out.append(f"{len(entries)} of {count(len(late), 'late wake-up')}: {cause}, the latest {latest}")
    period = find_period(sorted(entry.wake_ns - entry.late_ticks for entry in late), interval_ns(run) or 0)
    if period is not None:
        out.append(f"{period.outliers} late wake-ups keep a period of {period.period_s:g} s")
    return out


def _by_cause(late: list[LateWakeup]) -> dict[str, list[LateWakeup]]:
    groups: dict[str, list[LateWakeup]] = defaultdict(list)
    for entry in late:
        groups[cause_of(entry.cause)].append(entry)
    return dict(sorted(groups.items(), key=lambda pair: (pair[0] in (UNEXPLAINED, UNTRACED), -len(pair[1]))))


def _changes(comparison: Comparison) -> list[tuple[str, str]]:
    """Rows of one CPU and verdict in one sentence; the CPUs that did not change are named with it."""
    groups: dict[tuple[str, str, Verdict], list[Row]] = defaultdict(list)
    for row in comparison.rows:
        if row.verdict in _CHANGED:
            groups[row.test, _cpu(row), row.verdict].append(row)
    out = []
    for (test, cpu, verdict), rows in groups.items():
        figures = ", ".join(_figure(comparison, row) for row in rows)
        quiet = sorted({_cpu(row) for row in comparison.rows if row.test == test} - {c for t, c, _ in groups if t == test})
        rest = f"; {', '.join(quiet)} did not change" if quiet else ""
        out.append((test, f"{cpu} {verdict}: {figures}{rest}"))
    return out


def _figure(comparison: Comparison, row: Row) -> str:
    unit = comparison.unit_of(row.metric)
    name = row.name.removeprefix(_cpu(row)).strip()
    return f"{name} {amount(row.before, unit)} to {amount(row.after, unit)}" + (f" ({percent(row.relative)})" if row.before else "")


def _cpu(row: Row) -> str:
    return " ".join(row.name.split()[:2])


def _cause_changes(comparison: Comparison) -> list[tuple[str, str]]:
    out = []
    before, after = _cause_counts(comparison.a), _cause_counts(comparison.b)
    for test in before.keys() & after.keys():
        for cause in dict.fromkeys([*before[test], *after[test]]):
            was, became = before[test][cause], after[test][cause]
            if was != became:
                out.append((test, f"late wake-ups by cause: {cause}, {was} became {became}"))
    return sorted(out)


def _cause_counts(run: Run) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in run.distributions:
        counts[one.test].update(cause_of(entry.cause) for entry in one.late)
    return counts


def cause_of(cause: str | None) -> str:
    return UNTRACED if cause is None else cause or UNEXPLAINED
