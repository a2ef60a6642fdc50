# SPDX-License-Identifier: BSD-3-Clause
"""One CPU's wake-ups by one tool, as a side of a comparison: in ns or instructions, whatever a tick is worth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from latlab.core.model.distributions import Distribution
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import Run
from latlab.core.statistics.weighted import Weighted, weighted

SPANS = {Metric.TASK_WAKEUP: "wake-up", Metric.STALL: "stall"}
_PARTS = 1_000_000


@dataclass(frozen=True)
class Side:
    """`counted` is None where only minimum, average and maximum are known, `interval` where nobody says when wake-ups were due."""

    distribution: Distribution
    tick_value: float
    counted: Weighted | None
    interval: float | None

    @cached_property
    def blocks(self) -> tuple[Weighted, ...]:
        """Equal parts in time, none where the order of the spans is not known."""
        blocks_weighted = (
            weighted(replace(self.distribution, counts=counts, beyond=0), self.tick_value) for counts in self.distribution.blocks
        )
        return tuple(block for block in blocks_weighted if block is not None)

    @property
    def minimum(self) -> float:
        return self.distribution.minimum_ticks * self.tick_value

    @property
    def maximum(self) -> float:
        return self.distribution.maximum_ticks * self.tick_value

    @property
    def average(self) -> float:
        return self.distribution.average_ticks * self.tick_value

    @property
    def resolution(self) -> float:
        return self.distribution.resolution_ticks * self.tick_value

    @property
    def due(self) -> int:
        return self.distribution.expected or self.distribution.got + (self.distribution.missed or 0)

    @property
    def total(self) -> int:
        """How many wake-ups were measured."""
        return self.counted.total if self.counted is not None else self.due

    @property
    def missed_rate(self) -> float | None:
        """Missed periods per million that were due."""
        return None if self.distribution.missed is None or not self.due else self.distribution.missed * _PARTS / self.due


def side_of(run: Run, distribution: Distribution) -> Side:
    interval = run.conditions.interval_ns
    scale = run.tick.value if run.tick.clock is not Clock.TIME else 1.0
    return Side(distribution, run.tick.value, weighted(distribution, run.tick.value), interval * scale if interval else None)


def spans_of(side: Side) -> str:
    """What is counted: a wake-up, or a stall of a busy loop."""
    return SPANS.get(side.distribution.metric, "span")
