# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on rows of spans under a clock that scatters.

With boots to spare the boot is the sampling unit: each row is tested by a moderated t. With one boot of each run the scatter comes from the
cells of like cores, and what the cores of one test share from boot to boot from the other tests. A row stands on its own evidence; a level,
rows of like cores over all tests, can lend it significance but no shift: the row has to have moved by itself. Assumptions and sources stand
in docs/analysis.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Protocol

import numpy as np

from latlab.analysis.base.columns import Floats
from latlab.analysis.base.comparison import Cell, Level, Row
from latlab.analysis.base.detectable import detectable
from latlab.analysis.base.moderated import Prior, fit_prior, t_shift
from latlab.analysis.base.statistics import Shift, effect_size, false_discovery_control, family_wise
from latlab.analysis.base.verdicts import Limits, Verdict, decide, decide_exact
from latlab.analysis.ladder.evidence import Evidence, Kind
from latlab.analysis.ladder.groups import WAIT
from latlab.analysis.ladder.one_boot import ALONE, OneBoot
from latlab.model.enums import Metric

FEWEST_DOF = 2
FEWEST_OF_KIND = 3
FEW_VARIANCES = 2
FEWEST_DOF_OF_OCCASIONAL = 4
ROWS_SHARE = 0.4
OWN_P = 0.05
OWN_P_ACROSS = 0.02
OWN_P_OF_OTHER_PARTS = 0.02
ALIKE = 2.0
"""Standard errors that two rows with one cause differ by at most."""
_TINY = 1e-6
_CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)
_SHOWN = (*_CHANGED, Verdict.MOVED)


def judge_rows(
    evidence: Sequence[Evidence], boots: tuple[int, int], limits: Limits, apart: Collection[int] = ()
) -> tuple[list[Row], list[Level]]:
    """Every row with its verdict, and the levels that were tested beside them; p-values are adjusted over both. What is `apart` lends no
    other row significance."""
    if not evidence:
        return [], []
    many = sum(boots) - 2 >= FEWEST_DOF
    if many:
        tested: _Tested = _ByBoots(evidence)
        rows = [replace(one.row, shift=tested.shift(one), basis=tested.basis(one), effect=effect_size(*one.by_boot)) for one in evidence]
        rows = _with_cells(rows, evidence, limits)
    else:
        tested = single = OneBoot(evidence)
        rows = [replace(one.row, shift=single.shift(one), basis=single.basis(one), cells=single.cells(one)) for one in evidence]
    metrics = dict.fromkeys(row.metric for row in rows)
    members = [(metric, *one) for metric in metrics for one in _members(evidence, metric)]
    levels = [_level(tested, evidence, *one) for one in members]
    by_row, by_level = _adjusted(rows, levels)
    levels = [replace(level, p_adjusted=p) for level, p in zip(levels, by_level, strict=True)]
    alone = 1.0 if many else ALONE
    least = [row.threshold * (1.0 if row.is_term else alone) for row in rows]
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

    tested: _Tested
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


def _level(tested: _Tested, evidence: Sequence[Evidence], metric: Metric, key: _Key, rows: Sequence[int]) -> Level:
    own = [evidence[i] for i in rows]
    return Level(metric, *key, len(own), tested.level_shift(own), tests=len({one.row.test for one in own}))


def _adjusted(rows: list[Row], levels: list[Level]) -> tuple[list[float], list[float]]:
    """Two fifths of what may go wrong in a metric are for its rows, the rest for its levels: of each at most a share of alpha is called
    changed wrongly where nothing changed. Levels hold each other's rows, so what moved shows in several of them, and they are adjusted by
    the share of wrong ones (Benjamini and Hochberg). What comes in some boots only is a family of its own."""
    by_row = _by_family([row.shift.p for row in rows], [(row.metric, row.is_occasional) for row in rows], family_wise, ROWS_SHARE)
    by_level = _by_family([level.shift.p for level in levels], [level.metric for level in levels], false_discovery_control, 1 - ROWS_SHARE)
    return by_row, by_level


def _by_family(
    p_values: list[float], families: Sequence[Hashable], adjust: Callable[[list[float]], list[float]], share: float
) -> list[float]:
    out = [1.0] * len(p_values)
    for family in dict.fromkeys(families):
        own = [i for i, one in enumerate(families) if one == family]
        for i, p in zip(own, adjust([p_values[i] for i in own]), strict=True):
            out[i] = min(1.0, p / share)
    return out


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
    """By itself, the same way and beyond its threshold; more surely where rows of other clusters make the level, and surer yet where cores
    that play another part, which may have a cause of their own."""
    most = OWN_P if level.cluster is not None or row.is_term else OWN_P_ACROSS
    most = most if level.role is not None else OWN_P_OF_OTHER_PARTS
    return own_p < most and row.shift.value * level.shift.value > 0 and abs(row.shift.value) > row.threshold


class _Tested(Protocol):
    """How rows and levels are tested, by boots or by the cells of one."""

    def shift(self, one: Evidence) -> Shift: ...

    def level_shift(self, found: list[Evidence]) -> Shift: ...

    def own_p(self, one: Evidence) -> float: ...

    def basis(self, one: Evidence) -> str: ...


class _ByBoots:
    """Each row by its boots, its variance drawn towards those of its kind."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._most = max(sum(_boots(one)) for one in evidence)
        self._priors = _priors((one.kind, *one.by_boot, one.cells_a_boot) for one in evidence)
        self._moderated = {id(one): self._by_kind(one) for one in evidence}
        self._shifts = {id(one): self._by_cells(one) for one in evidence}

    def shift(self, one: Evidence) -> Shift:
        return self._shifts[id(one)]

    def _by_cells(self, one: Evidence) -> Shift:
        a, b = _boots(one)
        return _no_surer(self._moderated[id(one)], one.of_cells * (1 / a + 1 / b), a + b - 2)

    def _by_kind(self, one: Evidence) -> Shift:
        """Who waits for whom on the way up is chance, of which a boot draws once: sorted waits are printed and not judged.

        Few boots of what comes in some of them only may agree by chance, to the tick. Where nothing else shows their scatter, no more is
        claimed than how often chance alone would set all boots of one run beyond all of the other."""
        a, b = one.by_boot
        prior = self._priors[one.kind]
        in_some = one.row.is_occasional or len(a) + len(b) < self._most
        agree_by_chance = not prior.dof and not _pooled_variance(a, b)[0]
        if one.role == WAIT:
            return t_shift(float(b.mean() - a.mean()), np.inf, 0)
        is_few = min(len(a), len(b)) < 2 or len(a) + len(b) - 2 < FEWEST_DOF_OF_OCCASIONAL
        if in_some and (agree_by_chance or is_few):
            return t_shift(float(b.mean() - a.mean()), np.inf, 0)
        shift = two_boots_shift(a, b, prior, one.cells_a_boot)
        if one.row.is_occasional and not prior.dof:
            return replace(shift, p=max(shift.p, 2 / comb(len(a) + len(b), len(a))))
        return shift

    def level_shift(self, found: list[Evidence]) -> Shift:
        """The mean by boot over the tests that have the most boots, each by how surely it is known. Boots that agree in it by chance make
        it no surer than its rows would be together if nothing were shared."""
        most = max((_boots(one) for one in found), key=sum)
        found = [one for one in found if _boots(one) == most]
        errors = np.array([max(self._moderated[id(one)].error, _TINY) for one in found])
        weights = np.where(np.isfinite(errors), errors, 1.0) ** -2.0
        a, b = (np.average([one.by_boot[side] for one in found], axis=0, weights=weights) for side in (0, 1))
        least = float(weights**2 @ errors**2) / float(weights.sum()) ** 2 if np.isfinite(errors).all() else 0.0
        return _no_surer(two_boots_shift(a, b, Prior(0.0, 0.0)), least, sum(most) - 2)

    def own_p(self, one: Evidence) -> float:
        return self.shift(one).p

    def basis(self, one: Evidence) -> str:
        a, b = one.by_boot
        return f"{len(a)} and {len(b)} boots"


def _no_surer(shift: Shift, least: float, boots_dof: int) -> Shift:
    """Boots that agree by chance are no surer than a variance of `least` leaves them, which is then known by half as much again as they
    say."""
    return shift if shift.error**2 >= least else t_shift(shift.value, least, shift.dof + boots_dof / 2)


def two_boots_shift(a: Floats, b: Floats, prior: Prior, cells: float = 1.0) -> Shift:
    """The difference of the means of two sets of boots by a t with pooled variance, moderated by the prior, which is of one cell where
    each value is the mean of `cells`."""
    variance, dof = _pooled_variance(a, b)
    moderated, whole = prior.moderate(variance * cells, dof)
    return t_shift(float(b.mean() - a.mean()), moderated / cells * (1 / len(a) + 1 / len(b)), whole)


def _pooled_variance(a: Floats, b: Floats) -> tuple[float, int]:
    dof = max(len(a) + len(b) - 2, 0)
    squares = float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum())
    return (squares / dof if dof else 0.0), dof


def _priors(found: Iterable[tuple[Kind, Floats, Floats, float]]) -> dict[Kind, Prior]:
    """One for each kind of rows, from those that have the most boots of it; from the whole metric where these are too few."""
    variances: dict[Kind, list[tuple[int, float]]] = defaultdict(list)
    for kind, a, b, cells in found:
        variance, dof = _pooled_variance(a, b)
        variances[kind].append((dof, variance * cells))
    whole: dict[Metric, list[tuple[int, float]]] = defaultdict(list)
    for (metric, _, _), known in variances.items():
        whole[metric] += known
    of_metric = {metric: _prior(known) for metric, known in whole.items()}
    return {kind: _prior(known) if len(known) >= FEWEST_OF_KIND else of_metric[kind[0]] for kind, known in variances.items()}


def _prior(known: list[tuple[int, float]]) -> Prior:
    """Two variances say a little of each other: each is drawn towards both, with half the freedom of one."""
    most = max(dof for dof, _ in known)
    variances = np.array([variance for dof, variance in known if dof == most])
    if not most:
        return Prior(0.0, 0.0)
    return Prior(float(variances.mean()), most / 2) if len(variances) == FEW_VARIANCES else fit_prior(variances, most)


@dataclass(frozen=True)
class _Place:
    row: int
    cell: int


def _with_cells(rows: list[Row], evidence: Sequence[Evidence], limits: Limits) -> list[Row]:
    """Cells with verdicts of their own, their p-values adjusted over all cells."""
    places = [_Place(i, j) for i, one in enumerate(evidence) for j in range(len(one.row.cells))]
    values = [(_numbers(evidence[p.row].a[:, p.cell]), _numbers(evidence[p.row].b[:, p.cell])) for p in places]
    priors = _priors((evidence[p.row].kind, a, b, 1.0) for p, (a, b) in zip(places, values, strict=True))
    shifts = [two_boots_shift(a, b, priors[evidence[p.row].kind]) for p, (a, b) in zip(places, values, strict=True)]
    cells: dict[int, list[Cell]] = defaultdict(list)
    for place, shift, p in zip(places, shifts, false_discovery_control([shift.p for shift in shifts]), strict=True):
        row = rows[place.row]
        verdict = decide(shift, row.threshold, p, limits.alpha)
        cells[place.row].append(replace(row.cells[place.cell], shift=shift, p_adjusted=p, verdict=verdict))
    return [replace(row, cells=tuple(cells[i])) if i in cells else row for i, row in enumerate(rows)]


def _boots(one: Evidence) -> tuple[int, int]:
    a, b = one.by_boot
    return len(a), len(b)


def _numbers(values: Floats) -> Floats:
    return values[~np.isnan(values)]
