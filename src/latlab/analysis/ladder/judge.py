# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on rows of spans under a clock that scatters.

Several boots are judged in by_boot.py. With one boot of each run the scatter comes from the cells of like cores, and what the cores of one
test share from boot to boot from the other tests. A row stands on its own evidence; a level, rows of like cores over all tests, can lend it
significance but no shift: the row has to have moved by itself. docs/explanation/statistics.md has assumptions and sources.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latlab.analysis.base.comparison import Level, Row
from latlab.analysis.base.detectable import detectable
from latlab.analysis.base.statistics import Shift, by_family, false_discovery_control, family_wise
from latlab.analysis.base.verdicts import Limits, Verdict, decide, decide_exact
from latlab.analysis.ladder.by_boot import judge_by_boot
from latlab.analysis.ladder.evidence import Evidence
from latlab.analysis.ladder.one_boot import ALONE, OneBoot
from latlab.model.enums import Metric

FEWEST_DOF = 2
ROWS_SHARE = 0.4
OWN_P = 0.05
OWN_P_ACROSS = 0.02
ALIKE = 2.0
"""Standard errors that two rows with one cause differ by at most."""
_CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)
_SHOWN = (*_CHANGED, Verdict.MOVED)


def judge_rows(
    evidence: Sequence[Evidence], boots: tuple[int, int], limits: Limits, apart: Collection[int] = ()
) -> tuple[list[Row], list[Level]]:
    """Every row with its verdict, and the levels beside them; p-values are adjusted over both. What is `apart` lends others nothing."""
    if not evidence:
        return [], []
    if sum(boots) - 2 >= FEWEST_DOF:
        return judge_by_boot(evidence, boots, limits, apart)
    tested = OneBoot(evidence)
    rows = [replace(one.row, shift=tested.shift(one), basis=tested.basis(one), cells=tested.cells(one)) for one in evidence]
    metrics = dict.fromkeys(row.metric for row in rows)
    members = [(metric, *one) for metric in metrics for one in _members(evidence, metric)]
    levels = [_level(tested, evidence, *one) for one in members]
    by_row, by_level = _adjusted(rows, levels)
    levels = [replace(level, p_adjusted=p) for level, p in zip(levels, by_level, strict=True)]
    least = [row.threshold * (1.0 if row.is_term else ALONE) for row in rows]
    families = Counter((row.metric, row.is_occasional) for row in rows)
    settled = []
    for row, p, moved in zip(rows, by_row, least, strict=True):
        each = limits.alpha * ROWS_SHARE / families[row.metric, row.is_occasional]
        seen = detectable("level", row.shift, row.before, moved, each, min(boots))
        settled.append(replace(_by_itself(row, p, moved, limits), detectable=(seen,) if seen else ()))
    standing = {i for i, row in enumerate(settled) if row.verdict in _SHOWN}
    of_levels = [(level, of) for level, (_, _, of) in zip(levels, members, strict=True)]
    lending = _Lending(tested, evidence, [row.shift for row in rows], frozenset(apart), limits.alpha)
    for level, own in lending.shown(of_levels, standing):
        for i, questions in own.items():
            settled[i] = _with_level(settled[i], level, least[i], tested.own_p(evidence[i]) * questions)
    return settled, levels


@dataclass(frozen=True)
class _Lending:
    """Which level lends which rows significance. What rows have by themselves or from a narrower level is no part of the wider ones: others
    would owe theirs to a change that does not reach them, but for a row that moved as they did. That one row of a level changed says so of
    no other: each is a question by itself, and its own p-value adjusted for their number (Benjamini and Bogomolov 2014)."""

    tested: OneBoot
    evidence: Sequence[Evidence]
    shifts: Sequence[Shift]
    apart: frozenset[int]
    alpha: float

    def shown(self, levels: Sequence[tuple[Level, Sequence[int]]], standing: set[int]) -> Iterator[tuple[Level, dict[int, int]]]:
        """The narrowest first, each with the rows that it can lend to and the number of rows that ask what theirs does: one, for the
        surest of those that make the level."""
        tests = Counter(level.metric for level, _ in levels)
        accounted = standing | self.apart
        for whole, rows in sorted(levels, key=lambda one: one[0].rows):
            own = [i for i in rows if i not in accounted]
            level = whole if len(own) == len(rows) else self._of(whole, own, tests[whole.metric])
            if level is not None and level.p_adjusted < self.alpha:
                accounted |= set(own)
                if self._is_beyond(level, own):
                    surest = min(own, key=lambda i: self.tested.own_p(self.evidence[i]))
                    yield level, {i: 1 if i == surest else len(own) for i in own}
                continue
            for i in own:
                alike = [j for j in rows if j not in own and j not in self.apart and self._are_alike(i, j)]
                level = self._of(whole, [*own, *alike], tests[whole.metric]) if alike else None
                if level is not None and level.p_adjusted < self.alpha and self._is_beyond(level, [i]):
                    accounted.add(i)
                    yield level, {i: len(rows)}

    def _of(self, level: Level, rows: Sequence[int], tests: int) -> Level | None:
        """A part of a level, its p-value by Bonferroni's method."""
        if len(rows) < 2:
            return None
        part = _level(self.tested, self.evidence, level.metric, (level.cluster, level.role, level.at_once), rows)
        return replace(part, p_adjusted=min(1.0, part.shift.p * tests / (1 - ROWS_SHARE)))

    def _are_alike(self, i: int, j: int) -> bool:
        one, other = self.shifts[i], self.shifts[j]
        return abs(one.value - other.value) <= ALIKE * float(np.hypot(one.error, other.error)) and one.value * other.value > 0

    def _is_beyond(self, level: Level, rows: Sequence[int]) -> bool:
        """A level that moved by less than its rows' thresholds makes no row certain to lie beyond its own."""
        return abs(level.shift.value) > float(np.median([self.evidence[i].row.threshold for i in rows]))


_Key = tuple[int | None, str | None, bool | None]


def _members(evidence: Sequence[Evidence], metric: Metric) -> list[tuple[_Key, tuple[int, ...]]]:
    """Rows of one role, and of all that are no occasion: of each cluster and of all; of all also in the parallel or the serial tests."""
    members: dict[_Key, list[int]] = defaultdict(list)
    for i, one in enumerate(evidence):
        if one.row.metric is not metric:
            continue
        for cluster in dict.fromkeys((None, one.row.cluster)):
            members[cluster, one.role, None].append(i)
            if cluster is None:
                members[None, one.role, one.kind[2]].append(i)
            if not (one.row.is_term or one.row.is_occasional):
                members[cluster, None, None].append(i)
    once: dict[tuple[int, ...], _Key] = {}
    for key, rows in members.items():
        once.setdefault(tuple(rows), key)
    return [(key, rows) for rows, key in once.items() if len(rows) > 1]


def _level(tested: OneBoot, evidence: Sequence[Evidence], metric: Metric, key: _Key, rows: Sequence[int]) -> Level:
    own = [evidence[i] for i in rows]
    return Level(metric, *key, len(own), tested.level_shift(own), tests=len({one.row.test for one in own}))


def _adjusted(rows: list[Row], levels: list[Level]) -> tuple[list[float], list[float]]:
    """Two fifths of what may go wrong in a metric are for its rows, the rest for its levels: of each at most a share of alpha is called
    changed wrongly where nothing changed. Levels hold each other's rows, so what moved shows in several of them, and they are adjusted by
    the share of wrong ones (Benjamini and Hochberg). What comes in some boots only is a family of its own."""
    by_row = by_family([row.shift.p for row in rows], [(row.metric, row.is_occasional) for row in rows], family_wise, ROWS_SHARE)
    by_level = by_family([level.shift.p for level in levels], [level.metric for level in levels], false_discovery_control, 1 - ROWS_SHARE)
    return by_row, by_level


def _by_itself(row: Row, p_adjusted: float, least: float, limits: Limits) -> Row:
    """`least` is what a row must have moved by where no other test moved with it: one boot cannot tell less from what the cores of a test
    share."""
    verdict = decide(row.shift, row.threshold, p_adjusted, limits.alpha)
    if verdict in _CHANGED and abs(row.shift.value) <= least:
        verdict = Verdict.CANNOT_TELL
    return replace(row, verdict=verdict, p_adjusted=p_adjusted)


def _with_level(row: Row, level: Level, least: float, own_p: float) -> Row:
    """`level` is shown to have moved; `own_p` is adjusted for the rows that ask it."""
    enough = level.tests > 1 or abs(row.shift.value) > least
    if not enough or not _moved_with(row, own_p, level):
        return row
    changed = decide_exact(row.shift.value, row.threshold)
    return replace(row, verdict=changed, p_adjusted=level.p_adjusted, basis=f"{row.basis}, with {level.rows} rows alike")


def _moved_with(row: Row, own_p: float, level: Level) -> bool:
    """By itself, the same way and beyond its threshold; more surely where rows of other clusters make the level, or cores that play another
    part, which may have a cause of their own."""
    most = OWN_P if level.role is not None and (level.cluster is not None or row.is_term) else OWN_P_ACROSS
    return own_p < most and row.shift.value * level.shift.value > 0 and abs(row.shift.value) > row.threshold
