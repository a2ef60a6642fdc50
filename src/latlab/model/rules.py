# SPDX-License-Identifier: BSD-3-Clause
"""What must hold in a run, whatever its figures, and on what ground."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.model.platforms import Coherency


class Breach(StrEnum):
    """What a run that does not keep a rule is called."""

    BROKEN = "broken"
    """A definition or a specification demands it."""
    UNUSUAL = "unusual"
    """Only likeness does."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`ground` is what demands it; `decides`: a run that breaks what the one before it kept fails. `coherency`, where there is one, is
    that of the platforms that the rule is about."""

    id: str
    name: str
    breaks: Breach
    ground: str
    decides: bool = True
    coherency: Coherency | None = None
