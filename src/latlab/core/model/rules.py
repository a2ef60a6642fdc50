# SPDX-License-Identifier: BSD-3-Clause
"""The rules that every run must keep, and the reason for each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.core.model.platforms import Coherency


class Breach(StrEnum):
    """The name for a run that does not keep a rule."""

    BROKEN = "broken"
    """A definition or a specification demands it."""
    UNUSUAL = "unusual"
    """Only likeness does."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`ground` is the reason for the rule. `decides`: the comparison fails if this run breaks the rule and the one before kept it.
    `coherency`, if given, is the coherency of the platforms to which the rule applies."""

    id: str
    name: str
    breaks: Breach
    ground: str
    decides: bool = True
    coherency: Coherency | None = None
