# SPDX-License-Identifier: BSD-3-Clause
"""The table of trace events that firmware and host share, and its hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property


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
    def hash(self) -> str:
        """Sixteen hexadecimal digits, as the dump prints them."""
        lines = "".join(f"{event.id} {event.name}\n" for event in sorted(self.events, key=lambda event: event.id))
        return hashlib.sha256(lines.encode("ascii")).digest()[:8].hex()
