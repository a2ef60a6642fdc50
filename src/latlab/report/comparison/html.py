# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as one HTML page that opens without a network."""

from __future__ import annotations

import json
from typing import Any

import jinja2

from latlab.analysis.base.comparison import Comparison
from latlab.analysis.base.wording import bare, heading_unit, signed
from latlab.analysis.explain import explain_pair
from latlab.analysis.ladder.deltas import judge_printed_deltas
from latlab.report.comparison.charts import COLOURS, ladder_chart, shift_charts
from latlab.report.comparison.content import change_tables, headline, interval, order_lines, summary, term_lines
from latlab.report.run.charts import Chart
from latlab.report.run.content import title_of
from latlab.report.run.html import libraries, script


def page(comparison: Comparison) -> str:
    specs: dict[str, Any] = {}
    unit = comparison.unit
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("latlab.report"), autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.globals |= {"bare": bare, "signed": signed, "interval": interval, "unit_of": comparison.unit_of}
    tests = dict.fromkeys(row.test for row in comparison.rows)
    return environment.get_template("comparison.html.j2").render(
        comparison=comparison,
        summary=summary(comparison),
        headline=headline(comparison),
        colours={verdict.value: colour for verdict, colour in COLOURS.items()},
        explanations=explain_pair(comparison),
        changes=change_tables(comparison),
        terms=term_lines(comparison),
        deltas=judge_printed_deltas(comparison),
        orders=order_lines(comparison),
        ladders=[(title_of(test).full, *_placed(specs, f"ladder-{test}", ladder_chart(comparison, test))) for test in comparison.ladders],
        shifts=[_placed(specs, f"shift-{i}", chart) for i, chart in enumerate(shift_charts(comparison))],
        tests=[(title_of(test).full, [row for row in comparison.rows if row.test == test]) for test in tests],
        unit=heading_unit(unit),
        bundle=script(libraries()),
        specs=script(json.dumps(specs)),
    )


def _placed(specs: dict[str, Any], chart_id: str, chart: Chart) -> tuple[str, Chart]:
    specs[chart_id] = chart.spec
    return chart_id, chart
