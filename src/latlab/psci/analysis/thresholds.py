# SPDX-License-Identifier: BSD-3-Clause
"""The thresholds of a pair of runs: beyond which a shift is a change, and beyond which it must be reported."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.comparison.identity import Pair
from latlab.core.comparison.verdicts import Limits
from latlab.core.model.enums import Clock, Metric
from latlab.core.statistics.sample_matrix import resolution

LARGE_STEPS = 25


@dataclass(frozen=True)
class Spacing:
    """`boots` is the smaller number of boots of the two runs."""

    pair: Pair
    limits: Limits
    boots: int

    def threshold(self, metric: Metric, baseline: float) -> float:
        """The threshold of a change, in ns or instructions. 0 under the instruction clock, unless a tolerance is given."""
        if self.pair.a.tick.is_counted:
            return self.limits.relative_exact * abs(baseline)
        return self.limits.threshold(baseline, self._resolution(metric), self._capture())

    def large(self, metric: Metric, baseline: float) -> float:
        """The size beyond which a change must be reported; `baseline` includes all waits. 0 for an exact clock."""
        if self.pair.a.tick.clock is not Clock.TIME:
            return 0.0
        return max(self.limits.large * abs(baseline), LARGE_STEPS * self._resolution(metric))

    def _resolution(self, metric: Metric) -> float:
        """The resolution of one figure; that of the mean of several boots is finer."""
        coarser = max(resolution(self.pair.a, metric), resolution(self.pair.b, metric))
        return coarser / self.boots**0.5 if self.pair.a.tick.clock is Clock.TIME else coarser

    def _capture(self) -> float:
        a, b = self.pair.a, self.pair.b
        if a.capture_cost_ticks is None or b.capture_cost_ticks is None:
            return 0.0
        return abs(a.capture_cost_ticks * a.tick.value - b.capture_cost_ticks * b.tick.value)
