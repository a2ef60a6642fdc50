# SPDX-License-Identifier: BSD-3-Clause
"""A run for other programs: its summary as CSV, its head as JSON. Whole runs are written by `core.store.run_json`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from latlab.core.comparison.summary import CoreSummary, summarise
from latlab.core.model.run import Run, Spans
from latlab.core.report.renderers import csv, json
from latlab.core.report.units import unit
from latlab.core.store.run_json import head_of

HEAD = (
    "id", "label", "campaign", "target", "platform", "topology", "clock", "tick_value", "tick_unit", "shown_unit", "firmware",
    "events_hash", "build_options", "lead", "status", "capture_cost_ticks", "started_utc", "emulator", "command", "provenance",
    "simulated", "conditions", "source", "facts",
)  # fmt: skip
COLUMNS = ("test", "metric", "cluster", "core", "n", "minimum_ticks", "median_ticks", "maximum_ticks", "mark")


def of_test(run: Run, test: str | None) -> Run:
    """The run with the figures of one test alone; None leaves all."""
    if test is None:
        return run
    samples = tuple(sample for sample in run.samples if sample.test == test)
    return replace(run, contents=Spans(samples, tuple(trace for trace in run.traces if trace.test == test)))


def run_csv(run: Run) -> str:
    """The summary, a line for each test, metric and core."""
    unit_said = f"simulated {run.tick.unit}" if run.is_simulated else run.tick.unit
    rows = [(*_values(row), run.tick.value, unit_said) for row in summarise(run)]
    return csv.lines((*COLUMNS, "tick_value", "tick_unit"), rows)


def runs_json(runs: Iterable[Run], counts: Mapping[str, int]) -> Iterator[str]:
    """The heads of runs, each with how many samples it has: one document, in parts."""
    mark = "["
    for run in runs:
        head = json.document(run_head(run) | {"samples": counts.get(run.id, 0)}).rstrip("\n")
        yield mark + "\n " + head.replace("\n", "\n ")
        mark = ","
    yield "[]\n" if mark == "[" else "\n]\n"


def run_head(run: Run) -> dict[str, Any]:
    """What is known of a run beside its figures."""
    head = msgspec.to_builtins(head_of(run))
    build = {"firmware": run.build.firmware, "events_hash": run.build.events_hash, "build_options": dict(run.build.options)}
    values = head | build | {"shown_unit": unit(run.tick), "facts": dict(run.facts)}
    return {name: values[name] for name in HEAD}


def _values(row: CoreSummary) -> tuple[Any, ...]:
    return (row.test, row.metric.value, row.core.cluster, row.core.core, row.n, row.minimum, row.median, row.maximum, row.mark)
