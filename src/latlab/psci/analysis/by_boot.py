# SPDX-License-Identifier: BSD-3-Clause
"""The tests of rows of spans where the runs have four boots or more together: the boot is the sampling unit.

1. A row's value in a boot is the mean of its cells. Two sets of boots are compared by the moderated t statistic (Smyth 2004):
   t = (mean b - mean a) / sqrt(s^2 (1/n + 1/m)), s^2 = (d0 s0^2 + d s_row^2) / (d0 + d), with d0 + d degrees of freedom. The scaled inverse
   chi-squared prior (s0^2, d0) is fitted to the rows of one metric and role, the parallel and the serial tests apart. Boots may agree by
   chance: s^2 is at least the residual mean square of the two-way layout of boots by cells over the number of cells (Scheffe 1959).
2. What comes in some boots only is compared by the exact Mann-Whitney test (1947), and not at all where its least p-value is too large.
3. A group is tested by O'Brien's OLS statistic (1984), the rows over their standard errors added up by boot: t of these sums, with their
   variance moderated towards that of independent rows, and no less than it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb
from typing import NamedTuple

import numpy as np

from latlab.core.comparison.comparison import Row
from latlab.core.comparison.verdicts import Limits, decide
from latlab.core.statistics.moderated_t import Prior, fit_prior, t_shift
from latlab.core.statistics.sample_matrix import Floats
from latlab.core.statistics.statistics import Shift, cliffs_delta, false_discovery_control, singly, two_sample_shift
from latlab.psci.analysis.variance_estimate import Evidence, Kind

FEWEST_OF_KIND = 3
"""Two variances have no spread of their own to fit a prior to."""
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

    def __init__(self, evidence: Sequence[Evidence], boots: int, alpha: float) -> None:
        self._evidence = evidence
        self._shifts = row_shifts(evidence, boots, alpha)
        places = [(row_evidence, j) for row_evidence in evidence for j in range(len(row_evidence.row.cells))]
        of_cells = moderated_shifts(
            [
                BootMeans(row_evidence.kind, *(side[~np.isnan(side[:, j]), j] for side in (row_evidence.a, row_evidence.b)))
                for row_evidence, j in places
            ]
        )
        adjusted = false_discovery_control([shift.p for shift in of_cells])
        tested = iter(zip(of_cells, adjusted, strict=True))
        self._cells = [[next(tested) for _ in row_evidence.row.cells] for row_evidence in evidence]

    def shifts(self) -> list[Shift]:
        return self._shifts

    def of_group(self, group: Sequence[int]) -> Shift:
        return global_shift([self._evidence[i] for i in group], [self._shifts[i] for i in group])

    def own_p(self, row: int) -> float:
        return self._shifts[row].p

    def least(self, row: int) -> float:
        return self._evidence[row].row.threshold

    def shown(self, row: int, limits: Limits) -> Row:
        """Cells have verdicts of their own, their p-values adjusted over all cells by the method of Benjamini and Hochberg."""
        (a, b), judged_row = self._evidence[row].by_boot, self._evidence[row].row
        tested = zip(judged_row.cells, self._cells[row], strict=True)
        cells = [
            replace(cell, shift=shift, p_adjusted=p, verdict=decide(shift, judged_row.threshold, p, limits.alpha))
            for cell, (shift, p) in tested
        ]
        return replace(judged_row, basis=f"{len(a)} and {len(b)} boots", effect=cliffs_delta(singly(a), singly(b)), cells=tuple(cells))


def row_shifts(evidence: Sequence[Evidence], boots: int, alpha: float) -> list[Shift]:
    """The shift of each row, for two runs with `boots` boots together."""
    moderated = moderated_shifts(
        [BootMeans(row_evidence.kind, *row_evidence.by_boot, row_evidence.cells_a_boot) for row_evidence in evidence]
    )
    return [_row_shift(row_evidence, shift, boots, alpha) for row_evidence, shift in zip(evidence, moderated, strict=True)]


def _row_shift(row_evidence: Evidence, shift: Shift, boots: int, alpha: float) -> Shift:
    a, b = row_evidence.by_boot
    _, dof = _pooled(a, b)
    if row_evidence.row.is_occasional and 2 / comb(len(a) + len(b), len(a)) < alpha:
        return two_sample_shift(a, b, 0.90)
    if row_evidence.row.is_occasional or (len(a) + len(b) < boots and dof < FEWEST_DOF_OF_SOME):
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


def global_shift(evidence: Sequence[Evidence], shifts: Sequence[Shift]) -> Shift:
    """O'Brien's OLS statistic of the rows with the most boots, in their unit: the mean by boot, each row weighted by 1 over its standard
    error."""
    sizes = [(len(row_evidence.by_boot[0]), len(row_evidence.by_boot[1])) for row_evidence in evidence]
    weighed = zip(evidence, (shift.error for shift in shifts), sizes, strict=True)
    usable = [(row_evidence, error) for row_evidence, error, size in weighed if size == max(sizes, key=sum) and 0 < error < np.inf]
    if not usable:
        return t_shift(0.0, np.inf, 0)
    weights = np.array([1 / error for _, error in usable])
    a, b = (np.average([row_evidence.by_boot[side] for row_evidence, _ in usable], axis=0, weights=weights) for side in (0, 1))
    variance, dof = _pooled(a, b)
    independent = len(usable) / float(weights.sum()) ** 2
    squared, free = Prior(independent, INDEPENDENCE).moderate(variance * (1 / len(a) + 1 / len(b)), dof)
    return t_shift(float(b.mean() - a.mean()), max(squared, independent), free)
