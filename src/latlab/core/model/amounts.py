# SPDX-License-Identifier: BSD-3-Clause
"""The contents of a benchmark or noise-meter run: quantities that a tool counted or summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from latlab.core.model.enums import Metric
from latlab.core.model.run import Contents, CoreId, Run


@dataclass(frozen=True, slots=True)
class Amount:
    """One quantity that a tool counted or summed, for one core, or for the whole machine if `core` is None.

    `values` are the repetitions, in the unit of the metric: ns for a duration, percent for availability, numbers for all others.
    `over_s` is the time of each count in seconds, None for quantities that do not grow with time.
    """

    test: str
    metric: Metric
    name: str
    core: CoreId | None
    values: tuple[float, ...]
    over_s: float | None = None


@dataclass(frozen=True, slots=True)
class Amounts(Contents):
    """The contents of a benchmark or noise-meter run. A stored run consists of raw files; amounts and the name of the tool are available
    once these are read."""

    kind: ClassVar[str] = "amounts"

    amounts: tuple[Amount, ...] = ()
    tool: str = ""


def amounts_of(run: Run) -> tuple[Amount, ...]:
    """The amounts of a benchmark or a noise meter; empty for another kind."""
    return run.contents.amounts if isinstance(run.contents, Amounts) else ()
