# SPDX-License-Identifier: BSD-3-Clause
from dataclasses import replace

import pytest

from latlab.core.comparison.by_kind import check_invariants, compare, explain_pair, explain_run
from latlab.core.comparison.span_findings import MetricMoved
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Tick
from latlab.core.report.comparison.sentences import samples_line
from latlab.core.store import references
from support.ladder_model import Truth, call, make_run, relabelled
from support.runs import changed
from support.wakeup_runs import distribution, wakeup_run


def sentences(explanations, test=None):
    return [e.sentence for e in explanations if test in (None, e.test)]


@pytest.fixture(scope="module")
def juno():
    return {name: references.load(f"published:tf-a/juno/{name}") for name in ("2017", "v2.9", "v2.10")}


def test_the_last_core_of_a_queue_waited_so_many_steps(juno):
    told = sentences(explain_run(juno["v2.9"]), "cpu_susp_parallel")
    assert "core 0.1 waited 696 µs behind five cores: 5 positions of 139.2 µs" in told


def test_the_last_man_is_named_with_the_flush_that_it_paid(juno):
    told = sentences(explain_run(juno["v2.9"]), "susp_deep_parallel")
    assert any(s.startswith("0.1 flushed its cluster for 138.8 µs as last core down of cluster 0") for s in told)


def test_figures_without_traces_are_called_inferred(juno):
    assert {e.basis for e in explain_run(juno["v2.9"])} == {"inferred"}


def test_two_explanations_that_fit_equally_are_both_given(juno):
    given = [e.alternatives for e in explain_run(juno["v2.9"]) if e.alternatives]
    assert given and all(len(alternatives) == 2 for alternatives in given)


def test_an_order_that_changed_is_told_with_the_largest_move(juno):
    told = sentences(explain_pair(compare(juno["v2.9"], juno["v2.10"])), "susp_deep_parallel")
    assert any(s.startswith("order changed: 0.0, 1.0, 0.1,") and "no span changed by more than 0.7 %" in s for s in told)


def test_an_order_that_differs_between_iterations_is_of_none_of_them():
    one, other = make_run(Truth(), 1, boots=3), make_run(Truth(), 2, boots=3)
    told = sentences(explain_pair(compare(one, other)))
    assert not any(s.startswith("order changed") for s in told)
    (queue,) = [s for s in sentences(explain_run(one), "susp_deep_parallel") if "delay per position" in s and "first-core" in s]
    assert queue.startswith("medians of 3 iterations: ") and "In the first one" in queue


def test_the_wakeup_regression_is_told_once_with_its_range(juno):
    told = [s for s in sentences(explain_pair(compare(juno["v2.9"], juno["v2.10"]))) if s.startswith("wakeup regressed in every test")]
    assert len(told) == 1 and "+2.92 µs to +4.92 µs over 27 data points" in told[0]


def test_what_moved_with_a_change_and_what_did_not_is_told_by_metric(juno):
    first, second = (
        explain_pair(compare(references.load(f"published:tf-a/juno/{before}"), references.load(f"published:tf-a/juno/{after}")))
        for before, after in (("v2.9", "v2.10"), ("v2.10", "v2.11"))
    )
    (wakeup,) = [e.finding for e in first if isinstance(e.finding, MetricMoved)]
    assert (wakeup.metric, wakeup.verdict, wakeup.everywhere, wakeup.cells) == (Metric.WAKEUP, Verdict.REGRESSED, True, 27)
    assert wakeup.untouched == (Metric.POWERDOWN,), "of one boot, flushes and calls are not known well enough"
    (down,) = [e.finding for e in second if isinstance(e.finding, MetricMoved)]
    assert (down.metric, down.low, down.high, down.by_cluster) == (Metric.POWERDOWN, 6880.0, 17700.0, ((0, 7090.0), (1, 7350.0)))
    assert down.untouched == ()


def test_the_longer_step_since_2017_is_named(juno):
    told = sentences(explain_pair(compare(juno["2017"], juno["v2.9"])))
    assert any("delay per position of the queue regressed" in s and "87.7 µs to 139.6 µs" in s and "86.5 µs to 139.1 µs" in s for s in told)


def test_equal_runs_have_nothing_to_explain():
    a = make_run(Truth(), 1, name="a")
    assert sentences(explain_pair(compare(a, replace(a, id="b")))) == ["no structure changed beyond its threshold"]


@pytest.mark.parametrize("name", ["2017", "v2.9", "v2.10"])
def test_the_published_runs_keep_every_rule(juno, name):
    assert [check for check in check_invariants(juno[name]) if not check.holds] == []


def broken(run):
    return {check.name for check in check_invariants(run) if not check.holds}


def test_every_core_flushing_its_cluster_in_parallel_breaks_a_rule():
    run = make_run(Truth(), 1)
    faulty = relabelled(run, lambda s: replace(s, value_ticks=5000) if s.metric is Metric.CACHE_FLUSH and "deep_par" in s.test else s)
    assert "no core but the last of a cluster pays the cluster flush" in broken(faulty)
    (told,) = [s for s in sentences(explain_run(faulty), "susp_deep_parallel") if "this is unusual" in s]
    assert "2 of the 2 cores of cluster 0 pay it" in told and "4 of the 4 cores of cluster 1 pay it" in told


def test_a_cluster_flush_at_level_0_breaks_a_rule():
    run = make_run(Truth(), 1)
    faulty = relabelled(
        run,
        lambda s: (
            replace(s, value_ticks=4000) if s.metric is Metric.CACHE_FLUSH and s.test == "cpu_susp_serial" and s.core == CoreId(1, 2) else s
        ),
    )
    assert "no core pays a cluster flush at level 0" in broken(faulty)


def test_a_flush_longer_than_its_powerdown_breaks_a_rule():
    run = make_run(Truth(), 1)
    faulty = relabelled(run, lambda s: replace(s, value_ticks=1) if s.metric is Metric.POWERDOWN and s.core == CoreId(0, 0) else s)
    assert "the cache flush fits into the powerdown" in broken(faulty)


def test_a_serial_last_man_beside_a_running_lead_breaks_a_rule():
    run = make_run(Truth(), 1)
    change = {("susp_deep_serial", Metric.CACHE_FLUSH, CoreId(1, 2)): 5000, ("susp_deep_serial", Metric.POWERDOWN, CoreId(1, 2)): 10000}
    faulty = relabelled(run, lambda s: replace(s, value_ticks=change.get((s.test, s.metric, s.core), s.value_ticks)))
    assert "no core but the last of a cluster pays the cluster flush" in broken(faulty)


def test_a_core_slower_than_its_like_breaks_a_rule():
    run = make_run(Truth(), 1)
    faulty = relabelled(
        run, lambda s: replace(s, value_ticks=s.value_ticks * 2) if s.test == "cpu_susp_serial" and s.core == CoreId(1, 3) else s
    )
    assert "like cores take the same time in serial" in broken(faulty)


def test_with_traces_a_wait_is_exact_and_its_holder_is_named():
    run = make_run(Truth(tests=("susp_deep_parallel",)), 1)
    traced = changed(run, tick=Tick(Clock.TIME, 20.0), traces=(call(CoreId(0, 0), 1000, 5), call(CoreId(0, 1), 1010, 95)))
    exact = [e.sentence for e in explain_run(traced) if e.basis == "exact"]
    assert "core 0.1 waited 1.90 µs (lock wait, level 1), 1.90 µs of it behind 0.0" in exact
    assert any(s.startswith("core 0.1 has the longest powerdown by median, 5.50 µs:") for s in exact)


def test_a_wait_that_no_lock_explains_names_the_step_of_another_core_after_which_it_ended():
    other = call(CoreId(0, 0), 1000, 5)
    elsewhere = replace(other, records=tuple(replace(r, arg=2 << 16) if "LOCK" in r.event else r for r in other.records))
    traces = (elsewhere, call(CoreId(0, 1), 1010, 106))
    run = changed(make_run(Truth(tests=("susp_deep_parallel",)), 1), tick=Tick(Clock.TIME, 20.0), traces=traces)
    exact = [e.sentence for e in explain_run(run) if e.basis == "exact"]
    assert "core 0.1 waited 2.12 µs (lock wait, level 1); it continued right after ENTER_CFLUSH of 0.0" in exact


def test_what_traces_say_of_a_parallel_test_comes_with_its_mark_where_cores_took_turns():
    run = make_run(Truth(tests=("susp_deep_parallel",)), 1)
    traces = (call(CoreId(0, 0), 1000, 5), call(CoreId(0, 1), 1010, 95))
    told = {
        clock: sentences(explain_run(changed(run, tick=Tick(clock, 0.5), traces=traces)), "susp_deep_parallel")
        for clock in (Clock.INSTRUCTIONS, Clock.VIRTUAL)
    }
    turns = "cores take turns under the instruction clock, so these spans have no queue"
    assert told[Clock.INSTRUCTIONS][0] == turns and len(told[Clock.INSTRUCTIONS]) > 1
    assert turns not in told[Clock.VIRTUAL]


def test_a_table_that_does_not_state_how_many_wake_ups_it_is_of_is_not_of_none() -> None:
    measured = distribution([5_000, 9_000])
    assert "2 wake-ups" in samples_line(wakeup_run(measured))
    assert "an unknown number of wake-ups" in samples_line(wakeup_run(replace(measured, got=0, expected=None, missed=None, counts=())))
    never = replace(measured, got=0, expected=9, missed=9, counts=(), minimum_ticks=0, maximum_ticks=0)
    assert "0 wake-ups" in samples_line(wakeup_run(never))
