# SPDX-License-Identifier: BSD-3-Clause
"""The fitted queue models of a parallel test, one for each of its iterations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.core.model.run import CoreId
from latlab.core.statistics.sample_matrix import Bools, Floats, Ints

BASE = "base"
STEP = "step"


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

    def names_in_order(self, row: int = 0) -> tuple[CoreId, ...]:
        return tuple(self.cores[i] for i in self.order[row])
