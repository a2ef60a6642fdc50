# SPDX-License-Identifier: BSD-3-Clause
"""The tests of rows of spans where the runs have four boots or more together: the boot is the sampling unit.

1. A row's value in a boot is the mean of its cells. Two sets of boots are compared by the moderated t statistic (Smyth 2004):
   t = (mean b - mean a) / sqrt(s^2 (1/n + 1/m)), s^2 = (d0 s0^2 + d s_row^2) / (d0 + d), with d0 + d degrees of freedom. The scaled inverse
   chi-squared prior (s0^2, d0) is fitted to the rows of one metric and role, the parallel and the serial tests apart. Boots may agree by
   chance: s^2 is at least the residual mean square of the two-way layout of boots by cells over the number of cells (Scheffe 1959).
2. Data points have the same test, and the same prior of their kind. All samples of a test by position have no less than the exact
   p-value of Mann and Whitney (1947): nothing else shows what a first caller or a queue scatters by.
3. A group, of rows or of data points, is tested by O'Brien's OLS statistic (1984), its parts over their standard errors added up by boot: t
   of these sums, with their variance moderated towards that of independent parts, and no less than it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from latlab.core.comparison.comparison import Row
from latlab.core.statistics.moderated_t import Prior, fit_prior, t_shift
from latlab.core.statistics.sample_matrix import Floats
from latlab.core.statistics.statistics import Shift, cliffs_delta, singly, two_sample_shift
from latlab.psci.analysis.variance_estimate import UNJUDGED, Evidence, Kind, Pooled

FEWEST_OF_KIND = 3
"""Two variances have no spread of their own to fit a prior to."""
FEWEST_BOOTS = 2
"""Of a run that has more: nobody knows what a single value would scatter by."""
FEWEST_DOF_OF_SOME = 4
"""Below four degrees of freedom a variance is not known to a factor of two."""
INDEPENDENCE = 4.0
"""Degrees of freedom that the independence of a group's rows counts as: as much as three boots of each run show."""


class BootMeans(NamedTuple):
    """Values of the boots of both runs; each is the mean of so many `cells`."""

    kind: Kind
    a: Floats
    b: Floats
    cells: float = 1.0


class ByBoot:
    """The tests of two runs that have so many boots together."""

    stop_p = 0.0

    def __init__(self, evidence: Sequence[Evidence], boots: int) -> None:
        self._evidence = evidence
        self._shifts = row_shifts(evidence, boots)
        places = [(part, j) for part in evidence if not part.row.is_whole for j in range(len(part.row.cells))]
        of_cells = cell_shifts(
            [
                BootMeans(row_evidence.kind, *(side[~np.isnan(side[:, j]), j] for side in (row_evidence.a, row_evidence.b)))
                for row_evidence, j in places
            ],
            boots,
        )
        tested, untested = iter(of_cells), t_shift(0.0, np.inf, 0)
        self._cells = [[untested if part.row.is_whole else next(tested) for _ in part.row.cells] for part in evidence]

    def shifts(self) -> list[Shift]:
        return self._shifts

    def of_group(self, group: Sequence[int]) -> Pooled:
        return pooled_shift(
            [
                PooledPart(*row_evidence.by_boot, self._shifts[i].error, row_evidence.row.before, row_evidence.row.threshold)
                for i, row_evidence in ((i, self._evidence[i]) for i in group)
            ]
        )

    def cells(self) -> list[list[Shift]]:
        return self._cells

    def of_cells(self, cells: Sequence[tuple[int, int]]) -> Pooled:
        parts = []
        for i, j in cells:
            row_evidence, cell = self._evidence[i], self._evidence[i].row.cells[j]
            a, b = (side[~np.isnan(side[:, j]), j] for side in (row_evidence.a, row_evidence.b))
            parts.append(PooledPart(a, b, self._cells[i][j].error, cell.before, cell.threshold))
        return pooled_shift(parts)

    def own_p(self, row: int) -> float:
        return self._shifts[row].p

    def least(self, row: int) -> float:
        return self._evidence[row].row.threshold

    def least_together(self, row: int) -> float:
        return self._evidence[row].row.threshold

    def shown(self, row: int) -> Row:
        (a, b), judged_row = self._evidence[row].by_boot, self._evidence[row].row
        return replace(judged_row, basis=f"{len(a)} and {len(b)} boots", effect=cliffs_delta(singly(a), singly(b)))


def cell_shifts(samples: Sequence[BootMeans], boots: int) -> list[Shift]:
    """The moderated t of single data points, of which the boots of a few agree by chance among so many: no variance is less than the mean
    of its kind, nor than its own. A data point that most boots lack, or all but one of a run, has no test."""
    pooled = [_pooled(sample.a, sample.b) for sample in samples]
    by_kind: dict[Kind, list[tuple[float, int]]] = defaultdict(list)
    for sample, estimate in zip(samples, pooled, strict=True):
        by_kind[sample.kind].append(estimate)
    means = {kind: sum(variance * dof for variance, dof in of) / max(sum(dof for _, dof in of), 1) for kind, of in by_kind.items()}
    out = []
    for sample, shift, (variance, dof) in zip(samples, moderated_shifts(samples), pooled, strict=True):
        if len(sample.a) + len(sample.b) < boots and (dof < FEWEST_DOF_OF_SOME or min(len(sample.a), len(sample.b)) < FEWEST_BOOTS):
            out.append(t_shift(shift.value, np.inf, 0))
            continue
        least = max(variance, means[sample.kind]) * (1 / len(sample.a) + 1 / len(sample.b))
        out.append(shift if shift.error**2 >= least else t_shift(shift.value, least, shift.dof))
    return out


def row_shifts(evidence: Sequence[Evidence], boots: int) -> list[Shift]:
    """The shift of each row, for two runs with `boots` boots together."""
    moderated = moderated_shifts(
        [BootMeans(row_evidence.kind, *row_evidence.by_boot, row_evidence.cells_a_boot) for row_evidence in evidence]
    )
    return [_row_shift(row_evidence, shift, boots) for row_evidence, shift in zip(evidence, moderated, strict=True)]


def _row_shift(row_evidence: Evidence, shift: Shift, boots: int) -> Shift:
    a, b = row_evidence.by_boot
    _, dof = _pooled(a, b)
    if row_evidence.row.is_whole:
        return replace(shift, p=max(shift.p, two_sample_shift(a, b).p))
    if len(a) + len(b) < boots and (dof < FEWEST_DOF_OF_SOME or min(len(a), len(b)) < FEWEST_BOOTS):
        return t_shift(shift.value, np.inf, 0)
    least = row_evidence.of_cells * (
        1 / len(a) + 1 / len(b)
    )  # which the cells of few boots show about half as surely as the boots do theirs
    return shift if shift.error**2 >= least else t_shift(shift.value, least, shift.dof + dof / 2)


def moderated_shifts(samples: Sequence[BootMeans]) -> list[Shift]:
    """The moderated t (Smyth 2004) of each sample. The prior is the variance of one cell, fitted to the samples of its kind with the
    most boots; to those of the whole metric if a kind has too few."""
    spread = [(variance * sample.cells, dof) for sample in samples for variance, dof in [_pooled(sample.a, sample.b)]]
    kinds = {sample.kind: [i for i, other in enumerate(samples) if other.kind == sample.kind] for sample in samples}
    metrics = {kind: [i for i, sample in enumerate(samples) if sample.kind[0] is kind[0]] for kind in kinds}
    spread_of = {
        kind: [spread[i] for i in (members if len(members) >= FEWEST_OF_KIND else metrics[kind])] for kind, members in kinds.items()
    }
    most = {kind: max(dof for _, dof in spreads) for kind, spreads in spread_of.items()}
    fitted = {kind: np.array([variance for variance, dof in spreads if dof == most[kind] > 0]) for kind, spreads in spread_of.items()}
    priors = {kind: fit_prior(variances, most[kind]) for kind, variances in fitted.items()}
    moderated = [priors[sample.kind].moderate(*pooled) for sample, pooled in zip(samples, spread, strict=True)]
    sizes = [(1 / len(sample.a) + 1 / len(sample.b)) / sample.cells for sample in samples]
    tested = zip(samples, sizes, moderated, strict=True)
    return [t_shift(float(sample.b.mean() - sample.a.mean()), variance * size, dof) for sample, size, (variance, dof) in tested]


def _pooled(a: Floats, b: Floats) -> tuple[float, int]:
    """The pooled variance of one value and its degrees of freedom."""
    dof = max(len(a) + len(b) - 2, 0)
    return (float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()) / dof if dof else 0.0), dof


class PooledPart(NamedTuple):
    """What a pooled test adds up: the boots of both runs, the standard error of their difference, the value before and its threshold."""

    a: Floats
    b: Floats
    error: float
    before: float
    threshold: float


def pooled_shift(parts: Sequence[PooledPart]) -> Pooled:
    """O'Brien's OLS statistic of the parts with the most boots, in their unit: the mean by boot, each part weighted by 1 over its standard
    error. Value and threshold are the means with the same weights."""
    most = max(len(part.a) + len(part.b) for part in parts)
    usable = [part for part in parts if len(part.a) + len(part.b) == most and 0 < part.error < np.inf]
    usable = [part for part in usable if (len(part.a), len(part.b)) == (len(usable[0].a), len(usable[0].b))]
    if not usable or not len(usable[0].a) or not len(usable[0].b):
        return UNJUDGED
    weights = np.array([1 / part.error for part in usable])
    a, b = (np.average([part[side] for part in usable], axis=0, weights=weights) for side in (0, 1))
    before, threshold = (float(np.average([part[field] for part in usable], weights=weights)) for field in (3, 4))
    variance, dof = _pooled(a, b)
    independent = len(usable) / float(weights.sum()) ** 2
    squared, free = Prior(independent, INDEPENDENCE).moderate(variance * (1 / len(a) + 1 / len(b)), dof)
    return Pooled(t_shift(float(b.mean() - a.mean()), max(squared, independent), free), before, threshold)
