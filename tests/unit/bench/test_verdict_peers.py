# SPDX-License-Identifier: BSD-3-Clause
"""The bench beside other tools' rules: what it plants is there and nothing else, and what is said of it is scored as it should be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import verdict_peers as bench
from truth.machines import UP
from verdict_peers import Plant, Score, drawn_pair


@pytest.mark.parametrize("plant", [plant for plant in Plant if plant not in (Plant.NOTHING, Plant.FLUSH)])
def test_what_is_planted_moves_the_cells_that_it_names_and_no_other(plant: Plant):
    drawn, still = drawn_pair(5, 3, plant, 0.5), drawn_pair(5, 3, Plant.NOTHING)
    moved = 0
    for span, share in drawn.reached.items():
        ratio = drawn.pair.after[span] / still.pair.after[span]
        assert np.allclose(ratio, 1 + share, atol=0.05)
        moved += int((share != 0).sum())
    assert moved == {Plant.CELL: 1, Plant.CORE: 5, Plant.HALF: 20, Plant.TEST: 8, Plant.ALL: 40}[plant]


def test_a_slower_flush_reaches_its_own_span_and_what_holds_it():
    drawn = drawn_pair(5, 3, Plant.FLUSH, 0.5)
    assert {metric for (_, metric), share in drawn.reached.items() if share.any()} == {"powerdown", "cache_flush"}


def test_a_pair_is_the_same_each_time():
    first, again = drawn_pair(3, 4), drawn_pair(3, 4)
    assert all((values == again.pair.after[span]).all() for span, values in first.pair.after.items())


@pytest.mark.parametrize(
    ("plant", "test", "answer"),
    [
        (Plant.TEST, "", (True, False)),
        (Plant.TEST, "psci_version_parallel", (False, True)),
        (Plant.NOTHING, "psci_version_parallel", (False, True)),
    ],
)
def test_claims_are_right_where_the_plant_reaches(
    plant: Plant, test: str, answer: tuple[bool, bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    drawn = drawn_pair(1, 1, plant, 1.0)
    hit = next((span[0] for span, share in drawn.reached.items() if share.any()), "")
    claim = {"test": test or hit, "metric": "psci_call" if test else UP, "cluster": None, "verdict": "regressed"}
    monkeypatch.setattr(bench, "_latlab", lambda *arguments: (1, json.dumps({"rows": [claim]})))
    assert bench._of_latlab(drawn, tmp_path)[:2] == answer


def test_scores_count_untouched_pairs_apart():
    score = Score()
    score.add(drawn_pair(1, 1, Plant.NOTHING), False, True)
    score.add(drawn_pair(1, 1, Plant.ALL, 0.5), True, False)
    score.add(drawn_pair(1, 1, Plant.ALL, 0.5), False, False, is_stopped=True)
    assert score.cells == ("1/2", "1/1", "0/2")
    assert score.stopped == 1
