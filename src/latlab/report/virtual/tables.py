# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the virtual-time verbs: fitted costs, residuals, predictions; to a terminal, JSON, CSV and RST."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from latlab.formats.published.rst_tables import table_directive
from latlab.model.enums import Metric
from latlab.virtual.exploration import Finding
from latlab.virtual.fit import Fit
from latlab.virtual.prediction import Prediction
from latlab.virtual.program import SpanKey

NS_PER_US = 1000


@dataclass(frozen=True)
class Table:
    """A caption, the columns' names and rows of text or numbers."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float, ...], ...]


def fit_table(found: Fit[SpanKey]) -> Table:
    rows = tuple((cost.name, _us(cost.value_ns), _us(cost.half_width_ns)) for cost in found.costs)
    return Table("Fitted costs, µs, with the half width of their 95 % confidence interval", ("Cost", "Value", "±"), rows)


def residual_table(found: Fit[SpanKey]) -> Table:
    rows = tuple((*_place(key), _us(measured), _us(modelled), _percent(modelled, measured)) for key, measured, modelled in found.spans)
    return Table("Residuals of the fit, µs", ("Test", "Metric", "Core", "Measured", "Modelled", "Error %"), rows)


def prediction_table(predictions: Sequence[Prediction]) -> Table:
    rows = tuple((*_place(p.key), _us(p.measured_ns), _us(p.predicted_ns), round(p.error_percent, 2)) for p in predictions)
    return Table("Measured and predicted, µs", ("Test", "Metric", "Core", "Measured", "Predicted", "Error %"), rows)


def error_table(predictions: Sequence[Prediction]) -> Table:
    """Median and worst error of each metric: all tests together, then test by test."""
    rows: list[tuple[str | float, ...]] = []
    for test in ("all tests", *dict.fromkeys(p.key[0] for p in predictions)):
        for metric in Metric:
            chosen = [p for p in predictions if p.key[1] is metric and test in ("all tests", p.key[0])]
            if chosen:
                worst = max(chosen, key=lambda p: abs(p.error_percent))
                middle = median(abs(p.error_percent) for p in chosen)
                rows.append((test, metric.value, len(chosen), round(middle, 2), round(abs(worst.error_percent), 2), _where(worst)))
    return Table("Absolute error of the prediction, %", ("Test", "Metric", "Spans", "Median", "Worst", "Worst at"), tuple(rows))


def exploration_table(findings: Sequence[Finding]) -> Table:
    rows = tuple(
        (
            f.system.clusters,
            f.system.programs,
            "OS-initiated" if f.system.os_initiated else "platform",
            f.scope,
            f"{f.system.walks} walks" if f.system.walks else "all" if f.system.bound is None else f"≤ {f.system.bound} preemptions",
            f.states,
            f.steps,
            f.verdict,
        )
        for f in findings
    )
    return Table("Explored interleavings", ("Clusters", "Programs", "Mode", "Lock scope", "How far", "States", "Steps", "Verdict"), rows)


def print_table(console: Console, table: Table) -> None:
    shown = RichTable(title=table.caption, title_justify="left", box=box.SIMPLE_HEAD)
    for number, column in enumerate(table.columns):
        numeric = all(isinstance(row[number], int | float) for row in table.rows)
        shown.add_column(column, justify="right" if numeric else "left")
    for row in table.rows:
        shown.add_row(*map(str, row))
    console.print(shown)


def as_json(tables: Iterable[Table]) -> str:
    data = [{"caption": t.caption, "rows": [dict(zip(t.columns, row, strict=True)) for row in t.rows]} for t in tables]
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def as_csv(tables: Iterable[Table]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for table in tables:
        writer.writerow(table.columns)
        writer.writerows(table.rows)
    return out.getvalue()


def as_rst(tables: Iterable[Table]) -> str:
    return "\n".join(table_directive(t.caption, [list(t.columns), *([str(cell) for cell in row] for row in t.rows)]) for t in tables)


def _place(key: SpanKey) -> tuple[str, str, str]:
    test, metric, core = key
    return test, metric.value, str(core)


def _where(prediction: Prediction) -> str:
    test, _, core = prediction.key
    return f"{test} {core}"


def _us(value_ns: float) -> float:
    return round(value_ns / NS_PER_US, 2)


def _percent(modelled: float, measured: float) -> float:
    return round(100 * (modelled - measured) / measured, 2)
