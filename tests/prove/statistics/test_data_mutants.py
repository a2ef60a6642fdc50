# SPDX-License-Identifier: BSD-3-Clause
"""Every test, metric and set of cores of runs of every kind is mutated, and no gate passes, or hardly one where boards scatter.
`python tests/truth/smallest_caught.py` prints the smallest factor that is caught."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from truth.asked_gate import Asked, answers
from truth.data_mutants import How, Mutant, mutants_of
from truth.exported import figures_of
from truth.mutated_kinds import PAIRS, pair_of_kind

pytestmark = pytest.mark.slow

MOST_SILENT = {
    "Juno, 1 boot of 5": 0.02,
    "Juno, 4 boots of 5": 0.015,
    "N1SDP, 4 boots of 5": 0.01,
    "cyclictest, measured": 0.04,
}
"""The largest share of a kind's mutants that may pass; 0 for other kinds. docs/explanation/comparing.md says which do. A queue or the order
of the cores could make those of parallel tests; that of wake-ups moves the median by two intervals of the histogram."""


@pytest.mark.parametrize("kind", PAIRS)
def test_no_gate_passes_any_mutant_of_its_data(kind: str, tmp_path: Path, record_property: Callable[[str, object], None]):
    pair = pair_of_kind(kind)
    mutants = [*mutants_of(figures_of(pair[0]))]
    silent = [answer for answer in answers(pair, mutants, Asked(tmp_path)) if answer.is_silent]
    record_property("changes of data", len(mutants))
    record_property("of them silent", len(silent))
    told = [f"{answer.mutant.name}: {answer.first_line}" for answer in silent]
    assert len(silent) <= MOST_SILENT.get(kind, 0.0) * len(mutants), told
    assert [answer.mutant.name for answer in silent if _is_large(answer.mutant)] == []


def _is_large(mutant: Mutant) -> bool:
    """Ten times as long anywhere, twice as long on all cores, or gone."""
    by_factor = mutant.how is How.TIMES and (mutant.size >= 10 or (mutant.size >= 2 and mutant.cores.name == "all"))
    return by_factor or mutant.how in (How.GONE, How.HALVED)
