# SPDX-License-Identifier: BSD-3-Clause
"""Charts of a comparison as Vega-Lite specifications: the shift of each row with its interval."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from latlab.analysis.base.comparison import Comparison, Row
from latlab.report.chart import Chart, finished
from latlab.report.colours import JUDGEMENTS
from latlab.report.comparison.comparison_tables import STYLES
from latlab.report.vega import alt

COLOURS = {verdict: JUDGEMENTS[style] for verdict, style in STYLES.items()}
SHIFT_PX = 520


def shift_charts(comparison: Comparison) -> Iterator[Chart]:
    """For each metric the shift of its rows, relative to the threshold: beyond 1 a difference counts. Where any difference counts, as under
    the instruction clock, there is no threshold to draw it in."""
    measured = [row for row in comparison.rows if row.threshold]
    for metric in dict.fromkeys(row.metric for row in measured):
        rows = [row for row in measured if row.metric == metric]
        note = f"One threshold is 1. Bars are {comparison.interval_percent} % intervals where the samples allow one; small ticks are cells."
        yield Chart(f"Shifts of {metric}, in thresholds", note, finished(_shifts(rows)))


def _shifts(rows: list[Row]) -> Any:
    sizes = [(row.threshold, size) for row in rows for size in (row.shift.value, *(c.difference for c in row.cells))]
    largest = max((abs(size / threshold) for threshold, size in sizes), default=1.0)
    limit = max(2.0, 1.25 * largest)
    data, cells = [], []
    for row in rows:
        label = f"{row.test}, {row.name}"
        data.append(
            {
                "row": label,
                "shift": row.shift.value / row.threshold,
                "low": max(row.shift.low / row.threshold, -limit) if math.isfinite(row.shift.low) else row.shift.value / row.threshold,
                "high": min(row.shift.high / row.threshold, limit) if math.isfinite(row.shift.high) else row.shift.value / row.threshold,
                "verdict": row.verdict.value,
            }
        )
        cells += [{"row": label, "shift": c.difference / row.threshold, "cell": c.label} for c in row.cells]
    y = alt.Y("row:N", sort=[str(d["row"]) for d in data], title=None, axis=alt.Axis(labelLimit=360))
    x = alt.X("shift:Q", title="shift / threshold", scale=alt.Scale(domain=[-limit, limit]))
    colour = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=[v.value for v in COLOURS], range=list(COLOURS.values())),
        legend=alt.Legend(title=None, orient="top"),
    )
    band = (
        alt.Chart(alt.InlineData(values=[{"from": -1, "to": 1}]))
        .mark_rect(color="#8a97a5", opacity=0.15)
        .encode(x=alt.X("from:Q"), x2="to:Q")
    )
    base = alt.Chart(alt.InlineData(values=data), width=SHIFT_PX, height=alt.Step(22))
    bars = base.mark_rule(strokeWidth=3, opacity=0.6).encode(x="low:Q", x2="high:Q", y=y, color=colour)
    points = base.mark_point(filled=True, size=70, opacity=1).encode(x=x, y=y, color=colour, tooltip=["row:N", "shift:Q", "verdict:N"])
    ticks = (
        alt.Chart(alt.InlineData(values=cells))
        .mark_tick(thickness=1, size=10, color="#6b7785")
        .encode(x=x, y=y, tooltip=["cell:N", "shift:Q"])
    )
    return band + bars + ticks + points
