# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on rows of spans under a clock that scatters.

With boots to spare the boot is the sampling unit: each row is tested by a moderated t. With one boot of each run the scatter comes from the
cells of like cores, and what the cores of one test share from boot to boot from the other tests. A row stands on its own evidence; a level,
rows of like cores over all tests, can lend it significance but no shift: the row has to have moved by itself. Assumptions and sources stand
in docs/analysis.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from latlab.analysis.base.columns import Floats
from latlab.analysis.base.comparison import Cell, Level, Row
from latlab.analysis.base.moderated import Prior, fit_prior, t_shift
from latlab.analysis.base.statistics import Shift, effect_size, false_discovery_control, family_wise
from latlab.analysis.base.verdicts import Limits, Verdict, decide
from latlab.analysis.ladder.evidence import Evidence, Kind
from latlab.analysis.ladder.one_boot import OneBoot
from latlab.model.enums import Metric

FEWEST_DOF = 2
FEWEST_OF_KIND = 3
FEWEST_DOF_OF_OCCASIONAL = 4
OWN_P = 0.05
OWN_P_ACROSS = 0.01
WELL_WITHIN = 0.75


def judge_rows(evidence: Sequence[Evidence], boots: tuple[int, int], limits: Limits) -> tuple[list[Row], list[Level]]:
    """Every row with its verdict, and the levels that were tested beside them; p-values are adjusted over both."""
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
    levels = [level for metric in dict.fromkeys(row.metric for row in rows) for level in _levels(tested, evidence, metric)]
    by_row, by_level = _adjusted(rows, levels)
    levels = [replace(level, p_adjusted=p) for level, p in zip(levels, by_level, strict=True)]
    alone = 0.0 if many else 1.0
    return [
        _settled(row, p, [level for level in levels if _belongs(one, level)], alone, limits)
        for row, one, p in zip(rows, evidence, by_row, strict=True)
    ], levels


def _levels(tested: _Tested, evidence: Sequence[Evidence], metric: Metric) -> list[Level]:
    """Of each cluster and of all of them, where these hold more than one row."""
    members: dict[tuple[int | None, str, bool], list[Evidence]] = defaultdict(list)
    for one in evidence:
        if one.row.metric is metric:
            members[None, *one.kind[1:]].append(one)
            if one.row.cluster is not None:
                members[one.row.cluster, *one.kind[1:]].append(one)
    sizes = {key: len(found) for key, found in members.items()}
    own = [key for key, n in sizes.items() if n > 1 and (key[0] is None or n < sizes[None, *key[1:]])]
    return [Level(metric, *key, sizes[key], tested.level_shift(members[key])) for key in own]


def _adjusted(rows: list[Row], levels: list[Level]) -> tuple[list[float], list[float]]:
    """Adjusted over all rows and levels of one metric: of each metric at most a share of alpha is called changed wrongly. What comes in
    some boots only is a family of its own."""
    by_row, by_level = [1.0] * len(rows), [1.0] * len(levels)
    for metric, occasional in dict.fromkeys((row.metric, row.is_occasional) for row in rows):
        own = [i for i, row in enumerate(rows) if (row.metric, row.is_occasional) == (metric, occasional)]
        shared = [i for i, level in enumerate(levels) if level.metric is metric and not occasional]
        adjusted = family_wise([rows[i].shift.p for i in own] + [levels[i].shift.p for i in shared])
        for i, p in zip(own, adjusted, strict=False):
            by_row[i] = p
        for i, p in zip(shared, adjusted[len(own) :], strict=True):
            by_level[i] = p
    return by_row, by_level


def _belongs(one: Evidence, level: Level) -> bool:
    return one.kind == (level.metric, level.role, level.at_once) and level.cluster in (None, one.row.cluster)


def _settled(row: Row, p_adjusted: float, levels: list[Level], alone: float, limits: Limits) -> Row:
    """`alone` times the margin is what a row must have moved by where no other test moved with it: one boot cannot tell less from what
    the cores of a test share."""
    least = row.threshold if row.is_term else max(row.threshold, alone * row.margin)
    verdict = decide(row.shift, least, row.margin, p_adjusted, limits.alpha)
    if verdict in (Verdict.REGRESSED, Verdict.IMPROVED):
        return replace(row, verdict=verdict, p_adjusted=p_adjusted)
    for level in levels:
        if level.p_adjusted < limits.alpha and _moved_with(row, level):
            changed = Verdict.REGRESSED if row.shift.value > 0 else Verdict.IMPROVED
            return replace(row, verdict=changed, p_adjusted=level.p_adjusted, basis=f"{row.basis}, with {level.rows} rows alike")
    steady = any(_stayed_with(row, level) for level in levels)
    if verdict is Verdict.CANNOT_TELL and steady:
        return replace(row, verdict=Verdict.SAME, p_adjusted=p_adjusted, basis=f"{row.basis}, with rows alike")
    return replace(row, verdict=verdict, p_adjusted=p_adjusted)


def _moved_with(row: Row, level: Level) -> bool:
    """By itself, the same way and beyond its threshold; more surely where rows of other clusters make the level."""
    own_p = OWN_P if level.cluster is not None or row.is_term else OWN_P_ACROSS
    return row.shift.p < own_p and row.shift.value * level.shift.value > 0 and abs(row.shift.value) > row.threshold


def _stayed_with(row: Row, level: Level) -> bool:
    """Its like are within the margin for sure, and it lies well within by itself without standing out from them."""
    apart = abs(row.shift.value - level.shift.value)
    alike = -row.margin <= level.shift.low and level.shift.high <= row.margin
    return alike and abs(row.shift.value) <= WELL_WITHIN * row.margin and apart <= row.shift.high - row.shift.value


class _Tested(Protocol):
    """How rows and levels are tested, by boots or by the cells of one."""

    def shift(self, one: Evidence) -> Shift: ...

    def level_shift(self, found: list[Evidence]) -> Shift: ...

    def basis(self, one: Evidence) -> str: ...


class _ByBoots:
    """Each row by its boots, its variance drawn towards those of its kind."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._priors = _priors((one.kind, *one.by_boot, one.cells_a_boot) for one in evidence)

    def shift(self, one: Evidence) -> Shift:
        """Few boots of what comes in some of them only may agree by chance, to the tick; nothing else shows their scatter."""
        a, b = one.by_boot
        if one.row.is_occasional and len(a) + len(b) - 2 < FEWEST_DOF_OF_OCCASIONAL:
            return t_shift(float(b.mean() - a.mean()), np.inf, 0)
        return two_boots_shift(a, b, self._priors[one.kind], one.cells_a_boot)

    def level_shift(self, found: list[Evidence]) -> Shift:
        """The mean by boot over the tests that have the most boots."""
        most = max((_boots(one) for one in found), key=sum)
        found = [one for one in found if _boots(one) == most]
        a, b = (np.mean([one.by_boot[side] for one in found], axis=0) for side in (0, 1))
        return two_boots_shift(a, b, Prior(0.0, 0.0))

    def basis(self, one: Evidence) -> str:
        a, b = one.by_boot
        return f"{len(a)} and {len(b)} boots"


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
    most = max(dof for dof, _ in known)
    return fit_prior(np.array([variance for dof, variance in known if dof == most]), most) if most else Prior(0.0, 0.0)


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
        verdict = decide(shift, row.threshold, row.margin, p, limits.alpha)
        cells[place.row].append(replace(row.cells[place.cell], shift=shift, p_adjusted=p, verdict=verdict))
    return [replace(row, cells=tuple(cells[i])) if i in cells else row for i, row in enumerate(rows)]


def _boots(one: Evidence) -> tuple[int, int]:
    a, b = one.by_boot
    return len(a), len(b)


def _numbers(values: Floats) -> Floats:
    return values[~np.isnan(values)]
