# SPDX-License-Identifier: BSD-3-Clause
"""A run as one HTML page that needs nothing else: tables, charts and the libraries that draw them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2
import vl_convert
from markupsafe import Markup

from latlab.analysis.base.summary import SENTENCES, Mark, Row, is_noise
from latlab.analysis.spans.decompose import MEANING
from latlab.model.run import CoreId, Run
from latlab.report.run.charts import charts, legend
from latlab.report.run.content import METRIC_TITLES, TestTable, facts_of, tables_of
from latlab.report.units import CLOCK_NAMES, shown, unit


@dataclass(frozen=True, slots=True)
class _Cell:
    median: str
    range: str


@dataclass(frozen=True, slots=True)
class _Line:
    core: CoreId
    cells: tuple[_Cell, ...]


@dataclass(frozen=True, slots=True)
class _Chart:
    id: str
    title: str
    note: str


@dataclass(frozen=True, slots=True)
class _Test:
    table: TestTable
    columns: tuple[str, ...]
    rows: tuple[_Line, ...]
    charts: tuple[_Chart, ...]

    @property
    def ranges(self) -> bool:
        return any(cell.range for row in self.rows for cell in row.cells)


def page(run: Run) -> str:
    """The page; it opens without a network."""
    specs: dict[str, Any] = {}
    tests = [_test(run, table, specs) for table in tables_of(run)]
    cores = "1 core" if len(run.topology.cores) == 1 else f"{len(run.topology.cores)} cores"
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("latlab.report"), autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template("report.html.j2").render(
        title=f"PSCI latencies on {run.platform}",
        lead=f"{run.build.firmware}, {cores} in clusters of {run.topology}, run {run.id} of {run.started_utc}",
        clock=f"Clock: {CLOCK_NAMES[run.tick.clock]}. Unit: {unit(run.tick)}.",
        run=run,
        mark=Mark.NOISE if is_noise(run) else "",
        warning=SENTENCES[Mark.NOISE] if is_noise(run) else "",
        problems=sorted(run.problems, key=lambda problem: problem.line),
        legend=[(str(name), colour, MEANING[name.kind]) for name, colour in legend(run, [test.table.test for test in tests])],
        tests=tests,
        unit=unit(run.tick),
        facts=facts_of(run),
        bundle=script(libraries()),
        specs=script(json.dumps(specs)),
    )


@cache
def libraries() -> str:
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")


def _test(run: Run, table: TestTable, specs: dict[str, Any]) -> _Test:
    found = []
    for index, chart in enumerate(charts(run, table.test)):
        chart_id = f"{table.test}-{index}"
        specs[chart_id] = chart.spec
        found.append(_Chart(chart_id, chart.title, chart.note))
    rows = tuple(_Line(row.core, tuple(_cell(run, cell) for cell in row.cells)) for row in table.rows)
    return _Test(table, tuple(METRIC_TITLES[metric] for metric in table.metrics), rows, tuple(found))


def _cell(run: Run, row: Row | None) -> _Cell:
    if row is None:
        return _Cell("-", "")
    varied = row.minimum != row.maximum
    return _Cell(shown(row.median, run.tick), f"{shown(row.minimum, run.tick)} to {shown(row.maximum, run.tick)}" if varied else "")


def script(text: str) -> Markup:
    """Text for a script element: nothing in it may end the element."""
    return Markup(re.sub("</(?=script)", r"<\\/", text, flags=re.IGNORECASE))
