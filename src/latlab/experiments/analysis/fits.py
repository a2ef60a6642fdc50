# SPDX-License-Identifier: BSD-3-Clause
"""The linear model of an experiment: ordinary least squares by statsmodels, and contrasts of it with Student's intervals.

Levels are columns whose terms sum to zero over the levels of each factor. So an effect is a difference of means over all levels of the
others, and means the same in a model with interactions as in one without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from latlab.core.model.experiment import Factor, Trial
from latlab.core.statistics.sample_matrix import Floats
from latlab.experiments.analysis.result import Estimate

ALPHA = 0.05
FEWEST_FREE = 3
_TINY = 1e-9

Term = tuple[int, ...]


@dataclass(frozen=True)
class Fit:
    """`free` is 0 where the model leaves nothing to know the noise from, or where there is none: then `error` is 0."""

    factors: tuple[Factor, ...]
    terms: tuple[Term, ...]
    matrix: Floats
    fitted: Any
    free: int
    exact: bool

    @property
    def noise(self) -> float:
        """The standard deviation of a run."""
        return float(np.sqrt(self.fitted.scale)) if self.free and not self.exact else 0.0

    def main(self, at: int, level: str) -> Estimate:
        return self._estimate({(at,): {at: self._step(at, level)}})

    def main_where(self, at: int, level: str, other: int, other_level: str) -> Estimate:
        """The effect of a level where another factor has this one."""
        step, other_step = self._step(at, level), coded(self.factors[other], other_level)
        return self._estimate({(at,): {at: step}, _pair(at, other): {at: step, other: other_step}})

    def interaction(self, at: int, level: str, other: int, other_level: str) -> Estimate:
        """By how much the effect of a level differs between a level of another factor and its first one."""
        return self._estimate({_pair(at, other): {at: self._step(at, level), other: self._step(other, other_level)}})

    def has(self, at: int, other: int) -> bool:
        return _pair(at, other) in self.terms

    def _step(self, at: int, level: str) -> Floats:
        factor = self.factors[at]
        return coded(factor, level) - coded(factor, factor.levels[0])

    def _estimate(self, parts: dict[Term, dict[int, Floats]]) -> Estimate:
        row = contrast_of(self.factors, self.terms, parts, self.matrix.shape[1])
        value = float(row @ self.fitted.params)
        if self.exact:
            return Estimate(value, value, value, 0.0, 0.0 if abs(value) > _TINY else 1.0)
        if not self.free or not self._is_estimable(row):
            return Estimate(value, -np.inf, np.inf, np.inf, 1.0)
        tested = self.fitted.t_test(row)
        error = float(np.squeeze(tested.sd))
        if error < _TINY * max(1.0, abs(value)):
            return Estimate(value, value, value, 0.0, 0.0 if abs(value) > _TINY else 1.0)
        low, high = (float(end) for end in np.squeeze(tested.conf_int(ALPHA)))
        return Estimate(value, low, high, error, float(np.squeeze(tested.pvalue)))

    def _is_estimable(self, row: Floats) -> bool:
        """Whether runs that are missing leave the contrast in what was measured."""
        return bool(np.allclose(row, row @ np.linalg.pinv(self.matrix) @ self.matrix, atol=1e-6))


def fit(factors: Sequence[Factor], trials: Sequence[Trial], values: Floats, exact: bool) -> Fit:
    """All pairs of factors interact where enough runs are left to know the noise, else none; without noise, all factors together."""
    from statsmodels.api import OLS

    orders = [len(factors)] if exact else [min(2, len(factors)), 1]
    for order in orders:
        terms = terms_of(factors, order)
        matrix = matrix_of(factors, terms, trials)
        free = len(trials) - int(np.linalg.matrix_rank(matrix))
        if exact or free >= FEWEST_FREE or order == 1:
            break
    return Fit(tuple(factors), terms, matrix, OLS(values, matrix).fit(), free, exact)


def _pair(at: int, other: int) -> Term:
    return (at, other) if at < other else (other, at)


def terms_of(factors: Sequence[Factor], order: int) -> tuple[Term, ...]:
    """Each factor, then each pair, up to `order` factors together; the numbers are places in `factors`."""
    return tuple(term for size in range(1, order + 1) for term in combinations(range(len(factors)), size))


def coded(factor: Factor, level: str) -> Floats:
    """One column less than there are levels."""
    at, last = factor.levels.index(level), len(factor.levels) - 1
    return -np.ones(last) if at == last else np.eye(last)[at]


def matrix_of(factors: Sequence[Factor], terms: Sequence[Term], trials: Sequence[Trial]) -> Floats:
    """The constant, the terms, then what each replicate adds."""
    replicates = Factor("replicate", tuple(str(number) for number in sorted({trial.replicate for trial in trials})))
    rows = [
        np.concatenate(
            [
                np.ones(1),
                *(_joined([coded(factors[at], trial.levels[at]) for at in term]) for term in terms),
                coded(replicates, str(trial.replicate)) if len(replicates.levels) > 1 else np.zeros(0),
            ]
        )
        for trial in trials
    ]
    return np.array(rows)


def contrast_of(factors: Sequence[Factor], terms: Sequence[Term], parts: Mapping[Term, Mapping[int, Floats]], width: int) -> Floats:
    """A row that takes the columns of each named term, weighted by the Kronecker product of its factors' parts, and nothing of others."""
    row = np.zeros(width)
    start = 1
    for term in terms:
        size = int(np.prod([len(factors[at].levels) - 1 for at in term]))
        if term in parts:
            row[start : start + size] = _joined([parts[term][at] for at in term])
        start += size
    return row


def _joined(columns: Sequence[Floats]) -> Floats:
    product: Floats = np.ones(1)
    for column in columns:
        product = np.asarray(np.kron(product, column))
    return product
