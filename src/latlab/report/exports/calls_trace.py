# SPDX-License-Identifier: BSD-3-Clause
"""The calls of functions in the Trace Event Format that Chrome and Perfetto open: a process for each span, a thread for each core."""

from __future__ import annotations

import json
from typing import Any

from latlab.errors import UsageError
from latlab.model.run import Run, SpanTimeline


def render(run: Run, found: tuple[SpanTimeline, ...], test: str | None = None) -> str:
    """Every span of one test, the first where none is named. Instructions are shown as microseconds, and said so."""
    tests = list(dict.fromkeys(one.test for one in found))
    chosen = test or (tests[0] if tests else "")
    if chosen not in tests:
        raise UsageError(f"{run.id} has no time lines of {test!r}; it has {', '.join(tests) or 'none'}")
    spans = [one for one in found if one.test == chosen]
    metrics = list(dict.fromkeys(one.metric for one in spans))
    events: list[dict[str, Any]] = []
    for one in spans:
        place = {"pid": metrics.index(one.metric), "tid": run.topology.cores.index(one.core) if one.core in run.topology.cores else 0}
        events.append({"ph": "M", "name": "process_name", **place, "args": {"name": f"{chosen}, {one.metric.value}"}})
        events.append({"ph": "M", "name": "thread_name", **place, "args": {"name": f"core {one.core}"}})
        events += [
            {"ph": "X", "name": each.name, "cat": one.metric.value, "ts": each.start, "dur": each.whole, "args": {"own": each.own}, **place}
            for each in one.calls
        ]
    other = {
        "run": run.id,
        "test": chosen,
        "firmware": run.build.firmware,
        "unit": "one displayed microsecond is one instruction",
        "iterations": "of each core the first that took the median",
    }
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns", "otherData": other}) + "\n"
