# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the CSV export of attacks."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.core.kinds.kind import Line, Lines
from latlab.core.model.run import Run
from latlab.psa.attack_results import attacks_of

ATTACKS = ("family", "attack", "outcome", "tries", "sentence", "evidence")


def attack_lines(run: Run) -> Lines:
    return ATTACKS, _attacks(run)


def _attacks(run: Run) -> Iterator[Line]:
    for result in attacks_of(run):
        evidence = ", ".join(f"{name} {value}" for name, value in result.evidence)
        yield result.family.value, result.name, result.outcome.value, result.tries, result.sentence, evidence
