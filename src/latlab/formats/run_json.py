# SPDX-License-Identifier: BSD-3-Clause
"""A run as JSON, whole: what is written is read back unchanged. The schema is in docs/export-schema.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from latlab.errors import DataError
from latlab.formats.dump.frames import parse_core
from latlab.model.enums import Clock, Metric, RunStatus
from latlab.model.run import Build, CoreId, CoreTrace, Distribution, LateWakeup, Problem, Run, Sample, Tick, Topology, TraceRecord

SCHEMA = "latlab-run"
VERSION = 1
MOST_CORES = 1 << 16


def render(run: Run) -> str:
    document: dict[str, Any] = {
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
    if run.distributions:
        document["distributions"] = [asdict(one) | {"core": str(one.core)} for one in run.distributions]
    return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"


def parse(text: str, name: str) -> Run:
    """Raises DataError with the file's name and what is wrong in it."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        raise DataError(f"{name}:{line}: not JSON ({error}); export the run again") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise DataError(f"{name}: the schema is not {SCHEMA!r}; export the run with `latlab export --format json`")
    if document.get("version") != VERSION or isinstance(document.get("version"), bool | float):
        raise DataError(f"{name}: version {document.get('version')!r} of the schema; this latlab reads version {VERSION}")
    try:
        return _run(document)
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        told = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise DataError(f"{name}: a field is missing or has the wrong type ({told}); export the run again") from None


def _run(d: Mapping[str, Any]) -> Run:
    tick = Tick(Clock(d["clock"]), _positive(d["tick_value"]))
    topology = Topology(tuple(_whole(n) for n in d["topology"]))
    if d["tick_unit"] != tick.unit:
        raise ValueError(f"the unit is {d['tick_unit']!r} and the clock {d['clock']}, whose unit is {tick.unit}")
    if min(topology.clusters, default=-1) < 0 or not 1 <= sum(topology.clusters) <= MOST_CORES:
        raise ValueError(f"topology {d['topology']} is not one of 1 to {MOST_CORES} cores")
    lead = _core(d["lead"]) if d["lead"] is not None else None
    if lead is not None and lead not in topology.cores:
        raise ValueError(f"the lead {lead} is not in topology {topology}")
    return Run(
        campaign=_text(d["campaign"]),
        target=_text(d["target"]),
        platform=_text(d["platform"]),
        topology=topology,
        tick=tick,
        build=Build(_text(d["firmware"]), _text_or_none(d["events_hash"]), tuple((_text(k), _text(v)) for k, v in d["build_options"])),
        lead=lead,
        status=RunStatus(d["status"]),
        samples=tuple(Sample(_text(t), Metric(m), _core(c), _count(b), _count(i), _whole(v)) for t, m, c, b, i, v in d["samples"]),
        traces=tuple(
            CoreTrace(_text(t), _count(b), _count(i), _core(c), tuple(_record(r) for r in records), _count(lost))
            for t, c, b, i, lost, records in d["traces"]
        ),
        problems=tuple(Problem(_count(line), _text(message)) for line, message in d["problems"]),
        capture_cost_ticks=None if d["capture_cost_ticks"] is None else _finite(d["capture_cost_ticks"]),
        started_utc=_text(d["started_utc"]),
        emulator=_text(d["emulator"]),
        command=tuple(_text(part) for part in d["command"]),
        facts=tuple((_text(k), _text(v)) for k, v in d["facts"]),
        id=_text(d["id"]),
        distributions=tuple(_distribution(one) for one in d.get("distributions", ())),
    )


def _distribution(d: Mapping[str, Any]) -> Distribution:
    return Distribution(
        test=_text(d["test"]),
        metric=Metric(d["metric"]),
        core=_core(d["core"]),
        counts=tuple((_whole(low), _whole(high), _whole(n)) for low, high, n in d["counts"]),
        beyond=_whole(d["beyond"]),
        got=_whole(d["got"]),
        expected=_whole_or_none(d["expected"]),
        missed=_whole_or_none(d["missed"]),
        minimum_ticks=_whole(d["minimum_ticks"]),
        maximum_ticks=_whole(d["maximum_ticks"]),
        average_ticks=_finite(d["average_ticks"]),
        resolution_ticks=_whole(d["resolution_ticks"]),
        digest=_text(d["digest"]),
        late=tuple(_late(late) for late in d["late"]),
        late_dropped=_whole(d["late_dropped"]),
    )


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _late(d: Mapping[str, Any]) -> LateWakeup:
    return LateWakeup(_whole(d["wake_ns"]), _whole(d["late_ticks"]), _whole(d["missed"]), _text_or_none(d["cause"]))


def _whole_or_none(value: Any) -> int | None:
    return None if value is None else _whole(value)


def _record(record: list[Any]) -> TraceRecord:
    sequence, time, event, arg = record
    return TraceRecord(_whole(sequence), _whole(time), _text(event), _whole(arg))


def _core(text: Any) -> CoreId:
    return parse_core(_text(text))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**64:
        raise TypeError(f"{str(value)[:40]} is no whole number of 64 bits")
    return value


def _count(value: Any) -> int:
    if _whole(value) < 0:
        raise ValueError(f"{value} is negative")
    return int(value)


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e18:
        raise ValueError(f"{value!r} is no number from 0")
    return float(value)


def _positive(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e15:
        raise TypeError(f"{value!r} is no positive number")
    return float(value)
