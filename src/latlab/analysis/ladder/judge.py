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

import numpy as np

from latlab.analysis.base.columns import Floats
from latlab.analysis.base.comparison import Cell, Level, Row
from latlab.analysis.base.moderated import Prior, fit_prior, t_shift
from latlab.analysis.base.statistics import Shift, effect_size, false_discovery_control
from latlab.analysis.base.verdicts import Limits, Verdict, decide
from latlab.analysis.ladder.evidence import Evidence
from latlab.analysis.ladder.one_boot import OneBoot
from latlab.model.enums import Metric

FEWEST_DOF = 2
OWN_P = 0.05


def judge_rows(evidence: Sequence[Evidence], boots: tuple[int, int], limits: Limits) -> tuple[list[Row], list[Level]]:
    """Every row with its verdict, and the levels that were tested beside them; p-values are adjusted over all of both."""
    if not evidence:
        return [], []
    many = sum(boots) - 2 >= FEWEST_DOF
    tested = _ByBoots(evidence) if many else OneBoot(evidence)
    rows = [replace(one.row, shift=tested.shift(one), basis=tested.basis(one)) for one in evidence]
    if many:
        rows = [replace(row, effect=effect_size(*one.by_boot)) for row, one in zip(rows, evidence, strict=True)]
        rows = _with_cells(rows, evidence, limits)
    members: dict[tuple[Metric, int | None, str], list[Evidence]] = defaultdict(list)
    for one in evidence:
        members[one.key].append(one)
    levels = [Level(*key, len(found), tested.level_shift(found)) for key, found in members.items() if len(found) > 1]
    adjusted = false_discovery_control([row.shift.p for row in rows] + [level.shift.p for level in levels])
    levels = [replace(level, p_adjusted=p) for level, p in zip(levels, adjusted[len(rows) :], strict=True)]
    by_key = {(level.metric, level.cluster, level.role): level for level in levels}
    alone = 0.0 if many else 1.0
    return [
        _settled(row, one, p, by_key.get(one.key), alone, limits) for row, one, p in zip(rows, evidence, adjusted[: len(rows)], strict=True)
    ], levels


def _settled(row: Row, one: Evidence, p_adjusted: float, level: Level | None, alone: float, limits: Limits) -> Row:
    """`alone` times the margin is what a row must have moved by where no other test moved with it: one boot cannot tell less from what
    the cores of a test share."""
    least = row.threshold if row.is_term else max(row.threshold, alone * row.margin)
    verdict = decide(row.shift, least, row.margin, p_adjusted, limits.alpha)
    if verdict in (Verdict.REGRESSED, Verdict.IMPROVED):
        return replace(row, verdict=verdict, p_adjusted=p_adjusted)
    if level is not None and level.p_adjusted < limits.alpha and _moved_with(row, level):
        changed = Verdict.REGRESSED if row.shift.value > 0 else Verdict.IMPROVED
        return replace(row, verdict=changed, p_adjusted=level.p_adjusted, basis=f"{row.basis}, with {level.rows} tests alike")
    return replace(row, verdict=verdict, p_adjusted=p_adjusted)


def _moved_with(row: Row, level: Level) -> bool:
    """By itself, the same way and beyond its threshold."""
    return row.shift.p < OWN_P and row.shift.value * level.shift.value > 0 and abs(row.shift.value) > row.threshold


class _ByBoots:
    """Each row by its boots, its variance drawn towards those of its kind."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._priors = _priors((one.kind, *one.by_boot) for one in evidence)

    def shift(self, one: Evidence) -> Shift:
        return two_boots_shift(*one.by_boot, self._priors[one.kind])

    def level_shift(self, found: list[Evidence]) -> Shift:
        """The mean over the tests by boot; without one where the tests do not have the same boots."""
        if len({(len(one.by_boot[0]), len(one.by_boot[1])) for one in found}) > 1:
            return t_shift(float(np.mean([np.mean(one.differences) for one in found])), np.inf, 0)
        a, b = (np.mean([one.by_boot[side] for one in found], axis=0) for side in (0, 1))
        return two_boots_shift(a, b, Prior(0.0, 0.0))

    def basis(self, one: Evidence) -> str:
        a, b = one.by_boot
        return f"{len(a)} and {len(b)} boots"


def two_boots_shift(a: Floats, b: Floats, prior: Prior) -> Shift:
    """The difference of the means of two sets of boots by a t with pooled variance, moderated by the prior."""
    dof = max(len(a) + len(b) - 2, 0)
    squares = float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum())
    variance, whole = prior.moderate(squares / dof if dof else 0.0, dof)
    return t_shift(float(b.mean() - a.mean()), variance * (1 / len(a) + 1 / len(b)), whole if dof else 0)


def _priors(found: Iterable[tuple[tuple[Metric, str], Floats, Floats]]) -> dict[tuple[Metric, str], Prior]:
    """One for each kind of rows, from those that have the most boots of it."""
    variances: dict[tuple[Metric, str], list[tuple[int, float]]] = defaultdict(list)
    for kind, a, b in found:
        dof = max(len(a) + len(b) - 2, 0)
        squares = float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum())
        variances[kind].append((dof, squares / dof if dof else 0.0))
    priors = {}
    for kind, known in variances.items():
        most = max(dof for dof, _ in known)
        priors[kind] = fit_prior(np.array([v for dof, v in known if dof == most]), most) if most else Prior(0.0, 0.0)
    return priors


@dataclass(frozen=True)
class _Place:
    row: int
    cell: int


def _with_cells(rows: list[Row], evidence: Sequence[Evidence], limits: Limits) -> list[Row]:
    """Cells with verdicts of their own, their p-values adjusted over all cells."""
    places = [_Place(i, j) for i, one in enumerate(evidence) for j in range(len(one.row.cells))]
    values = [(evidence[p.row].a[:, p.cell], evidence[p.row].b[:, p.cell]) for p in places]
    priors = _priors((evidence[p.row].kind, a, b) for p, (a, b) in zip(places, values, strict=True))
    shifts = [two_boots_shift(a, b, priors[evidence[p.row].kind]) for p, (a, b) in zip(places, values, strict=True)]
    cells: dict[int, list[Cell]] = defaultdict(list)
    for place, shift, p in zip(places, shifts, false_discovery_control([shift.p for shift in shifts]), strict=True):
        row = rows[place.row]
        verdict = decide(shift, row.threshold, row.margin, p, limits.alpha)
        cells[place.row].append(replace(row.cells[place.cell], shift=shift, p_adjusted=p, verdict=verdict))
    return [replace(row, cells=tuple(cells[i])) if i in cells else row for i, row in enumerate(rows)]
