# SPDX-License-Identifier: BSD-3-Clause
"""The queue models of a parallel test: fitted to each of its iterations, and as terms by position for another order of cores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latlab.core.model.run import CoreId
from latlab.core.statistics.sample_matrix import Bools, Floats, Ints

BASE = "base"
STEP = "step"

SYSTEM_TERM = "last man of the system"


@dataclass(frozen=True)
class DesignMatrix:
    names: tuple[str, ...]
    matrix: Floats


@dataclass(frozen=True)
class Ladders:
    """One fitted queue model for each complete iteration of a parallel test, in ns or instructions.

    `order` has, for each iteration, the columns of `cores` in the order in which they were served; `spans` and `last_man` use this
    order. `terms` are base, step and the extras, NaN in an iteration whose pattern lacks the term. `head` is the number of cores served
    before the queue began. `scales` are the standard errors of the terms for a residual of 1. `residuals` is the residual sum of squares,
    `rms` the root mean square residual, and `share` the share of the variance that the model explains.
    """

    test: str
    cores: tuple[CoreId, ...]
    boots: Ints
    order: Ints
    spans: Floats
    last_man: Bools
    terms: dict[str, Floats]
    scales: dict[str, Floats]
    residuals: Floats
    predicted: Floats
    dof: Ints
    head: Ints
    rms: Floats
    share: Floats

    def place(self, core: CoreId, row: int = 0) -> int:
        """The position, from 0, at which a core was served in one iteration."""
        return int(np.flatnonzero(self.order[row] == self.cores.index(core))[0])

    @property
    def order_varies(self) -> bool:
        """Whether the cores came in another order in some iteration."""
        return bool((self.order != self.order[0]).any())

    def names_in_order(self, row: int = 0) -> tuple[CoreId, ...]:
        return tuple(self.cores[i] for i in self.order[row])


def after_term(cluster: int) -> str:
    return f"after the last man of cluster {cluster}"


def end_term(cluster: int) -> str:
    """The name of the term for two last cores down in direct sequence, whose delays cannot be separated."""
    return f"last men of cluster {cluster} and of the system"


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
