# SPDX-License-Identifier: BSD-3-Clause
"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from latlab.analysis.base.summary import Row
from latlab.model.enums import Kind, RunStatus
from latlab.model.run import Problem, Run
from latlab.report.run.content import METRIC_TITLES, TestTable, facts_of, tables_of
from latlab.report.units import shown, unit

if TYPE_CHECKING:
    from latlab.campaigns.doctor import Finding

PIPE_WIDTH = 160
WIDE = 120


def print_run(console: Console, run: Run, only: str | None = None) -> None:
    """The facts, a table for each test, and what is wrong."""
    facts = Table(show_header=False, box=None, pad_edge=False)
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in facts_of(run):
        facts.add_row(name, escape(value))
    console.print(facts)
    for table in tables_of(run, only):
        console.print()
        say(console, _title(run, table), "bold")
        console.print(_figures(run, table))
        if table.mark:
            say(console, f"({table.mark}) {table.warning}", "yellow")
    print_problems(console, run.problems)


def print_runs(console: Console, runs: Iterable[Run], counts: Mapping[str, int]) -> None:
    """One line a run, the newest last."""
    table = Table(box=None, pad_edge=False)
    columns = ("Run", "Started (UTC)", "Target", "Topology", "Clock", "Status", "Samples", "Platform", "Firmware")
    shown_columns = columns if console.width >= WIDE else columns[:-2]
    for name in shown_columns:
        table.add_column(name, justify="right" if name == "Samples" else "left", no_wrap=name != "Firmware", overflow="fold")
    for run in runs:
        status = run.status.value if run.status is RunStatus.COMPLETE else f"[yellow]{run.status.value}[/yellow]"
        started = run.started_utc[:16].replace("T", " ")
        first = (run.id, started, run.target, str(run.topology), run.tick.clock.value)
        samples = str(counts.get(run.id, 0)) if run.kind is Kind.SPANS else "-"
        cells = (*map(escape, first), status, samples, escape(run.platform), escape(run.build.firmware))
        table.add_row(*cells[: len(shown_columns)])
    console.print(table)


def say(console: Console, text: str, style: str) -> None:
    """A sentence: broken between words on a terminal, in one line elsewhere."""
    console.print(text, style=style, highlight=False, markup=False, soft_wrap=not console.is_terminal)


def print_problems(console: Console, problems: Iterable[Problem]) -> None:
    for problem in sorted(problems, key=lambda p: p.line):
        where = f"line {problem.line}: " if problem.line else ""
        text = f"[yellow]problem[/yellow] {escape(where + problem.message)}"
        console.print(text, soft_wrap=not console.is_terminal, highlight=False)


def _title(run: Run, table: TestTable) -> str:
    mark = f" ({table.mark})" if table.mark else ""
    return f"{table.title.full}: median [min to max] in {unit(run.tick)}, n = {table.n}{mark}"


def _figures(run: Run, table: TestTable) -> Table:
    result = Table()
    result.add_column("Cluster", justify="right")
    result.add_column("Core", justify="right")
    for metric in table.metrics:
        result.add_column(METRIC_TITLES[metric], justify="right")
    for row in table.rows:
        result.add_row(str(row.core.cluster), str(row.core.core), *(_cell(run, cell) for cell in row.cells))
    return result


def _cell(run: Run, row: Row | None) -> str:
    if row is None:
        return "-"
    middle = shown(row.median, run.tick)
    if row.minimum == row.maximum:
        return middle
    return escape(f"{middle} [{shown(row.minimum, run.tick)} to {shown(row.maximum, run.tick)}]")


def print_findings(console: Console, findings: Iterable[Finding]) -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        state = "[green]ok[/green]" if finding.usable else "[red]missing[/red]" if finding.needed else "[dim]none[/dim]"
        table.add_row(state, escape(finding.what), escape(finding.found))
    console.print(table)
