# SPDX-License-Identifier: BSD-3-Clause
"""What a row of spans scatters by where each run has one boot: cells of like cores, and what the cores of one test share.

A wake-up may be longer in one boot for all cores of a test, and one table cannot tell that from a change of this test. What it can tell is
how far the tests lie apart; and there is an assumed part, a share of the threshold, which is all there is for a metric of one test.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from latlab.analysis.base.columns import Floats
from latlab.analysis.base.moderated import Prior, steady_variance, t_shift
from latlab.analysis.base.statistics import Shift
from latlab.analysis.ladder.evidence import Evidence
from latlab.model.enums import Metric

ASSUMED_OFFSET = 0.5
ASSUMED_OF_TERM = 0.25
WEIGHT = 4.0
MOST_DOF = 8.0
FAR = 5.0
_MAD = 1.4826

Kind = tuple[Metric, str]


@dataclass(frozen=True, slots=True)
class _Scatter:
    variance: float
    dof: float


class OneBoot:
    """Variances of rows and levels from the cells of all of them. At most eight degrees of freedom: tails may be heavier than normal."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        groups = [one for one in evidence if not one.row.is_term]
        self._cells = _cell_scatters(groups)
        self._tests = _test_scatters(groups, self._cells)
        self._fit = _fit_scatter(one for one in evidence if one.row.is_term)

    def shift(self, one: Evidence) -> Shift:
        variance, dof = self._variance(one)
        return t_shift(_moved(one), variance, dof)

    def level_shift(self, found: list[Evidence]) -> Shift:
        parts = [self._variance(one) for one in found]
        variance = float(np.mean([variance for variance, _ in parts])) / len(found)
        return t_shift(float(np.mean([_moved(one) for one in found])), variance, min(dof for _, dof in parts))

    def basis(self, one: Evidence) -> str:
        if one.row.is_term:
            return f"fit, {self._fit.dof:.0f} degrees of freedom"
        moved = one.differences
        return f"{int((moved > 0).sum())} of {len(moved)} cells up"

    def _variance(self, one: Evidence) -> tuple[float, float]:
        if one.row.is_term:
            assumed = (ASSUMED_OF_TERM * one.row.threshold) ** 2
            return _joined(_Scatter((one.scale or 0.0) ** 2 * self._fit.variance, self._fit.dof), _Scatter(assumed, MOST_DOF))
        cells, tests = self._cells[one.kind], self._tests[one.kind]
        assumed = (ASSUMED_OFFSET * one.row.threshold) ** 2
        offset = _Scatter(assumed, MOST_DOF)
        if tests.dof:
            offset = _Scatter(*Prior(assumed, WEIGHT).moderate(tests.variance, tests.dof))
        if not cells.dof and not tests.dof:
            return np.inf, 0.0
        return _joined(_Scatter(cells.variance / len(one.differences), cells.dof), offset)


def _moved(one: Evidence) -> float:
    return one.row.after - one.row.before if one.row.is_term else float(np.mean(one.differences))


def _joined(first: _Scatter, second: _Scatter) -> tuple[float, float]:
    """The sum of two variances and its degrees of freedom by Satterthwaite's rule."""
    parts = [part for part in (first, second) if part.dof]
    variance = sum(part.variance for part in parts)
    uncertain = sum(part.variance**2 / part.dof for part in parts)
    return variance, min(variance**2 / uncertain if uncertain else MOST_DOF, MOST_DOF)


def _cell_scatters(evidence: Iterable[Evidence]) -> dict[Kind, _Scatter]:
    """How far the differences of like cells lie from their row's, by kind, drawn towards that of the whole metric."""
    rows: dict[Kind, list[Floats]] = defaultdict(list)
    for one in evidence:
        rows[one.kind].append(one.differences)
    whole = {metric: _pooled([row for (m, _), found in rows.items() if m == metric for row in found]) for metric, _ in rows}
    out = {}
    for kind, found in rows.items():
        own, all_of_it = _pooled(found), whole[kind[0]]
        prior = Prior(all_of_it.variance, min(all_of_it.dof, WEIGHT))
        variance, dof = prior.moderate(own.variance, own.dof)
        out[kind] = _Scatter(variance if dof else 0.0, dof)
    return out


def _pooled(rows: Sequence[Floats]) -> _Scatter:
    """The variance within rows. Cells that lie five deviations from their row's median are left out: they are for the row to tell."""
    centred = [row - np.median(row) for row in rows if len(row) > 1]
    if not centred:
        return _Scatter(0.0, 0.0)
    spread = np.abs(np.concatenate(centred))
    typical = _MAD * float(np.median(spread[spread > 0])) if (spread > 0).any() else 0.0
    squares, dof = 0.0, 0
    for row in centred:
        kept = row[np.abs(row) <= FAR * typical] if len(row) > 2 else row
        if len(kept) > 1:
            squares += float(((kept - kept.mean()) ** 2).sum())
            dof += len(kept) - 1
    return _Scatter(squares / dof if dof else 0.0, dof)


def _test_scatters(evidence: Iterable[Evidence], cells: dict[Kind, _Scatter]) -> dict[Kind, _Scatter]:
    """What the cells of one test have in common beyond what like cores have in all tests, by kind; no freedom below two tests."""
    by_kind: dict[Kind, list[Evidence]] = defaultdict(list)
    for one in evidence:
        by_kind[one.kind].append(one)
    return {kind: _offsets(found, cells[kind]) for kind, found in by_kind.items()}


def _offsets(found: list[Evidence], cells: _Scatter) -> _Scatter:
    clusters: dict[int | None, list[float]] = defaultdict(list)
    for one in found:
        clusters[one.row.cluster].append(_moved(one))
    usual = {cluster: float(np.median(moved)) for cluster, moved in clusters.items()}
    left: dict[str, list[float]] = defaultdict(list)
    sizes: dict[str, int] = defaultdict(int)
    for one in found:
        if len(clusters[one.row.cluster]) > 1:
            left[one.row.test].append(_moved(one) - usual[one.row.cluster])
            sizes[one.row.test] += len(one.differences)
    if len(left) < 2:
        return _Scatter(0.0, 0.0)
    variance, dof = steady_variance(np.array([np.mean(values) for values in left.values()]))
    by_cells = cells.variance / float(np.mean(list(sizes.values()))) if cells.dof else 0.0
    return _Scatter(max(variance - by_cells, 0.0), dof)


def _fit_scatter(terms: Iterable[Evidence]) -> _Scatter:
    """The residual variance of the ladders of all tests."""
    by_test = {one.row.test: one.residual for one in terms}
    dof = sum(dof for _, dof in by_test.values())
    return _Scatter(sum(left for left, _ in by_test.values()) / dof if dof else 0.0, dof)
