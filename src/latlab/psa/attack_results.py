# SPDX-License-Identifier: BSD-3-Clause
"""The contents of a run of attacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from latlab.core.model.run import Contents, Run
from latlab.psa.model import AttackResult


@dataclass(frozen=True, slots=True)
class Attacks(Contents):
    """The result of each attack. A stored run keeps a log; the results are available once it is read."""

    kind: ClassVar[str] = "attacks"

    results: tuple[AttackResult, ...] = ()


def attacks_of(run: Run) -> tuple[AttackResult, ...]:
    """The results of a run of attacks; empty for another kind."""
    return run.contents.results if isinstance(run.contents, Attacks) else ()
