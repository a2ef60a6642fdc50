# SPDX-License-Identifier: BSD-3-Clause
"""Durations that the firmware itself printed."""

from __future__ import annotations

from dataclasses import dataclass, field

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId


@dataclass(frozen=True, slots=True)
class Figures:
    """The values of one line for one core, in the order of the columns; `line` is the number of the line, 0 if there is none."""

    test: str
    core: CoreId
    values_ns: tuple[tuple[Metric, int], ...]
    line: int = field(default=0, compare=False)
