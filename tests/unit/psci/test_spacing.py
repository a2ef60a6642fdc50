# SPDX-License-Identifier: BSD-3-Clause
"""Thresholds, margins and what is large, in numbers worked out by hand."""

from __future__ import annotations

import pytest

from latlab.core.comparison.identity import pair_runs
from latlab.core.comparison.verdicts import Limits
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Sample, Tick
from latlab.psci.analysis.thresholds import Spacing
from support.runs import run_with

WAKEUP = Metric.WAKEUP


def spacing(boots: int = 1, tick_ns: float = 20.0, clock: Clock = Clock.TIME, limits: Limits | None = None, **more) -> Spacing:
    sample = Sample("cpu_susp_serial", WAKEUP, CoreId(0, 0), 0, 0, 1000)
    a, b = (
        run_with(tick=Tick(clock, tick_ns), samples=[sample], id=name, **{key: values[i] for key, values in more.items()})
        for i, name in enumerate(("a", "b"))
    )
    return Spacing(pair_runs(a, b), limits or Limits(), boots)


@pytest.mark.parametrize(("baseline", "due"), [(20_000.0, 600.0), (-20_000.0, 600.0), (1_000.0, 40.0), (0.0, 40.0)])
def test_the_threshold_is_three_percent_and_two_ticks_at_least(baseline, due):
    assert spacing().threshold(WAKEUP, baseline) == pytest.approx(due)


@pytest.mark.parametrize(("boots", "due"), [(1, 40.0), (4, 20.0), (16, 10.0)])
def test_the_mean_of_several_boots_is_finer_than_a_tick(boots, due):
    assert spacing(boots).threshold(WAKEUP, 100.0) == pytest.approx(due)


def test_virtual_time_has_no_finer_mean():
    assert spacing(4, clock=Clock.VIRTUAL).threshold(WAKEUP, 100.0) == pytest.approx(40.0)


def test_a_figure_is_as_coarse_as_the_coarser_of_two_prints():
    one = spacing(resolutions=(((WAKEUP, 1000.0),), ()))
    other = spacing(resolutions=((), ((WAKEUP, 1000.0),)))
    assert one.threshold(WAKEUP, 100.0) == other.threshold(WAKEUP, 100.0) == pytest.approx(2000.0)
    assert one.threshold(Metric.POWERDOWN, 100.0) == pytest.approx(40.0)


def test_what_the_captures_of_two_runs_cost_more_or_less_counts_for_nothing():
    assert spacing(capture_cost_ticks=(2.0, 9.0)).threshold(WAKEUP, 100.0) == pytest.approx(140.0)
    assert spacing(capture_cost_ticks=(9.0, 2.0)).threshold(WAKEUP, 100.0) == pytest.approx(140.0)
    assert spacing(capture_cost_ticks=(None, 9.0)).threshold(WAKEUP, 100.0) == pytest.approx(40.0)
    assert spacing(capture_cost_ticks=(9.0, None)).threshold(WAKEUP, 100.0) == pytest.approx(40.0)


@pytest.mark.parametrize("boots", [1, 3, 4, 7, 8, 20])
def test_what_a_change_is_depends_on_no_number_of_boots(boots):
    assert spacing(boots).threshold(WAKEUP, 20_000.0) == pytest.approx(600.0)


def test_under_the_instruction_clock_every_difference_counts_unless_a_tolerance_is_given():
    exact = spacing(clock=Clock.INSTRUCTIONS, tick_ns=1.0, capture_cost_ticks=(1.0, 90.0))
    assert exact.threshold(WAKEUP, 5_000.0) == exact.large(WAKEUP, 5_000.0) == 0.0
    tolerant = spacing(clock=Clock.INSTRUCTIONS, tick_ns=1.0, limits=Limits(relative_exact=0.02))
    assert tolerant.threshold(WAKEUP, -5_000.0) == pytest.approx(100.0)


def test_virtual_time_has_no_margin_and_nothing_too_large_to_pass_untold():
    virtual = spacing(clock=Clock.VIRTUAL)
    assert virtual.large(WAKEUP, 20_000.0) == 0.0


@pytest.mark.parametrize("boots", [1, 4, 8])
def test_large_is_twice_the_margin_at_least_and_25_ticks(boots):
    limits = Limits()
    share = max(limits.large, 2 * {1: 0.10, 4: 0.05, 8: 0.03}[boots])
    assert spacing(boots).large(WAKEUP, -20_000.0) == pytest.approx(share * 20_000.0)
    assert spacing(boots).large(WAKEUP, 100.0) == pytest.approx(25 * 20.0 / boots**0.5)
