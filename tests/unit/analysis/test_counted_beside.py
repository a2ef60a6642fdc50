# SPDX-License-Identifier: BSD-3-Clause
"""Counts of two releases beside what boards published of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from latlab.analysis.base.counted_findings import CountedBeside, CountsAreOf
from latlab.analysis.base.counted_sentences import counted_sentence
from latlab.analysis.base.explanation import Basis
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.compare import compare
from latlab.analysis.explain import explain_pair
from latlab.analysis.ladder.counted import counted_beside
from latlab.model.enums import Metric
from latlab.store.references import load


def told(board: str, before: str, after: str) -> list[CountedBeside]:
    comparison = compare(load(f"published:tf-a/{board}/{before}"), load(f"published:tf-a/{board}/{after}"))
    return [one for one in counted_beside(comparison) if isinstance(one, CountedBeside)]


def test_the_rise_of_a_boards_wake_up_stands_beside_the_function_that_grew() -> None:
    (one,) = told("n1sdp", "v2.9", "v2.10")
    assert (one.metric, one.verdict, one.tests, one.processors) == (Metric.WAKEUP, Verdict.REGRESSED, ("cpu_off_serial",), ("neoverse-n1",))
    assert one.functions[0] == ("neoverse_n1_reset_func", 126.0)
    assert one.difference == sum(moved for _, moved in one.functions) == 182


def test_a_function_that_moved_with_the_time_is_named_first_though_all_together_moved_against_it() -> None:
    (one,) = [one for one in told("n1sdp", "v2.12", "v2.13") if one.metric is Metric.WAKEUP]
    assert one.difference > 0 and one.verdict is Verdict.IMPROVED
    sentence = counted_sentence(one, "insns")
    assert "against the time; with it neoverse_n1_reset_func -121" in sentence and "against it memcpy +388" in sentence


def test_clusters_of_other_processors_have_counts_of_their_own() -> None:
    found = {one.processors: one.functions[0][0] for one in told("juno", "v2.9", "v2.10")}
    assert found == {("cortex-a57",): "cortex_a57_reset_func", ("cortex-a53",): "cortex_a53_reset_func"}


def test_processors_and_tests_whose_functions_moved_alike_are_one_line() -> None:
    both = [one for one in told("juno", "v2.10", "v2.11") if set(one.tests) == {"susp_deep_serial", "cpu_susp_serial"}]
    assert [one.processors for one in both] == [("cortex-a57", "cortex-a53")]
    assert "less than 1 % of the span" in counted_sentence(both[0], "insns")


def test_every_line_is_inferred_and_the_last_says_what_was_counted_and_what_was_not() -> None:
    found = explain_pair(compare(load("published:tf-a/juno/v2.12"), load("published:tf-a/juno/v2.13")))
    counted = [one for one in found if isinstance(one.finding, (CountedBeside, CountsAreOf))]
    assert {one.basis for one in counted} == {Basis.INFERRED} and {one.unit for one in counted} == {"insns"}
    last = counted[-1].finding
    assert isinstance(last, CountsAreOf) and (Metric.CACHE_FLUSH, ("susp_deep_serial",)) in last.untold


@pytest.mark.parametrize(("before", "after"), [("2017", "v2.9"), ("v2.9", "v2.9")])
def test_nothing_is_counted_beside_a_release_that_was_not_counted_or_times_that_did_not_change(before: str, after: str) -> None:
    assert told("juno", before, after) == []


def test_a_run_of_ones_own_has_no_counts_beside_it() -> None:
    base, candidate = load("published:tf-a/n1sdp/v2.9"), load("published:tf-a/n1sdp/v2.10")
    assert list(counted_beside(compare(base, replace(candidate, id="psci-1234")))) == []
