# SPDX-License-Identifier: BSD-3-Clause
"""A comparison on one screen; with `verbose` its cells as well."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from latlab.analysis.base.comparison import Comparison, Row
from latlab.analysis.base.explanation import Explanation
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wording import bare, heading_unit, percent, signed
from latlab.analysis.ladder.deltas import Judgement, places
from latlab.model.run import Run
from latlab.report.comparison.content import change_tables, headline, interval, order_lines, quiet_lines, samples_line, summary, term_lines
from latlab.report.run.terminal import print_problems

COLOURS = {Verdict.REGRESSED: "red", Verdict.IMPROVED: "green", Verdict.SAME: "default", Verdict.CANNOT_TELL: "yellow"}


def print_comparison(console: Console, comparison: Comparison, deltas: list[Judgement], verbose: bool = False) -> None:
    caveat = f" [yellow]({escape(comparison.caveat)})[/yellow]" if comparison.caveat else ""
    _line(console, f"[bold]{escape(comparison.a.id)} to {escape(comparison.b.id)}: {_coloured(comparison.verdict)}[/bold]{caveat}")
    _line(console, f"{escape(summary(comparison))}")
    for line in headline(comparison):
        _line(console, f"[dim]{escape(line)}[/dim]")
    for changes in change_tables(comparison):
        console.print()
        _line(console, f"[bold {COLOURS[changes.verdict]}]{escape(changes.title)}[/]")
        _grid(console, changes.header, changes.rows)
    _print_terms(console, comparison)
    _print_quiet(console, comparison)
    _print_deltas(console, deltas)
    for line in order_lines(comparison):
        _line(console, f"order changed in {escape(line)}")
    for note in comparison.notes:
        _line(console, f"[yellow]note[/yellow] {escape(note)}")
    if verbose:
        _print_rows(console, comparison)
        return
    _line(console, "[dim]--verbose shows every row and cell; `latlab explain` with the same two says why[/dim]")


def print_run_explanations(console: Console, run: Run, explanations: tuple[Explanation, ...]) -> None:
    """What is explained and how far it can be trusted, then the sentences."""
    _line(console, f"[bold]{escape(run.id)}[/bold]: {samples_line(run)}")
    print_problems(console, run.problems)
    print_explanations(console, explanations)


def print_pair_explanations(console: Console, comparison: Comparison, explanations: tuple[Explanation, ...]) -> None:
    """What was compared and under which reservations, then the sentences."""
    _line(console, f"[bold]{escape(comparison.a.id)} to {escape(comparison.b.id)}[/bold]: {escape(headline(comparison)[0])}")
    for run in (comparison.a, comparison.b):
        _line(console, f"[dim]{escape(run.id)}: {samples_line(run)}[/dim]")
    for note in comparison.notes:
        _line(console, f"[yellow]note[/yellow] {escape(note)}")
    print_explanations(console, explanations)


def print_explanations(console: Console, explanations: tuple[Explanation, ...]) -> None:
    """Sentences under the test they speak of."""
    test = None
    for explanation in explanations:
        if explanation.test != test:
            test = explanation.test
            if test:
                _line(console, f"[bold]{escape(test)}[/bold]")
        indent = "  " if explanation.test else ""
        _line(console, f"{indent}{escape(explanation.sentence)} [dim]({explanation.basis})[/dim]")
        for number, alternative in enumerate(explanation.alternatives):
            _line(console, f"{indent}    {'either' if number == 0 else 'or'} {escape(alternative)}")


def _print_terms(console: Console, comparison: Comparison) -> None:
    lines = term_lines(comparison)
    if not lines:
        return
    console.print()
    _line(console, f"[bold]powerdown queues[/bold] ({heading_unit(comparison.unit)})")
    rows = [(x.test, x.term, x.before, x.after, x.shift, x.interval, _coloured(x.verdict)) for x in lines]
    _grid(console, ("test", "term", "before", "after", "shift", "95 % interval", "verdict"), rows, left=2, marked=True)


def _print_quiet(console: Console, comparison: Comparison) -> None:
    lines = quiet_lines(comparison)
    if lines:
        console.print()
    for verdict, text in lines:
        _line(console, f"{_coloured(verdict)} {escape(text)}")


def _print_deltas(console: Console, deltas: list[Judgement]) -> None:
    if not deltas:
        return
    regressions = sum(d.verdict is Verdict.REGRESSED for d in deltas)
    console.print()
    _line(console, f"[bold]{len(deltas)} printed deltas, {regressions or 'none'} a regression[/bold]")
    rows = [(escape(d.test), str(d.core), d.printed, _coloured(d.verdict), escape(d.reason)) for d in deltas]
    _grid(console, None, rows, left=1, marked=True, last_left=True)


def _print_rows(console: Console, comparison: Comparison) -> None:
    unit = comparison.unit
    for test in dict.fromkeys(row.test for row in comparison.rows):
        console.print()
        _line(console, f"[bold]{escape(test)}[/bold] ({heading_unit(unit)})")
        rows = []
        for row in (row for row in comparison.rows if row.test == test):
            rows.append(_row_cells(row, comparison.unit_of(row.metric)))
            for cell in row.cells:
                verdict = _coloured(cell.verdict) if row.effect is not None else ""
                figures = bare(cell.before, unit), bare(cell.after, unit), signed(cell.difference, unit)
                rows.append(("", f"  {cell.label}", *figures, "", "", verdict, ""))
        _grid(console, ("metric", "cores", "before", "after", "shift", "95 %", "threshold", "verdict", "basis"), rows, 2, True, True)
        if test in comparison.ladders:
            _print_places(console, comparison, test)


def _print_places(console: Console, comparison: Comparison, test: str) -> None:
    """Each core's place in both queues, and its span against the ladder of the first run."""
    rows = [
        (
            str(cell.core),
            str(cell.place_before + 1),
            bare(cell.before, comparison.unit),
            str(cell.place_after + 1),
            bare(cell.after, comparison.unit),
            bare(cell.expected, comparison.unit) if cell.expected is not None else "-",
            percent(cell.after / cell.expected - 1) if cell.expected else "-",
        )
        for cell in places(comparison, test)
    ]
    _grid(console, ("powerdown", "place", "before", "place", "after", "first ladder has", "off"), rows)


def _row_cells(row: Row, unit: str) -> tuple[str, ...]:
    shift = signed(row.shift.value, unit)
    return (
        str(row.metric),
        escape(row.name),
        bare(row.before, unit),
        bare(row.after, unit),
        shift,
        interval(row, unit),
        bare(row.threshold, unit),
        _coloured(row.verdict),
        escape(row.basis) + (f", effect {row.effect:+.2f}" if row.effect is not None else ""),
    )


def _grid(
    console: Console,
    header: tuple[str, ...] | None,
    rows: Sequence[tuple[str, ...]],
    left: int = 1,
    marked: bool = False,
    last_left: bool = False,
) -> None:
    """A table without lines; the first `left` columns stand left, the others right. `marked` cells hold markup already."""
    table = Table(box=None, pad_edge=False, show_header=header is not None, header_style="dim")
    columns = len(rows[0])
    for i in range(columns):
        stands_left = i < left or (last_left and i >= columns - 2)
        wraps = last_left and i == columns - 1
        table.add_column(header[i] if header else "", justify="left" if stands_left else "right", no_wrap=not wraps)
    for row in rows:
        table.add_row(*(row if marked else map(escape, row)))
    console.print(table)


def _coloured(verdict: Verdict) -> str:
    return f"[{COLOURS[verdict]}]{verdict}[/]"


def _line(console: Console, text: str) -> None:
    console.print(text, soft_wrap=not console.is_terminal, highlight=False)
