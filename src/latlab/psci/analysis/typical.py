# SPDX-License-Identifier: BSD-3-Clause
"""What typical calls are made of: the parts of median spans, and the segments of one iteration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median_low

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, CoreTrace, Run, TraceRecord
from latlab.psci.analysis.decompose import LOW_POWER, PartName, Segment, decompose, segments
from latlab.psci.analysis.spans import SpanError, measured_call, span_ticks


@dataclass(frozen=True, slots=True)
class Stack:
    """The parts of one core's span in the iteration whose span is the (lower) median of all; by the probe, the mean of all."""

    core: CoreId
    metric: Metric
    parts: tuple[tuple[PartName, float], ...]


@dataclass(frozen=True, slots=True)
class Lane:
    """One core in one iteration: what it did when, in ticks of the counter."""

    core: CoreId
    segments: tuple[Segment, ...]

    @property
    def start(self) -> int:
        return self.segments[0].start_ticks

    @property
    def asleep(self) -> Segment | None:
        return next((segment for segment in self.segments if segment.part == LOW_POWER), None)


def stacks(run: Run, test: str) -> tuple[Stack, ...]:
    """A stack for each core and each span that the test has."""
    if not run.traces:
        spans = sorted((span for span in run.functions if span.test == test and span.parts), key=lambda span: span.core)
        return tuple(
            Stack(span.core, span.metric, tuple((PartName(part.value), count / span.calls) for part, count in span.parts)) for span in spans
        )
    calls: dict[CoreId, list[tuple[TraceRecord, ...]]] = {}
    for trace in run.traces:
        if trace.test == test and (call := call_of(trace)):
            calls.setdefault(trace.core, []).append(call)
    return tuple(stack for core in sorted(calls) for stack in _core_stacks(core, calls[core]))


def lanes(run: Run, test: str) -> tuple[tuple[int, int], tuple[Lane, ...]]:
    """The middle iteration that every core has, as ((boot, iteration), lanes); no lanes where there is none."""
    by_key: dict[tuple[int, int], list[Lane]] = {}
    for trace in run.traces:
        if trace.test == test and (call := call_of(trace)):
            by_key.setdefault((trace.boot, trace.iteration), []).append(Lane(trace.core, segments(call)))
    whole = sorted(key for key, core_lanes in by_key.items() if len(core_lanes) == len(run.topology.cores))
    if not whole:
        return (0, 0), ()
    key = whole[len(whole) // 2]
    return key, tuple(sorted(by_key[key], key=lambda lane: lane.core))


def _core_stacks(core: CoreId, calls: list[tuple[TraceRecord, ...]]) -> Iterable[Stack]:
    powered_down = any(record.event == "ENTER_HW_LOW_PWR" for record in calls[0])
    for metric in (Metric.POWERDOWN, Metric.WAKEUP) if powered_down else (Metric.PSCI_CALL,):
        spans = [span_ticks(call, metric) for call in calls]
        typical = calls[spans.index(median_low(spans))]
        yield Stack(core, metric, tuple((part.name, part.ticks) for part in decompose(typical, metric)))


def call_of(trace: CoreTrace) -> tuple[TraceRecord, ...] | None:
    try:
        return measured_call(trace)
    except SpanError:
        return None
