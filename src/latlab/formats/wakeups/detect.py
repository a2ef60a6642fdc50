# SPDX-License-Identifier: BSD-3-Clause
"""Which reader a file of wake-up latencies needs, recognised by how it begins."""

from __future__ import annotations

from latlab.errors import DataError
from latlab.formats.wakeups.cyclictest import read_cyclictest
from latlab.formats.wakeups.jitter_samples import looks_like_samples, read_samples
from latlab.formats.wakeups.oslat import START as OSLAT
from latlab.formats.wakeups.oslat import read_oslat
from latlab.formats.wakeups.recorder import MAGIC, read_record
from latlab.formats.wakeups.rtla import OSNOISE, TIMERLAT, read_osnoise, read_timerlat
from latlab.formats.wakeups.rtla_top import is_timerlat_top, read_timerlat_top
from latlab.formats.wakeups.sched_events import DAT_MAGIC, is_sched_trace, read_sched_events
from latlab.formats.wakeups.thread_lines import read_thread_lines, tool_of
from latlab.formats.wakeups.wakeup_json import read_json
from latlab.model.wakeups import Wakeups


def read_wakeups(data: bytes, place: str, duration_s: float | None = None, nanoseconds: bool = False) -> Wakeups:
    """A recorder's file, samples or JSON of jitterdebugger, JSON or text of rt-tests, what rtla prints, or a trace of the scheduler."""
    if not data.strip():
        raise DataError(f"{place}: empty; the tool was killed before it printed")
    try:
        found = _read(data, place, duration_s, nanoseconds)
    except (OverflowError, ValueError) as error:
        raise DataError(f"{place}: a number is not a latency ({error}); the file is damaged") from error
    if not found.cpus:
        raise DataError(f"{place}: no CPU in it; the tool was stopped before it measured")
    return found


def _read(data: bytes, place: str, duration_s: float | None, nanoseconds: bool) -> Wakeups:
    if data.startswith(MAGIC):
        return read_record(data, place)
    if data.startswith(DAT_MAGIC):
        raise DataError(f"{place}: a file of trace-cmd; name what `trace-cmd report -t` prints of it, or keep it with `latlab import-rt`")
    if looks_like_samples(data):
        return read_samples(data, place, nanoseconds)
    text = data.decode("utf-8", "replace")
    start = text.lstrip()
    if start.startswith("{"):
        return read_json(text, place)
    if start.startswith(TIMERLAT):
        return read_timerlat(text, place)
    if start.startswith(OSNOISE):
        return read_osnoise(text, place)
    if is_timerlat_top(text):
        return read_timerlat_top(text, place)
    if is_sched_trace(text):
        return read_sched_events(text, place)
    if OSLAT.search(text):
        return read_oslat(text, place)
    if tool_of(text):
        return read_thread_lines(text, place)
    return read_cyclictest(text, place, duration_s, nanoseconds)
