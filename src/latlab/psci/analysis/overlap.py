# SPDX-License-Identifier: BSD-3-Clause
"""Whether cores went down at once or one by one, by the time stamps of their traces: in a parallel test they do, in a serial one not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from latlab.core.comparison.summary import takes_turns
from latlab.core.comparison.suspicion import Doubt, Ground, Suspicion
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreTrace, Run
from latlab.psci.analysis.spans import SpanError, measured_call, span_records

MOST = 0.5
Interval = tuple[int, int]


def overlap_suspicions(run: Run) -> tuple[Suspicion, ...]:
    """Of tests in which most iterations are not what the test's name says."""
    by_test: dict[str, list[bool]] = defaultdict(list)
    spans: dict[tuple[str, int, int], list[Interval]] = defaultdict(list)
    for trace in run.traces:
        if trace.test.endswith(("_parallel", "_serial")):
            spans[trace.test, trace.boot, trace.iteration] += _powerdown(trace)
    for (test, _, _), intervals in spans.items():
        if len(intervals) > 1:
            by_test[test].append(_overlap(intervals))
    return tuple(_odd(run, by_test))


def _odd(run: Run, by_test: dict[str, list[bool]]) -> Iterator[Suspicion]:
    for test, overlaps in by_test.items():
        is_parallel = test.endswith("_parallel")
        if is_parallel and takes_turns(run, test):
            continue
        odd = sum(overlap is not is_parallel for overlap in overlaps)
        if odd > MOST * len(overlaps):
            doubt = Doubt.APART if is_parallel else Doubt.AT_ONCE
            yield Suspicion(doubt, run.id, Ground.TRACE, ((test, Metric.POWERDOWN),), size=float(odd), usual=float(len(overlaps)))


def _powerdown(trace: CoreTrace) -> list[Interval]:
    try:
        records = span_records(measured_call(trace), Metric.POWERDOWN)
    except (SpanError, ValueError):
        return []
    return [(records[0].time_ticks, records[-1].time_ticks)]


def _overlap(intervals: list[Interval]) -> bool:
    """Do any two?"""
    ordered = sorted(intervals)
    ends = [max(end for _, end in ordered[: i + 1]) for i in range(len(ordered))]
    return any(start < end for (start, _), end in zip(ordered[1:], ends, strict=False))
