# SPDX-License-Identifier: BSD-3-Clause
"""A run of power cycles on the terminal and as a document."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from latlab.core.comparison.wording import count
from latlab.core.model.conditions import Mode
from latlab.core.model.run import Run
from latlab.core.report.facts import begun, method, partial
from latlab.core.report.page import Block, Caution, Facts, Page, Section
from latlab.core.report.renderers import json
from latlab.core.report.table import Column, Table, figures, words
from latlab.rt.campaign.power_results import PowerResult
from latlab.rt.model.power_steps import StepKind
from latlab.rt.pages.wakeup_pages import screen_of
from latlab.rt.pages.words import facts_of, mode_of, mode_sentence, us

UNIT = "µs"
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


def power_screen(run: Run, result: PowerResult) -> Page:
    """A run of power boundaries."""
    return screen_of(run, list(power_tables(result)), power_answer(run, result))


def power_document(run: Run, result: PowerResult) -> Page:
    """The same as a document."""
    title = f"Hotplug and suspend latency: {run.platform}"
    blocks: tuple[Block, ...] = (Caution(mode_of(run), mode_sentence(run)), *power_tables(result))
    sections = (*partial(run), Section("Results", blocks), method(Facts(facts_of(run))))
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
    if any(step.kind is StepKind.SYNC for step in result.steps):
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
        is_of_log = any(step.kind is StepKind.SYNC for step in result.steps)
        names = {kind: name.partition(": write")[0] if is_of_log else name for kind, name in STEP_NAMES.items()}
        rows = tuple((names[step.kind], *_times(step.cpu, step.ns)) for step in result.steps)
        title = "Suspend and resume, by the kernel's log" if is_of_log else "Power cycles, by Linux's monotonic clock"
        tables.append(Table(title, _power_columns("Step"), rows, result.remarks))
    if result.times:
        rows = tuple((boundary.boundary.value, *_times(boundary.cpu, boundary.ns)) for boundary in result.times)
        notes = () if result.steps else result.remarks
        tables.append(Table("Hotplug and suspend latency, by the firmware's trace", _power_columns("Boundary"), rows, notes))
    return tuple(tables)


def _power_columns(first: str) -> tuple[Column, ...]:
    return (*words(first), *figures("CPU", "n"), *figures("Minimum", "Median", "Maximum", unit=UNIT))


def _times(cpu: int | None, ns: Sequence[float]) -> tuple[str, ...]:
    return ("all" if cpu is None else str(cpu), str(len(ns)), us(min(ns)), us(statistics.median(ns)), us(max(ns)))
