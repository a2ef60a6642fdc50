# SPDX-License-Identifier: BSD-3-Clause
"""From a comparison to pass or fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from latlab.core.comparison.between_runs import ask_for_repeat
from latlab.core.comparison.by_kind import explain_pair
from latlab.core.comparison.comparison import Comparison, Row, WakeupComparison
from latlab.core.comparison.explanation import Explanation
from latlab.core.comparison.findings import (
    BootApart,
    CouldHaveSeen,
    DriftInside,
    FunctionsMoved,
    LargestGrew,
    LargeUntold,
    RuleChanged,
    SamplesMissing,
    SpreadMoved,
    Suspected,
    TailNotTold,
)
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wakeup_findings import RarestSeen, ScatterUnknown
from latlab.core.comparison.wording import count, percent, row_title, said_in_iterations, signed

FIRST = (
    Suspected, SamplesMissing, RuleChanged, LargeUntold, LargestGrew, ScatterUnknown, RarestSeen, TailNotTold, CouldHaveSeen, DriftInside,
    BootApart, SpreadMoved,
)  # fmt: skip


@dataclass(frozen=True)
class Decision:
    """`failing` are the rows that fail; `exit_code` is 0 pass, 1 fail, 3 nothing can be told, or not enough to pass. `verdict` says it in
    a sentence, `before` are sentences that weigh more than a row, `causes` what the rows are made of and what could not be judged."""

    failing: tuple[Row, ...]
    exit_code: int
    verdict: str
    before: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it, the verdict first."""
        return (self.verdict, *self.before, *self.rows, *self.causes)


def decide_gate(comparison: Comparison, fail_on: frozenset[str]) -> Decision:
    """A broken rule that the base keeps fails the gate, and so does a single row of a failing verdict; on suspect figures none can be told.

    What the candidate lacks or did not measure to its end passes nothing, nor does a large shift that cannot be told from noise. Other
    rows that cannot be told pass, unless nothing at all can be told.
    """
    failing = tuple(row for row in comparison.rows if row.verdict in fail_on)
    caveat = f"; {comparison.caveat}" if comparison.caveat else ""
    counts = _counts(comparison)
    explained = explain_pair(comparison)
    first_shown = [explanation for explanation in explained if isinstance(explanation.finding, FIRST)]
    suspect = tuple(explanation.sentence for explanation in first_shown if isinstance(explanation.finding, Suspected))
    broken = (f"{explanation.test}: {explanation.sentence}" for explanation in first_shown if isinstance(explanation.finding, RuleChanged))
    missing = tuple(explanation.sentence for explanation in first_shown if isinstance(explanation.finding, SamplesMissing))
    gaps = tuple(gap for gap in comparison.gaps if gap not in missing)
    rules = (*filter(None, (comparison.differences.title,)), *missing, *broken)
    grown = tuple(explanation.sentence for explanation in first_shown if isinstance(explanation.finding, LargestGrew))
    limits_seen = tuple(
        explanation.sentence for explanation in first_shown if isinstance(explanation.finding, RarestSeen | TailNotTold | CouldHaveSeen)
    )
    large = tuple(
        explanation.sentence
        for explanation in first_shown
        if isinstance(explanation.finding, LargeUntold | ScatterUnknown | DriftInside | BootApart | SpreadMoved)
    )
    grew = [explanation.finding for explanation in first_shown if isinstance(explanation.finding, LargestGrew)]
    blocks = any(growth.after > growth.before and not growth.is_told for growth in grew)
    others = (*grown, *large, *gaps)
    why = causes_of(comparison, explained, failing)
    rows = tuple(_line(row, comparison.unit_of(row.metric)) for row in failing)
    if suspect:
        last = f"inconclusive: {counts}, and there are data-quality warnings{caveat}"
        return Decision((), 3, last, (*suspect, *rules), (*why, *others), rows)
    if failing or any(isinstance(explanation.finding, RuleChanged) and explanation.finding.is_worse for explanation in first_shown):
        return Decision(failing, 1, f"fail: {counts}{caveat}", (*rules, *grown), (*why, *large, *gaps), rows)
    untold = sum(row.verdict is Verdict.CANNOT_TELL for row in comparison.rows)
    if untold == len(comparison.rows) and not comparison.gaps:
        more = _what_tells_more(comparison)
        return Decision(
            (), 3, f"inconclusive: none of {count(untold, 'row')} has a verdict; {more}{caveat}", (*rules, *others, *limits_seen)
        )
    if blocks or large or comparison.gaps:
        return Decision(
            (), 3, f"inconclusive: {counts}, and large changes or missing data have no verdict{caveat}", (*rules, *others, *limits_seen)
        )
    assumed = f"the scatter between runs is assumed: {_what_tells_more(comparison)}" if _is_assumed(comparison) and untold else ""
    return Decision((), 0, f"pass: {counts}{caveat}", (*rules, *grown, *limits_seen, *filter(None, (assumed,))))


def _is_assumed(comparison: Comparison) -> bool:
    return isinstance(comparison, WakeupComparison) and comparison.scatter_assumed


def _what_tells_more(comparison: Comparison) -> str:
    if _is_assumed(comparison):
        return ask_for_repeat(comparison.a, comparison.b)
    return "measure both again for longer" if isinstance(comparison, WakeupComparison) else "measure more boots of both"


def _counts(comparison: Comparison) -> str:
    """How many rows of each verdict; the two that are not quite `same` only where there are any."""
    verdict_counts = {verdict: sum(row.verdict is verdict for row in comparison.rows) for verdict in Verdict}
    return ", ".join(f"{n} {v.word}" for v, n in verdict_counts.items() if n or v not in (Verdict.MOVED, Verdict.SAME_LEVEL))


def causes_of(comparison: Comparison, explained: Sequence[Explanation], failing: Sequence[Row]) -> tuple[str, ...]:
    """The functions that these rows are made of, where both runs counted them, and the commit, where the candidate names one."""
    rows = {(row.test, row.metric) for row in failing}
    moved = [explanation for explanation in explained if isinstance(explanation.finding, FunctionsMoved)]
    of_rows = (
        explanation.sentence
        for explanation in moved
        if isinstance(explanation.finding, FunctionsMoved) and rows & {(t, explanation.finding.metric) for t in explanation.finding.tests}
    )
    before, after = comparison.a.build.commit, comparison.b.build.commit
    commit = (f"commit {after}{f', compared with {before}' if before else ''}",) if after and failing else ()
    return (*of_rows, *commit)


def _line(row: Row, unit: str) -> str:
    some = f", {said_in_iterations(row.in_iterations)}" if row.in_iterations else ""
    return f"{row.verdict} {row.test} {row.metric} {row_title(row.name)}: {signed(row.shift.value, unit)} ({percent(row.relative)}){some}"
