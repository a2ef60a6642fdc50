# SPDX-License-Identifier: BSD-3-Clause
"""The variance of a row of spans if each run has one boot: the variance between like cells, and the part that the cores of one test
share.

A wake-up may be longer in one boot for all cores of a test. One boot of each run cannot separate that from a change of the test. It
shows how far the tests differ, within the plausible difference of boots. An assumed part is added, a share of the threshold. For a
metric with one test there is only the assumed part, and it is larger: PSCI_VERSION differs by a third between releases without a change
of it. The order of waits on wake-up is random, and one boot shows one draw.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latlab.analysis.base.columns import Floats
from latlab.analysis.base.comparison import Cell
from latlab.analysis.base.distributions import f_exceeded
from latlab.analysis.base.moderated import Prior, steady_variance, t_shift
from latlab.analysis.base.statistics import Shift
from latlab.analysis.ladder.evidence import Evidence, Kind
from latlab.analysis.ladder.groups import WAIT
from latlab.model.enums import Metric

ASSUMED_OFFSET = 0.25
ASSUMED_OF_ONE_TEST = 1.5
ASSUMED_OF_TERM = 0.25
WEIGHT = 4.0

MOST_DOF = 8.0
MOST_DOF_OF_LEVEL = 30.0
ALONE = 10 / 3
"""How many thresholds a row has to move by where nothing moved with it."""
FAR = 5.0
FAR_OF_FEW = 20.0
FEW = 7
MOST_FAR = 1 / 8
UNLIKE_P = 0.05
FEWEST_TESTS = 4
_MAD = 1.4826
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class _Scatter:
    variance: float
    dof: float


_UNKNOWN = _Scatter(np.inf, 0.0)
_NONE = _Scatter(0.0, 0.0)


class OneBoot:
    """Variances of rows and levels, from the cells of all of them. They have at most eight degrees of freedom, because tails may be
    heavier than normal."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        groups = [one for one in evidence if not one.row.is_term]
        self._cells = _cell_scatters(groups)
        self._scattering = {one.kind for one in groups if len(one.differences) > 1}
        self._tests = _test_scatters(groups, self._cells)
        tests = {(one.row.metric, one.row.test) for one in groups}
        self._of_one_test = {metric for metric, count in Counter(metric for metric, _ in tests).items() if count == 1}
        self._fit = _fit_scatter(one for one in evidence if one.row.is_term)

    def shift(self, one: Evidence) -> Shift:
        variance, dof = self._variance(one)
        return t_shift(_moved(one), variance, dof)

    def cells(self, one: Evidence) -> tuple[Cell, ...]:
        """The cells of a row with their intervals. A single sample never has a verdict."""
        variance, dof = self._variance(one, cells=1)
        return tuple(replace(cell, shift=t_shift(cell.difference, variance, dof)) for cell in one.row.cells)

    def level_shift(self, found: list[Evidence]) -> Shift:
        """The mean of the rows, weighted by 1 over their variance. Rows of one test share a part of their variance. If the tests agree
        as well as their cells explain, this part is small, and the cells determine the significance of the level."""
        parts = [self._parts(one) for one in found]
        if any(not np.isfinite(own.variance) for own, _ in parts):
            return t_shift(0.0, np.inf, 0.0)
        weights = np.array([1 / max(own.variance + offset.variance, _TINY) for own, offset in parts])
        weights /= weights.sum()
        moved = np.array([_moved(one) for one in found])
        own = _Scatter(
            float(weights**2 @ [cell.variance for cell, _ in parts]),
            sum({one.kind: p[0].dof for one, p in zip(found, parts, strict=True)}.values()),
        )
        tests = np.array([one.row.test for one in found])
        of_tests = [tests == test for test in dict.fromkeys(tests)]
        shared = float(np.mean([offset.variance for _, offset in parts])) * sum(float(weights[rows].sum()) ** 2 for rows in of_tests)
        shift = t_shift(float(weights @ moved), *_joined(own, _Scatter(shared, parts[0][1].dof), MOST_DOF_OF_LEVEL))
        variances = weights**2 * [cell.variance for cell, _ in parts]
        by_test = [(np.average(moved[rows], weights=weights[rows]), variances[rows].sum() / weights[rows].sum() ** 2) for rows in of_tests]
        agreed = _as_tests_agree(own, np.array(by_test))
        return replace(shift, p=min(shift.p, t_shift(shift.value, *_joined(agreed, _NONE, MOST_DOF_OF_LEVEL)).p)) if agreed else shift

    def own_p(self, one: Evidence) -> float:
        """The p-value of a row from its cells alone, for a row of a level that accounts for the shared part of a test. It is 1 for a
        kind with single cells, because the variance of other kinds does not apply to it."""
        if not one.row.is_term and one.kind not in self._scattering:
            return 1.0
        own, _ = self._parts(one)
        return t_shift(_moved(one), *_joined(own, _NONE, MOST_DOF)).p

    def basis(self, one: Evidence) -> str:
        if one.row.is_term:
            return f"fit, {self._fit.dof:.0f} degrees of freedom"
        moved = one.differences
        return f"{int((moved > 0).sum())} of {len(moved)} data points up"

    def _variance(self, one: Evidence, cells: int = 0) -> tuple[float, float]:
        return _joined(*self._parts(one, cells), MOST_DOF)

    def _parts(self, one: Evidence, cells: int = 0) -> tuple[_Scatter, _Scatter]:
        """The variance of the mean of `cells` cells (0: all cells of the row): the part of the cells, and the part that the cores of a
        test share."""
        if one.row.is_term:
            assumed = (ASSUMED_OF_TERM * one.row.threshold) ** 2
            return _Scatter((one.scale or 0.0) ** 2 * self._fit.variance, self._fit.dof), _Scatter(assumed, MOST_DOF)
        if one.role == WAIT:
            return _UNKNOWN, _UNKNOWN
        own, tests = self._cells[one.kind], self._tests[one.kind]
        share = ASSUMED_OF_ONE_TEST if one.row.metric in self._of_one_test else ASSUMED_OFFSET
        assumed = (share * one.row.threshold) ** 2
        offset = _Scatter(assumed, MOST_DOF)
        if tests.dof:
            # What cores share is a few thresholds, or as much as each of them scatters by.
            plausible = min(tests.variance, max((ALONE * one.row.threshold) ** 2, own.variance))
            offset = _Scatter(*Prior(assumed, WEIGHT).moderate(plausible, tests.dof))
        if not own.dof and not tests.dof:
            return _UNKNOWN, _UNKNOWN
        return _Scatter(own.variance / (cells or len(one.differences)), own.dof), offset


def _as_tests_agree(own: _Scatter, by_test: Floats) -> _Scatter | None:
    """The variance of a level from its cells, increased by as much as the tests, each with its shift and variance, differ more than the
    cells explain. None for few tests. A few tests estimate this factor badly, so it is shrunk towards 1."""
    if len(by_test) < FEWEST_TESTS or not by_test[:, 1].all() or not own.dof:
        return None
    means, weights = by_test[:, 0], 1 / by_test[:, 1]
    free = len(means) - 1
    apart = float(weights @ (means - np.average(means, weights=weights)) ** 2) / free
    return _Scatter(own.variance * max(Prior(1.0, WEIGHT).moderate(apart, free)[0], 1.0), min(own.dof, WEIGHT + free))


def _moved(one: Evidence) -> float:
    return one.row.after - one.row.before if one.row.is_term else float(np.mean(one.differences))


def _joined(first: _Scatter, second: _Scatter, most_dof: float) -> tuple[float, float]:
    """The sum of two variances, and its degrees of freedom by Satterthwaite's formula."""
    if not np.isfinite(first.variance):
        return np.inf, 0.0
    parts = [part for part in (first, second) if part.dof]
    variance = sum(part.variance for part in parts)
    uncertain = sum(part.variance**2 / part.dof for part in parts)
    return variance, min(variance**2 / uncertain if uncertain else most_dof, most_dof)


def _cell_scatters(evidence: Iterable[Evidence]) -> dict[Kind, _Scatter]:
    """The variance of like cells' differences around their row's mean, by kind, shrunk towards the variance of the whole metric."""
    found: dict[Kind, list[Evidence]] = defaultdict(list)
    for one in evidence:
        found[one.kind].append(one)
    of_metric: dict[Metric, list[Evidence]] = defaultdict(list)
    for kind, members in found.items():
        of_metric[kind[0]] += members
    out = {}
    for kind, members in found.items():
        own, whole = _pooled([one.differences for one in members]), _pooled([one.differences for one in of_metric[kind[0]]])
        own = _with_sums(own, _pooled([one.sums for one in members]))
        variance, dof = Prior(whole.variance, min(whole.dof, WEIGHT) if own.dof < WEIGHT else 0.0).moderate(own.variance, own.dof)
        out[kind] = _Scatter(variance if dof else 0.0, dof)
    return out


def _with_sums(differences: _Scatter, sums: _Scatter) -> _Scatter:
    """The variance from differences and sums. If like cores are alike, the sums of two cells have the variance of the differences and
    double the data. The result is never smaller than that of the differences alone."""
    if not differences.dof or not sums.dof or differences.dof >= MOST_DOF or differences.variance <= 0:
        return differences
    if sums.variance > differences.variance * f_exceeded(UNLIKE_P, sums.dof, differences.dof):
        return differences
    dof = differences.dof + sums.dof
    joined = (differences.variance * differences.dof + sums.variance * sums.dof) / dof
    return _Scatter(max(joined, differences.variance), dof)


def _pooled(rows: Sequence[Floats]) -> _Scatter:
    """The variance within rows. Cells at more than five deviations from the median of their row are left out; of a few cells, only those
    at more than twenty, because the deviation is not known well. Many such cells are a second mode and are kept."""
    centred = [row - np.median(row) for row in rows if len(row) > 1]
    if not centred:
        return _Scatter(0.0, 0.0)
    spread = np.abs(np.concatenate(centred))
    typical = _MAD * float(np.median(spread[spread > 0])) if (spread > 0).any() else 0.0
    far = typical * (FAR if len(spread) >= FEW else FAR_OF_FEW)
    if np.count_nonzero(spread > far) > max(MOST_FAR * len(spread), 1):
        far = np.inf
    squares, dof = 0.0, 0
    for row in centred:
        kept = row[np.abs(row) <= far] if len(row) > 2 else row
        if len(kept) > 1:
            squares += float(((kept - kept.mean()) ** 2).sum())
            dof += len(kept) - 1
    return _Scatter(squares / dof if dof else 0.0, dof)


def _test_scatters(evidence: Iterable[Evidence], cells: dict[Kind, _Scatter]) -> dict[Kind, _Scatter]:
    """The variance that the cells of one test share beyond the variance of like cores in all tests, by kind; 0 degrees of freedom for
    fewer than two tests."""
    by_kind: dict[Kind, list[Evidence]] = defaultdict(list)
    of_role: dict[tuple[Metric, str], list[Evidence]] = defaultdict(list)
    for one in evidence:
        by_kind[one.kind].append(one)
        of_role[one.kind[:2]].append(one)
    return {kind: _with_others(_offsets(found, cells[kind]), _offsets(of_role[kind[:2]], cells[kind])) for kind, found in by_kind.items()}


def _with_others(own: _Scatter, whole: _Scatter) -> _Scatter:
    """The variance of all tests of a role together if parallel and serial tests differ alike, because a few tests estimate their own
    badly."""
    if not own.dof or own.variance <= 0 or whole.variance <= 0:
        return whole if not own.dof else own if own.variance > whole.variance else whole
    alike = f_exceeded(UNLIKE_P / 2, whole.dof, own.dof), f_exceeded(UNLIKE_P / 2, own.dof, whole.dof)
    return whole if 1 / alike[1] < whole.variance / own.variance < alike[0] else own


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
    """The pooled residual variance of the queue models of all tests."""
    by_test = {one.row.test: one.residual for one in terms}
    dof = sum(dof for _, dof in by_test.values())
    return _Scatter(sum(left for left, _ in by_test.values()) / dof if dof else 0.0, dof)
