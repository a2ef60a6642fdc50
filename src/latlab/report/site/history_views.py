# SPDX-License-Identifier: BSD-3-Clause
"""The history of figures: for the terminal, as JSON, and as one page with charts."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import altair as alt
import jinja2
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from latlab.analysis.base.wording import amount, bare, heading_unit, percent, scale_of, signed
from latlab.analysis.history import Series
from latlab.report.comparison.charts import finished
from latlab.report.run.html import libraries, script

SCHEMA = "latlab-history"
VERSION = 2


def print_history(console: Console, found: tuple[Series, ...]) -> None:
    for series in found:
        _line(console, f"[bold]{escape(series.path)}[/bold] ({heading_unit(series.unit)})")
        table = Table(box=None, pad_edge=False, show_header=False)
        for _ in range(4):
            table.add_column(no_wrap=True)
        changes = {change.index: change for change in series.changes}
        previous = None
        for index, point in enumerate(series.points):
            step = "" if previous is None else _step(point.value, previous, series.unit)
            mark = f"[bold]change, {certainty(changes[index].p)}[/bold]" if index in changes else ""
            table.add_row(f"  {escape(point.run.id)}", bare(point.value, series.unit), step, mark)
            previous = point.value
        console.print(table)
        for change in series.changes:
            levels = f"{amount(change.before, series.unit)} to {amount(change.after, series.unit)}"
            _line(console, f"  at {escape(series.points[change.index].run.id)}: {levels}")
            for explanation in change.explanations:
                _line(console, f"    {escape(explanation.sentence)} [dim]({explanation.basis})[/dim]")
        if series.note:
            _line(console, f"  [yellow]note[/yellow] {escape(series.note)}")


def certainty(p: float | None) -> str:
    """How far a change point is beyond chance."""
    return "exact" if p is None else f"p = {p:.2g}"


def _step(value: float, previous: float, unit: str) -> str:
    relative = f" ({percent(value / previous - 1)})" if previous else ""
    return signed(value - previous, unit) + relative


def history_json(found: tuple[Series, ...]) -> str:
    document = {
        "schema": SCHEMA,
        "version": VERSION,
        "series": [
            {
                "path": series.path,
                "unit": series.unit,
                "points": [{"run": p.run.id, "firmware": p.run.build.firmware, "values": list(p.values)} for p in series.points],
                "changes": [
                    {
                        "run": series.points[c.index].run.id,
                        "before": c.before,
                        "after": c.after,
                        "p": c.p,
                        "explanations": [asdict(e) for e in c.explanations],
                    }
                    for c in series.changes
                ],
                "note": series.note,
            }
            for series in found
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def page(found: tuple[Series, ...]) -> str:
    specs = {f"series-{i}": history_chart(series) for i, series in enumerate(found)}
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("latlab.report"), autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template("history.html.j2").render(
        found=found,
        amount=amount,
        certainty=certainty,
        bundle=script(libraries()),
        specs=script(json.dumps(specs)),
    )


def history_chart(series: Series) -> dict[str, Any]:
    """Every boot as a point, medians as a line, the level of each segment as a step, change points as rules."""
    scale = scale_of(series.unit)
    names = [point.run.id for point in series.points]
    boots = [{"run": p.run.id, "value": value / scale} for p in series.points for value in p.values]
    medians = [{"run": p.run.id, "value": p.value / scale} for p in series.points]
    changes = [{"run": series.points[c.index].run.id, "told": f"{c.before / scale:.4g} to {c.after / scale:.4g}"} for c in series.changes]
    x = alt.X("run:N", sort=names, title=None, axis=alt.Axis(labelAngle=-30, labelLimit=220))
    y = alt.Y("value:Q", title=heading_unit(series.unit), scale=alt.Scale(zero=False))
    line = alt.Chart(alt.InlineData(values=medians), width=max(420, 46 * len(names)), height=240).mark_line(point=True, color="#1f4e79")
    chart = line.encode(x=x, y=y, tooltip=["run:N", "value:Q"])
    if len(boots) > len(medians):
        chart = alt.Chart(alt.InlineData(values=boots)).mark_circle(opacity=0.35, color="#8fa3b8").encode(x=x, y=y) + chart
    if changes:
        rules = alt.Chart(alt.InlineData(values=changes)).mark_rule(color="#c0392b", strokeDash=[4, 3], size=2)
        chart = chart + rules.encode(x=x, tooltip=["run:N", "told:N"])
    return finished(chart)


def _line(console: Console, text: str) -> None:
    console.print(text, soft_wrap=not console.is_terminal, highlight=False)
