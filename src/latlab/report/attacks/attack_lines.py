# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the CSV export of attacks."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.kinds.kind import Line, Lines
from latlab.model.attack_results import attacks_of
from latlab.model.run import Run

ATTACKS = ("family", "attack", "outcome", "tries", "sentence", "evidence")


def attack_lines(run: Run) -> Lines:
    return ATTACKS, _attacks(run)


def _attacks(run: Run) -> Iterator[Line]:
    for result in attacks_of(run):
        evidence = ", ".join(f"{name} {value}" for name, value in result.evidence)
        yield result.family.value, result.name, result.outcome.value, result.tries, result.sentence, evidence
