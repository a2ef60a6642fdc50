# SPDX-License-Identifier: BSD-3-Clause
from dataclasses import replace

import numpy as np
import pytest

from latlab.analysis.base.change_points import change_points
from latlab.analysis.base.identity import NotComparable
from latlab.analysis.history import history
from latlab.analysis.wakeups.tail import tails
from latlab.model.enums import Clock, Metric
from latlab.model.run import CoreId, Sample, Tick
from support.ladder_model import Truth, make_run
from support.runs import ONE_CORE, run_with


def test_two_shifts_are_found_where_they_are():
    rng = np.random.default_rng(3)
    values = np.r_[rng.normal(10, 1, 25), rng.normal(14, 1, 25), rng.normal(8, 1, 25)]
    found = [index for index, _ in change_points(values, permutations=199)]
    assert len(found) == 2 and abs(found[0] - 25) <= 1 and abs(found[1] - 50) <= 1


def test_a_level_series_hardly_ever_has_a_change_point():
    rng = np.random.default_rng(5)
    assert sum(bool(change_points(rng.normal(size=30), permutations=99)) for _ in range(40)) <= 4


def test_the_same_values_have_the_same_change_points():
    values = np.random.default_rng(1).normal(size=20) + np.r_[np.zeros(10), np.full(10, 1.5)]
    assert change_points(values, 99) == change_points(values, 99)


@pytest.mark.parametrize("values", [[], [1.0], [1.0] * 5, [1.0] * 40])
def test_short_and_constant_series_have_none(values):
    assert change_points(np.array(values), 99) == []


def test_a_longer_step_is_found_in_the_history_and_explained():
    truth = Truth(noise=0.005, tests=("cpu_susp_parallel",))
    runs = [make_run(truth if i < 5 else replace(truth, step=170_000.0), i, boots=2, name=f"r{i}") for i in range(10)]
    (series,) = history(runs, "*/powerdown/step")
    (change,) = series.changes
    assert change.index == 5 and change.before == pytest.approx(140_000, rel=0.02) and change.after == pytest.approx(170_000, rel=0.02)
    assert any("step of the queue regressed" in e.sentence for e in change.explanations)


def test_too_few_releases_are_said_not_guessed():
    (series,) = history([make_run(Truth(tests=("cpu_susp_parallel",)), i, name=str(i)) for i in range(3)], "*/powerdown/step")
    assert series.changes == () and "too few" in series.note


def counted(powerdown, name, clock=Clock.INSTRUCTIONS):
    truth = Truth(tests=("cpu_susp_serial", "cpu_susp_parallel"), powerdown=powerdown, step=powerdown)
    return replace(make_run(truth, 1, name=name), tick=Tick(clock, 0.5))


def test_under_a_deterministic_clock_every_change_is_exact_also_in_the_newest_of_three_releases():
    runs = [counted(powerdown, str(i)) for i, powerdown in enumerate((100_000.0, 100_000.0, 100_100.0))]
    (series,) = history(runs, "cpu_susp_serial/powerdown/core-0.1")
    (change,) = series.changes
    assert (change.index, change.p) == (2, None) and change.after > change.before and "exact" in series.note
    assert any("powerdown regressed" in e.sentence for e in change.explanations)


def test_slow_drift_in_virtual_time_adds_up_to_a_change():
    runs = [counted(100_000.0 * 1.02**i, str(i), Clock.VIRTUAL) for i in range(4)]
    (series,) = history(runs, "cpu_susp_serial/powerdown/core-0.1")
    assert [change.index for change in series.changes] == [2]


def test_where_cores_took_turns_no_change_of_a_parallel_test_is_named():
    runs = [counted(powerdown, str(i)) for i, powerdown in enumerate((100_000.0, 150_000.0))]
    (series,) = history(runs, "cpu_susp_parallel/powerdown/step")
    assert series.changes == () and "take turns" in series.note


def test_a_figure_that_no_run_has_is_refused():
    with pytest.raises(NotComparable, match="no figure matches"):
        history([make_run(Truth(), 1), make_run(Truth(), 2)], "nothing")


def run_of(values, clock=Clock.TIME):
    samples = tuple(Sample("cyclictest", Metric.TASK_WAKEUP, CoreId(0, 0), 0, i, int(v)) for i, v in enumerate(values))
    return run_with(campaign="rt", topology=ONE_CORE, tick=Tick(clock, 1.0), samples=samples, id="run")


def tail_of(values, once_in=1e5, clock=Clock.TIME):
    (found,) = tails(run_of(values, clock), None, Metric.TASK_WAKEUP, once_in)
    return found


def test_the_true_level_lies_in_the_interval_nearly_as_often_as_it_says():
    rng, inside, given = np.random.default_rng(2), 0, 0
    for _ in range(40):
        found = tail_of(rng.exponential(100_000, 4000))
        given += found.level is not None
        inside += found.level is not None and found.low <= 100_000 * np.log(1e5) <= found.high
    assert given >= 32 and inside >= 0.85 * given


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.arange(100.0), "excesses: 5 of 100"),
        (np.round(np.random.default_rng(1).exponential(3, 5000)), "tick is too coarse"),
        (np.abs(np.random.default_rng(1).standard_cauchy(5000)) ** 2 * 1000, "shape"),
        (np.repeat(np.random.default_rng(1).exponential(1e5, 500), 10), "independence"),
    ],
)
def test_no_estimate_is_given_where_a_diagnostic_fails(values, said):
    found = tail_of(values)
    assert found.level is None and said in found.refusal


def test_the_instruction_clock_has_no_tail():
    assert "deterministic" in tail_of(np.random.default_rng(1).exponential(1e5, 5000), clock=Clock.INSTRUCTIONS).refusal
