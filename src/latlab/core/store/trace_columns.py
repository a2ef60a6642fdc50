# SPDX-License-Identifier: BSD-3-Clause
"""Traces as columns: one row of the store holds all traces of a run that arrived together.

Sequence and time are steps from one record to the next, which are small. A record takes 1 to 3 bytes this way, and about 15 in a row of its
own trace.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice, pairwise
from typing import Any

import msgspec

from latlab.core.model.run import CoreId, CoreTrace, TraceRecord
from latlab.core.store.unpacking import unpacked

Ints = tuple[int, ...]


class _Columns(msgspec.Struct, array_like=True):
    """`texts` are the names of tests and events; `tests` and `events` are positions in it. The columns from `sequences` on have a value for
    each record, those before one for each trace, `records` how many it has."""

    texts: tuple[str, ...]
    tests: Ints
    boots: Ints
    iterations: Ints
    clusters: Ints
    cores: Ints
    lost: Ints
    records: Ints
    sequences: Ints
    times_ticks: Ints
    events: Ints
    arguments: Ints

    def __post_init__(self) -> None:
        traces, records = len(self.tests), sum(self.records)
        lengths = [len(getattr(self, name)) for name in self.__struct_fields__]
        if lengths[1:] != [traces] * 7 + [records] * 4:
            raise ValueError("columns of traces with different lengths")
        if any(not 0 <= place < len(self.texts) for place in (*self.tests, *self.events)) or any(count < 0 for count in self.records):
            raise ValueError("columns of traces that point to nothing")


def trace_rows(traces: Sequence[CoreTrace]) -> list[dict[str, Any]]:
    """One row for all of them, none where there are none."""
    return [{"columns": zlib.compress(msgspec.json.encode(_columns(traces)))}] if traces else []


def traces_of(rows: Iterable[Mapping[Any, Any]]) -> Iterator[CoreTrace]:
    """The traces of a run in the order in which they arrived. Raises ValueError or zlib.error where a row is damaged."""
    for row in rows:
        yield from _traces(msgspec.json.decode(unpacked(row["columns"]), type=_Columns))


def _columns(traces: Sequence[CoreTrace]) -> _Columns:
    records = [record for trace in traces for record in trace.records]
    names = dict.fromkeys((*(trace.test for trace in traces), *(record.event for record in records)))
    place_of = {name: place for place, name in enumerate(names)}
    return _Columns(
        tuple(names),
        tuple(place_of[trace.test] for trace in traces),
        tuple(trace.boot for trace in traces),
        tuple(trace.iteration for trace in traces),
        tuple(trace.core.cluster for trace in traces),
        tuple(trace.core.core for trace in traces),
        tuple(trace.lost for trace in traces),
        tuple(len(trace.records) for trace in traces),
        _steps([record.sequence for record in records]),
        _steps([record.time_ticks for record in records]),
        tuple(place_of[record.event] for record in records),
        tuple(record.arg for record in records),
    )


def _steps(values: Iterable[int]) -> Ints:
    return tuple(after - before for before, after in pairwise((0, *values)))


def _traces(columns: _Columns) -> Iterator[CoreTrace]:
    texts = columns.texts
    events = (texts[place] for place in columns.events)
    records = map(TraceRecord, accumulate(columns.sequences), accumulate(columns.times_ticks), events, columns.arguments)
    cores = map(CoreId, columns.clusters, columns.cores)
    for test, boot, iteration, core, count, lost in zip(
        columns.tests, columns.boots, columns.iterations, cores, columns.records, columns.lost, strict=True
    ):
        yield CoreTrace(texts[test], boot, iteration, core, tuple(islice(records, count)), lost)
