# SPDX-License-Identifier: BSD-3-Clause
"""Data that the package carries."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from latlab.catalog.events import parse_events
from latlab.model.events import EventTable


@cache
def event_table() -> EventTable:
    """The events of this latlab; firmware with another table is refused."""
    return parse_events(files(__name__).joinpath("events.toml").read_text("utf-8"))
