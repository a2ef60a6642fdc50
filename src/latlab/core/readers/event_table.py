# SPDX-License-Identifier: BSD-3-Clause
"""The table of trace events that the package carries, and its checks."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from latlab.core.errors import DataError
from latlab.core.model.events import Event, EventTable


@cache
def event_table() -> EventTable:
    """The events of this latlab; firmware with another table is refused."""
    return parse_events(files("latlab.catalog").joinpath("events.toml").read_text("utf-8"))


def parse_events(text: str, place: str = "events.toml") -> EventTable:
    """Read the TOML table; ids, names and PMF indices are unique, ids fit 16 bits and are not 0."""
    try:
        rows = tomllib.loads(text)["event"]
        events = tuple(Event(row["id"], row["name"], row["arg"], row.get("pmf")) for row in rows)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise DataError(f"not an event table ({error})", "restore it from the source tree", place=place) from error
    _check(events, place)
    return EventTable(events)


def _check(events: tuple[Event, ...], place: str) -> None:
    for event in events:
        if not 1 <= event.id <= 0xFFFF:
            raise DataError(f"event {event.name} has id {event.id}", "use one from 1 to 65535", place=place)
    columns: dict[str, list[int | str]] = {
        "id": [e.id for e in events],
        "name": [e.name for e in events],
        "pmf": [e.pmf for e in events if e.pmf is not None],
    }
    for column, values in columns.items():
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise DataError(f"{column} {twice} appears twice", "give one of the events another", place=place)
