# SPDX-License-Identifier: BSD-3-Clause
"""A run as a reStructuredText document: a section for each call, a captioned grid table for each test, medians in the cells."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from latlab.analysis.base.summary import SENTENCES, Mark, is_noise
from latlab.errors import UsageError
from latlab.formats.published.rst_tables import grid
from latlab.model.run import Run
from latlab.report.run.content import METRIC_TITLES, TestTable, facts_of, tables_of
from latlab.report.units import CLOCK_NAMES, shown, unit

SPECIAL = str.maketrans({character: "\\" + character for character in "\\*`|_"})


def document(run: Run) -> str:
    """The whole document; it builds without a warning. Refuses figures that are no latencies."""
    _refuse_noise(run)
    title = f"{run.campaign.upper()} Performance Measurements on {run.platform}"
    lines = [
        *_heading(title, "="),
        f"Clock: {CLOCK_NAMES[run.tick.clock]}. Unit: {unit(run.tick)}. Each figure is the median of the samples named in its caption.",
        "",
        *_heading("Method", "-"),
        *_fields(facts_of(run)),
        *_problems(run),
        *_heading("Results", "-"),
        *sections(run),
    ]
    return "\n".join(lines).rstrip() + "\n"


def sections(run: Run, only: str | None = None) -> Iterable[str]:
    """The results alone: tests of one call and scope share a section. Refuses figures that are no latencies."""
    _refuse_noise(run)
    for (call, scope), tables in groupby(tables_of(run, only), key=lambda table: (table.title.call, table.title.scope)):
        yield from _heading(f"``{call}`` {scope}".rstrip(), "~")
        for table in tables:
            yield from _table(run, table)


def _table(run: Run, table: TestTable) -> Iterable[str]:
    noun = "latency" if len(table.metrics) == 1 else "latencies"
    how = f" in {table.title.how}" if table.title.how else ""
    mark = f", {table.mark}" if table.mark else ""
    yield f".. table:: ``{table.title.call}`` {noun} ({unit(run.tick)}) {table.title.scope}{how}"
    yield f"        ({_escaped(run.build.firmware)}, n = {table.n}{mark})"
    yield ""
    header = ("Cluster", "Core", *(METRIC_TITLES[metric] for metric in table.metrics))
    rows = [
        (str(row.core.cluster), str(row.core.core), *(shown(cell.median, run.tick) if cell else "" for cell in row.cells))
        for row in table.rows
    ]
    yield from (f"    {line}" for line in grid(header, rows))
    yield ""
    if table.mark:
        yield from (".. note::", f"    {table.warning}", "")


def _refuse_noise(run: Run) -> None:
    if is_noise(run):
        raise UsageError(
            f"{run.id} has no latencies to publish. {SENTENCES[Mark.NOISE]} Run it in the mode deterministic, or look at it as a table"
        )


def _heading(text: str, underline: str) -> Iterable[str]:
    return (text, underline * len(text), "")


def _fields(facts: Iterable[tuple[str, str]]) -> Iterable[str]:
    yield from (f":{name}: {_escaped(value)}" for name, value in facts)
    yield ""


def _problems(run: Run) -> Iterable[str]:
    if not run.problems:
        return
    yield "The run is partial; what follows is left out or doubtful:"
    yield ""
    for problem in sorted(run.problems, key=lambda p: p.line):
        where = f"line {problem.line}: " if problem.line else ""
        yield f"- {_escaped(where + problem.message)}"
    yield ""


def _escaped(text: str) -> str:
    """Text that RST takes as it is."""
    return " ".join(text.split()).translate(SPECIAL)
