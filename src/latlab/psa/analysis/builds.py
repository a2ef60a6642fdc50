# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign build by build: what a call costs and how long an interrupt waits, in instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from latlab.core.model.enums import Metric
from latlab.core.model.run import Run
from latlab.core.model.symbols import Symbols
from latlab.psa.analysis.windows import Window, windows


@dataclass(frozen=True, slots=True)
class BuildResult:
    """One run of the campaign, with the functions of its secure image."""

    run: Run
    symbols: Symbols

    @property
    def name(self) -> str:
        return self.run.build.firmware

    @property
    def windows(self) -> tuple[Window, ...]:
        return windows(self.run, self.symbols)


def whole_instructions(run: Run, ticks: int) -> int:
    """Instructions, to the nearest: the board's timer has 20.48 ticks in one."""
    return round(ticks * run.tick.value)


def cost_range(run: Run, test: str) -> tuple[int, int] | None:
    """The least and the most that a call costs; None where the run has no such test."""
    values = [whole_instructions(run, s.value_ticks) for s in run.samples if s.test == test and s.metric is Metric.PSA_CALL]
    return (min(values), max(values)) if values else None


def worst_latency(run: Run, test: str | None = None) -> int | None:
    """The longest wait over idle; None where nothing was swept."""
    values = [s.value_ticks for s in run.samples if s.metric is Metric.IRQ_LATENCY and test in (None, s.test)]
    return whole_instructions(run, max(values)) if values else None


def cost_tests(runs: Sequence[Run]) -> list[str]:
    """The calls that any of the runs has measured, in their order."""
    return list(dict.fromkeys(s.test for run in runs for s in run.samples if s.metric is Metric.PSA_CALL))
