# SPDX-License-Identifier: BSD-3-Clause
"""The figures that a page holds of a run, against numpy and against each value counted singly."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import Run
from latlab.core.statistics.statistics import cliffs_delta, singly
from latlab.site.campaign.run_figures import MOST_POINTS, document, run_figures
from support.ladder_model import Truth, make_run
from support.wakeup_runs import distribution, wakeup_run

NS_PER_US = 1000


def us(run: Run, test: str) -> np.ndarray:
    ticks = [sample.value_ticks for sample in run.samples if (sample.test, sample.metric) == (test, Metric.WAKEUP)]
    return np.array(ticks) * run.tick.value / NS_PER_US


@pytest.mark.parametrize(("boots", "is_whole"), [(1, True), (30, False)])
def test_quartiles_are_numpys_and_few_values_are_all_there(boots: int, is_whole: bool) -> None:
    run = make_run(Truth(), 1, boots=boots)
    values = us(run, Truth().tests[0])
    row = next(row for row in run_figures(run).rows if row.name.endswith("Wakeup"))
    assert row.quartiles == pytest.approx(tuple(np.quantile(values, (0.25, 0.5, 0.75)))) and row.unit == "µs"
    assert row.is_whole is is_whole and len(row.points) == min(len(values), MOST_POINTS)
    if is_whole:
        assert row.points == pytest.approx(tuple(np.sort(values)))
    else:
        assert row.points == pytest.approx(tuple(np.quantile(values, _shares(len(values)))))


def _shares(n: int) -> np.ndarray:
    """The middles of equal shares as numpy's linear method counts ranks."""
    return np.clip(((np.arange(MOST_POINTS) + 0.5) / MOST_POINTS * n - 0.5) / (n - 1), 0, 1)


def test_quantiles_give_the_effect_of_all_values_within_a_few_hundredths() -> None:
    rng = np.random.default_rng(5)
    for moved in (0.0, 0.3, 1.0):
        a, b = rng.standard_normal(900), rng.standard_normal(700) + moved
        points = [np.quantile(values, _shares(len(values))) for values in (a, b)]
        assert cliffs_delta(*map(singly, points)) == pytest.approx(cliffs_delta(singly(a), singly(b)), abs=0.03)


def test_wake_ups_are_counted_as_if_each_stood_alone() -> None:
    values = (20, 20, 50, 90, 90, 90, 120)  # ns: below 128 the recorder's intervals hold one value
    (row,) = run_figures(wakeup_run(distribution(values[:3], cpu=0), distribution(values[3:], cpu=1))).rows
    assert row.n == 7 and row.is_whole and row.unit == "µs"
    assert [round(point * NS_PER_US) for point in row.points] == sorted(values)
    assert row.quartiles == pytest.approx(tuple(np.quantile(values, (0.25, 0.5, 0.75)) / NS_PER_US))


def test_what_may_differ_is_what_a_comparison_names_and_a_caveat_is_said() -> None:
    conditions = Conditions(processor="cortex-a57", compiler="gcc 12", mode=Mode.VIRTUAL_MACHINE)
    figures = run_figures(replace(make_run(Truth(), 1), conditions=conditions, status=RunStatus.PARTIAL))
    assert figures.may_differ["compiler"] == "gcc 12" and "processor" not in figures.may_differ
    assert figures.caveats[-1] == "run is partial" and len(figures.caveats) == 2


def test_a_name_cannot_end_the_script_that_holds_it() -> None:
    figures = run_figures(replace(make_run(Truth(), 1), id="</script><script>"))
    text = document(figures)
    assert "<" not in text and json.loads(text)["id"] == "</script><script>"
