# SPDX-License-Identifier: BSD-3-Clause
"""A trace of the kernel's events in any form that is read."""

from __future__ import annotations

from latlab.core.readers.console_text import console_text
from latlab.rt.model.thread_trace import ThreadTrace
from latlab.rt.readers.perfetto_ftrace import is_perfetto, read_perfetto_ftrace
from latlab.rt.readers.trace_lines import read_trace_lines

PERF_MAGIC = b"PERFILE2"


def read_thread_trace(data: bytes, place: str) -> ThreadTrace:
    """Raises DataError if the trace lacks the scheduler's events."""
    if is_perfetto(data):
        return read_perfetto_ftrace(data, place)
    return read_trace_lines(console_text(data).text, place)
