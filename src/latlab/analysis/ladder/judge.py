# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on rows of spans under a clock with scatter.

Several boots are judged in by_boot.py. With one boot of each run, the scatter comes from the cells of like cores, and the part that the
cores of one test share between boots comes from the other tests. A row has its own p-value. A level, a group of rows of like cores over
all tests, can add significance but no shift: the row must have changed by itself. Assumptions and sources are in
docs/explanation/statistics.md.
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
    """The rows with their verdicts, and the levels; p-values are adjusted over both. `apart` are indices of rows that support no other
    row."""
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
    """Which level supports which rows. A row that is significant by itself, or by a narrower level, is left out of the wider levels,
    because their other rows would depend on a change that does not reach them; except for a row that changed in the same way. A changed
    level does not show that each of its rows changed: each row is a test by itself, its p-value adjusted for their number (Benjamini and
    Bogomolov 2014)."""

    tested: OneBoot
    evidence: Sequence[Evidence]
    shifts: Sequence[Shift]
    apart: frozenset[int]
    alpha: float

    def shown(self, levels: Sequence[tuple[Level, Sequence[int]]], standing: set[int]) -> Iterator[tuple[Level, dict[int, int]]]:
        """The changed levels, the narrowest first, each with the rows that it supports and the number of rows in each row's family: 1
        for the most significant one."""
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
        """A part of a level, with its p-value by Bonferroni's method."""
        if len(rows) < 2:
            return None
        part = _level(self.tested, self.evidence, level.metric, (level.cluster, level.role, level.at_once), rows)
        return replace(part, p_adjusted=min(1.0, part.shift.p * tests / (1 - ROWS_SHARE)))

    def _are_alike(self, i: int, j: int) -> bool:
        one, other = self.shifts[i], self.shifts[j]
        return abs(one.value - other.value) <= ALIKE * float(np.hypot(one.error, other.error)) and one.value * other.value > 0

    def _is_beyond(self, level: Level, rows: Sequence[int]) -> bool:
        """Whether the level changed by more than its rows' thresholds. Otherwise no row is shown to be beyond its own."""
        return abs(level.shift.value) > float(np.median([self.evidence[i].row.threshold for i in rows]))


_Key = tuple[int | None, str | None, bool | None]


def _members(evidence: Sequence[Evidence], metric: Metric) -> list[tuple[_Key, tuple[int, ...]]]:
    """The groups of rows of one role: of each cluster and of all. For all clusters also those of the parallel and of the serial tests."""
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
    """Two fifths of alpha of a metric are for its rows, the rest for its levels. Levels overlap, so a change appears in several of them,
    and they are adjusted by the false discovery rate (Benjamini and Hochberg). Events that occur in some boots only are a family of
    their own."""
    by_row = by_family([row.shift.p for row in rows], [(row.metric, row.is_occasional) for row in rows], family_wise, ROWS_SHARE)
    by_level = by_family([level.shift.p for level in levels], [level.metric for level in levels], false_discovery_control, 1 - ROWS_SHARE)
    return by_row, by_level


def _by_itself(row: Row, p_adjusted: float, least: float, limits: Limits) -> Row:
    """The row with the verdict of its own test. `least` is the smallest change that counts without a changed test beside it: with one
    boot, a smaller change cannot be separated from the part that the cores of a test share."""
    verdict = decide(row.shift, row.threshold, p_adjusted, limits.alpha)
    if verdict in _CHANGED and abs(row.shift.value) <= least:
        verdict = Verdict.CANNOT_TELL
    return replace(row, verdict=verdict, p_adjusted=p_adjusted)


def _with_level(row: Row, level: Level, least: float, own_p: float) -> Row:
    """The row with the verdict that the changed `level` supports; `own_p` is adjusted for the rows that ask the level."""
    enough = level.tests > 1 or abs(row.shift.value) > least
    if not enough or not _moved_with(row, own_p, level):
        return row
    changed = decide_exact(row.shift.value, row.threshold)
    return replace(row, verdict=changed, p_adjusted=level.p_adjusted, basis=f"{row.basis}, with {level.rows} rows alike")


def _moved_with(row: Row, own_p: float, level: Level) -> bool:
    """Whether the row itself changed in the same direction and beyond its threshold. The test is stricter if the level consists of other
    clusters or roles, which may have another cause."""
    most = OWN_P if level.role is not None and (level.cluster is not None or row.is_term) else OWN_P_ACROSS
    return own_p < most and row.shift.value * level.shift.value > 0 and abs(row.shift.value) > row.threshold
