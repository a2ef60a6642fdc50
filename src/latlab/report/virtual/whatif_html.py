# SPDX-License-Identifier: BSD-3-Clause
"""A sweep as one HTML page that opens without a network."""

from __future__ import annotations

import json

import jinja2

from latlab.report.run.html import libraries, script
from latlab.report.virtual.whatif import GROWTH_NOTE, PARTS_NOTE, Sweep, tables
from latlab.report.virtual.whatif_charts import charts


def page(sweep: Sweep) -> str:
    placed = [(f"chart-{index}", chart) for index, chart in enumerate(charts(sweep))]
    every, parts, growth = tables(sweep)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("latlab.report"), autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template("whatif.html.j2").render(
        sweep=sweep,
        charts=placed,
        every=every,
        told=[(growth, GROWTH_NOTE), (parts, PARTS_NOTE)],
        bundle=script(libraries()),
        specs=script(json.dumps({chart_id: chart.spec for chart_id, chart in placed})),
    )
