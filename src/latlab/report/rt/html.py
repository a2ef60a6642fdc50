# SPDX-License-Identifier: BSD-3-Clause
"""An rt run as one HTML page that opens without a network."""

from __future__ import annotations

import json
from typing import Any

import jinja2

from latlab.analysis.wakeups.result import RtResult
from latlab.model.run import Run
from latlab.report.rt.charts import charts, dose_chart
from latlab.report.rt.content import WORDS, doses, mode_of, mode_sentence, sheets, summary
from latlab.report.rt.text import facts_of
from latlab.report.run.charts import Chart
from latlab.report.run.html import libraries, script


def page(run: Run, results: list[tuple[str, RtResult]]) -> str:
    specs: dict[str, Any] = {}
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("latlab.report"), autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.globals |= {"words": WORDS}
    overview = [dose_chart(doses(run, results))] if run.conditions.doses else []
    parts = [
        (name or "Measurement", _placed(specs, f"m{i}", charts(result)), sheets("", result)) for i, (name, result) in enumerate(results)
    ]
    return environment.get_template("rt.html.j2").render(
        title="RT Linux: wake-up latency",
        lead=f"{run.platform}, run {run.id} of {run.started_utc}",
        mode=mode_of(run),
        warning=mode_sentence(run),
        problems=[problem.message for problem in run.problems],
        summary=summary(run, results),
        overview=_placed(specs, "overview", overview),
        parts=parts,
        facts=facts_of(run),
        run=run,
        bundle=script(libraries()),
        specs=script(json.dumps(specs)),
    )


def _placed(specs: dict[str, Any], prefix: str, found: list[Chart]) -> list[tuple[str, Chart]]:
    placed = [(f"{prefix}-{index}", chart) for index, chart in enumerate(found)]
    specs |= {chart_id: chart.spec for chart_id, chart in placed}
    return placed
