# SPDX-License-Identifier: BSD-3-Clause
"""Samples, traces and functions of a run as JSON: rows, with a core as `cluster.core`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from latlab.core.model.enums import CodePart, InstructionClass, Metric
from latlab.core.model.run import ClassShare, CoreTrace, Frame, FunctionShare, Sample, SpanFunctions, Spans, TraceRecord
from latlab.core.readers.core_names import parse_core
from latlab.core.readers.json_fields import Count, Whole, Word

_SampleRow = tuple[str, Metric, str, Count, Count, Whole]
_RecordRow = tuple[Count, Count, str, Word]
_TraceRow = tuple[str, str, Count, Count, Count, tuple[_RecordRow, ...]]
_ShareRow = tuple[str, str, Count]
_FunctionsRow = tuple[str, Metric, str, Count, tuple[_ShareRow, ...]]
_FrameRow = tuple[Count, str, Count, Count]
_CodeRow = tuple[str, Metric, str, tuple[tuple[CodePart, Count], ...], tuple[tuple[str, Count], ...], tuple[_FrameRow, ...]]
_ClassRow = tuple[InstructionClass, tuple[Count, ...], tuple[Count, ...]]
_ClassesRow = tuple[str, Metric, str, tuple[_ClassRow, ...]]


class SpanKeys(msgspec.Struct):
    samples: tuple[_SampleRow, ...] = ()
    traces: tuple[_TraceRow, ...] = ()
    functions: tuple[_FunctionsRow, ...] = ()
    code: tuple[_CodeRow, ...] = ()
    classes: tuple[_ClassesRow, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


def to_json(spans: Spans) -> Mapping[str, Any]:
    return {
        "samples": [(s.test, s.metric, str(s.core), s.boot, s.iteration, s.value_ticks) for s in spans.samples],
        "traces": [
            (t.test, str(t.core), t.boot, t.iteration, t.lost, [(r.sequence, r.time_ticks, r.event, r.arg) for r in t.records])
            for t in spans.traces
        ],
        "functions": [
            (span.test, span.metric, str(span.core), span.calls, [(f.name, f.place, f.instructions) for f in span.functions])
            for span in spans.functions
        ],
        "code": [
            (span.test, span.metric, str(span.core), span.parts, span.operations, tuple(map(_frame_row, span.frames)))
            for span in spans.functions
            if span.parts or span.frames
        ],
        "classes": [
            (span.test, span.metric, str(span.core), tuple((share.name, share.functions, share.frames) for share in span.classes))
            for span in spans.functions
            if span.classes
        ],
        "refused": spans.refused,
    }


def of_json(document: Mapping[str, Any]) -> Spans:
    """Raises ValueError or msgspec.ValidationError."""
    d = msgspec.convert(document, SpanKeys)
    core_of = {
        name: parse_core(name)
        for name in dict.fromkeys((*(s[2] for s in d.samples), *(t[1] for t in d.traces), *(f[2] for f in d.functions)))
    }
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
