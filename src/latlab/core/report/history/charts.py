# SPDX-License-Identifier: BSD-3-Clause
"""A figure over runs as a chart."""

from __future__ import annotations

from latlab.core.comparison.history import Series
from latlab.core.comparison.wording import scale_of
from latlab.core.report.chart import Chart, finished
from latlab.core.report.colours import ALERT, EARLIER, MAIN
from latlab.core.report.vega import alt
from latlab.core.statistics.change_points import ChangeKind


def history_chart(series: Series, name: str) -> Chart:
    """Every boot as a point, medians as a line, change points as rules."""
    scale = scale_of(series.unit)
    names = _short([point.run.id for point in series.points])
    boots = [{"run": name, "value": value / scale} for name, p in zip(names, series.points, strict=True) for value in p.values]
    medians = [{"run": name, "value": p.value / scale} for name, p in zip(names, series.points, strict=True)]
    borders = [c for c in series.changes if c.kind is not ChangeKind.DRIFT]
    changes = [{"run": names[c.index], "levels": f"{c.before / scale:.4g} to {c.after / scale:.4g}"} for c in borders]
    x = alt.X("run:N", sort=names, title=None, axis=alt.Axis(labelAngle=-30, labelLimit=220))
    y = alt.Y("value:Q", title=series.heading, scale=alt.Scale(zero=False))
    line = alt.Chart(alt.InlineData(values=medians), width=max(420, 46 * len(names)), height=240).mark_line(point=True, color=MAIN)
    chart = line.encode(x=x, y=y, tooltip=["run:N", "value:Q"])
    if len(boots) > len(medians):
        chart = alt.Chart(alt.InlineData(values=boots)).mark_circle(opacity=0.35, color=EARLIER).encode(x=x, y=y) + chart
    if changes:
        rules = alt.Chart(alt.InlineData(values=changes)).mark_rule(color=ALERT, strokeDash=[4, 3], size=2)
        chart = chart + rules.encode(x=x, tooltip=["run:N", "levels:N"])
    return Chart("Medians and boots", "A point for each run; faint ones are its boots.", finished(chart), name)


def _short(ids: list[str]) -> list[str]:
    """References without the catalogue's folder that all of them are in."""
    folders = {run_id.rpartition("/")[0] for run_id in ids}
    return [run_id.rpartition("/")[2] for run_id in ids] if len(folders) == 1 else ids
