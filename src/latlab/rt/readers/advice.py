# SPDX-License-Identifier: BSD-3-Clause
"""The catalog's advice: src/latlab/catalog/advice.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from latlab.core.model.blame import BlameKind
from latlab.rt.model.advice import Advice


@cache
def all_advice() -> tuple[Advice, ...]:
    """In the order of the file."""
    rows = tomllib.loads((resources.files("latlab") / "catalog" / "advice.toml").read_text(encoding="utf-8"))["advice"]
    return tuple(Advice(BlameKind(row["kind"]), row["line"], row["source"], row.get("name", "")) for row in rows)
