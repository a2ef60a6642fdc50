# SPDX-License-Identifier: BSD-3-Clause
"""What is inferred from durations of a queue whose costs are known, each amount counted by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from latlab.core.comparison import queue_findings as q
from latlab.core.comparison.by_kind import explain_run
from latlab.core.comparison.findings import Alternative
from latlab.core.comparison.queue_findings import Suspect
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run, Sample
from support.ladder_model import Truth, make_run, relabelled

LOCK_OR_CONTROLLER = (Suspect.PSCI_LOCK, Suspect.POWER_CONTROLLER)


def core(name: str) -> CoreId:
    return CoreId(int(name[0]), int(name[2]))


def found(run: Run, test: str) -> list[Any]:
    return [one.finding for one in explain_run(run) if one.test == test]


def of_kind(run: Run, test: str, kind: type) -> list[Any]:
    return [one for one in found(run, test) if isinstance(one, kind)]


def suspected(run: Run, kind: type) -> tuple[Any, tuple[Alternative, ...], CoreId | None]:
    """The only finding of its kind, with what it is suspected to come from."""
    (one,) = [one for one in explain_run(run) if isinstance(one.finding, kind)]
    return one.finding, one.suspects, one.about


def queue(run: Run, test: str) -> list[CoreId]:
    spans = {s.core: s.value_ticks for s in run.samples if (s.test, s.metric) == (test, Metric.POWERDOWN)}
    return sorted(spans, key=lambda one: spans[one])


def test_the_queue_is_told_in_its_order_with_base_and_step():
    run = make_run(Truth(), 1)
    (served,) = of_kind(run, "susp_deep_parallel", q.ServedInOrder)
    assert served.cores == tuple(queue(run, "susp_deep_parallel")) == tuple(map(core, ("1.3", "0.0", "0.1", "1.2", "1.0", "1.1")))
    assert (served.base, served.step, served.rms) == pytest.approx((100_000, 140_000, 0), abs=1e-3)


def test_the_longest_wait_is_divided_into_steps_and_extras():
    (longest,) = of_kind(make_run(Truth(), 1), "susp_deep_parallel", q.LongestWait)
    assert (longest.core, longest.ahead) == (core("1.1"), 5)
    assert (longest.waited, longest.step) == pytest.approx((5 * 140_000 + 146_000 + 36_000, 140_000))
    assert dict(longest.extras) == pytest.approx({"after the last man of cluster 0": 146_000, "last man of the system": 36_000})


def test_without_extras_the_longest_wait_is_so_many_equal_steps():
    (longest,) = of_kind(make_run(Truth(), 1), "cpu_susp_parallel", q.LongestWait)
    assert longest.extras == () and (longest.ahead, longest.waited, longest.step) == (5, pytest.approx(700_000), pytest.approx(140_000))


def test_the_last_men_paid_and_the_cores_behind_them_waited():
    run = make_run(Truth(), 1)
    paid = of_kind(run, "susp_deep_parallel", q.PaidAsLastMan)
    assert [(one.core, one.flush) for one in paid] == [(core("0.1"), 100_000.0), (core("1.1"), 100_000.0)]
    waited, _, behind = suspected(run, q.WaitedBehindLastMan)
    assert (waited.core, behind) == (core("1.2"), core("0.1")) and waited.more == pytest.approx(146_000)
    (last,) = of_kind(run, "susp_deep_parallel", q.LastOfSystem)
    assert last.core == core("1.1") and last.more == pytest.approx(36_000)


def test_of_several_iterations_the_first_is_told():
    run = make_run(Truth(tests=("susp_deep_parallel",)), 1, iterations=2)
    first = {s.core: s.value_ticks * 20 for s in run.samples if (s.metric, s.iteration) == (Metric.CACHE_FLUSH, 0)}
    second = {s.core: s.value_ticks * 20 for s in run.samples if (s.metric, s.iteration) == (Metric.CACHE_FLUSH, 1)}
    assert first != second
    paid = of_kind(run, "susp_deep_parallel", q.PaidAsLastMan)
    assert paid and all(one.flush == first[one.core] == 100_000 for one in paid)


def test_a_flush_has_room_in_a_rise_that_is_longer_than_a_step_by_half_of_it():
    """A last man's rise of a step has no room for its flush, which passed in the wait; one that holds it is not told as such."""
    hidden = of_kind(make_run(Truth(), 1), "susp_deep_parallel", q.PaidAsLastMan)[0]
    assert hidden.rise == pytest.approx(140_000)
    run = make_run(Truth(), 1)
    behind = queue(run, "susp_deep_parallel")[2:]

    def later(sample: Sample) -> Sample:
        moved = (sample.test, sample.metric) == ("susp_deep_parallel", Metric.POWERDOWN) and sample.core in behind
        return replace(sample, value_ticks=sample.value_ticks + 95_000 // 20) if moved else sample

    assert of_kind(relabelled(run, later), "susp_deep_parallel", q.PaidAsLastMan)[0].rise is None


def test_a_step_like_that_of_level_zero_is_no_cluster_lock_and_another_may_be():
    run = make_run(Truth(), 1)
    told, suspects, _ = suspected(run, q.StepOfLevelZero)
    assert told.same and told.step == pytest.approx(140_000) and suspects == ()

    def faster(sample: Sample) -> Sample:
        at_level_zero = (sample.test, sample.metric) == ("cpu_susp_parallel", Metric.POWERDOWN)
        return replace(sample, value_ticks=sample.value_ticks // 2) if at_level_zero else sample

    told, suspects, _ = suspected(relabelled(run, faster), q.StepOfLevelZero)
    assert not told.same and told.step == pytest.approx(70_000) and suspects == LOCK_OR_CONTROLLER


def test_without_the_test_of_level_zero_the_step_has_two_suspects():
    run = make_run(Truth(tests=("susp_deep_parallel",)), 1)
    told, suspects, _ = suspected(run, q.StepOfQueue)
    assert told.step == pytest.approx(140_000) and suspects == LOCK_OR_CONTROLLER


def test_a_queue_at_level_zero_needs_no_cluster_lock():
    assert of_kind(make_run(Truth(), 1), "cpu_susp_parallel", q.QueueWithoutClusterLock)


def test_a_step_that_is_small_beside_the_base_is_no_queue():
    run = make_run(Truth(step=4_000.0, tests=("cpu_susp_parallel",)), 1)
    (none,) = found(run, "cpu_susp_parallel")
    assert isinstance(none, q.NoQueue) and (none.step, none.base) == pytest.approx((4_000, 100_000))
    assert of_kind(make_run(Truth(step=6_000.0, tests=("cpu_susp_parallel",)), 1), "cpu_susp_parallel", q.ServedInOrder)


def test_a_lead_far_above_its_siblings_waited_unless_its_flush_says_it_all():
    run = make_run(Truth(tests=("susp_deep_serial", "cpu_susp_serial")), 1)
    (by_flush,) = found(run, "susp_deep_serial")
    assert by_flush == q.LeadTookLonger(core("1.0"), 100_000.0, 95_000.0) and by_flush.is_the_flush
    assert found(run, "cpu_susp_serial") == []

    def waited(sample: Sample) -> Sample:
        is_lead = (sample.test, sample.metric, sample.core) == ("cpu_susp_serial", Metric.POWERDOWN, core("1.0"))
        return replace(sample, value_ticks=sample.value_ticks + 50_000 // 20) if is_lead else sample

    told, suspects, _ = suspected(relabelled(make_run(Truth(tests=("cpu_susp_serial",)), 1), waited), q.LeadTookLonger)
    assert told == q.LeadTookLonger(core("1.0"), 50_000.0, 0.0)
    assert suspects == (Suspect.POWER_OFF_BEFORE, Suspect.OWN_MESSAGE)


def test_cores_that_wait_on_the_way_up_are_told_with_what_they_waited():
    run = make_run(Truth(tests=("susp_deep_parallel", "susp_deep_serial")), 1)
    late = {core("0.1"): 200_000, core("1.2"): 300_000}

    def queued(sample: Sample) -> Sample:
        waits = (sample.test, sample.metric) == ("susp_deep_parallel", Metric.WAKEUP) and sample.core in late
        return replace(sample, value_ticks=sample.value_ticks + late[sample.core] // 20) if waits else sample

    (told,) = of_kind(relabelled(run, queued), "susp_deep_parallel", q.WaitedOnTheWayUp)
    assert told.waits == ((core("0.1"), 200_000.0), (core("1.2"), 300_000.0))
    assert not of_kind(run, "susp_deep_parallel", q.WaitedOnTheWayUp)
