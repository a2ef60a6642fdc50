# SPDX-License-Identifier: BSD-3-Clause
"""Labelled cases: the generator tells the truth, and explanations name it; needs the virtual-time program."""

import pytest
from labelled import CAUSES, case_of, measure, named_causes

from latlab.analysis.base.explanation import Explanation
from latlab.analysis.compare import compare
from latlab.analysis.explain_pair import explain_pair
from latlab.analysis.invariants import check_invariants
from latlab.errors import LatlabError
from latlab.store.store import open_store
from latlab.virtual.board import load_board
from latlab.virtual.program import find_program

# One seed for each cause, and one with none.
SEEDS = {
    0: "flush as last man",
    1: "slower cluster flush",
    2: "slower channel",
    3: "slower message",
    5: "slower core flush",
    6: "slower wake-up",
    7: "none",
}


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


@pytest.mark.parametrize("seed", SEEDS)
def test_the_explanation_names_the_cause_and_no_other(seed, tmp_path):
    try:
        program = find_program()
    except LatlabError as error:
        pytest.skip(str(error))
    case = case_of(seed, load_board("juno"))
    store = open_store(str(tmp_path / "runs.db"))
    before = measure(program, store, case.before, case.order_before)
    after = measure(program, store, case.after, case.order_after)
    named = named_causes(explain_pair(compare(before, after)), check_invariants(after))
    assert named == ({case.cause} - {"none"})


def test_sentences_that_name_nothing_name_no_cause():
    assert named_causes([Explanation("", "no structure changed beyond its threshold", "exact")], []) == set()
