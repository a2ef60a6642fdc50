# SPDX-License-Identifier: BSD-3-Clause
"""Data that the package carries."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from latlab.catalog.events import parse_events
from latlab.model.crossings import CallNames
from latlab.model.events import EventTable

BIT_64 = 0x40000000


@cache
def event_table() -> EventTable:
    """The events of this latlab; firmware with another table is refused."""
    return parse_events(files(__name__).joinpath("events.toml").read_text("utf-8"))


@cache
def call_names() -> CallNames:
    """What the calls are called that firmware serves: calls.toml."""
    data = tomllib.loads(files(__name__).joinpath("calls.toml").read_text("utf-8"))
    sbi = {entry["id"]: (name, tuple(entry.get("functions", ()))) for name, entry in data.pop("sbi").items()}
    smc: dict[int, str] = {}
    for group in data.values():
        for name, entry in group.items():
            smc[entry["id"]] = name
            if entry.get("also64"):
                smc[entry["id"] | BIT_64] = f"{name} (64)"
    return CallNames(smc, sbi)


def call_name(function: int) -> str:
    """A call into the firmware by the number in its first register; those of both conventions have one name."""
    names = call_names().smc
    return names.get(function & ~BIT_64) or names.get(function) or f"SMC {function:#010x}"
