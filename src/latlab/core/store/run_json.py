# SPDX-License-Identifier: BSD-3-Clause
"""A whole run as JSON: what is written reads back unchanged. The schema is in docs/reference/export-schema.md."""

from __future__ import annotations

from typing import Any

import msgspec

from latlab.core.errors import DataError
from latlab.core.kinds.registry import BUILT_IN, kind_named, kind_of
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Clock, Metric, ProblemKind, RunStatus
from latlab.core.model.provenance import UNKNOWN, Provenance
from latlab.core.model.run import Build, PrintedDelta, Problem, Run, Tick, Topology
from latlab.core.readers.core_names import parse_core
from latlab.core.readers.json_fields import Count, Finite, Positive, of_core, with_core

SCHEMA = "latlab-run"
VERSION = 3
HEAD = (
    "id", "campaign", "target", "platform", "build", "status", "conditions", "capture_cost_ticks", "started_utc", "emulator", "command",
    "source", "resolutions", "facts", "provenance", "label",
)  # fmt: skip
MOST_CORES = 1 << 16


class RunHead(msgspec.Struct):
    """The keys of a file beside the contents of its run. A core is `cluster.core`, problems are rows."""

    id: str
    campaign: str
    kind: str
    target: str
    platform: str
    topology: tuple[Count, ...]
    clock: Clock
    tick_value: Positive
    tick_unit: str
    build: Build
    lead: str | None
    status: RunStatus
    conditions: Conditions
    capture_cost_ticks: Finite | None
    started_utc: str
    emulator: str
    command: tuple[str, ...]
    source: str
    printed_deltas: tuple[dict[str, Any], ...]
    resolutions: tuple[tuple[Metric, Positive], ...]
    facts: tuple[tuple[str, str], ...]
    problems: tuple[tuple[Count, ProblemKind, str], ...]
    problem_details: tuple[tuple[str, ...], ...] = ()
    provenance: Provenance = UNKNOWN
    simulated: bool = False
    label: str = ""
    schema: str = SCHEMA
    version: int = VERSION


def head_of(run: Run) -> RunHead:
    return RunHead(
        **{name: getattr(run, name) for name in HEAD},
        kind=run.kind,
        topology=run.topology.clusters,
        clock=run.tick.clock,
        tick_value=run.tick.value,
        tick_unit=run.tick.unit,
        lead=str(run.lead) if run.lead else None,
        printed_deltas=tuple(with_core(entry) for entry in run.printed_deltas),
        simulated=run.is_simulated,
        problems=tuple((p.line, p.kind, p.message) for p in run.problems),
        problem_details=tuple(p.details for p in run.problems) if any(p.details for p in run.problems) else (),
    )


def render(run: Run) -> str:
    """Every file has the keys of each kind of latlab, which are empty for a run of another kind. `figures` are derived, and no
    reader takes them back."""
    kind, head = kind_of(run), msgspec.structs.asdict(head_of(run))
    empty_keys = {key: value for name in BUILT_IN for key, value in kind_named(name).codec.keys.items()}
    document = {**head, **empty_keys, **kind.codec.to_json(run.contents), "figures": kind.analysis.summary(run)}
    return msgspec.json.encode(document).decode() + "\n"


def parse(text: str, name: str) -> Run:
    """Raises DataError with the file's name and what is wrong in it."""
    try:
        document = msgspec.json.decode(text)
    except RecursionError:
        raise DataError("JSON nested deeper than any run", "export the run again", place=name) from None
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise DataError(f"not JSON ({error})", "export the run again", place=name) from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise DataError(f"the schema is not {SCHEMA!r}", "export the run with `latlab export --format json`", value=SCHEMA, place=name)
    version = document.get("version")
    if version != VERSION or isinstance(version, bool | float):
        raise DataError(f"version {version!r} of the schema; this latlab reads version {VERSION}", value=version, place=name)
    try:
        return _run(document)
    except (msgspec.ValidationError, KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        detail = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise DataError(f"a field is missing or has the wrong type ({detail})", "export the run again", place=name) from None


def _problems(d: RunHead) -> tuple[Problem, ...]:
    if d.problem_details and len(d.problem_details) != len(d.problems):
        raise ValueError(f"{len(d.problems)} problems and details of {len(d.problem_details)}")
    details = d.problem_details or ((),) * len(d.problems)
    return tuple(Problem(line, message, kind, cases) for (line, kind, message), cases in zip(d.problems, details, strict=True))


def _run(document: dict[str, Any]) -> Run:
    d = msgspec.convert(document, RunHead)
    tick, topology = Tick(d.clock, d.tick_value), Topology(d.topology)
    if d.tick_unit != tick.unit:
        raise ValueError(f"the unit is {d.tick_unit!r} and the clock {d.clock}, whose unit is {tick.unit}")
    if not 1 <= sum(topology.clusters) <= MOST_CORES:
        raise ValueError(f"topology {list(topology.clusters)} is not one of 1 to {MOST_CORES} cores")
    lead = parse_core(d.lead) if d.lead is not None else None
    if lead is not None and lead not in topology.cores:
        raise ValueError(f"the lead {lead} is not in topology {topology}")
    return Run(
        **{name: getattr(d, name) for name in HEAD},
        topology=topology,
        tick=tick,
        lead=lead,
        contents=kind_named(d.kind).codec.of_json(document),
        problems=_problems(d),
        printed_deltas=tuple(of_core(entry, PrintedDelta) for entry in d.printed_deltas),
    )
