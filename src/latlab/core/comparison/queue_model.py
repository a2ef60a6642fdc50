# SPDX-License-Identifier: BSD-3-Clause
"""The queue model of a parallel test, as terms by position: what it predicts of another order of cores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latlab.core.comparison.ladders import BASE, STEP, Ladders
from latlab.core.statistics.sample_matrix import Floats

SYSTEM_TERM = "last man of the system"


def after_term(cluster: int) -> str:
    return f"after the last man of cluster {cluster}"


def end_term(cluster: int) -> str:
    """The name of the term for two last cores down in direct sequence, whose delays cannot be separated."""
    return f"last men of cluster {cluster} and of the system"


@dataclass(frozen=True)
class DesignMatrix:
    names: tuple[str, ...]
    matrix: Floats


def predict(ladders: Ladders, medians: dict[str, float], row: int = 0) -> Floats:
    """The spans that a model with the terms `medians` predicts for the order and the last cores down of iteration `row` of `ladders`.

    Cores before the queue (head) and terms missing in `medians` give NaN.
    """
    h = int(ladders.head[row])
    clusters = np.array([core.cluster for core in ladders.names_in_order(row)])
    design = design_matrix(h, np.where(ladders.last_man[row], clusters + 1, 0))
    weights = np.array([medians.get(name, np.nan) for name in design.names])
    with np.errstate(invalid="ignore"):
        contributions = np.where(design.matrix == 0, 0.0, design.matrix * weights)
    return np.concatenate([np.full(h, np.nan), contributions.sum(axis=1)])


def design_matrix(head: int, marks: NDArray[np.int64]) -> DesignMatrix:
    """The design matrix for one pattern: `marks` has, by position, the cluster + 1 of each last core down and 0 for all others."""
    n = len(marks)
    places = np.arange(n)
    names = [BASE, STEP]
    terms = [np.ones(n), (places - head).astype(float)]
    clusters, counts = np.unique(marks[marks > 0], return_counts=True)
    single = {int(c) for c, times in zip(clusters, counts, strict=True) if times == 1}
    ends_with_last = int(marks[-1]) in single
    merged = ends_with_last and int(marks[-2]) in single
    for place in range(head, n - 1):
        if int(marks[place]) in single and not (merged and place == n - 2):
            names.append(after_term(int(marks[place]) - 1))
            terms.append((places > place).astype(float))
    if ends_with_last:
        names.append(end_term(int(marks[-2]) - 1) if merged else SYSTEM_TERM)
        terms.append((places == n - 1).astype(float))
    return DesignMatrix(tuple(names), np.column_stack(terms)[head:])
