# SPDX-License-Identifier: BSD-3-Clause
"""A guest that was watched by the probe while its wake-ups were measured: what of the probe's stream a run keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from latlab.calls.model.crossings import Header, Record
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.errors import DataError
from latlab.core.model.run import Problem
from latlab.rt.analysis.by_world import WorldAccumulator
from latlab.rt.readers.guest_worlds import WORLDS_LOG, render_worlds
from latlab.rt.readers.measured import read_wakeups
from latlab.rt.targets.guest.guest import ICOUNT_SHIFT
from latlab.rt.targets.linux import RECORD

CHUNK = 1 << 20


def seen_from_outside(stream: Path, files: Mapping[str, bytes]) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The log of what the probe saw of the recorder's measurement, and what is wrong with its stream."""
    if RECORD not in files:
        return {}, ()
    try:
        wakeups = read_wakeups(files[RECORD], RECORD)
    except DataError:
        return {}, ()  # the run says so of the record itself
    if not stream.is_file() or wakeups.counter_hz is None:
        return {}, ("the probe wrote no stream, so no late wake-up is split by world; `latlab doctor` names the QEMU that it needs",)
    accumulator = WorldAccumulator(call_names(), 1 << ICOUNT_SHIFT, wakeups.counter_hz)
    problems: list[str] = []
    accumulator.take(_records(stream, problems))
    return {WORLDS_LOG: render_worlds(accumulator.worlds(wakeups))}, tuple(problems)


def _records(stream: Path, problems: list[str]) -> Iterator[Record]:
    """The stream is much longer than what is kept of it. What is wrong with it goes to `problems`."""
    for item in _items(stream):
        if isinstance(item, Problem):
            problems.append(item.message)
        elif not isinstance(item, Header):
            yield item


def _items(stream: Path) -> Iterator[Header | Record | Problem]:
    decoder = Decoder()
    with stream.open("rb") as file:
        while data := file.read(CHUNK):
            yield from decoder.feed(data)
    yield from decoder.finish()
