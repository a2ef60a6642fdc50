# SPDX-License-Identifier: BSD-3-Clause
"""The tests of rows of spans if the runs have fewer than four boots together: the core is the sampling unit, by its median over the boots.

1. A row's shift is the mean of the differences of its cores. Their variance is pooled over the rows of one metric and role, separately for
   parallel and serial tests, without outlying cores. If it has fewer than four degrees of freedom, it is shrunk towards the variance of the
   metric with the weight of four.
2. A wake-up may be longer in one boot for all cores of a test. One table cannot separate this offset from a change of the test. The
   variance of the offset is the variance of the tests' means in a cluster, minus the part that their cores explain. It is shrunk towards an
   assumed share of the threshold, and is at most 3.3 thresholds or the variance of a core. A metric of one test has the assumption alone.
   It is larger there: PSCI_VERSION differs by a third between releases that did not change it.
3. Student's t of both variances together, with degrees of freedom by Satterthwaite's rule (1946). They are at most eight, because tails may
   be heavier than normal. Terms of queue models have the residual variance of the fits in place of the cores' variance.
4. A group is tested by the mean of its rows weighted by their precision. Within a group that changed, a row is tested by its cores alone.

What holds waits or the first caller, all cores by position, is not tested: one boot is one draw of the order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latlab.core.comparison.comparison import Row
from latlab.core.model.enums import Metric
from latlab.core.statistics.moderated_t import Prior, steady_variance, t_shift
from latlab.core.statistics.sample_matrix import Floats
from latlab.core.statistics.statistics import Shift
from latlab.psci.analysis.variance_estimate import UNJUDGED, Evidence, Kind, Pooled

ASSUMED_OFFSET = 0.25
ASSUMED_OF_ONE_TEST = 1.5
ASSUMED_OF_TERM = 0.25
"""Standard deviations of an offset, in thresholds, before the tests show one."""
WEIGHT = 4.0
"""Degrees of freedom that an assumption, or the variance of the metric, counts as."""

LEAST_SHARE = 0.5
"""Of a threshold: what the difference of one core scatters by at least."""

MOST_DOF = 8.0
MOST_DOF_OF_GROUP = 30.0
ALONE = 10 / 3
"""How many thresholds a row has to move by where nothing moved with it."""
TOGETHER = 2.0
"""How many thresholds it has to move by where other tests did. Juno's wake-ups of v2.12 lie 4.8 % below those of v2.10 in two tests, and
none of their code changed: one boot does not tell less from a change."""
FAR = 5.0
FAR_OF_FEW = 20.0
"""Deviations from the median of its row at which a core is an outlier; a deviation is not well known from fewer than `FEW` cores."""
FEW = 7
MOST_FAR = 1 / 8
"""The share of cores above which they are no outliers but a second mode."""
_MAD = 1.4826
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class Variance:
    """An estimate with its degrees of freedom; none is known below one."""

    value: float
    dof: float


UNKNOWN = Variance(np.inf, 0.0)
NONE = Variance(0.0, 0.0)


class ByCore:
    """The tests of two runs of one boot each."""

    stop_p = 0.01

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._evidence = evidence
        groups = [row_evidence for row_evidence in evidence if not row_evidence.row.is_term]
        self._cells = _cell_variances(groups)
        self._scattering = {row_evidence.kind for row_evidence in groups if len(row_evidence.differences) > 1}
        self._offsets = _offset_variances(groups, self._cells)
        tests = dict.fromkeys((row_evidence.row.metric, row_evidence.row.test) for row_evidence in groups)
        self._of_one_test = {metric for metric, count in Counter(metric for metric, _ in tests).items() if count == 1}
        self._fit = _fit_variance(row_evidence for row_evidence in evidence if row_evidence.row.is_term)
        self._parts = [self._variances(row_evidence) for row_evidence in evidence]
        self._moved = np.array([_moved(row_evidence) for row_evidence in evidence])

    def shifts(self) -> list[Shift]:
        return [t_shift(moved, *_sum(*parts, MOST_DOF)) for moved, parts in zip(self._moved, self._parts, strict=True)]

    def of_group(self, group: Sequence[int]) -> Pooled:
        """Rows of one test share the offset of that test."""
        rows = list(group)
        parts = [self._parts[i] for i in rows]
        if any(not np.isfinite(cell_variance.value) for cell_variance, _ in parts):
            return UNJUDGED
        weights = np.array([1 / max(cell_variance.value + offset.value, _TINY) for cell_variance, offset in parts])
        weights /= weights.sum()
        dof = sum({self._evidence[i].kind: cell_variance.dof for i, (cell_variance, _) in zip(rows, parts, strict=True)}.values())
        of_cells = Variance(float(weights**2 @ [cells.value for cells, _ in parts]), dof)
        by_test: dict[str, float] = defaultdict(float)
        for i, weight in zip(rows, weights, strict=True):
            by_test[self._evidence[i].row.test] += weight
        shared = float(np.mean([offset.value for _, offset in parts])) * sum(weight**2 for weight in by_test.values())
        shift = t_shift(float(weights @ self._moved[rows]), *_sum(of_cells, Variance(shared, parts[0][1].dof), MOST_DOF_OF_GROUP))
        judged = [self._evidence[i].row for i in rows]
        before, threshold = (float(weights @ values) for values in zip(*((row.before, row.threshold) for row in judged), strict=True))
        return Pooled(shift, before, threshold if len(by_test) > 1 else threshold * ALONE)

    def least_together(self, row: int) -> float:
        judged_row = self._evidence[row].row
        return judged_row.threshold * (1.0 if judged_row.is_term else TOGETHER)

    def cells(self) -> list[list[Shift]]:
        """One boot shows no change of a single data point."""
        unknown = t_shift(0.0, np.inf, 0.0)
        return [[unknown] * len(row_evidence.row.cells) for row_evidence in self._evidence]

    def of_cells(self, cells: Sequence[tuple[int, int]]) -> Pooled:
        """By what one core moved by in its tests, each over its threshold. Nothing of it is pooled with other cores, of which some may have
        moved too; two tests show no scatter."""
        moved = [self._evidence[i].row.cells[j] for i, j in cells]
        shares = np.array([cell.difference / cell.threshold for cell in moved])
        threshold = float(np.mean([cell.threshold for cell in moved]))
        dof = len(shares) - 1.0
        variance = max(float(shares.var(ddof=1)), LEAST_SHARE**2) / len(shares) if len(shares) > 2 else np.inf
        return Pooled(
            t_shift(float(shares.mean()) * threshold, variance * threshold**2, dof),
            float(np.mean([cell.before for cell in moved])),
            threshold,
        )

    def own_p(self, row: int) -> float:
        """By its cores alone, as its group accounts for what the cores of a test share. Nothing is shown of a kind of single cores: what
        others of the metric scatter by, in serial tests say, is not theirs."""
        row_evidence = self._evidence[row]
        if not row_evidence.row.is_term and row_evidence.kind not in self._scattering:
            return 1.0
        return t_shift(self._moved[row], *_sum(self._parts[row][0], NONE, MOST_DOF)).p

    def least(self, row: int) -> float:
        judged_row = self._evidence[row].row
        return judged_row.threshold * (1.0 if judged_row.is_term else ALONE)

    def shown(self, row: int) -> Row:
        """Each cell with what it scatters by; one sample is never a verdict."""
        row_evidence = self._evidence[row]
        if row_evidence.row.is_term:
            return replace(row_evidence.row, basis=f"fit, {self._fit.dof:.0f} degrees of freedom")
        of_cells, offset = self._parts[row]
        of_cell = _sum(Variance(of_cells.value * len(row_evidence.differences), of_cells.dof), offset, MOST_DOF)
        cells = tuple(replace(cell, shift=t_shift(cell.difference, *of_cell)) for cell in row_evidence.row.cells)
        return replace(
            row_evidence.row,
            basis=f"{int((row_evidence.differences > 0).sum())} of {len(row_evidence.differences)} data points rose",
            cells=cells,
        )

    def _variances(self, row_evidence: Evidence) -> tuple[Variance, Variance]:
        """Of the mean of its cores: their own, and that of what the cores of a test share."""
        if row_evidence.row.is_term:
            assumed = (ASSUMED_OF_TERM * row_evidence.row.threshold) ** 2
            return Variance((row_evidence.scale or 0.0) ** 2 * self._fit.value, self._fit.dof), Variance(assumed, MOST_DOF)
        if row_evidence.row.is_whole:
            return UNKNOWN, UNKNOWN
        of_cells, tests = self._cells[row_evidence.kind], self._offsets[row_evidence.kind]
        if not of_cells.dof and not tests.dof:
            return UNKNOWN, UNKNOWN
        share = ASSUMED_OF_ONE_TEST if row_evidence.row.metric in self._of_one_test else ASSUMED_OFFSET
        assumed = (share * row_evidence.row.threshold) ** 2
        offset = Variance(assumed, MOST_DOF)
        if tests.dof:
            # What cores share is a few thresholds, or as much as each of them scatters by.
            plausible = min(tests.value, max((ALONE * row_evidence.row.threshold) ** 2, of_cells.value))
            offset = Variance(*Prior(assumed, WEIGHT).moderate(plausible, tests.dof))
        return Variance(of_cells.value / len(row_evidence.differences), of_cells.dof), offset


def _moved(row_evidence: Evidence) -> float:
    return row_evidence.row.after - row_evidence.row.before if row_evidence.row.is_term else float(np.mean(row_evidence.differences))


def _sum(first: Variance, second: Variance, most_dof: float) -> tuple[float, float]:
    """The sum of two variances and its degrees of freedom by Satterthwaite's rule."""
    if not np.isfinite(first.value):
        return np.inf, 0.0
    parts = [part for part in (first, second) if part.dof]
    variance = sum(part.value for part in parts)
    uncertain = sum(part.value**2 / part.dof for part in parts)
    return variance, min(variance**2 / uncertain if uncertain else most_dof, most_dof)


def _cell_variances(evidence: Iterable[Evidence]) -> dict[Kind, Variance]:
    """How far the differences of like cores lie from their row's, by kind, drawn towards that of the whole metric."""
    by_kind: dict[Kind, list[Floats]] = defaultdict(list)
    of_metric: dict[Metric, list[Floats]] = defaultdict(list)
    for row_evidence in evidence:
        by_kind[row_evidence.kind].append(row_evidence.differences)
        of_metric[row_evidence.row.metric].append(row_evidence.differences)
    out = {}
    for kind, rows in by_kind.items():
        of_cells, whole = _pooled(rows), _pooled(of_metric[kind[0]])
        variance, dof = Prior(whole.value, min(whole.dof, WEIGHT) if of_cells.dof < WEIGHT else 0.0).moderate(of_cells.value, of_cells.dof)
        out[kind] = Variance(variance if dof else 0.0, dof)
    return out


def _pooled(rows: Sequence[Floats]) -> Variance:
    """The variance within rows. Cells that lie five deviations from their row's median are left out: they are for the row to tell. Of few
    cells the deviation is not known well, and only those twenty off are. Where they are many they are no exceptions but a second mode."""
    centred = [row - np.median(row) for row in rows if len(row) > 1]
    if not centred:
        return Variance(0.0, 0.0)
    spread = np.abs(np.concatenate(centred))
    typical = _MAD * float(np.median(spread[spread > 0])) if (spread > 0).any() else 0.0
    far = typical * (FAR if len(spread) >= FEW else FAR_OF_FEW)
    if np.count_nonzero(spread > far) > max(MOST_FAR * len(spread), 1):
        far = np.inf
    squares, dof = 0.0, 0
    for row in centred:
        near = row[np.abs(row) <= far] if len(row) > 2 else row
        if len(near) > 1:
            squares += float(((near - near.mean()) ** 2).sum())
            dof += len(near) - 1
    return Variance(squares / dof if dof else 0.0, dof)


def _offset_variances(evidence: Iterable[Evidence], cells: dict[Kind, Variance]) -> dict[Kind, Variance]:
    """What the cores of one test have in common beyond what like cores have in all tests. The tests of a kind are too few to say that of
    themselves, so it is of all tests of a role; no freedom below two tests."""
    of_role: dict[tuple[Metric, str], list[Evidence]] = defaultdict(list)
    for row_evidence in evidence:
        of_role[row_evidence.kind[:2]].append(row_evidence)
    return {kind: _offsets(of_role[kind[:2]], cell_variance) for kind, cell_variance in cells.items()}


def _offsets(members: list[Evidence], cells: Variance) -> Variance:
    clusters: dict[int | None, list[float]] = defaultdict(list)
    for row_evidence in members:
        clusters[row_evidence.row.cluster].append(_moved(row_evidence))
    usual = {cluster: float(np.median(moved)) for cluster, moved in clusters.items()}
    residuals: dict[str, list[float]] = defaultdict(list)
    sizes: dict[str, int] = defaultdict(int)
    for row_evidence in members:
        if len(clusters[row_evidence.row.cluster]) > 1:
            residuals[row_evidence.row.test].append(_moved(row_evidence) - usual[row_evidence.row.cluster])
            sizes[row_evidence.row.test] += len(row_evidence.differences)
    if len(residuals) < 2:
        return Variance(0.0, 0.0)
    variance, dof = steady_variance(np.array([np.mean(values) for values in residuals.values()]))
    by_cells = cells.value / float(np.mean(list(sizes.values()))) if cells.dof else 0.0
    return Variance(max(variance - by_cells, 0.0), dof)


def _fit_variance(terms: Iterable[Evidence]) -> Variance:
    """The residual variance of the ladders of all tests."""
    by_test = {row_evidence.row.test: row_evidence.residual for row_evidence in terms}
    dof = sum(dof for _, dof in by_test.values())
    return Variance(sum(residual for residual, _ in by_test.values()) / dof if dof else 0.0, dof)
