# SPDX-License-Identifier: BSD-3-Clause
"""A whole run as JSON: what is written reads back unchanged. The schema is in docs/reference/export-schema.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, TypeVar

import msgspec

from latlab.errors import DataError
from latlab.formats.dump.frames import parse_core
from latlab.model.attacks import AttackResult
from latlab.model.conditions import Conditions
from latlab.model.enums import Clock, CodePart, InstructionClass, Kind, Metric, ProblemKind, RunStatus
from latlab.model.provenance import UNKNOWN, Provenance
from latlab.model.run import (
    Amount,
    Amounts,
    Attacks,
    Build,
    ClassShare,
    Contents,
    CoreId,
    CoreTrace,
    Distribution,
    Experiment,
    Frame,
    FunctionShare,
    LoadWork,
    PowerCycles,
    PrintedDelta,
    Problem,
    Run,
    Sample,
    SpanFunctions,
    Spans,
    Tick,
    Topology,
    TraceRecord,
    WakeupCounts,
)

SCHEMA = "latlab-run"
VERSION = 3
HEAD = (
    "id", "campaign", "target", "platform", "build", "status", "conditions", "capture_cost_ticks", "started_utc", "emulator", "command",
    "source", "resolutions", "facts", "provenance",
)  # fmt: skip
PLAIN = (*HEAD, "attacks", "experiment", "load")
"""What stands in the file as it is in a run."""
MOST_CORES = 1 << 16

T = TypeVar("T", Distribution, PrintedDelta)
MOST = (1 << 63) - 1

Count = Annotated[int, msgspec.Meta(ge=0, le=MOST)]
Whole = Annotated[int, msgspec.Meta(ge=-MOST, le=MOST)]
Word = Annotated[int, msgspec.Meta(ge=0)]
Finite = Annotated[float, msgspec.Meta(ge=0, lt=1e18)]
Positive = Annotated[float, msgspec.Meta(gt=0, lt=1e15)]
Number = Annotated[float, msgspec.Meta(gt=-1e30, lt=1e30)]
_SampleRow = tuple[str, Metric, str, Count, Count, Whole]
_RecordRow = tuple[Count, Count, str, Word]
_TraceRow = tuple[str, str, Count, Count, Count, tuple[_RecordRow, ...]]


_ShareRow = tuple[str, str, Count]
_FunctionsRow = tuple[str, Metric, str, Count, tuple[_ShareRow, ...]]
_FrameRow = tuple[Count, str, Count, Count]
_CodeRow = tuple[str, Metric, str, tuple[tuple[CodePart, Count], ...], tuple[tuple[str, Count], ...], tuple[_FrameRow, ...]]
_ClassRow = tuple[InstructionClass, tuple[Count, ...], tuple[Count, ...]]
_ClassesRow = tuple[str, Metric, str, tuple[_ClassRow, ...]]
_AmountRow = tuple[str, Metric, str, str | None, tuple[Number, ...], Positive | None]


class _Document(msgspec.Struct):
    """The file, key by key. Cores are written `cluster.core`; samples, traces and problems are rows."""

    id: str
    campaign: str
    kind: Kind
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
    samples: tuple[_SampleRow, ...] = ()
    traces: tuple[_TraceRow, ...] = ()
    functions: tuple[_FunctionsRow, ...] = ()
    code: tuple[_CodeRow, ...] = ()
    classes: tuple[_ClassesRow, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    distributions: tuple[dict[str, Any], ...] = ()
    amounts: tuple[_AmountRow, ...] = ()
    tool: str = ""
    attacks: tuple[AttackResult, ...] = ()
    experiment: Experiment | None = None
    load: tuple[LoadWork, ...] = ()
    provenance: Provenance = UNKNOWN
    simulated: bool = False
    schema: str = SCHEMA
    version: int = VERSION


def render(run: Run) -> str:
    document = _Document(
        **{name: getattr(run, name) for name in PLAIN},
        kind=run.kind,
        topology=run.topology.clusters,
        clock=run.tick.clock,
        tick_value=run.tick.value,
        tick_unit=run.tick.unit,
        lead=str(run.lead) if run.lead else None,
        printed_deltas=tuple(_with_core(entry) for entry in run.printed_deltas),
        simulated=run.is_simulated,
        problems=tuple((p.line, p.kind, p.message) for p in run.problems),
        problem_details=tuple(p.details for p in run.problems) if any(p.details for p in run.problems) else (),
        samples=tuple((s.test, s.metric, str(s.core), s.boot, s.iteration, s.value_ticks) for s in run.samples),
        traces=tuple(
            (t.test, str(t.core), t.boot, t.iteration, t.lost, tuple((r.sequence, r.time_ticks, r.event, r.arg) for r in t.records))
            for t in run.traces
        ),
        functions=tuple(
            (
                span.test,
                span.metric,
                str(span.core),
                span.calls,
                tuple((function.name, function.place, function.instructions) for function in span.functions),
            )
            for span in run.functions
        ),
        code=tuple(
            (span.test, span.metric, str(span.core), span.parts, span.operations, tuple(map(_frame_row, span.frames)))
            for span in run.functions
            if span.parts or span.frames
        ),
        refused=run.refused,
        classes=tuple(
            (span.test, span.metric, str(span.core), tuple((share.name, share.functions, share.frames) for share in span.classes))
            for span in run.functions
            if span.classes
        ),
        distributions=tuple(_with_core(entry) for entry in run.distributions),
        tool=run.contents.tool if isinstance(run.contents, Amounts) else "",
        amounts=tuple(
            (amount.test, amount.metric, amount.name, str(amount.core) if amount.core else None, amount.values, amount.over_s)
            for amount in run.amounts
        ),
    )
    return msgspec.json.encode(document).decode() + "\n"


def parse(text: str, name: str) -> Run:
    """Raises DataError with the file's name and what is wrong in it."""
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
        raise DataError(f"{name}: not JSON ({error}); export the run again") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise DataError(f"{name}: the schema is not {SCHEMA!r}; export the run with `latlab export --format json`")
    version = document.get("version")
    if version != VERSION or isinstance(version, bool | float):
        raise DataError(f"{name}: version {version!r} of the schema; this latlab reads version {VERSION}")
    try:
        return _run(msgspec.convert(document, _Document))
    except (msgspec.ValidationError, KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        detail = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise DataError(f"{name}: a field is missing or has the wrong type ({detail}); export the run again") from None


def _problems(d: _Document) -> tuple[Problem, ...]:
    if d.problem_details and len(d.problem_details) != len(d.problems):
        raise ValueError(f"{len(d.problems)} problems and details of {len(d.problem_details)}")
    details = d.problem_details or ((),) * len(d.problems)
    return tuple(Problem(line, message, kind, cases) for (line, kind, message), cases in zip(d.problems, details, strict=True))


def _run(d: _Document) -> Run:
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
        contents=_contents(d),
        problems=_problems(d),
        printed_deltas=tuple(_of_core(entry, PrintedDelta) for entry in d.printed_deltas),
    )


def _contents(d: _Document) -> Contents:
    if d.kind is Kind.POWER:
        return PowerCycles()
    if d.kind is Kind.AMOUNTS:
        return Amounts(
            tuple(
                Amount(test, metric, name, parse_core(core) if core is not None else None, values, over_s)
                for test, metric, name, core, values, over_s in d.amounts
            ),
            d.tool,
        )
    if d.kind is Kind.ATTACKS:
        return Attacks(d.attacks)
    if d.kind is Kind.DESIGN:
        return d.experiment or Experiment()
    if d.kind is Kind.WAKEUPS:
        return WakeupCounts(tuple(_of_core(entry, Distribution) for entry in d.distributions), d.load)
    core_of = {name: parse_core(name) for name in {s[2] for s in d.samples} | {t[1] for t in d.traces} | {f[2] for f in d.functions}}
    samples = tuple(Sample(test, metric, core_of[c], boot, iteration, value) for test, metric, c, boot, iteration, value in d.samples)
    if any(record[3] >> 64 for *_, records in d.traces for record in records):
        raise ValueError("the argument of a trace record has more than 64 bits")
    traces = tuple(
        CoreTrace(test, boot, iteration, core_of[c], tuple(TraceRecord(*record) for record in records), lost)
        for test, c, boot, iteration, lost, records in d.traces
    )
    code = {
        (test, metric, core): (parts, operations, tuple(map(_frame, frames))) for test, metric, core, parts, operations, frames in d.code
    }
    classes = {(test, metric, core): tuple(ClassShare(*share) for share in shares) for test, metric, core, shares in d.classes}
    functions = tuple(
        _classified(
            SpanFunctions(
                test,
                metric,
                core_of[c],
                _at_least_one(calls),
                tuple(FunctionShare(*share) for share in shares),
                *code.get((test, metric, c), ()),
            ),
            classes.get((test, metric, c), ()),
        )
        for test, metric, c, calls, shares in d.functions
    )
    return Spans(samples, traces, functions, d.refused)


def _classified(span: SpanFunctions, classes: tuple[ClassShare, ...]) -> SpanFunctions:
    if any(len(share.functions) != len(span.functions) or len(share.frames) != len(span.frames) for share in classes):
        raise ValueError("classes of other functions")
    return replace(span, classes=classes)


def _frame_row(frame: Frame) -> _FrameRow:
    return frame.depth, frame.name, frame.calls, frame.instructions


def _frame(row: _FrameRow) -> Frame:
    return Frame(*row)


def _at_least_one(calls: int) -> int:
    if calls < 1:
        raise ValueError("functions of no call")
    return calls


def _with_core(entry: Distribution | PrintedDelta) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(entry)
    return fields | {"core": str(entry.core)}


def _of_core(fields: Mapping[str, Any], kind: type[T]) -> T:
    core: CoreId = parse_core(fields["core"])
    return msgspec.convert({**fields, "core": {"cluster": core.cluster, "core": core.core}}, kind)
