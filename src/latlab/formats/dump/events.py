"""The table of trace events that firmware and host share, and its hash."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cached_property

from latlab.errors import DataError


@dataclass(frozen=True, slots=True)
class Event:
    id: int
    name: str
    arg: str
    pmf: int | None = None


@dataclass(frozen=True)
class EventTable:
    events: tuple[Event, ...]

    @cached_property
    def by_id(self) -> dict[int, Event]:
        return {event.id: event for event in self.events}

    @cached_property
    def by_name(self) -> dict[str, Event]:
        return {event.name: event for event in self.events}

    @cached_property
    def by_pmf(self) -> dict[int, Event]:
        return {event.pmf: event for event in self.events if event.pmf is not None}

    @cached_property
    def hash(self) -> str:
        """Sixteen hexadecimal digits, as the dump prints them."""
        lines = "".join(f"{event.id} {event.name}\n" for event in sorted(self.events, key=lambda event: event.id))
        return hashlib.sha256(lines.encode("ascii")).digest()[:8].hex()


def parse_events(text: str, place: str = "events.toml") -> EventTable:
    """Read the TOML table; ids, names and PMF indices are unique, ids fit 16 bits and are not 0."""
    try:
        rows = tomllib.loads(text)["event"]
        events = tuple(Event(row["id"], row["name"], row["arg"], row.get("pmf")) for row in rows)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise DataError(f"{place}: not an event table ({error}); restore it from the source tree") from error
    _check(events, place)
    return EventTable(events)


def _check(events: tuple[Event, ...], place: str) -> None:
    for event in events:
        if not 1 <= event.id <= 0xFFFF:
            raise DataError(f"{place}: event {event.name} has id {event.id}; use one from 1 to 65535")
    columns: dict[str, list[int | str]] = {
        "id": [e.id for e in events],
        "name": [e.name for e in events],
        "pmf": [e.pmf for e in events if e.pmf is not None],
    }
    for column, values in columns.items():
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise DataError(f"{place}: {column} {twice} stands twice; give one of the events another")
