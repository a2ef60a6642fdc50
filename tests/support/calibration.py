# SPDX-License-Identifier: BSD-3-Clause
"""How often verdicts on pairs of known truth are right. The unit is the pair: one comparison as a user makes it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from statsmodels.stats.proportion import proportion_confint

from latlab.core.comparison.by_kind import check_invariants, compare, explain_pair
from latlab.core.comparison.comparison import Comparison, Row
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.verdicts import SAME_LEVELS, Verdict
from latlab.core.model.run import Run
from support.known_boards import Board, Change, Noise, measured

FAIL_ON = frozenset({"regressed"})
RULE = re.compile(r"\bbreaks? a rule\b|\bbroken rule\b|\brule\b.*\bbroken\b", re.IGNORECASE)
FOUND = (Verdict.REGRESSED, Verdict.IMPROVED)


@dataclass(frozen=True)
class Case:
    """Pairs of `boots` boots a side; `change` of `size` is what the second of each has, None for two of one truth."""

    name: str
    board: Board
    noise: Noise
    boots: int
    change: Change | None = None
    size: float = 0.0

    def pairs(self, count: int, seed: int) -> Iterator[tuple[Run, Run]]:
        other = self.change.apply(self.board, self.size) if self.change else self.board
        for i in range(count):
            at = 1_000_000 * seed + 2 * i
            yield (
                measured(self.board, self.noise, at, self.boots, "before"),
                measured(other, self.noise, at + 1, self.boots, "after"),
            )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was said of one pair. Of a pair of one truth every flagged row is wrong."""

    verdict: Verdict
    found: bool
    wrong: tuple[str, ...]
    rule_claimed: bool
    called_unusual: bool
    gate: int
    cause: bool
    flagged: int
    rows: int
    same_rows: int


@dataclass
class Tally:
    case: Case
    pairs: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    wrong_rows: Counter[str] = field(default_factory=Counter)
    flagged: int = 0
    rows: int = 0
    same_rows: int = 0
    examples: dict[str, int] = field(default_factory=dict)

    def add(self, outcome: Outcome, number: int) -> None:
        self.pairs += 1
        flags = {
            "found": outcome.found,
            "wrong": bool(outcome.wrong),
            "same": outcome.verdict in SAME_LEVELS,
            "regressed": outcome.verdict is Verdict.REGRESSED,
            "rule": outcome.rule_claimed,
            "unusual": outcome.called_unusual,
            "cause": outcome.cause,
            f"gate {outcome.gate}": True,
        }
        for name, happened in flags.items():
            self.counts[name] += happened
            if happened:
                self.examples.setdefault(name, number)
        self.wrong_rows.update(outcome.wrong)
        self.flagged += outcome.flagged
        self.rows += outcome.rows
        self.same_rows += outcome.same_rows

    @property
    def wrong_share(self) -> float:
        """Of all flagged rows those that nothing planted accounts for."""
        return sum(self.wrong_rows.values()) / self.flagged if self.flagged else 0.0

    @property
    def share_of_same_rows(self) -> float:
        return self.same_rows / self.rows if self.rows else 0.0

    def share(self, name: str) -> float:
        return self.counts[name] / self.pairs

    def interval(self, name: str) -> tuple[float, float]:
        """Wilson's 95 % interval of the share."""
        low, high = proportion_confint(self.counts[name], self.pairs, alpha=0.05, method="wilson")
        return float(low), float(high)


def judged(case: Case, before: Run, after: Run) -> Outcome:
    comparison = compare(before, after)
    decision = report_gate(comparison, FAIL_ON)
    explanations = explain_pair(comparison)
    said = [*decision.lines, *(one.sentence for one in explanations)]
    failed = [check for run in (before, after) for check in check_invariants(run) if not check.holds]
    flagged = [row for row in comparison.rows if row.verdict in FOUND]
    return Outcome(
        comparison.verdict,
        case.change is not None and any(_proves(case.change, row) for row in flagged),
        tuple(_name(row) for row in flagged if case.change is None or not _shows(case.change, row)),
        any(check.is_broken for check in failed) or any(RULE.search(line) for line in said),
        any(not check.is_broken for check in failed),
        decision.exit_code,
        case.change is not None and any(_names(case.change, one.sentence) for one in explanations),
        len(flagged),
        len(comparison.rows),
        sum(row.verdict in SAME_LEVELS for row in comparison.rows),
    )


def tallied(case: Case, count: int, seed: int = 1) -> Tally:
    tally = Tally(case)
    for number, (before, after) in enumerate(case.pairs(count, seed)):
        tally.add(judged(case, before, after), number)
    return tally


def _shows(change: Change, row: Row) -> bool:
    """Whether the change reaches this row, and the row says that it made things slower."""
    here = row.test in change.tests and (change.cluster is None or row.cluster in (None, change.cluster))
    reached = here and (row.metric is change.metric or row.metric in change.entails)
    return reached and row.verdict is Verdict.REGRESSED and (not row.is_term or change.term is None or change.term in row.name)


def _proves(change: Change, row: Row) -> bool:
    return _shows(change, row) and row.metric is change.metric


def _names(change: Change, sentence: str) -> bool:
    said = sentence.replace("_", " ").lower()
    where = change.cluster is None or f"cluster {change.cluster}" in said
    return where and "regressed" in said and all(word in said for word in change.words)


def _name(row: Row) -> str:
    return f"{row.test} {row.metric} {row.name} {row.verdict}"


def first_sentences(comparison: Comparison) -> tuple[str, str]:
    """What the gate and what an explanation say first."""
    explanations = explain_pair(comparison)
    return report_gate(comparison, FAIL_ON).lines[0], explanations[0].sentence if explanations else ""
