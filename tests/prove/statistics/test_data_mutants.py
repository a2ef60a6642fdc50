# SPDX-License-Identifier: BSD-3-Clause
"""Every test, metric and set of cores of runs of every kind is mutated, and no gate passes. `python tests/truth/smallest_caught.py` prints
the smallest factor that is caught."""

from __future__ import annotations

from pathlib import Path

import pytest

from truth.asked_gate import Asked, answers, passed
from truth.data_mutants import drawn, mutants_of
from truth.exported import figures_of
from truth.mutated_kinds import PAIRS, pair_of_kind

pytestmark = pytest.mark.slow

SHARDS = 8


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("kind", PAIRS)
def test_no_gate_passes_any_mutant_of_its_data(kind: str, shard: int, tmp_path: Path):
    pair = pair_of_kind(kind)
    mutants = [*mutants_of(figures_of(pair[0]))]
    assert passed(answers(pair, drawn(mutants, kind, len(mutants))[shard::SHARDS], Asked(tmp_path))) == []
