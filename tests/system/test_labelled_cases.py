# SPDX-License-Identifier: BSD-3-Clause
"""Labelled cases: explanations name the planted cause and no other."""

import pytest

from labelled import case_of, measure, named_causes
from latlab.core.comparison.by_kind import check_invariants, compare, explain_pair
from latlab.core.store.store import open_store
from latlab.psci.targets.board import load_board
from support.labelled_seeds import SEEDS

pytestmark = pytest.mark.firmware


@pytest.mark.parametrize("seed", SEEDS)
def test_the_explanation_names_the_cause_and_no_other(program, seed, tmp_path):
    case = case_of(seed, load_board("juno"))
    store = open_store(str(tmp_path / "runs.db"))
    before = measure(program, store, case.before, case.order_before)
    after = measure(program, store, case.after, case.order_after)
    named = named_causes(explain_pair(compare(before, after)), check_invariants(after))
    assert named == ({case.cause} - {"none"})
