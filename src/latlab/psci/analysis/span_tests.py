# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on rows of spans under a clock with scatter. The sampling unit is the boot if the runs have four or more together
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

from latlab.core.comparison.comparison import Level, Row
from latlab.core.comparison.verdicts import Limits, Verdict, decide, decide_exact
from latlab.core.model.enums import Metric
from latlab.core.statistics.power_analysis import detectable
from latlab.core.statistics.statistics import Shift, by_family, false_discovery_control, family_wise
from latlab.psci.analysis.by_boot import ByBoot
from latlab.psci.analysis.by_core import ByCore
from latlab.psci.analysis.variance_estimate import Evidence

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
