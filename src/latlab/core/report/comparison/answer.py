# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison says in its heading: the two by what differs between them, and what moved, by how much and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite

from latlab.core.comparison.comparison import Comparison, Row
from latlab.core.comparison.counted_findings import Agreement, CountedBeside
from latlab.core.comparison.explanation import Explanation
from latlab.core.comparison.findings import FunctionsMoved, PartChanged, RuleChanged, SamplesMissing, Suspected
from latlab.core.comparison.verdicts import CHANGED, Verdict
from latlab.core.comparison.wording import amount, capital, count, percent, signed
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run
from latlab.core.report.comparison.sentences import summary
from latlab.core.report.titles import METRIC_WORDS

MOST_METRICS = 2
NAME_LETTERS = 40


def sides(comparison: Comparison) -> str:
    """`TF-A v2.9 to TF-A v2.10`: the first of firmware, commit and conditions that differs, else the ids of the runs."""
    a, b = comparison.a, comparison.b
    named = next(
        (
            difference
            for difference in (*comparison.differences.across, *comparison.differences.named)
            if difference.before and difference.after
        ),
        None,
    )
    pairs = (
        (a.build.firmware, b.build.firmware),
        (a.build.commit, b.build.commit),
        (f"{named.name} {named.before}", named.after) if named else ("", ""),
        (a.emulator, b.emulator),
        (_version(a), _version(b)),
    )
    short = ((before, after) for before, after in pairs if before != after and before and after)
    chosen_pair = next((pair for pair in short if max(map(len, pair)) <= NAME_LETTERS), (f"run {a.id}", f"run {b.id}"))
    return " to ".join(chosen_pair)


def answer(comparison: Comparison, explained: Sequence[Explanation]) -> str:
    """One sentence. What makes the figures doubtful comes before what changed, and what changed before what did not."""
    doubts = [explanation.sentence for explanation in explained if isinstance(explanation.finding, Suspected | SamplesMissing)]
    if doubts:
        return _sentence(doubts[0])
    broken = [
        explanation.finding for explanation in explained if isinstance(explanation.finding, RuleChanged) and explanation.finding.is_worse
    ]
    if broken:
        rule = broken[0].check
        return _sentence(f"{rule.test} {'breaks' if rule.is_broken else 'no longer follows'} a rule: {rule.name}")
    groups = sorted(_groups(comparison.rows), key=_weight, reverse=True)
    parts = [explanation.sentence for explanation in explained if isinstance(explanation.finding, PartChanged)]
    if not groups:
        return _sentence(parts[0] if parts else _unchanged(comparison))
    clauses = [_moved(comparison, rows) for rows in groups[:MOST_METRICS]]
    if len(groups) == 1:
        clauses[0] += _counted_cause(explained, groups[0])
    more = groups[MOST_METRICS:]
    return _sentence("; ".join((*clauses, *([f"{count(len(more), 'more change')}: {_named(more)}"] if more else []))))


def _named(groups: Sequence[Sequence[Row]]) -> str:
    """`wakeup improved, powerdown improved`: a metric may have changed both ways."""
    return ", ".join(f"{METRIC_WORDS.get(group[0].metric, group[0].metric)} {group[0].verdict.word}" for group in groups)


def inferred_cause(comparison: Comparison, explained: Sequence[Explanation]) -> str:
    """The sentence after the answer if one metric changed, and counts beside its times agree."""
    groups = list(_groups(comparison.rows))
    if len(groups) != 1 or _counted_cause(explained, groups[0]):
        return ""
    rows = groups[0]
    findings = (explanation.finding for explanation in explained)
    counts = [counts for counts in findings if isinstance(counts, CountedBeside) and counts.metric is rows[0].metric]
    return _inferred(counts, {row.test for row in rows})


def more_than_answer(comparison: Comparison, explained: Sequence[Explanation]) -> str:
    """The summary, where it says more than the answer."""
    first_line = answer(comparison, explained)
    summary_text = summary(comparison, explained, first_line)
    return "" if summary_text.casefold() in first_line.casefold() else summary_text


def span_of(values: Iterable[str]) -> str:
    """The least and the most, said once where they are printed alike."""
    return " to ".join(dict.fromkeys(values))


def _version(run: Run) -> str:
    return f"latlab {run.provenance.latlab_version}" if run.provenance.latlab_version else ""


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows of one metric that changed one way; those of the queue's terms only where no other row of theirs did."""
    by_change: dict[tuple[Metric, Verdict], list[Row]] = {}
    for row in rows:
        if row.verdict in CHANGED:
            by_change.setdefault((row.metric, row.verdict), []).append(row)
    for group in by_change.values():
        yield [row for row in group if not row.is_term] or group


def _weight(rows: Sequence[Row]) -> tuple[bool, float]:
    """Regressions first, then by the largest share."""
    return rows[0].verdict is Verdict.REGRESSED, max(abs(row.relative) for row in rows)


def _moved(comparison: Comparison, rows: Sequence[Row]) -> str:
    """`wakeup regressed by +2.98 µs to +4.41 µs (+13.1 % to +24.6 %) in 5 tests`."""
    unit = comparison.unit_of(rows[0].metric)
    ordered = sorted(rows, key=lambda row: row.shift.value)
    ends = (ordered[0], ordered[-1])
    size = span_of(signed(row.shift.value, unit) for row in ends)
    shares = sorted(row.relative for row in rows)
    if all(map(isfinite, shares)):
        size += f" ({span_of((percent(shares[0]), percent(shares[-1])))})"
    elif len(rows) == 1:
        size += f" (from {amount(rows[0].before, unit)})"
    metric = METRIC_WORDS.get(rows[0].metric, rows[0].metric)
    return f"{metric} {rows[0].verdict.word} by {size} in {_where(rows)}"


def _where(rows: Sequence[Row]) -> str:
    """The test, or how many, and the row; of several rows the cores that they all are of."""
    tests, titles = list(dict.fromkeys(row.test for row in rows)), {row.title for row in rows}
    where = tests[0] if len(tests) == 1 else f"{len(tests)} tests"
    places = titles if len(titles) == 1 else {row.place for row in rows}
    return f"{where}, {places.pop()}" if len(places) == 1 else where


def _counted_cause(explained: Iterable[Explanation], rows: Sequence[Row]) -> str:
    """The function with the largest part of the change, counted by both runs."""
    tests, metric = {row.test for row in rows}, rows[0].metric
    for explanation in explained:
        match explanation.finding:
            case FunctionsMoved(metric=of, tests=changed_tests, functions=(first, *_)) if of is metric and tests & set(changed_tests):
                return f", {signed(first.after - first.before, explanation.unit)} in {first.name}"
    return ""


def _inferred(counts: Iterable[CountedBeside], tests: set[str]) -> str:
    """A cause reaches the processors on which it was counted, and the tests that were counted; where counts contradict, there is none."""
    beside = [counted for counted in counts if tests & set(counted.tests)]
    if not beside or any(counted.agreement is not Agreement.AGREED for counted in beside):
        return ""
    reach: dict[str, dict[str, None]] = {}
    for counted in beside:
        if counted.largest_with_time:
            reach.setdefault(counted.largest_with_time[0], {}).update(dict.fromkeys(counted.processors))
    if not reach:
        return ""
    named = " and ".join(f"{name} on {' and '.join(processors)}" for name, processors in reach.items())
    counted_tests = tests & {test for counted in beside for test in counted.tests}
    part = f", counted in {len(counted_tests)} of {len(tests)} tests" if counted_tests < tests else ""
    return f"Inferred {'cause' if len(reach) == 1 else 'causes'}: {named}{part}."


def _unchanged(comparison: Comparison) -> str:
    rows = comparison.rows
    open_rows = [row for row in rows if row.verdict is Verdict.CANNOT_TELL]
    if comparison.gaps:
        return f"{comparison.verdict.word}: {comparison.gaps[0]}"
    if comparison.stops:
        finding = comparison.stops[0]
        return f"{comparison.verdict.word}: {finding.sentence(comparison.unit_of(finding.metric))}"
    if open_rows:
        if len(open_rows) == len(rows):
            return f"{comparison.verdict.word}: none of {count(len(rows), 'row')} has a verdict"
        return f"{comparison.verdict.word}: no row changed beyond its threshold; {len(open_rows)} of {count(len(rows), 'row')} inconclusive"
    moved = [row for row in rows if row.shift.value]
    if not moved:
        return f"{comparison.verdict.word}: {_equal_rows(comparison)}"
    largest = max(moved, key=lambda row: abs(row.relative) if isfinite(row.relative) else 0.0)
    size = f"{signed(largest.shift.value, comparison.unit_of(largest.metric))} ({percent(largest.relative)})"
    return (
        f"{comparison.verdict.word}: no row of {len(rows)} changed beyond its threshold; the largest shift is {size} in {_where([largest])}"
    )


def _equal_rows(comparison: Comparison) -> str:
    """Rows may be equal where figures that no row holds, such as queue waits, are not: these are claims of all cores together."""
    moved = [claim for claim in comparison.claims if claim.shift.value]
    if not moved:
        return f"all {len(comparison.rows)} rows have equal figures"
    largest = max(moved, key=lambda claim: abs(claim.relative) if isfinite(claim.relative) else 0.0)
    size = f"{signed(largest.shift.value, comparison.unit_of(largest.metric))} ({percent(largest.relative)})"
    where = " of ".join(filter(None, (METRIC_WORDS.get(largest.metric, largest.metric), largest.test)))
    return f"no row of {len(comparison.rows)} changed; {where}, {largest.name}, differs by {size}, in no row"


def _sentence(text: str) -> str:
    return f"{capital(text)}{'' if text.endswith('.') else '.'}"
