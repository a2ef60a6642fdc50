# SPDX-License-Identifier: BSD-3-Clause
"""Levels as columns of a linear model whose terms sum to zero over the levels of each factor, so that an effect is a difference of means
over all levels of the others, and means the same in a model with interactions as in one without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from latlab.core.model.experiment import Factor, Trial
from latlab.core.statistics.sample_matrix import Floats

Term = tuple[int, ...]


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
