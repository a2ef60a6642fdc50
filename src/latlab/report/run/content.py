# SPDX-License-Identifier: BSD-3-Clause
"""What every form of a report says of a run: titles, facts, and the rows of each test. The forms only set it."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.analysis.base.summary import Row, ordered_tests, sentence_of, summarise
from latlab.model.enums import Metric, RunStatus
from latlab.model.run import CoreId, Run
from latlab.report.units import CLOCK_NAMES, capture_cost, unit

METRIC_TITLES = {
    Metric.POWERDOWN: "Powerdown",
    Metric.WAKEUP: "Wakeup",
    Metric.CACHE_FLUSH: "Cache Flush",
    Metric.PSCI_CALL: "Latency",
    Metric.TASK_WAKEUP: "Task Wakeup",
    Metric.PSA_CALL: "Cost",
    Metric.IRQ_LATENCY: "Worst Interrupt Latency",
    Metric.MISSED_PERIODS: "Missed Periods",
    Metric.CALL: "Call",
}


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


TITLES = {
    "susp_deep_parallel": TestTitle("CPU_SUSPEND", "to deepest power level", "parallel"),
    "susp_deep_serial": TestTitle("CPU_SUSPEND", "to deepest power level", "serial"),
    "cpu_susp_parallel": TestTitle("CPU_SUSPEND", "to power level 0", "parallel"),
    "cpu_susp_serial": TestTitle("CPU_SUSPEND", "to power level 0", "serial"),
    "cpu_off_serial": TestTitle("CPU_OFF", "on all non-lead CPUs", ""),
    "psci_version_parallel": TestTitle("PSCI_VERSION", "on all cores", "parallel"),
}


FACT_NAMES = {
    "mode": "Mode",
    "cpu": "CPU model",
    "clock_hz": "Counter frequency (Hz)",
    "iterations": "Iterations a test",
    "el": "Payload's exception level",
    "gic": "GIC version",
    "source": "Imported from",
}


@dataclass(frozen=True, slots=True)
class CoreRow:
    """One line of a test's table: a row of the summary for each metric."""

    core: CoreId
    cells: tuple[Row | None, ...]


@dataclass(frozen=True, slots=True)
class TestTable:
    __test__ = False
    test: str
    title: TestTitle
    metrics: tuple[Metric, ...]
    rows: tuple[CoreRow, ...]
    fewest: int
    most: int
    mark: str

    @property
    def n(self) -> str:
        """Samples behind each figure: one number, or a range where the cores differ."""
        return str(self.fewest) if self.fewest == self.most else f"{self.fewest} to {self.most}"

    @property
    def warning(self) -> str:
        return sentence_of(self.mark)


def title_of(test: str) -> TestTitle:
    """Known tests have titles; another keeps its name."""
    return TITLES.get(test, TestTitle(test, "", "parallel" if test.endswith("_parallel") else ""))


def tables_of(run: Run, only: str | None = None) -> tuple[TestTable, ...]:
    """A table for each test in the order in which they ran."""
    rows = summarise(run)
    tests = [test for test in ordered_tests(run.samples) if only in (None, test)]
    return tuple(_table(test, [row for row in rows if row.test == test]) for test in tests)


def facts_of(run: Run) -> tuple[tuple[str, str], ...]:
    """Everything that says what the figures mean, in the order of importance."""
    facts = [
        ("Run", run.id),
        ("Status", _status(run)),
        ("Platform", run.platform),
        ("Target", run.target),
        ("Topology", f"{run.topology} (cores of each cluster)"),
        ("Lead core", str(run.lead) if run.lead else "unknown"),
        ("Clock", CLOCK_NAMES[run.tick.clock]),
        ("Unit", f"{unit(run.tick)}; one tick is {run.tick.value:g} {run.tick.unit.removesuffix('insns') or 'instruction'}"),
        ("Capture cost", f"{capture_cost(run)} a trace point, not subtracted"),
        ("Firmware", run.build.firmware),
        ("Event table", run.build.events_hash or "unknown"),
        ("Started (UTC)", run.started_utc),
        ("Emulator", run.emulator),
        *((FACT_NAMES.get(key, key), value) for key, value in (*run.build.options, *run.facts)),
        ("Command", " ".join(run.command)),
    ]
    return tuple((name, value) for name, value in facts if value)


def _status(run: Run) -> str:
    if run.status is RunStatus.COMPLETE:
        return "complete"
    return f"partial, {len(run.problems)} problem{'s' * (len(run.problems) != 1)}"


def _table(test: str, rows: list[Row]) -> TestTable:
    metrics = tuple(metric for metric in Metric if any(row.metric is metric for row in rows))
    cores = sorted({row.core for row in rows})
    by_key = {(row.core, row.metric): row for row in rows}
    return TestTable(
        test,
        title_of(test),
        metrics,
        tuple(CoreRow(core, tuple(by_key.get((core, metric)) for metric in metrics)) for core in cores),
        min(row.n for row in rows),
        max(row.n for row in rows),
        rows[0].mark,
    )
