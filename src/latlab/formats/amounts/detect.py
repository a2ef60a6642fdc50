# SPDX-License-Identifier: BSD-3-Clause
"""Which reader a file of amounts needs, recognised by what stands in it."""

from __future__ import annotations

import re

from latlab.errors import DataError
from latlab.formats.amounts import hackbench, hwlatdetect, latency_measure, thread_metric
from latlab.formats.amounts.osnoise_top import is_osnoise_top, read_osnoise_top
from latlab.formats.amounts.recording import is_recording_csv, load_json, read_recording_csv, read_twister_json
from latlab.model.benchmarks import Benchmark

MARKED = (
    (hwlatdetect.START, hwlatdetect.read_hwlatdetect),
    (latency_measure.START, latency_measure.read_latency_measure),
    (thread_metric.START, thread_metric.read_thread_metric),
    (hackbench.START, hackbench.read_hackbench),
)
TWISTER = re.compile(r'"testsuites"\s*:')


def holds_amounts(data: bytes) -> bool:
    """Whether one of these readers knows the file."""
    text = data.decode("utf-8", "replace")
    if text.lstrip().startswith("{"):
        return TWISTER.search(text) is not None
    return is_recording_csv(text) or is_osnoise_top(text) or any(start.search(text) for start, _ in MARKED)


def read_amounts(data: bytes, place: str) -> Benchmark:
    """What the file says. Raises DataError with one sentence where it is of none of these tools or nothing can be read."""
    text = data.decode("utf-8", "replace")
    if not text.strip():
        raise DataError(f"{place}: empty; the tool was killed before it printed")
    if text.lstrip().startswith("{"):
        return read_twister_json(load_json(text, place), place)
    if is_recording_csv(text):
        return read_recording_csv(text, place)
    if is_osnoise_top(text):
        return read_osnoise_top(text, place)
    for start, read in MARKED:
        if start.search(text):
            return read(text, place)
    raise DataError(
        f"{place}: nothing of hackbench, rtla osnoise top, hwlatdetect, latency_measure, Thread-Metric or twister; name the output of one"
    )
