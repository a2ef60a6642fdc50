# SPDX-License-Identifier: BSD-3-Clause
"""The decision on a comparison in sentences, its reason first: what `gate` prints and what its files carry."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isfinite

from latlab.core.comparison.between_runs import ask_for_repeat
from latlab.core.comparison.by_kind import explain_pair
from latlab.core.comparison.comparison import Comparison, Row, WakeupComparison
from latlab.core.comparison.decision import Claim, Decision, Reason, decide
from latlab.core.comparison.explanation import Explanation
from latlab.core.comparison.findings import CouldHaveSeen, FunctionsMoved, RuleChanged, TailNotTold
from latlab.core.comparison.verdicts import CHANGED, WORDS, Verdict
from latlab.core.comparison.wakeup_findings import RarestSeen
from latlab.core.comparison.wording import count, percent, said_in_iterations, signed

EXITS = {0: "pass", 1: "fail", 3: "inconclusive"}


@dataclass(frozen=True)
class GateReport:
    """`verdict` says the decision in a sentence, `before` are sentences that weigh more than a row, `causes` what the rows are made of and
    what could not be judged, `rows` and `parts` what fails."""

    decision: Decision
    verdict: str
    before: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 inconclusive."""
        return self.decision.exit_code

    @property
    def failing(self) -> tuple[Row, ...]:
        """The rows that fail."""
        return self.decision.rows

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it, the verdict first."""
        return (self.verdict, *self.before, *self.rows, *self.parts, *self.causes)


def report_gate(comparison: Comparison, fail_on: frozenset[str]) -> GateReport:
    """What `decide` decides, in sentences."""
    decision = decide(comparison, fail_on)
    explained = explain_pair(comparison)
    caveat = f"; {comparison.caveat}" if comparison.caveat else ""
    verdict = f"{EXITS[decision.exit_code]}: {_reason(decision, comparison, fail_on)}{_counts(decision, comparison)}{caveat}"
    missing = tuple(finding.sentence(comparison.unit) for finding in comparison.missing)
    rules = (f"{explanation.test}: {explanation.sentence}" for explanation in explained if isinstance(explanation.finding, RuleChanged))
    first = (
        *(suspicion.sentence(comparison.unit) for suspicion in comparison.suspicions),
        *missing,
        *rules,
    )
    notable = tuple(finding.sentence(comparison.unit_of(finding.metric)) for finding in comparison.notable)
    gaps = tuple(gap for gap in comparison.gaps if gap not in missing)
    rows = tuple(_line(row, comparison.unit_of(row.metric)) for row in decision.rows)
    parts = tuple(claim_line(claim, comparison.unit_of(claim.metric)) for claim in decision.claims)
    why = causes_of(comparison, explained, decision.rows)
    if decision.exit_code == 1 or decision.reason is Reason.WARNING:
        return GateReport(decision, verdict, first, (*why, *notable, *gaps), rows, parts)
    reach = tuple(
        explanation.sentence for explanation in explained if isinstance(explanation.finding, RarestSeen | TailNotTold | CouldHaveSeen)
    )
    has_inconclusive = any(row.verdict is Verdict.CANNOT_TELL for row in comparison.rows)
    is_open = decision.exit_code == 0 and _is_assumed(comparison) and has_inconclusive
    assumed = (f"the scatter between runs is assumed: {_what_shows_more(comparison)}",) if is_open else ()
    return GateReport(decision, verdict, (*first, *parts, *notable, *gaps, *reach, *assumed))


def _reason(decision: Decision, comparison: Comparison, fail_on: Collection[str]) -> str:
    """What the exit code rests on."""
    match decision.reason:
        case Reason.RULE:
            return f"{count(sum(change.is_worse for change in comparison.rule_changes), 'rule')} broken"
        case Reason.WARNING:
            return count(len(comparison.suspicions), "data-quality warning")
        case Reason.ROW:
            return _failing(decision.rows, len(comparison.rows))
        case Reason.CLAIM:
            return f"{_subject(decision.claims[0])} {decision.claims[0].verdict.word} as a whole"
        case Reason.MISSING:
            return "missing data"
        case Reason.LARGE:
            return f"{count(len(comparison.stops) + len(decision.claims), 'large difference')} without a verdict"
        case Reason.NOTHING:
            rows = sum(row.verdict is Verdict.CANNOT_TELL for row in comparison.rows)
            return f"none of {count(rows, 'row')} has a verdict{_largest_shift(comparison.rows)}, {_what_shows_more(comparison)}"
    if any(row.verdict in CHANGED for row in comparison.rows):
        return f"no row {' or '.join(word for word in WORDS if word in fail_on)}"
    return Reason.PASSED.value


def _largest_shift(rows: Sequence[Row]) -> str:
    """The largest shift of rows without a verdict, with what it rests on; empty if none is known."""
    largest = max((row for row in rows if isfinite(row.relative)), key=lambda row: abs(row.relative), default=None)
    if largest is None or not largest.relative:
        return ""
    return f" (largest shift {percent(largest.relative)}, {largest.test} {largest.title}; {largest.basis})"


def _is_assumed(comparison: Comparison) -> bool:
    return isinstance(comparison, WakeupComparison) and comparison.scatter_assumed


def _what_shows_more(comparison: Comparison) -> str:
    if _is_assumed(comparison):
        return ask_for_repeat(comparison.a, comparison.b)
    return comparison.what_shows_more


def _counts(decision: Decision, comparison: Comparison) -> str:
    """How many rows of each verdict, without those that the reason has counted; empty if it has counted all."""
    if decision.reason is Reason.NOTHING or len(decision.rows) == len(comparison.rows):
        return ""
    if decision.reason is Reason.ROW:
        return f"; others: {_by_word([row for row in comparison.rows if row not in decision.rows])}"
    return f"; rows: {_by_word(comparison.rows)}"


def _failing(rows: Sequence[Row], of: int) -> str:
    """`5 of 49 rows regressed`, `5 regressed, 2 improved of 49 rows`."""
    all_rows = f"{of} row{'s' * (of != 1)}"
    words = {row.verdict.word for row in rows}
    return f"{len(rows)} of {all_rows} {words.pop()}" if len(words) == 1 else f"{_by_word(rows)} of {all_rows}"


def _by_word(rows: Sequence[Row]) -> str:
    """`2 regressed, 40 unchanged`."""
    words = [row.verdict.word for row in rows]
    return ", ".join(f"{words.count(word)} {word}" for word in WORDS if word in words)


def causes_of(comparison: Comparison, explained: Sequence[Explanation], failing: Sequence[Row]) -> tuple[str, ...]:
    """The functions that these rows are made of, where both runs counted them, and the commit, where the candidate names explanation."""
    rows = {(row.test, row.metric) for row in failing}
    of_rows = (
        explanation.sentence
        for explanation in explained
        if isinstance(explanation.finding, FunctionsMoved)
        and rows & {(test, explanation.finding.metric) for test in explanation.finding.tests}
    )
    before, after = comparison.a.build.commit, comparison.b.build.commit
    commit = (f"commit {after}{f', compared with {before}' if before else ''}",) if after and failing else ()
    return (*of_rows, *commit)


def _line(row: Row, unit: str) -> str:
    some = f", {said_in_iterations(row.in_iterations)}" if row.in_iterations else ""
    return f"{row.verdict} {row.test} {row.metric} {row.title}: {signed(row.shift.value, unit)} ({percent(row.relative)}){some}"


def claim_line(claim: Claim, unit: str) -> str:
    """`regressed wakeup of cluster 1 in 6 tests: +0.42 µs (+2.1 %), no single row`."""
    lone = "" if claim.rows < 2 else ", in no single row"
    return f"{claim.verdict} {_subject(claim)}: {signed(claim.shift.value, unit)} ({percent(claim.relative)}){lone}"


def _subject(claim: Claim) -> str:
    return " ".join(filter(None, (claim.test, str(claim.metric), claim.name)))
