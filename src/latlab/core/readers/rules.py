# SPDX-License-Identifier: BSD-3-Clause
"""Reads the rules that runs of spans keep: `rules.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from latlab.core.model.platforms import Coherency
from latlab.core.model.rules import Breach, Rule


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    name: str
    breaks: Breach
    ground: str
    decides: bool
    coherency: Coherency | None = None


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its id."""
    data = tomllib.loads((files("latlab.catalog") / "rules.toml").read_text("utf-8"))
    entries = msgspec.convert(data["rule"], list[_Entry])
    return {e.id: Rule(e.id, e.name, e.breaks, e.ground, e.decides, e.coherency) for e in entries}
