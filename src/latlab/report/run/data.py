# SPDX-License-Identifier: BSD-3-Clause
"""A run for other programs: JSON and CSV of the summary."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from latlab.analysis.base.summary import Row, summarise
from latlab.model.run import Run
from latlab.report.units import unit

COLUMNS = ("test", "metric", "cluster", "core", "n", "minimum_ticks", "median_ticks", "maximum_ticks", "mark")


def run_json(run: Run, only: str | None = None) -> str:
    """The run's facts, its summary in ticks, and its samples."""
    samples = [s for s in run.samples if only in (None, s.test)]
    document = run_facts(run) | {
        "summary": [dict(zip(COLUMNS, _values(row), strict=True)) for row in summarise(run) if only in (None, row.test)],
        "samples": [[s.test, s.metric.value, s.core.cluster, s.core.core, s.boot, s.iteration, s.value_ticks] for s in samples],
        "problems": [{"line": problem.line, "message": problem.message} for problem in run.problems],
    }
    return json.dumps(document, indent=1) + "\n"


def runs_json(runs: Iterable[Run], counts: Mapping[str, int]) -> str:
    return json.dumps([run_facts(run) | {"samples": counts.get(run.id, 0)} for run in runs], indent=1) + "\n"


def run_csv(run: Run, only: str | None = None) -> str:
    """The summary, a line for each test, metric and core."""
    rows = [(*_values(row), run.tick.value, run.tick.unit) for row in summarise(run) if only in (None, row.test)]
    return _csv((*COLUMNS, "tick_value", "tick_unit"), rows)


def runs_csv(runs: Iterable[Run], counts: Mapping[str, int]) -> str:
    columns = ("id", "started_utc", "target", "platform", "topology", "clock", "status", "samples", "firmware")
    rows = [
        (r.id, r.started_utc, r.target, r.platform, r.topology, r.tick.clock.value, r.status.value, counts.get(r.id, 0), r.build.firmware)
        for r in runs
    ]
    return _csv(columns, rows)


def run_facts(run: Run) -> dict[str, Any]:
    """What is known of a run beside its figures."""
    return {
        "id": run.id,
        "campaign": run.campaign,
        "target": run.target,
        "platform": run.platform,
        "topology": list(run.topology.clusters),
        "clock": run.tick.clock.value,
        "tick_value": run.tick.value,
        "tick_unit": run.tick.unit,
        "shown_unit": unit(run.tick),
        "firmware": run.build.firmware,
        "events_hash": run.build.events_hash,
        "build_options": dict(run.build.options),
        "lead": str(run.lead) if run.lead else None,
        "status": run.status.value,
        "capture_cost_ticks": run.capture_cost_ticks,
        "started_utc": run.started_utc,
        "emulator": run.emulator,
        "command": list(run.command),
        "facts": dict(run.facts),
    }


def _values(row: Row) -> tuple[Any, ...]:
    return (row.test, row.metric.value, row.core.cluster, row.core.core, row.n, row.minimum, row.median, row.maximum, row.mark)


def _csv(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()
