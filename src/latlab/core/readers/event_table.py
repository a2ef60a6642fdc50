# SPDX-License-Identifier: BSD-3-Clause
"""The table of trace events that the package carries."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from latlab.core.model.events import EventTable
from latlab.core.readers.events import parse_events


@cache
def event_table() -> EventTable:
    """The events of this latlab; firmware with another table is refused."""
    return parse_events(files("latlab.catalog").joinpath("events.toml").read_text("utf-8"))
