# SPDX-License-Identifier: BSD-3-Clause
"""What reports only word: each judgement as data, and none where what it rests on is missing."""

from dataclasses import replace

import pytest

from latlab.core.comparison.cell_deltas import cell_delta
from latlab.core.comparison.printed_deltas import judge_printed_deltas
from latlab.core.comparison.verdicts import Limits, Verdict, limits_of
from latlab.core.errors import UsageError
from latlab.core.model.blame import UNEXPLAINED, UNTRACED, Blame, BlameKind, Caller, CallerKind
from latlab.core.model.distributions import Distribution
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.store.references import load
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.causes import RING_OVERWRITTEN, by_cause
from latlab.rt.analysis.wakeup import agreement, disagreement, percentile_ns, together, told_percentiles
from latlab.rt.model.wakeups import Outlier, Wakeups, cpu_row
from latlab.virtual.campaign.accuracy import accuracy
from latlab.virtual.campaign.prediction import Prediction
from support.pairs_of_kind import compare_spans as compare


def late(late_us: int, blame: Blame, cpu: int = 0, calls: int = 0, stolen_ns: int = 0) -> Attributed:
    return Attributed(Outlier(cpu, 0, late_us * 1000), blame, calls, stolen_ns)


def test_causes_are_ordered_by_number_and_those_without_one_come_last() -> None:
    call = Blame(BlameKind.FIRMWARE, "TRNG_RND")
    called = replace(call, caller=Caller(CallerKind.HWRNG_THREAD, "hwrng"))
    entries = [
        late(9, UNEXPLAINED),
        late(8, UNEXPLAINED),
        late(7, UNTRACED),
        late(50, call, 1, 1, 5_000),
        late(60, called, 0, 2, 9_000),
        late(70, called, 2, 2, 9_000),
    ]
    found = by_cause(entries)
    assert [group.name for group in found] == ["TRNG_RND, called by the hwrng thread", "TRNG_RND", "unexplained", RING_OVERWRITTEN]
    assert (found[0].cpus, found[0].latest_ns, found[0].stolen_ns) == ((0, 2), 70_000, 9_000)
    assert found[2].stolen_ns is None


def cpu(number: int, *counts: tuple[int, int, int], max_ns: int = 10_000, beyond: int = 0) -> Distribution:
    total = sum(n for _, _, n in counts) + beyond
    return cpu_row(number, counts, total, 1_000, max_ns, 2_000.0, beyond, expected=total, missed=0)


def test_a_percentile_is_told_where_ten_samples_lie_above_it_on_a_cpu() -> None:
    few, many = cpu(0, (1000, 2000, 999)), cpu(1, (1000, 2000, 1001))
    assert told_percentiles([few]) == (50.0,)
    assert told_percentiles([few, many]) == (50.0, 99.0)
    assert told_percentiles([cpu(0)]) == ()


def test_a_percentile_is_never_above_the_maximum() -> None:
    assert percentile_ns(cpu(0, (1000, 9000, 100), max_ns=1500), 50) == 1500
    assert percentile_ns(cpu(0), 50) is None


def test_a_histogram_that_holds_other_wake_ups_than_were_counted_is_said() -> None:
    assert disagreement(cpu(0)) == disagreement(cpu(0, (1000, 2000, 3))) == disagreement(replace(cpu(0), got=3)) == ""
    assert disagreement(replace(cpu(0, (1000, 2000, 3)), got=4)) == "CPU 0: the histogram has 3 samples, the tool says 4"
    assert disagreement(replace(cpu(0), got=4, digest="00")) == "CPU 0: the histogram has 0 samples, the tool says 4"


def test_two_tools_agree_on_the_cpus_that_both_measured() -> None:
    first = Wakeups("recorder", None, 1, (cpu(0, (1000, 2000, 10)), cpu(1)))
    second = Wakeups("cyclictest", None, 1000, (cpu(0, (1000, 2000, 10), beyond=2), cpu(2)))
    (one,) = agreement(first, second)
    assert one.cpu == 0 and one.clipped_by_second == 2
    assert one.distance == pytest.approx(2 / 12)


def test_two_histograms_together_hold_every_count_of_both() -> None:
    assert together(((0, 10, 1), (10, 20, 2)), ((10, 25, 3), (30, 40, 4))) == ((0, 10, 1), (10, 25, 5), (30, 40, 4))


def test_a_delta_stands_beside_a_cell_only_where_the_comparison_shows_a_change() -> None:
    comparison = compare(load("published:tf-a/juno/v2.9"), load("published:tf-a/juno/v2.10"))
    changed = {row.metric for row in comparison.rows if row.verdict is Verdict.REGRESSED}
    assert changed == {Metric.WAKEUP}
    shown = cell_delta(comparison, "cpu_susp_serial", Metric.WAKEUP, CoreId(0, 0), 19_000)
    assert shown is not None and 0.1 < shown.share < 0.3 and not shown.at_its_place
    assert cell_delta(comparison, "cpu_susp_serial", Metric.POWERDOWN, CoreId(0, 0), 100_000) is None
    assert cell_delta(comparison, "susp_deep_parallel", Metric.POWERDOWN, CoreId(0, 0), 240_000) is None


def test_the_error_of_a_prediction_is_told_for_all_tests_and_for_each() -> None:
    key = ("cpu_susp_serial", Metric.WAKEUP, CoreId(0, 0))
    other = ("susp_deep_serial", Metric.WAKEUP, CoreId(0, 1))
    found = accuracy([Prediction(key, 100, 110), Prediction(other, 100, 70), Prediction(other, 100, 101)])
    assert [(one.test, one.spans, one.median_percent) for one in found] == [
        (None, 3, 10.0),
        ("cpu_susp_serial", 1, 10.0),
        ("susp_deep_serial", 2, 15.5),
    ]
    assert found[0].worst.key == other and found[0].worst.error_percent == pytest.approx(-30)


def test_a_tolerance_replaces_the_limit_of_every_clock() -> None:
    assert limits_of(None) == Limits()
    assert (limits_of(5).relative, limits_of(5).relative_exact) == (0.05, 0.05)
    for wrong in (-1, 100, float("nan")):
        with pytest.raises(UsageError, match="not a percentage"):
            limits_of(wrong)


def test_a_printed_delta_is_judged_by_the_row_of_its_own_metric():
    judged = judge_printed_deltas(compare(load("published:tf-a/juno/v2.13"), load("published:tf-a/juno/v2.14")))
    of_test = [(j.metric, j.verdict) for j in judged if j.test == "cpu_susp_serial"]
    assert {v for m, v in of_test if m is Metric.WAKEUP} == {Verdict.REGRESSED}
    assert {v for m, v in of_test if m is Metric.POWERDOWN} == {Verdict.CANNOT_TELL}, "by 5 % in all six cores, with one boot of each"
    of_flushes = {j.core: j.reason for j in judged if (j.test, j.metric) == ("cpu_susp_serial", Metric.CACHE_FLUSH)}
    assert of_flushes[CoreId(0, 0)] == "its like cores moved +2.10 µs, +2.28 µs"
    assert of_flushes[CoreId(1, 1)].startswith("its like cores moved +0.02 µs, +0.14 µs")


def test_a_delta_that_was_taken_against_another_release_gets_no_verdict_of_this_one():
    document = load("published:tf-a/juno/v2.10")
    elsewhere = replace(document, printed_deltas=tuple(replace(d, percent=d.percent + 7) for d in document.printed_deltas))
    judged = judge_printed_deltas(compare(load("published:tf-a/juno/v2.9"), elsewhere))
    assert len(judged) == 7 and {j.verdict for j in judged} == {Verdict.CANNOT_TELL}
    assert all("it is not relative to published:tf-a/juno/v2.9, which gives" in j.reason for j in judged)
