# SPDX-License-Identifier: BSD-3-Clause
"""What tests and metrics are called in every report."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.model.enums import Metric
from latlab.core.model.run import Run

METRIC_TITLES = {
    Metric.POWERDOWN: "Powerdown",
    Metric.WAKEUP: "Wakeup",
    Metric.CACHE_FLUSH: "Cache Flush",
    Metric.PSCI_CALL: "Latency",
    Metric.TASK_WAKEUP: "Task Wakeup",
    Metric.PSA_CALL: "Cost",
    Metric.IRQ_LATENCY: "Worst Interrupt Latency",
    Metric.MISSED_PERIODS: "Missed Periods",
    Metric.LATE_WAKEUPS: "Late Wake-ups",
    Metric.MISSING_SAMPLES: "Missing Samples",
    Metric.CALL: "Call",
    Metric.BOOT: "Boot",
    Metric.STALL: "Stall",
    Metric.CYCLE: "Cycle",
    Metric.DURATION: "Duration",
    Metric.EVENTS: "Events",
    Metric.THROUGHPUT: "Throughput",
    Metric.AVAILABLE: "Available",
    Metric.VALUE: "Value",
}


METRIC_WORDS = {
    Metric.PSCI_CALL: "PSCI call",
    Metric.PSA_CALL: "PSA call",
    Metric.IRQ_LATENCY: "interrupt latency",
    Metric.TASK_WAKEUP: "task wakeup",
    Metric.LATE_WAKEUPS: "late wake-ups",
    Metric.MISSED_PERIODS: "missed periods",
    Metric.MISSING_SAMPLES: "missing samples",
}
"""In a sentence, those whose name in files is no word."""


@dataclass(frozen=True, slots=True)
class TestTitle:
    """`call` and `scope` make a section's title, `scope` and `how` a table's caption."""

    __test__ = False
    call: str
    scope: str
    how: str

    @property
    def section(self) -> str:
        return f"{self.call} {self.scope}"

    @property
    def full(self) -> str:
        return f"{self.call} {self.scope}{f', in {self.how}' if self.how else ''}"


SIMULATED = "simulated"


def platform_title(run: Run) -> str:
    """The run's platform, with the word that keeps a model's figures from being taken for the board's."""
    return f"{run.platform}, {SIMULATED}" if run.is_simulated else run.platform


TITLES = {
    "susp_deep_parallel": TestTitle("CPU_SUSPEND", "to deepest power level", "parallel"),
    "susp_deep_serial": TestTitle("CPU_SUSPEND", "to deepest power level", "serial"),
    "cpu_susp_parallel": TestTitle("CPU_SUSPEND", "to power level 0", "parallel"),
    "cpu_susp_serial": TestTitle("CPU_SUSPEND", "to power level 0", "serial"),
    "cpu_off_serial": TestTitle("CPU_OFF", "on all non-lead CPUs", ""),
    "psci_version_parallel": TestTitle("PSCI_VERSION", "on all cores", "parallel"),
}


def title_of(test: str) -> TestTitle:
    """Known tests have titles; another keeps its name."""
    return TITLES.get(test, TestTitle(test, "", "parallel" if test.endswith("_parallel") else ""))
