# SPDX-License-Identifier: BSD-3-Clause
"""A swept PSA call in the Trace Event Format that Chrome and Perfetto open: without an interrupt, and with the one that waited longest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from latlab.core.errors import UsageError
from latlab.core.model.run import Run
from latlab.core.model.symbols import Symbols
from latlab.psa.analysis.timeline import Interrupt, Room, TimelineStretch, swept_tests, timeline, worst_interrupt

UNDISTURBED, INTERRUPTED = 0, 1
LANES = (*Room, "interrupt")


def render(run: Run, symbols: Symbols, test: str | None = None) -> str:
    """The first call that was swept where none is named. One displayed microsecond is one instruction."""
    tests = [name for name in swept_tests(run) if len({stretch.room for stretch in timeline(run, symbols, name)}) > 1]
    if not tests:
        raise UsageError(f"{run.id} has no sweep that says what it interrupted", "measure it again with `latlab run psa`")
    chosen = test or tests[0]
    if chosen not in tests:
        raise UsageError(f"{run.id} has no timeline of {chosen!r}; it has {', '.join(tests)}")
    stretches, interrupt = timeline(run, symbols, chosen), worst_interrupt(run, symbols, chosen)
    events = [*_lanes(UNDISTURBED, f"{chosen}, no interrupt"), *_calls(run, UNDISTURBED, stretches)]
    if interrupt is not None:
        events += [*_lanes(INTERRUPTED, f"{chosen}, an interrupt at the worst position"), *_calls(run, INTERRUPTED, stretches)]
        events += _interrupt(run, interrupt)
    other = {
        "run": run.id,
        "test": chosen,
        "firmware": run.build.firmware,
        "unit": "one displayed microsecond is one instruction",
        "note": "time begins some instructions before the call, where the timer was set; the handler's own length is left out",
    }
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns", "otherData": other}) + "\n"


def _lanes(process: int, name: str) -> Iterator[dict[str, Any]]:
    yield {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": name}}
    for number, lane in enumerate(LANES):
        yield {"ph": "M", "name": "thread_name", "pid": process, "tid": number, "args": {"name": str(lane)}}


def _calls(run: Run, process: int, stretches: tuple[TimelineStretch, ...]) -> Iterator[dict[str, Any]]:
    for stretch in stretches:
        place = {"pid": process, "tid": LANES.index(stretch.room), "cat": str(stretch.room)}
        yield {"ph": "X", "name": stretch.function, **place, **_span(run, stretch.from_ticks, stretch.to_ticks)}


def _interrupt(run: Run, interrupt: Interrupt) -> Iterator[dict[str, Any]]:
    place = {"pid": INTERRUPTED, "tid": LANES.index("interrupt"), "cat": "interrupt"}
    taken_ticks = interrupt.due_ticks + interrupt.latency_ticks
    yield {"ph": "i", "s": "t", "name": "due", **place, "ts": interrupt.due_ticks * run.tick.value}
    if interrupt.latency_ticks:
        yield {"ph": "X", "name": "waits", **place, **_span(run, interrupt.due_ticks, taken_ticks)}
    yield {"ph": "i", "s": "t", "name": f"its handler begins, in {interrupt.function}", **place, "ts": taken_ticks * run.tick.value}


def _span(run: Run, start_ticks: int, end_ticks: int) -> dict[str, float]:
    return {"ts": start_ticks * run.tick.value, "dur": (end_ticks - start_ticks) * run.tick.value}
