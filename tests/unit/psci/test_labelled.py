# SPDX-License-Identifier: BSD-3-Clause
"""Labelled cases: the generator tells the truth."""

from labelled import CAUSES, case_of, named_causes
from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.comparison.findings import NothingMoved
from latlab.psci.targets.board import load_board
from support.labelled_seeds import SEEDS


def test_a_seed_makes_the_same_case_each_time_and_changes_nothing_but_its_cause():
    juno = load_board("juno")
    for seed, cause in SEEDS.items():
        case = case_of(seed, juno)
        assert case == case_of(seed, juno)
        assert case.cause == cause
        changed = {cost for cost in case.before.costs if case.before.costs[cost] != case.after.costs[cost]}
        kinds = len(case.before.classes)
        assert len(changed) == {"none": 0, "flush as last man": 0, "slower channel": 1, "slower message": 1}.get(cause, kinds)


def test_every_cause_is_drawn():
    juno = load_board("juno")
    assert {case_of(seed, juno).cause for seed in range(60)} == set(CAUSES)


def test_sentences_that_name_nothing_name_no_cause():
    assert named_causes([Explanation("", NothingMoved(), Basis.EXACT, "ns")], []) == set()
