# SPDX-License-Identifier: BSD-3-Clause
"""One iteration in the Trace Event Format that Chrome and Perfetto open: a process for each cluster, a thread for each core."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from latlab.core.errors import UsageError
from latlab.core.model.enums import Clock
from latlab.core.model.run import Run, Spans
from latlab.psci.analysis.typical import lanes


def render(run: Run, test: str | None = None, iteration: int | None = None) -> str:
    """The middle iteration where none is named. Instructions are shown as microseconds, as the format knows no other unit, and said so."""
    tests = list(dict.fromkeys(trace.test for trace in run.traces))
    if not tests:
        raise UsageError(f"{run.id} has no traces, only figures; a trace needs a run of latlab's own firmware")
    chosen = test or tests[0]
    if chosen not in tests:
        raise UsageError(f"{run.id} has no traces of {chosen!r}; it has {', '.join(tests)}")
    if iteration is not None:
        run = replace(run, contents=Spans(traces=tuple(t for t in run.traces if t.iteration == iteration)))
    (boot, number), found_lanes = lanes(run, chosen)
    if not found_lanes:
        which = "no iteration holds" if iteration is None else f"there is no iteration {iteration} that holds"
        raise UsageError(f"{which} the traces of every core in {chosen}", "take another with --test or --iteration", place=run.id)
    start = min(lane.start for lane in found_lanes)
    scale = run.tick.value if run.tick.is_counted else run.tick.value / 1000
    events: list[dict[str, Any]] = []
    for lane in found_lanes:
        place = {"pid": lane.core.cluster, "tid": lane.core.core}
        events.append({"ph": "M", "name": "process_name", **place, "args": {"name": f"cluster {lane.core.cluster}"}})
        events.append({"ph": "M", "name": "thread_name", **place, "args": {"name": f"core {lane.core}"}})
        events += [
            {"ph": "X", "name": str(s.part), "cat": chosen, "ts": (s.start_ticks - start) * scale, "dur": s.ticks * scale, **place}
            for s in lane.segments
            if s.ticks
        ]
    other = {
        "run": run.id,
        "test": chosen,
        "boot": boot,
        "iteration": number,
        "firmware": run.build.firmware,
        "simulated": run.is_simulated,
        "unit": "one displayed microsecond is one instruction" if run.tick.clock is Clock.INSTRUCTIONS else "microseconds",
    }
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns", "otherData": other}) + "\n"
