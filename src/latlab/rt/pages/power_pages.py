# SPDX-License-Identifier: BSD-3-Clause
"""A run of power cycles on the terminal and as a document."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from latlab.core.comparison.wording import count
from latlab.core.model.conditions import Mode
from latlab.core.model.run import Run
from latlab.core.report.chart import TEXT, WIDE_PX, Chart, finished, named
from latlab.core.report.colours import of_series
from latlab.core.report.comparison.answer import span_of
from latlab.core.report.facts import begun, method, partial
from latlab.core.report.page import Block, Caution, Facts, Page, Section
from latlab.core.report.renderers import json
from latlab.core.report.table import Column, Table, figures, words
from latlab.core.report.vega import alt
from latlab.rt.analysis.power_cycles import PowerBoundary
from latlab.rt.campaign.power_results import PowerResult
from latlab.rt.model.power_steps import StepKind
from latlab.rt.pages.wakeup_pages import screen_of
from latlab.rt.pages.words import facts_of, mode_of, mode_sentence, us

UNIT = "µs"
BY_TRACE = "Hotplug and suspend latency, by the firmware's trace"
LABEL_PX, ROW_PX = 300, 22
STEP_NAMES = {
    StepKind.OFFLINE: "CPU off: write of 0 to `online`",
    StepKind.ONLINE: "CPU on: write of 1 to `online`",
    StepKind.SUSPEND: "suspend and resume, without the time asleep",
    StepKind.SYNC: "suspend: file systems synchronised",
    StepKind.FREEZE: "suspend: processes frozen",
    StepKind.DEVICES_DOWN: "suspend: devices suspended",
    StepKind.CPUS_DOWN: "suspend: all CPUs off, one after another",
    StepKind.CPUS_UP: "resume: all CPUs on, one after another",
    StepKind.DEVICES_UP: "resume: devices resumed",
    StepKind.THAW: "resume: processes thawed",
}
IN_A_CHART = {
    PowerBoundary.OFF: "CPU_OFF",
    PowerBoundary.ON: "CPU_ON",
    PowerBoundary.IDLE_DOWN: "CPU_SUSPEND, down",
    PowerBoundary.IDLE_UP: "CPU_SUSPEND, up",
    PowerBoundary.SUSPEND: "SYSTEM_SUSPEND, down",
    PowerBoundary.RESUME: "SYSTEM_SUSPEND, up",
}


def power_screen(run: Run, result: PowerResult) -> Page:
    """A run of power boundaries."""
    return screen_of(run, list(power_tables(result)), power_answer(run, result))


def power_document(run: Run, result: PowerResult) -> Page:
    """The same as a document."""
    title = f"Hotplug and suspend latency: {run.platform}"
    blocks: tuple[Block, ...] = (Caution(mode_of(run), mode_sentence(run)), *power_tables(result))
    sections = (*partial(run), Section("Results", blocks), *_charts(result), method(Facts(facts_of(run))))
    lead = (f"Run {run.id}{begun(run)}.",)
    return Page(title, lead, sections, name=f"{title}: {run.id}", answer=power_answer(run, result))


def tables(run: Run, result: PowerResult) -> tuple[Table, ...]:
    """The same for programs, as CSV."""
    return power_tables(result)


def data(run: Run, result: PowerResult) -> str:
    """As JSON: every time in ns, and what is wrong with the run."""
    return json.document(
        {
            "run": run.id,
            "status": run.status.value,
            "problems": [problem.message for problem in run.problems],
            "steps": [{"step": step.kind.value, "cpu": step.cpu, "ns": list(step.ns)} for step in result.steps],
            "firmware": [{"boundary": boundary.boundary.value, "cpu": boundary.cpu, "ns": list(boundary.ns)} for boundary in result.times],
            "remarks": list(result.remarks),
        }
    )


def power_answer(run: Run, result: PowerResult) -> str:
    """A CPU that was lost comes before all figures."""
    if run.problems:
        return f"{run.problems[0].message}."
    times = [*result.steps, *result.times]
    if not times:
        return ""
    if run.conditions.mode is Mode.MULTI_THREAD:
        steps = sum(len(step.ns) for step in result.steps or result.times)
        return f"All {steps} power-state changes were done; multi-threaded emulation cannot measure their duration."
    if not result.steps:
        most = max(result.times, key=lambda timed: max(timed.ns))
        return f"The firmware took {us(max(most.ns))} µs at most: {most.boundary}, CPU {most.cpu}, {count(len(most.ns), 'time')}."
    if _is_of_log(result):
        return _of_phases(result)
    slowest = max(result.steps, key=lambda timed: max(timed.ns))
    whom = "" if slowest.cpu is None else f" of CPU {slowest.cpu}"
    total = sum(len(step.ns) for step in result.steps)
    return f"All {total} power-state changes were done; the longest took {us(max(slowest.ns))} µs: {STEP_NAMES[slowest.kind]}{whom}."


def _of_phases(result: PowerResult) -> str:
    """Of a suspend that the kernel's log splits."""
    whole = next((step for step in result.steps if step.kind is StepKind.SUSPEND), None)
    phases = [step for step in result.steps if step.cpu is None and step.kind is not StepKind.SUSPEND]
    longest = max(phases, key=lambda timed: max(timed.ns), default=None)
    if whole is None or longest is None:
        return ""
    name = STEP_NAMES[longest.kind]
    return f"Suspend and resume took {us(max(whole.ns))} µs without the time asleep; the longest part, {us(max(longest.ns))} µs: {name}."


def power_tables(result: PowerResult) -> tuple[Table, ...]:
    """How long each step took by Linux's clock, then the firmware's part of it by its trace; a source that saw nothing has no table."""
    tables = []
    if result.steps:
        is_of_log = _is_of_log(result)
        rows = tuple((_name(step.kind, is_of_log), *_times(step.cpu, step.ns)) for step in result.steps)
        tables.append(Table(_title(is_of_log), _power_columns("Step"), rows, result.remarks))
    if result.times:
        rows = tuple((boundary.boundary.value, *_times(boundary.cpu, boundary.ns)) for boundary in result.times)
        notes = () if result.steps else result.remarks
        tables.append(Table(BY_TRACE, _power_columns("Boundary"), rows, notes))
    return tuple(tables)


def _charts(result: PowerResult) -> tuple[Section, ...]:
    """Each time that the tables have as a point."""
    is_of_log = _is_of_log(result)
    steps = [(f"{_short(STEP_NAMES[step.kind])}{_of_cpu(step.cpu)}", step.ns) for step in result.steps]
    boundaries = [(f"{IN_A_CHART[boundary.boundary]}{_of_cpu(boundary.cpu)}", boundary.ns) for boundary in result.times]
    charts = [_chart(title, rows) for title, rows in ((_title(is_of_log), steps), (BY_TRACE, boundaries)) if rows]
    return (Section("Each time", named(charts, "power")),) if charts else ()


def _chart(title: str, rows: Sequence[tuple[str, Sequence[float]]]) -> Chart:
    values: list[dict[str, Any]] = [{"step": name, "us": ns / 1000} for name, times in rows for ns in times]
    medians = [{"step": name, "us": statistics.median(times) / 1000} for name, times in rows]
    ends = min(value["us"] for value in values), max(value["us"] for value in values)
    ticks = [digit * 10.0**power for power in range(-3, 10) for digit in (1, 2, 5) if ends[0] <= digit * 10.0**power <= ends[1]]
    axis = alt.Axis(values=ticks, labelBound=True) if len(ticks) > 1 else alt.Axis()
    x = alt.X("us:Q", title=f"duration ({UNIT})", scale=alt.Scale(type="log", nice=False, padding=12), axis=axis)
    y = alt.Y("step:N", title=None, sort=[name for name, _ in rows], axis=alt.Axis(labelLimit=LABEL_PX))
    tips = ["step:N", alt.Tooltip("us:Q", title=UNIT, format=",.1f")]
    points = alt.Chart(alt.InlineData(values=values)).mark_point(filled=True, size=40, opacity=0.6, color=of_series([title])[0])
    middle = alt.Chart(alt.InlineData(values=medians)).mark_tick(thickness=2, color=TEXT)
    layers = alt.layer(*(layer.encode(x=x, y=y, tooltip=tips) for layer in (points, middle)))
    counts = span_of(str(n) for n in sorted({len(times) for _, times in rows}))
    note = f"Each point is one power-state change (n = {counts} in each row); the vertical line is the median."
    return Chart(title, note, finished(layers.properties(width=WIDE_PX - LABEL_PX, height=alt.Step(ROW_PX))))


def _short(name: str) -> str:
    """A step's name without what the table explains: rows of a chart on a phone have two lines."""
    return name.partition(": write")[0].partition(",")[0]


def _of_cpu(cpu: int | None) -> str:
    return "" if cpu is None else f", CPU {cpu}"


def _is_of_log(result: PowerResult) -> bool:
    return any(step.kind is StepKind.SYNC for step in result.steps)


def _name(kind: StepKind, is_of_log: bool) -> str:
    return STEP_NAMES[kind].partition(": write")[0] if is_of_log else STEP_NAMES[kind]


def _title(is_of_log: bool) -> str:
    return "Suspend and resume, by the kernel's log" if is_of_log else "Power cycles, by Linux's monotonic clock"


def _power_columns(first: str) -> tuple[Column, ...]:
    return (*words(first), *figures("CPU", "n"), *figures("Minimum", "Median", "Maximum", unit=UNIT))


def _times(cpu: int | None, ns: Sequence[float]) -> tuple[str, ...]:
    return ("all" if cpu is None else str(cpu), str(len(ns)), us(min(ns)), us(statistics.median(ns)), us(max(ns)))
