# SPDX-License-Identifier: BSD-3-Clause
"""One quantity of a run that can be followed over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.core.comparison.figure_names import FigureName
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId


@dataclass(frozen=True, slots=True)
class Figure:
    """One quantity of a run: a value for each boot, in `unit` (ns or insns).

    `core` or `cluster` is its owner, if the cells of a comparison have one. `judged_as` is the result row that judges it, if that has
    another name.
    """

    test: str
    metric: Metric
    name: str
    unit: str
    values: tuple[float, ...]
    core: CoreId | None = None
    cluster: int | None = None
    judged_as: str = ""

    @property
    def value(self) -> float:
        return float(np.median(self.values))

    @property
    def called(self) -> FigureName:
        return FigureName(self.test, self.metric.value, self.name)

    @property
    def path(self) -> str:
        return self.called.path
