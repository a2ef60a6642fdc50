# SPDX-License-Identifier: BSD-3-Clause
"""Charts of shifts: one for each metric that has thresholds, and none that is empty."""

from __future__ import annotations

from latlab.analysis.compare import compare
from latlab.report.comparison import web
from latlab.report.comparison.charts import shift_charts
from latlab.report.text import plain
from support.function_runs import TREE, run_of
from support.ladder_model import Truth, make_run


def test_where_any_difference_counts_no_chart_of_shifts_is_drawn() -> None:
    for calls in (2, 4):
        counted = compare(run_of(TREE), run_of(TREE, calls))
        assert list(shift_charts(counted)) == []
        assert "Shifts" not in [plain(section.title) for section in web.page(counted).sections]


def test_each_metric_of_a_clock_that_scatters_has_its_chart() -> None:
    timed = compare(make_run(Truth(), 1, boots=4), make_run(Truth(), 2, boots=4))
    assert len(list(shift_charts(timed))) == len({row.metric for row in timed.rows})
    assert "Shifts" in [plain(section.title) for section in web.page(timed).sections]
