# SPDX-License-Identifier: BSD-3-Clause
"""The calls of functions in the Trace Event Format that Chrome and Perfetto open: a process for each span, a thread for each core."""

from __future__ import annotations

import json
from typing import Any

from latlab.core.errors import UsageError
from latlab.core.model.run import Run, SpanTimeline


def render(run: Run, timelines: tuple[SpanTimeline, ...], test: str | None = None) -> str:
    """Every span of one test, the first where none is named. Instructions are shown as microseconds, and said so."""
    tests = list(dict.fromkeys(span_timeline.test for span_timeline in timelines))
    chosen = test or (tests[0] if tests else "")
    if chosen not in tests:
        raise UsageError(f"{run.id} has no time lines of {test!r}; it has {', '.join(tests) or 'none'}")
    spans = [span_timeline for span_timeline in timelines if span_timeline.test == chosen]
    metrics = list(dict.fromkeys(span_timeline.metric for span_timeline in spans))
    events: list[dict[str, Any]] = []
    for timeline in spans:
        place = {
            "pid": metrics.index(timeline.metric),
            "tid": run.topology.cores.index(timeline.core) if timeline.core in run.topology.cores else 0,
        }
        events.append({"ph": "M", "name": "process_name", **place, "args": {"name": f"{chosen}, {timeline.metric.value}"}})
        events.append({"ph": "M", "name": "thread_name", **place, "args": {"name": f"core {timeline.core}"}})
        events += [
            {
                "ph": "X",
                "name": call.name,
                "cat": timeline.metric.value,
                "ts": call.start,
                "dur": call.whole,
                "args": {"own": call.own},
                **place,
            }
            for call in timeline.calls
        ]
    other = {
        "run": run.id,
        "test": chosen,
        "firmware": run.build.firmware,
        "unit": "one displayed microsecond is one instruction",
        "iterations": "of each core the first that took the median",
    }
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns", "otherData": other}) + "\n"
