# SPDX-License-Identifier: BSD-3-Clause
"""One quantity of a run that may be followed over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.model.enums import Metric


@dataclass(frozen=True, slots=True)
class Figure:
    """One quantity of a run: a value for each boot, in `unit` (ns or insns)."""

    test: str
    metric: Metric
    name: str
    unit: str
    values: tuple[float, ...]

    @property
    def value(self) -> float:
        return float(np.median(self.values))

    @property
    def path(self) -> str:
        """`susp_deep_parallel/powerdown/step`: no blanks, so that other tools take it as a name."""
        return "/".join((self.test, self.metric.value, self.name.replace(" ", "-")))
