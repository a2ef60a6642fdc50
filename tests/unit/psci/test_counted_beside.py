# SPDX-License-Identifier: BSD-3-Clause
"""Counts of two releases beside what boards published of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from latlab.core.comparison.by_kind import compare, explain_pair
from latlab.core.comparison.counted_findings import OUTSIDE, Agreement, CountedBeside, CountsAreOf, Sight
from latlab.core.comparison.explanation import Basis
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.counts import SpanCount
from latlab.core.model.enums import InstructionClass as C
from latlab.core.model.enums import Metric
from latlab.core.store.references import load
from latlab.psci.analysis.counted import agreement_of, counted_beside


def told(board: str, before: str, after: str) -> list[CountedBeside]:
    comparison = compare(load(f"published:tf-a/{board}/{before}"), load(f"published:tf-a/{board}/{after}"))
    return [one for one in counted_beside(comparison) if isinstance(one, CountedBeside)]


def test_the_rise_of_a_boards_wake_up_stands_beside_the_function_the_classes_and_the_commit_that_grew_it() -> None:
    found = told("n1sdp", "v2.9", "v2.10")
    assert {test for one in found for test in one.tests} == {"cpu_off_serial", "cpu_susp_serial", "susp_deep_serial"}
    for one in found:
        assert (one.metric, one.verdict, one.processors) == (Metric.WAKEUP, Verdict.REGRESSED, ("neoverse-n1",))
        assert (one.agreement, one.sight) == (Agreement.AGREED, Sight.OUTSIDE)
        assert one.functions[0] == ("neoverse_n1_reset_func", 126.0)
        assert [name for name, _ in one.classes[:3]] == [C.UNCACHED_FETCH, C.UNCACHED_BRANCH, C.UNCACHED_LOAD]
        assert one.difference == sum(moved for _, moved in one.functions) == sum(moved for _, moved in one.classes)
        assert [commit.id[:9] for commit in one.commits] == ["f86098a62"]


def test_a_fall_is_agreed_by_what_left_the_caches_though_all_together_moved_against_it() -> None:
    found = [one for one in told("n1sdp", "v2.12", "v2.13") if one.metric is Metric.WAKEUP]
    assert found
    for one in found:
        assert one.difference > 400 and one.verdict is Verdict.IMPROVED and one.agreement is Agreement.AGREED
        outside = sum(moved for name, moved in one.classes if name in OUTSIDE)
        assert outside < 0
        sentence = one.sentence("insns")
        assert (
            f". Of these uncached accesses and cache maintenance {outside:+,.0f}, in the same direction as the time." in sentence
            and ". Functions in the same direction: neoverse_n1_reset_func -121" in sentence
            and "Functions in the opposite direction: memcpy +388" in sentence
        )
        assert "neoverse_n1_reset_func by 89dba82df, perf(cpus): make reset errata do fewer branches" in sentence


def test_code_of_the_emulated_platform_moves_nothing() -> None:
    for one in told("n1sdp", "v2.14", "v2.15"):
        assert not [name for name, _ in one.functions if name.startswith(("plat_", "qemu_", "gicv2_"))]


def span(cached: float, loads: float) -> SpanCount:
    return SpanCount(cached + loads, {("work", C.CACHED): cached, ("work", C.UNCACHED_LOAD): loads})


@pytest.mark.parametrize(
    ("old", "new", "time_ns", "expected"),
    [
        (span(1000, 10), span(1400, 40), 3000, (Agreement.AGREED, Sight.OUTSIDE)),
        (span(1000, 40), span(1400, 10), 3000, (Agreement.CONTRADICTED, Sight.OUTSIDE)),
        (span(1000, 40), span(1400, 10), -3000, (Agreement.AGREED, Sight.OUTSIDE)),
        (span(1000, 10), span(1400, 10), 1500, (Agreement.AGREED, Sight.WHOLE)),
        (span(1000, 10), span(1400, 10), -1500, (Agreement.CONTRADICTED, Sight.WHOLE)),
        (span(1000, 10), span(1400, 10), 7000, (Agreement.OUT_OF_SIGHT, Sight.TOO_FEW)),
        (span(1000, 10), span(1009, 10), 20, (Agreement.OUT_OF_SIGHT, Sight.STILL)),
        (span(1000, 100), span(1000, 105), 20, (Agreement.OUT_OF_SIGHT, Sight.STILL)),
    ],
)
def test_counts_agree_where_they_moved_the_way_of_the_time_and_are_enough_for_it(
    old: SpanCount, new: SpanCount, time_ns: float, expected: tuple[Agreement, Sight]
) -> None:
    assert agreement_of(old, new, time_ns) == expected


def test_clusters_of_other_processors_have_counts_of_their_own() -> None:
    found = {one.processors: one.functions[0][0] for one in told("juno", "v2.9", "v2.10")}
    assert found == {("cortex-a57",): "cortex_a57_reset_func", ("cortex-a53",): "cortex_a53_reset_func"}


def test_processors_and_tests_whose_functions_moved_alike_are_one_line() -> None:
    both = [one for one in told("juno", "v2.10", "v2.11") if set(one.tests) == {"susp_deep_serial", "cpu_susp_serial"}]
    assert [one.processors for one in both] == [("cortex-a57", "cortex-a53")]
    assert (both[0].agreement, both[0].sight) == (Agreement.OUT_OF_SIGHT, Sight.STILL)
    assert "nearly unchanged" in both[0].sentence("insns")


def test_what_a_board_felt_and_no_count_shows_is_out_of_sight() -> None:
    found = [one for one in told("juno", "v2.13", "v2.14") if "cortex-a57" in one.processors]
    assert {one.agreement for one in found if one.metric in (Metric.WAKEUP, Metric.CACHE_FLUSH)} == {Agreement.OUT_OF_SIGHT}
    assert {one.sight for one in found if one.metric is Metric.CACHE_FLUSH} == {Sight.STILL}


def test_every_line_is_inferred_and_the_last_says_what_was_counted_and_what_was_not() -> None:
    found = explain_pair(compare(load("published:tf-a/juno/v2.12"), load("published:tf-a/juno/v2.13")))
    counted = [one for one in found if isinstance(one.finding, (CountedBeside, CountsAreOf))]
    assert {one.basis for one in counted} == {Basis.INFERRED} and {one.unit for one in counted} == {"insns"}
    last = counted[-1].finding
    assert isinstance(last, CountsAreOf) and (Metric.WAKEUP, ("susp_deep_parallel", "cpu_susp_parallel")) in last.untold


@pytest.mark.parametrize(("before", "after"), [("2017", "v2.9"), ("v2.9", "v2.9")])
def test_nothing_is_counted_beside_a_release_that_was_not_counted_or_times_that_did_not_change(before: str, after: str) -> None:
    assert told("juno", before, after) == []


def test_a_run_of_ones_own_has_no_counts_beside_it() -> None:
    base, candidate = load("published:tf-a/n1sdp/v2.9"), load("published:tf-a/n1sdp/v2.10")
    assert list(counted_beside(compare(base, replace(candidate, id="psci-1234")))) == []
