# SPDX-License-Identifier: BSD-3-Clause
"""From a comparison to pass or fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from latlab.analysis.base.comparison import Comparison, Row, WakeupComparison
from latlab.analysis.base.explanation import Explanation
from latlab.analysis.base.findings import (
    BootApart,
    CouldHaveSeen,
    DriftInside,
    FunctionsMoved,
    LargestGrew,
    LargeUntold,
    RarestSeen,
    RuleChanged,
    SamplesMissing,
    ScatterUnknown,
    SpreadMoved,
    Suspected,
    TailNotTold,
)
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wording import count, percent, row_title, said_in_iterations, signed
from latlab.analysis.explain import explain_pair
from latlab.analysis.wakeups.between_runs import ask_for_repeat

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
        """All of it, the verdict last."""
        return (*self.before, *self.rows, *self.causes, self.verdict)


def decide_gate(comparison: Comparison, fail_on: frozenset[str]) -> Decision:
    """A broken rule that the base keeps fails the gate, and so does a single row of a failing verdict; on suspect figures none can be told.

    What the candidate lacks or did not measure to its end passes nothing, nor does a large shift that cannot be told from noise. Other
    rows that cannot be told pass, unless nothing at all can be told.
    """
    failing = tuple(row for row in comparison.rows if row.verdict in fail_on)
    caveat = f"; {comparison.caveat}" if comparison.caveat else ""
    counts = _counts(comparison)
    explained = explain_pair(comparison)
    said = [one for one in explained if isinstance(one.finding, FIRST)]
    suspect = tuple(one.sentence for one in said if isinstance(one.finding, Suspected))
    broken = (f"{one.test}: {one.sentence}" for one in said if isinstance(one.finding, RuleChanged))
    missing = tuple(one.sentence for one in said if isinstance(one.finding, SamplesMissing))
    gaps = tuple(one for one in comparison.gaps if one not in missing)
    rules = (*filter(None, (comparison.differences.title,)), *missing, *broken)
    grown = tuple(one.sentence for one in said if isinstance(one.finding, LargestGrew))
    seen = tuple(one.sentence for one in said if isinstance(one.finding, RarestSeen | TailNotTold | CouldHaveSeen))
    large = tuple(
        one.sentence for one in said if isinstance(one.finding, LargeUntold | ScatterUnknown | DriftInside | BootApart | SpreadMoved)
    )
    grew = [one.finding for one in said if isinstance(one.finding, LargestGrew)]
    blocks = any(one.after > one.before and not one.is_told for one in grew)
    rest = (*grown, *large, *gaps)
    why = causes_of(comparison, explained, failing)
    rows = tuple(_line(row, comparison.unit_of(row.metric)) for row in failing)
    if suspect:
        last = f"inconclusive: {counts}, and there are data-quality warnings{caveat}"
        return Decision((), 3, last, (*suspect, *rules), (*why, *rest), rows)
    if failing or any(isinstance(one.finding, RuleChanged) and one.finding.is_worse for one in said):
        return Decision(failing, 1, f"fail: {counts}{caveat}", (*rules, *grown), (*why, *large, *gaps), rows)
    untold = sum(row.verdict is Verdict.CANNOT_TELL for row in comparison.rows)
    if untold == len(comparison.rows) and not comparison.gaps:
        more = _what_tells_more(comparison)
        return Decision((), 3, f"inconclusive: none of {count(untold, 'row')} has a verdict; {more}{caveat}", (*rules, *rest, *seen))
    if blocks or large or comparison.gaps:
        return Decision((), 3, f"inconclusive: {counts}, and the data above have no verdict{caveat}", (*rules, *rest, *seen))
    assumed = f"the scatter between runs is assumed: {_what_tells_more(comparison)}" if _is_assumed(comparison) and untold else ""
    return Decision((), 0, f"pass: {counts}{caveat}", (*rules, *grown, *seen, *filter(None, (assumed,))))


def _is_assumed(comparison: Comparison) -> bool:
    return isinstance(comparison, WakeupComparison) and comparison.scatter_assumed


def _what_tells_more(comparison: Comparison) -> str:
    if _is_assumed(comparison):
        return ask_for_repeat(comparison.a, comparison.b)
    return "measure both again for longer" if isinstance(comparison, WakeupComparison) else "measure more boots of both"


def _counts(comparison: Comparison) -> str:
    """How many rows of each verdict; the two that are not quite `same` only where there are any."""
    found = {verdict: sum(row.verdict is verdict for row in comparison.rows) for verdict in Verdict}
    return ", ".join(f"{n} {v.word}" for v, n in found.items() if n or v not in (Verdict.MOVED, Verdict.SAME_LEVEL))


def causes_of(comparison: Comparison, explained: Sequence[Explanation], failing: Sequence[Row]) -> tuple[str, ...]:
    """The functions that these rows are made of, where both runs counted them, and the commit, where the candidate names one."""
    rows = {(row.test, row.metric) for row in failing}
    moved = [one for one in explained if isinstance(one.finding, FunctionsMoved)]
    of_rows = (
        one.sentence
        for one in moved
        if isinstance(one.finding, FunctionsMoved) and rows & {(t, one.finding.metric) for t in one.finding.tests}
    )
    before, after = comparison.a.build.commit, comparison.b.build.commit
    commit = (f"commit {after}{f', compared with {before}' if before else ''}",) if after and failing else ()
    return (*of_rows, *commit)


def _line(row: Row, unit: str) -> str:
    some = f", {said_in_iterations(row.in_iterations)}" if row.in_iterations else ""
    return f"{row.verdict} {row.test} {row.metric} {row_title(row.name)}: {signed(row.shift.value, unit)} ({percent(row.relative)}){some}"
