# SPDX-License-Identifier: BSD-3-Clause
"""A trace of Perfetto as the tables that its trace processor makes of it, in SQLite, as far as a query here asks: by the package's own
protobuf classes, and nothing of latlab's."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from typing import Any

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import DebugAnnotation, Trace, TrackEvent

TABLES = """
CREATE TABLE track (id INTEGER, parent_id INTEGER, name TEXT);
CREATE TABLE slice (id INTEGER, ts INTEGER, dur INTEGER, track_id INTEGER, category TEXT, name TEXT, depth INTEGER, arg_set_id INTEGER);
CREATE TABLE args (arg_set_id INTEGER, flat_key TEXT, key TEXT, int_value INTEGER, string_value TEXT);
CREATE TABLE metadata (name TEXT, int_value INTEGER, str_value TEXT);
CREATE INDEX of_slice ON args (arg_set_id, key);
CREATE UNIQUE INDEX by_id ON slice (id);
CREATE INDEX by_category ON slice (category);
"""


def tables_of(data: bytes) -> sqlite3.Connection:
    """Every begin has its end, and each end ends the innermost of its track."""
    trace = Trace()
    trace.ParseFromString(data)
    found = sqlite3.connect(":memory:")
    found.executescript(TABLES)
    found.create_function("EXTRACT_ARG", 2, lambda number, key: _argument(found, number, key))
    still_open: dict[int, list[int]] = defaultdict(list)
    for number, packet in enumerate(trace.packet):
        for each in packet.trace_attributes.attribute:
            found.execute("INSERT INTO metadata VALUES (?, ?, ?)", (each.key, each.long_value, each.string_value))
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            found.execute("INSERT INTO track VALUES (?, ?, ?)", (track.uuid, track.parent_uuid or None, track.name))
        if packet.HasField("track_event"):
            _take(found, number, packet, still_open[packet.track_event.track_uuid])
    assert not any(still_open.values()), "a slice has no end"
    return found


def _take(found: sqlite3.Connection, number: int, packet: Any, still_open: list[int]) -> None:
    event = packet.track_event
    if event.type == TrackEvent.TYPE_SLICE_END:
        found.execute("UPDATE slice SET dur = ? - ts WHERE id = ?", (packet.timestamp, still_open.pop()))
        return
    row = (number, packet.timestamp, 0, event.track_uuid, ",".join(event.categories), event.name, len(still_open), number)
    found.execute("INSERT INTO slice VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    for annotation in event.debug_annotations:
        _flatten(found, number, annotation, f"debug.{annotation.name}", f"debug.{annotation.name}")
    assert event.type == TrackEvent.TYPE_SLICE_BEGIN
    still_open.append(number)


def _flatten(found: sqlite3.Connection, number: int, one: DebugAnnotation, flat: str, key: str) -> None:
    for place, entry in enumerate(one.array_values):
        _flatten(found, number, entry, flat, f"{key}[{place}]")
    for entry in one.dict_entries:
        _flatten(found, number, entry, f"{flat}.{entry.name}", f"{key}.{entry.name}")
    if kind := one.WhichOneof("value"):
        whole = one.int_value if kind == "int_value" else None
        found.execute("INSERT INTO args VALUES (?, ?, ?, ?, ?)", (number, flat, key, whole, one.string_value if whole is None else None))


def _argument(found: sqlite3.Connection, number: int, key: str) -> int | str | None:
    rows = found.execute("SELECT int_value, string_value FROM args WHERE arg_set_id = ? AND key = ?", (number, key)).fetchall()
    return next((whole if text is None else text for whole, text in rows), None)
