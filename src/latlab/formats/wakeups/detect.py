# SPDX-License-Identifier: BSD-3-Clause
"""Which reader a file of wake-up latencies needs, recognised by how it begins."""

from __future__ import annotations

from latlab.errors import DataError
from latlab.formats.wakeups.cyclictest import read_cyclictest
from latlab.formats.wakeups.recorder import MAGIC, read_record
from latlab.formats.wakeups.rtla import read_timerlat
from latlab.formats.wakeups.wakeup_json import read_json
from latlab.model.wakeups import Wakeups


def read_wakeups(data: bytes, place: str, duration_s: float | None = None, nanoseconds: bool = False) -> Wakeups:
    """A recorder's file, cyclictest's or jitterdebugger's JSON, rtla's histogram, or cyclictest's text."""
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
    text = data.decode("utf-8", "replace")
    start = text.lstrip()
    if start.startswith("{"):
        return read_json(text, place)
    if start.startswith("# RTLA timerlat histogram"):
        return read_timerlat(start, place)
    return read_cyclictest(text, place, duration_s, nanoseconds)
