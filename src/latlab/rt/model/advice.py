# SPDX-License-Identifier: BSD-3-Clause
"""What to do about a cause of late wake-ups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from latlab.core.model.blame import BlameKind


@dataclass(frozen=True, slots=True)
class Advice:
    """One line for causes of a kind; `name` is a part of the cause's words, empty for all of that kind."""

    kind: BlameKind
    line: str
    source: str
    name: str = ""


def advice_for(catalog: Iterable[Advice], kind: BlameKind, words: str) -> Advice | None:
    """The first that fits; `words` are those of the cause in a report."""
    return next((advice for advice in catalog if advice.kind is kind and advice.name in words), None)
