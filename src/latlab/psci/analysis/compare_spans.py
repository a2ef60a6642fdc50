# SPDX-License-Identifier: BSD-3-Clause
"""Compares two runs of spans by structure: the queue model of each parallel test, and like cores of all other spans.

Verdicts on rows of spans under a clock with scatter. The sampling unit is the boot if the runs have four or more together
(by_boot.py), otherwise the core (by_core.py). Alpha is the error rate of one metric.

1. The p-values of the rows of one metric are adjusted by Holm's method (1979), for two fifths of alpha. Rows that come in some boots only
   are a family of their own.
2. The other three fifths are for groups: the rows of each role, and those of each cluster. Groups are adjusted by the method of Benjamini
   and Hochberg (1995).
3. The rows of a group that changed are found top down, as Meinshausen (2008) does but at fixed levels: parts of like rows at 0.5 %, then
   the rows of a part at 5 %, each by Holm's method. A row must lie beyond its threshold by itself, in the direction of its part. Its
   p-value is then the one of its group. The error rate of this step is measured, not derived: docs/results/verdict-validation.md.
4. Equivalence: two one-sided tests at 5 %, so the 90 % interval lies within the threshold (Schuirmann 1987).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from latlab.core.comparison.check import Check, RuleChange
from latlab.core.comparison.comparison import Level, Row, SpanComparison
from latlab.core.comparison.identity import Pair, pair_runs, platform_of
from latlab.core.comparison.queue_model import Ladders
from latlab.core.comparison.summary import follows_order, takes_turns
from latlab.core.comparison.verdicts import Limits, Verdict, decide, decide_exact, overall
from latlab.core.comparison.wording import count
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.platforms import PlatformFacts
from latlab.core.model.run import Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.statistics.power_analysis import detectable
from latlab.core.statistics.sample_matrix import Columns
from latlab.core.statistics.statistics import NO_SHIFT, Shift, by_family, false_discovery_control, family_wise
from latlab.psci.analysis.by_boot import ByBoot
from latlab.psci.analysis.by_core import ByCore
from latlab.psci.analysis.deterministic_rows import NO_COUNTERPART, ORDER, exact_row
from latlab.psci.analysis.groups import Grouping, groups_of, left_out
from latlab.psci.analysis.large_moves import LargeMove, large_moves
from latlab.psci.analysis.overlap import overlap_suspicions
from latlab.psci.analysis.queue_fit import fit_ladders, is_refused
from latlab.psci.analysis.roles import inferred_lead, is_parallel, roles_of, with_one_limit
from latlab.psci.analysis.shape import drifts_of, judged_shapes
from latlab.psci.analysis.span_invariants import check_columns
from latlab.psci.analysis.thresholds import Spacing
from latlab.psci.analysis.variance_estimate import Evidence, group_evidence, ladder_evidence

FEWEST_DOF = 2
SHARE = 0.4
PART_P, ROW_P = 0.005, 0.05
_CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)

Group = tuple[int, ...]


class Tests(Protocol):
    """The tests of one sampling unit. A row is named by its index in the evidence; shifts are in ns or instructions."""

    def shifts(self) -> list[Shift]:
        """The shift of each row, tested by itself."""

    def of_group(self, group: Group) -> Shift:
        """The common shift of several rows."""

    def own_p(self, row: int) -> float:
        """The p-value of a row within a group that changed."""

    def least(self, row: int) -> float:
        """The smallest shift that counts if no other test changed with the row."""

    def shown(self, row: int, limits: Limits) -> Row:
        """The row with its basis, its effect size and its cells."""


def compare_spans(a: Run, b: Run, limits: Limits) -> SpanComparison:
    """The comparison of two runs. Raises NotComparable if they cannot be compared."""
    whole = pair_runs(a, b)
    whole = replace(whole, suspicions=(*whole.suspicions, *overlap_suspicions(a), *overlap_suspicions(b)))
    pair = whole.without_suspect()
    boots = _boots(whole.columns_a), _boots(whole.columns_b)
    facts = facts_of(platform_of(a, b))
    roles_a, roles_b = with_one_limit(*(roles_of(columns, facts.managed_by) for columns in (pair.columns_a, pair.columns_b)))
    lead_a = a.lead or inferred_lead(a, pair.columns_a, roles_a)
    lead_b = b.lead or inferred_lead(b, pair.columns_b, roles_b)
    notes, gaps = list(pair.notes), list(pair.gaps)
    grouping = Grouping(pair, roles_a, roles_b, (lead_a, lead_b))
    if grouping.lead_moved:
        notes.append(f"the lead moved from {lead_a} to {lead_b}: in serial tests only cores with the same role are compared")
    spacing = Spacing(pair, limits, min(boots))
    ladders: dict[str, tuple[Ladders, Ladders]] = {}
    evidence: list[Evidence] = []
    for test, metric in pair.common:
        gaps += left_out(grouping, test, metric)
        if metric is Metric.POWERDOWN and is_parallel(test):
            before, after = fit_ladders(pair.columns_a, roles_a, test), fit_ladders(pair.columns_b, roles_b, test)
            if before and after and not is_refused(before) and not is_refused(after):
                ladders[test] = before, after
                shown, hidden = ladder_evidence(test, before, after, spacing)
                evidence += shown
                notes += [f"{test}: {name} is in one run only, because the cores queued in another order" for name in hidden]
                continue
        groups = groups_of(grouping, test, metric)
        notes += [note for note in groups.notes if note not in notes]
        gaps += [gap for gap in groups.gaps if gap not in gaps]
        evidence += [group_evidence(group, spacing) for group in groups.groups]
    rows, levels, moves = _judged(pair, evidence, boots, limits)
    gaps += [f"{row.test} {row.metric}, {row.name}: {NO_COUNTERPART}" for row in rows if _is_exact(pair) and _lacks_counterpart(row)]
    notes += _order_note(rows)
    rows += [_suspect_row(whole, *span) for span in whole.common if span in whole.suspect]
    changes = rule_changes(pair, facts)
    verdict = overall((row.verdict for row in rows if not _is_open(row)), bool(gaps), any(change.is_worse for change in changes))
    return SpanComparison(
        a=a,
        b=b,
        limits=limits,
        unit=pair.unit,
        verdict=Verdict.CANNOT_TELL if whole.suspicions else verdict,
        rows=tuple(rows),
        notes=tuple(notes),
        gaps=tuple(gaps),
        levels=tuple(levels),
        ladders=ladders,
        leads=(lead_a, lead_b),
        boots=boots,
        rule_changes=changes,
        suspicions=whole.suspicions,
        large_moves=moves,
    )


def _judged(
    pair: Pair, evidence: list[Evidence], boots: tuple[int, int], limits: Limits
) -> tuple[list[Row], list[Level], tuple[LargeMove, ...]]:
    """The rows with their verdicts. Instruction counts and virtual time are deterministic, and equal figures need no test."""
    if _is_exact(pair):
        return _exact_rows(pair, evidence, limits), [], ()
    if _identical(pair):
        return [_same(row_evidence.row) for row_evidence in evidence], [], ()
    drifting = [drifts_of(row_evidence) for row_evidence in evidence]
    rows, levels = judge_rows(evidence, boots, limits, apart=[i for i, drifts in enumerate(drifting) if drifts])
    moves = large_moves(evidence, rows, (pair.a.id, pair.b.id), boots, limits)
    return judged_shapes(evidence, rows, drifting, limits), levels, moves


def _exact_rows(pair: Pair, evidence: list[Evidence], limits: Limits) -> list[Row]:
    runs = pair.a, pair.b
    ordered = [any(follows_order(run, row_evidence.row.metric) for run in runs) for row_evidence in evidence]
    cells = sum(row_evidence.before.values.shape[1] for row_evidence, is_ordered in zip(evidence, ordered, strict=True) if is_ordered)
    order = replace(limits, alpha=limits.alpha / max(cells, 1))
    turns = [any(takes_turns(run, row_evidence.row.test) for run in runs) for row_evidence in evidence]
    return [
        exact_row(row_evidence, turn, order if is_ordered else None)
        for row_evidence, turn, is_ordered in zip(evidence, turns, ordered, strict=True)
    ]


def _order_note(rows: list[Row]) -> list[str]:
    untold = sum(row.basis == ORDER for row in rows)
    note = f"the figures of {count(untold, 'row')} differ {ORDER}, which is not the same in every run of the emulator"
    return [note] if untold else []


def _is_exact(pair: Pair) -> bool:
    return pair.a.tick.clock is not Clock.TIME


def _lacks_counterpart(row: Row) -> bool:
    """Whether one run has more figures than the other, the only reason for an inconclusive count without a difference."""
    return row.verdict is Verdict.CANNOT_TELL and not row.shift.value


def _suspect_row(pair: Pair, test: str, metric: Metric) -> Row:
    before, after = (float(np.median(columns.matrices[test, metric].values)) for columns in (pair.columns_a, pair.columns_b))
    shift = Shift(after - before, -np.inf, np.inf, 1.0)
    return Row(test, metric, "all cores", None, before, after, shift, 0.0, Verdict.CANNOT_TELL, "suspect figures")


def _is_open(row: Row) -> bool:
    return row.is_occasional and row.verdict is Verdict.CANNOT_TELL


def _same(row: Row) -> Row:
    return replace(row, shift=NO_SHIFT, verdict=Verdict.SAME, basis="identical figures")


def _identical(pair: Pair) -> bool:
    a, b = pair.columns_a.matrices, pair.columns_b.matrices
    return a.keys() == b.keys() and all(np.array_equal(a[key].values, b[key].values) for key in a)


def _boots(columns: Columns) -> int:
    return len({int(boot) for matrix in columns.matrices.values() for boot in np.unique(matrix.boots)})


def judge_rows(
    evidence: Sequence[Evidence], boots: tuple[int, int], limits: Limits, apart: Collection[int] = ()
) -> tuple[list[Row], list[Level]]:
    """Every row with its verdict, and the groups that were tested beside them. What is `apart` belongs to no group."""
    if not evidence:
        return [], []
    tests: Tests = ByBoot(evidence, sum(boots), limits.alpha) if sum(boots) - 2 >= FEWEST_DOF else ByCore(evidence)
    shifts = tests.shifts()
    families = [(row_evidence.row.metric, row_evidence.row.is_occasional) for row_evidence in evidence]
    sizes, family_p = Counter(families), by_family([shift.p for shift in shifts], families, family_wise, SHARE)
    groups = [
        group
        for metric in dict.fromkeys(row_evidence.row.metric for row_evidence in evidence)
        for group in _groups(evidence, metric, apart)
    ]
    levels = [_level(evidence, group, tests.of_group(group)) for group in groups]
    adjusted = by_family([level.shift.p for level in levels], [level.metric for level in levels], false_discovery_control, 1 - SHARE)
    levels = [replace(level, p_adjusted=p) for level, p in zip(levels, adjusted, strict=True)]
    rows = []
    for i, (shift, p, family) in enumerate(zip(shifts, family_p, families, strict=True)):
        row, least = tests.shown(i, limits), tests.least(i)
        verdict = decide(shift, row.threshold, p, limits.alpha)
        if verdict in _CHANGED and abs(shift.value) <= least:
            verdict = Verdict.CANNOT_TELL
        smallest = detectable("level", shift, row.before, least, limits.alpha * SHARE / sizes[family], min(boots))
        rows.append(replace(row, shift=shift, p_adjusted=p, verdict=verdict, detectable=(smallest,) if smallest else ()))
    for group, level in zip(groups, levels, strict=True):
        named = list(_named(evidence, shifts, group, tests)) if level.p_adjusted < limits.alpha else []
        is_of_tests = len({rows[i].test for i in named}) > 1
        for row, i in ((rows[i], i) for i in named if rows[i].verdict not in _CHANGED):
            if is_of_tests or abs(row.shift.value) > tests.least(i):
                changed, basis = decide_exact(row.shift.value, row.threshold), f"{row.basis}, with {level.rows} rows alike"
                rows[i] = replace(row, verdict=changed, p_adjusted=level.p_adjusted, basis=basis)
    return rows, levels


def _groups(evidence: Sequence[Evidence], metric: Metric, apart: Collection[int]) -> Iterator[Group]:
    """The rows of each role and those of each cluster; terms of ladders are groups of their own."""
    indices = [
        i
        for i, row_evidence in enumerate(evidence)
        if row_evidence.row.metric is metric and not row_evidence.row.is_occasional and i not in apart
    ]
    for rows in _split(indices, lambda i: evidence[i].row.is_term):
        groups = (*_split(rows, lambda i: evidence[i].role), *_split(rows, lambda i: evidence[i].row.cluster))
        yield from (group for group in dict.fromkeys(groups) if len(group) > 1)


def _split(rows: Iterable[int], key: Callable[[int], Hashable]) -> list[Group]:
    by_key: dict[Hashable, Group] = defaultdict(tuple)
    for i in rows:
        by_key[key(i)] += (i,)
    return list(by_key.values())


def _level(evidence: Sequence[Evidence], group: Group, shift: Shift) -> Level:
    """Cluster, role and kind of test are those of all rows of the group, or None."""
    members = [evidence[i] for i in group]
    cluster, role, at_once = (
        shared[0] if len(set(shared)) == 1 else None
        for shared in zip(*((member.row.cluster, member.role, member.kind[2]) for member in members), strict=True)
    )
    tests = len({member.row.test for member in members})
    return Level(members[0].row.metric, cluster, role, at_once, len(members), shift, tests=tests)


def _named(evidence: Sequence[Evidence], shifts: Sequence[Shift], group: Group, tests: Tests) -> Iterator[int]:
    """The rows of a group that moved: those of each part of it that did, the way that the part did."""
    parts = _split(group, lambda i: (evidence[i].kind, evidence[i].row.cluster))
    tested = [tests.of_group(part) if len(part) > 1 else shifts[part[0]] for part in parts]
    for part, moved, p in zip(parts, tested, family_wise([shift.p for shift in tested]), strict=True):
        for i, of_row in zip(part, family_wise([tests.own_p(i) for i in part]), strict=True):
            is_beyond = shifts[i].value * moved.value > 0 and abs(shifts[i].value) > evidence[i].row.threshold
            if p < PART_P and of_row < ROW_P and is_beyond:
                yield i


def rule_changes(pair: Pair, facts: PlatformFacts) -> tuple[RuleChange, ...]:
    """The changed rules, the worse first. A rule on similar times is left to the rows, which know their scatter."""
    before, after = _by_key(pair.a, pair.columns_a, facts), _by_key(pair.b, pair.columns_b, facts)
    pairs = [(before[key], after[key]) for key in before if key in after and before[key].applicable and after[key].applicable]
    worse = [RuleChange(new, True) for old, new in pairs if old.holds and not new.holds and new.rule.decides]
    better = [RuleChange(old, False) for old, new in pairs if new.holds and not old.holds and old.rule.decides]
    return (*worse, *better)


def _by_key(run: Run, columns: Columns, facts: PlatformFacts) -> dict[tuple[str, str], Check]:
    return {(check.test, check.rule.id): check for check in check_columns(run, columns, facts)}
