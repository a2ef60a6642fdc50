# SPDX-License-Identifier: BSD-3-Clause
"""What is said first, what passes no gate, and which rules are about which platform."""

import re
from dataclasses import replace

import numpy as np
import pytest

from latlab.core.comparison.by_kind import check_invariants, explain_pair, explain_run
from latlab.core.comparison.decision import ClaimLevel
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.verdicts import Verdict, worst
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Sample, Tick, Topology
from latlab.core.report.comparison.sentences import summary
from latlab.core.statistics.statistics import Shift
from latlab.core.store.references import load
from support.known_boards import JUNO as KNOWN_JUNO
from support.known_boards import Noise, measured
from support.ladder_model import Truth, make_run, relabelled
from support.pairs_of_kind import compare_spans as compare
from support.runs import JUNO, ONE_CORE, changed, run_with

FAIL_ON = frozenset({"regressed"})
QUIET = Truth(noise=0.003)


def changed_where(run, chosen, change, name="b"):
    return replace(relabelled(run, lambda s: replace(s, value_ticks=change(s.value_ticks)) if chosen(s) else s), id=name)


def in_cell(test, metric, core):
    return lambda s: (s.test, s.metric, s.core) == (test, metric, core)


def gate(a, b):
    return report_gate(compare(a, b), FAIL_ON)


def test_a_release_that_departs_from_a_rule_fails_and_says_so_first():
    decision = gate(load("published:tf-a/juno/v2.12"), load("published:tf-a/juno/v2.13"))
    assert decision.exit_code == 1
    assert decision.lines[1].startswith(
        "susp_deep_parallel: published:tf-a/juno/v2.13 no longer follows a rule that published:tf-a/juno/v2.12 follows"
    )
    assert "2 of the 2 cores of cluster 0 pay it" in decision.lines[1] and "4 of the 4 cores of cluster 1 pay it" in decision.lines[1]


def test_a_queue_whose_tail_is_not_told_is_not_said_to_be_the_same():
    comparison = compare(measured(KNOWN_JUNO, Noise(), 2, 4, "a"), measured(KNOWN_JUNO, Noise(), 3, 4, "b"))
    assert {row.verdict for row in comparison.rows if row.name in ("base", "step")} == {Verdict.SAME_LEVEL}
    inconclusive = sum(row.verdict is Verdict.CANNOT_TELL for row in comparison.rows)
    terms = [row for row in comparison.rows if row.is_term]
    same = sum(row.verdict is Verdict.SAME_LEVEL for row in terms)
    queues = f"powerdown queues: unchanged (tail inconclusive) in {same} of {len(terms)} rows"
    assert same < len(terms)
    assert summary(comparison) == f"{queues}. {inconclusive} of {len(comparison.rows)} rows inconclusive"


def test_a_release_that_mends_a_rule_is_named_and_not_blamed():
    comparison = compare(load("published:tf-a/juno/v2.14"), load("published:tf-a/juno/v2.15"))
    assert not any(change.is_worse for change in comparison.rule_changes)
    assert "v2.15 follows again a rule that published:tf-a/juno/v2.14 does not follow" in explain_pair(comparison)[0].sentence
    assert comparison.verdict is not Verdict.REGRESSED


def test_every_wakeup_of_n1sdp_that_doubled_is_regressed():
    comparison = compare(load("published:tf-a/n1sdp/v2.9"), load("published:tf-a/n1sdp/v2.10"))
    serial = [row for row in comparison.rows if row.metric is Metric.WAKEUP and row.test.endswith("serial")]
    assert serial and {row.verdict for row in serial} == {Verdict.REGRESSED}
    assert all(1.3 < row.relative < 1.5 for row in serial)


@pytest.mark.parametrize(
    ("platform", "why"), [("n1sdp", "clean their own caches"), ("somebody-s", "nothing is known of the platform somebody-s")]
)
def test_a_rule_about_flushes_says_why_it_is_not_about_a_platform(platform, why):
    run = replace(make_run(Truth(), 1), platform=platform)
    faulty = changed_where(run, lambda s: s.metric is Metric.CACHE_FLUSH and "deep_par" in s.test, lambda _: 5000)
    about_flushes = [check for check in check_invariants(faulty) if check.rule.coherency]
    assert about_flushes and all(check.holds and not check.applicable and why in check.sentence for check in about_flushes)


def test_a_missing_flush_of_the_last_man_breaks_a_rule_with_its_ground():
    run = make_run(Truth(), 1)
    faulty = changed_where(run, lambda s: s.metric is Metric.CACHE_FLUSH and s.test == "susp_deep_parallel", lambda _: 250)
    (said,) = [e.sentence for e in explain_run(faulty) if e.test == "susp_deep_parallel" and "this breaks a rule" in e.sentence]
    assert "PSCI" in said and "None of the 2 cores of cluster 0 pays it" in said and "None of the 4 cores of cluster 1 pays it" in said


def test_like_cores_some_ticks_apart_are_not_unusual():
    """1.6 against 2.0 us is a quarter, and twenty ticks."""
    run = make_run(replace(Truth(tests=("cpu_susp_serial",)), powerdown=1600.0, plain_flush=300.0), 1)
    slower = changed_where(run, in_cell("cpu_susp_serial", Metric.POWERDOWN, CoreId(1, 2)), lambda _: 100)
    assert all(check.holds for check in check_invariants(slower))


def test_one_cell_three_times_as_long_passes_no_gate():
    a, b = make_run(QUIET, 1, name="a"), make_run(QUIET, 2, name="b")
    for metric in (Metric.WAKEUP, Metric.CACHE_FLUSH):
        tripled = changed_where(b, in_cell("cpu_susp_serial", metric, CoreId(1, 2)), lambda v: 3 * v)
        decision = gate(a, tripled)
        assert decision.exit_code in (1, 3)
        assert any(f"cpu_susp_serial {metric}" in line or f"{metric} in cpu_susp_serial" in line for line in decision.lines)


def test_a_core_that_seems_to_wait_where_none_did_passes_no_gate():
    a, b = make_run(QUIET, 1, name="a"), make_run(QUIET, 2, name="b")
    decision = gate(a, changed_where(b, in_cell("cpu_susp_parallel", Metric.WAKEUP, CoreId(1, 2)), lambda v: 10 * v))
    assert decision.exit_code in (1, 3)
    assert any(re.search(r"cpu_susp_parallel wakeup cluster 1|wakeup in cpu_susp_parallel, cluster 1", line) for line in decision.lines)


def test_rows_alike_lend_each_other_certainty_and_only_those_of_their_metric_and_cluster():
    comparison = compare(load("published:tf-a/juno/v2.10"), load("published:tf-a/juno/v2.11"))
    rows = {(row.test, row.metric, row.name): row for row in comparison.rows}
    lent = [row for row in comparison.rows if row.verdict is Verdict.REGRESSED and "alike" in row.basis]
    assert lent and all(row.p_adjusted < 0.0025 < row.shift.p * len(comparison.rows) for row in lent)
    alone = rows["psci_version_parallel", Metric.PSCI_CALL, "all cores"]
    assert "alike" not in alone.basis and alone.verdict is Verdict.CANNOT_TELL


def test_rows_of_one_cluster_alone_can_be_what_makes_a_change_certain():
    comparison = compare(load("published:tf-a/n1sdp/v2.10"), load("published:tf-a/n1sdp/v2.11"))
    (row,) = (r for r in comparison.rows if (r.test, r.metric, r.cluster) == ("susp_deep_serial", Metric.WAKEUP, 1))
    assert (row.verdict, row.basis) == (Verdict.IMPROVED, "0 of 2 data points rose, with 8 rows alike")


def test_build_options_that_differ_are_noted_by_name_and_equal_ones_are_not():
    a, b = make_run(QUIET, 1, name="a"), make_run(QUIET, 2, name="b")

    def notes(*options):
        before, after = (replace(run, build=replace(run.build, options=own)) for run, own in zip((a, b), options, strict=True))
        return compare(before, after).differences.title

    assert notes((("trace", "1"),), (("trace", "1"),)) == ""
    assert "trace" in notes((("trace", "1"), ("lto", "0")), (("trace", "0"), ("lto", "0")))


def test_a_span_that_stands_twice_is_refused_with_its_place():
    run = make_run(QUIET, 1, boots=2, iterations=3)
    (again,) = (s for s in run.samples if (s.test, s.metric, s.core, s.boot, s.iteration) == (
        "cpu_susp_serial", Metric.WAKEUP, CoreId(1, 2), 1, 2))  # fmt: skip
    with pytest.raises(NotComparable, match=r"cpu_susp_serial wakeup of core 1\.2, boot 1, iteration 2, is recorded twice"):
        compare(changed(run, samples=(*run.samples, again)), run)


def test_the_interval_of_a_row_holds_the_share_that_is_said_of_it():
    a, b = make_run(QUIET, 1, boots=4, name="a"), make_run(QUIET, 2, boots=4, name="b")
    found = compare(a, b)
    assert found.interval_percent == 90
    for row in (row for row in found.rows if row.shift.p > 1e-9):
        assert (row.shift.p < 0.10) is (row.shift.low > 0 or row.shift.high < 0), row.name


def test_each_metric_of_each_test_that_both_runs_have_is_compared():
    a, b = load("published:tf-a/juno/v2.10"), load("published:tf-a/juno/v2.11")
    both = {(s.test, s.metric) for s in a.samples} & {(s.test, s.metric) for s in b.samples}
    assert {(row.test, row.metric) for row in compare(a, b).rows} == both and len(both) == 16


def test_a_large_change_is_one_that_nobody_can_tell():
    (row, *_) = compare(load("published:tf-a/juno/v2.10"), load("published:tf-a/juno/v2.11")).rows
    huge = replace(row, verdict=Verdict.CANNOT_TELL, shift=Shift(500_000.0, -np.inf, np.inf, 1.0), large=1_000.0)
    assert huge.is_large_untold
    assert not replace(huge, large=0.0).is_large_untold and not replace(huge, large=500_001.0).is_large_untold
    assert not any(replace(huge, verdict=verdict).is_large_untold for verdict in (Verdict.REGRESSED, Verdict.IMPROVED))
    assert replace(huge, verdict=Verdict.SAME).is_large_untold
    likely = replace(huge, shift=Shift(500_000.0, -900_000.0, 1_900_000.0, 0.2))
    assert not likely.is_large_untold and replace(likely, shift=replace(likely.shift, p=0.0001)).is_large_untold


@pytest.mark.parametrize(("of_cluster_1", "names"), [(1_400, {"all cores"}), (1_600, {"cluster 0", "cluster 1"})])
def test_calls_of_clusters_that_differ_by_half_are_compared_by_cluster(of_cluster_1, names):
    def called(more):
        values = (1_000, 1_004, of_cluster_1, of_cluster_1 + 4)
        samples = [
            Sample("psci_version_parallel", Metric.PSCI_CALL, core, boot, 0, value + more + boot)
            for core, value in zip(Topology((2, 2)).cores, values, strict=True)
            for boot in range(4)
        ]
        return run_with(topology=Topology((2, 2)), samples=samples)

    assert {row.name for row in compare(called(0), called(2)).rows} == names


@pytest.mark.parametrize(("factor", "verdict"), [(1.2, Verdict.CANNOT_TELL), (2.0, Verdict.REGRESSED)])
def test_a_metric_of_one_test_is_told_of_one_boot_only_where_it_moved_by_more_than_boots_differ(factor, verdict):
    """Between releases that changed nothing of it PSCI_VERSION differs by up to 0.4 of 0.9 us."""
    before, after = measured(KNOWN_JUNO, Noise(), 2, 1, "a"), measured(KNOWN_JUNO, Noise(), 3, 1, "b")
    longer = changed_where(after, lambda s: s.metric is Metric.PSCI_CALL, lambda ticks: round(ticks * factor))
    rows = [row for row in compare(before, longer).rows if row.metric is Metric.PSCI_CALL and "first" not in row.name]
    assert {row.verdict for row in rows} == {verdict}


def test_rows_of_one_test_lend_each_other_no_certainty_in_one_boot():
    """What its cores share, both groups of first callers have."""
    longer = changed_where(measured(KNOWN_JUNO, Noise(), 3, 1, "b"), lambda s: s.metric is Metric.PSCI_CALL, lambda ticks: ticks + 6)
    found = compare(measured(KNOWN_JUNO, Noise(), 2, 1, "a"), longer)
    assert not [row.name for row in found.rows if row.metric is Metric.PSCI_CALL and row.verdict is Verdict.REGRESSED]


def test_one_sample_of_one_test_is_never_a_verdict_however_far_off():
    def called(ticks):
        return run_with(topology=ONE_CORE, samples=[Sample("psci_version_parallel", Metric.PSCI_CALL, CoreId(0, 0), 0, 0, ticks)])

    (row,) = compare(called(1_000), called(9_000)).rows
    assert row.verdict is Verdict.CANNOT_TELL and row.shift.p == 1.0


def test_a_whole_test_ten_times_as_long_is_regressed():
    a, b = make_run(QUIET, 1, name="a"), make_run(QUIET, 2, name="b")
    decision = gate(a, changed_where(b, lambda s: s.test == "cpu_susp_serial", lambda v: 10 * v))
    assert decision.exit_code == 1
    assert {row.test for row in decision.failing} >= {"cpu_susp_serial"}


def test_under_the_instruction_clock_a_latency_that_was_none_is_a_regression():
    tick = Tick(Clock.INSTRUCTIONS, 1.0)
    a = replace(make_run(Truth(tests=("cpu_susp_serial",)), 1, name="a"), tick=tick)
    none = changed_where(a, lambda s: s.metric is Metric.WAKEUP, lambda _: 0, name="a")
    comparison = compare(none, changed_where(a, lambda s: s.metric is Metric.WAKEUP, lambda _: 31))
    assert {row.verdict for row in comparison.rows if row.metric is Metric.WAKEUP} == {Verdict.REGRESSED}
    assert comparison.gaps == ()


def test_under_the_instruction_clock_the_largest_difference_of_the_worst_core_is_the_shift():
    a = replace(make_run(Truth(tests=("cpu_susp_serial",)), 1, name="a"), tick=Tick(Clock.INSTRUCTIONS, 1.0))
    moved = {CoreId(1, 0): 1, CoreId(1, 2): -7, CoreId(1, 3): 3}
    b = relabelled(a, lambda s: replace(s, value_ticks=s.value_ticks + (moved.get(s.core, 0) if s.metric is Metric.WAKEUP else 0)))
    (row,) = (row for row in compare(a, b).rows if (row.metric, row.cluster) == (Metric.WAKEUP, 1))
    assert (row.shift.value, row.shift.low, row.shift.high, row.verdict) == (3.0, -7.0, 3.0, Verdict.REGRESSED)
    assert [cell.verdict for cell in row.cells] == [Verdict.REGRESSED, Verdict.SAME, Verdict.IMPROVED, Verdict.REGRESSED]


def test_a_core_that_every_test_lacks_is_named():
    a, b = make_run(QUIET, 1, name="a"), make_run(QUIET, 2, name="b")
    fewer = changed(b, samples=tuple(s for s in b.samples if s.core != CoreId(1, 3)))
    with pytest.raises(NotComparable, match=r"core 1\.3 is missing"):
        compare(a, fewer)


def test_a_step_that_fell_makes_cores_wait_less():
    a, b = make_run(QUIET, 1, name="a"), make_run(replace(QUIET, step=100_000.0), 2, name="b")
    (said,) = [e.sentence for e in explain_pair(compare(a, b)) if "delay per position of the queue" in e.sentence]
    assert "improved" in said and "waits that much less" in said


def test_no_ladder_is_fitted_where_several_cores_pay_as_last_men():
    run = make_run(Truth(), 1)
    faulty = changed_where(run, lambda s: s.metric is Metric.CACHE_FLUSH and "deep_par" in s.test, lambda _: 5000)
    said = [e.sentence for e in explain_run(faulty) if e.test == "susp_deep_parallel"]
    assert any("latlab fits no queue model" in s for s in said) and not any("residual" in s for s in said)


@pytest.mark.parametrize("boots", [1, 2, 8])
def test_no_row_is_the_same_whose_interval_leaves_the_threshold_and_none_moved_that_is_called_a_change(boots):
    for seed in range(3):
        comparison = compare(make_run(QUIET, seed, boots=boots, name="a"), make_run(QUIET, seed + 100, boots=boots, name="b"))
        same = [row for row in comparison.rows if row.verdict in (Verdict.SAME, Verdict.SAME_LEVEL)]
        assert same and all(max(-row.shift.low, row.shift.high) <= row.threshold for row in same)
        assert all(abs(row.shift.value) <= row.threshold for row in comparison.rows if row.verdict is Verdict.MOVED)
        assert report_gate(comparison, FAIL_ON).exit_code == 0


def test_what_cannot_be_told_is_counted_and_not_called_unchanged():
    loud = Truth(noise=0.12, tests=("cpu_susp_serial",))
    comparison = compare(make_run(loud, 1, name="a"), make_run(loud, 2, name="b"))
    assert any(row.verdict is Verdict.CANNOT_TELL for row in comparison.rows)
    assert not any(row.verdict in (Verdict.REGRESSED, Verdict.IMPROVED) for row in comparison.rows)
    assert any("inconclusive, largest shift" in e.sentence for e in explain_pair(comparison))


@pytest.mark.parametrize("each", [2, 3, 4])
def test_first_callers_of_few_boots_that_agree_to_the_tick_are_no_change(each):
    """A few boots of each run have a first caller in cluster 0, at 72 and at 75 ticks; what those scatter by nobody has seen."""

    def calls(name, first_ticks):
        samples = [
            Sample("psci_version_parallel", Metric.PSCI_CALL, core, boot, 0, first_ticks if core == CoreId(boot // each, 0) else others)
            for boot in range(2 * each)
            for place, core in enumerate(JUNO.cores)
            for others in [48 + (boot >> place % 3 & 1)]
        ]
        return run_with(platform="juno", tick=Tick(Clock.TIME, 20.0), samples=samples, id=name)

    comparison = compare(calls("a", 72), calls("b", 75))
    (whole,) = (claim for claim in comparison.claims if claim.level is ClaimLevel.TEST)
    assert whole.verdict is Verdict.SAME_LEVEL and comparison.verdict is Verdict.SAME_LEVEL


@pytest.mark.parametrize(("boots", "verdict"), [(3, Verdict.CANNOT_TELL), (8, Verdict.REGRESSED)])
def test_first_callers_are_judged_with_all_cores_by_position_and_by_the_order_of_their_boots(boots, verdict):
    def calls(name, first):
        samples = [
            Sample(
                "psci_version_parallel",
                Metric.PSCI_CALL,
                core,
                boot,
                0,
                (48 if place else first) + (boot * (place + 2) + boot // 3) % 3,
            )
            for boot in range(boots)
            for place, core in enumerate(JUNO.cores)
        ]
        return run_with(platform="juno", tick=Tick(Clock.TIME, 20.0), samples=samples, id=name)

    (whole,) = (claim for claim in compare(calls("a", 70), calls("b", 90)).claims if claim.level is ClaimLevel.TEST)
    assert (whole.verdict, whole.is_frontier) == (verdict, verdict is Verdict.REGRESSED)


def test_the_worst_verdict_of_the_parts_of_a_row_is_that_of_the_row():
    order = [Verdict.REGRESSED, Verdict.CANNOT_TELL, Verdict.IMPROVED, Verdict.MOVED, Verdict.SAME_LEVEL, Verdict.SAME]
    for place, expected in enumerate(order):
        assert worst(reversed(order[place:])) is expected
    assert worst([]) is Verdict.CANNOT_TELL
