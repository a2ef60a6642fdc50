"""A run as JSON, whole: what is written is read back unchanged. The schema is in docs/export-schema.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from latlab.errors import DataError
from latlab.model import (
    Build,
    Clock,
    CoreId,
    CoreTrace,
    Metric,
    Problem,
    Run,
    RunStatus,
    Sample,
    Tick,
    Topology,
    TraceRecord,
)

SCHEMA = "latlab-run"
VERSION = 1


def render(run: Run) -> str:
    document = {
        "schema": SCHEMA,
        "version": VERSION,
        "id": run.id,
        "campaign": run.campaign,
        "target": run.target,
        "platform": run.platform,
        "topology": list(run.topology.clusters),
        "clock": run.tick.clock.value,
        "tick_value": run.tick.value,
        "tick_unit": run.tick.unit,
        "firmware": run.build.firmware,
        "events_hash": run.build.events_hash,
        "build_options": [list(pair) for pair in run.build.options],
        "lead": str(run.lead) if run.lead else None,
        "status": run.status.value,
        "capture_cost_ticks": run.capture_cost_ticks,
        "started_utc": run.started_utc,
        "emulator": run.emulator,
        "command": list(run.command),
        "facts": [list(pair) for pair in run.facts],
        "samples": [[s.test, s.metric.value, str(s.core), s.boot, s.iteration, s.value_ticks] for s in run.samples],
        "traces": [
            [t.test, str(t.core), t.boot, t.iteration, t.lost, [[r.sequence, r.time_ticks, r.event, r.arg] for r in t.records]]
            for t in run.traces
        ],
        "problems": [[p.line, p.message] for p in run.problems],
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def parse(text: str, name: str) -> Run:
    """Raises DataError with the file's name and what is wrong in it."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        raise DataError(f"{name}:{line}: not JSON ({error}); export the run again") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise DataError(f"{name}: the schema is not {SCHEMA!r}; export the run with `latlab export --format json`")
    if document.get("version") != VERSION:
        raise DataError(f"{name}: version {document.get('version')!r} of the schema; this latlab reads version {VERSION}")
    try:
        return _run(document)
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise DataError(f"{name}: a field is missing or has the wrong type ({error!r}); export the run again") from None


def _run(d: Mapping[str, Any]) -> Run:
    return Run(
        campaign=_text(d["campaign"]),
        target=_text(d["target"]),
        platform=_text(d["platform"]),
        topology=Topology(tuple(_whole(n) for n in d["topology"])),
        tick=Tick(Clock(d["clock"]), _positive(d["tick_value"])),
        build=Build(_text(d["firmware"]), d["events_hash"], tuple((_text(k), _text(v)) for k, v in d["build_options"])),
        lead=_core(d["lead"]) if d["lead"] is not None else None,
        status=RunStatus(d["status"]),
        samples=tuple(Sample(_text(t), Metric(m), _core(c), _whole(b), _whole(i), _whole(v)) for t, m, c, b, i, v in d["samples"]),
        traces=tuple(
            CoreTrace(_text(t), _whole(b), _whole(i), _core(c), tuple(_record(r) for r in records), _whole(lost))
            for t, c, b, i, lost, records in d["traces"]
        ),
        problems=tuple(Problem(_whole(line), _text(message)) for line, message in d["problems"]),
        capture_cost_ticks=d["capture_cost_ticks"] if d["capture_cost_ticks"] is None else float(d["capture_cost_ticks"]),
        started_utc=_text(d["started_utc"]),
        emulator=_text(d["emulator"]),
        command=tuple(_text(part) for part in d["command"]),
        facts=tuple((_text(k), _text(v)) for k, v in d["facts"]),
        id=_text(d["id"]),
    )


def _record(record: list[Any]) -> TraceRecord:
    sequence, time, event, arg = record
    return TraceRecord(_whole(sequence), _whole(time), _text(event), _whole(arg))


def _core(text: Any) -> CoreId:
    cluster, _, core = _text(text).partition(".")
    return CoreId(int(cluster), int(core))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is no whole number")
    return value


def _positive(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e15:
        raise TypeError(f"{value!r} is no positive number")
    return float(value)
