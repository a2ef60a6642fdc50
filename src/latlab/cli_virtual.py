"""The verbs of virtual time: fit, predict, whatif, explore. Heavy imports wait until they are needed."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from latlab.report.virtual import Table


class TableFormat(StrEnum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    RST = "rst"


FormatOption = Annotated[TableFormat, typer.Option(help="How the result is printed.")]
PlatformOption = Annotated[str, typer.Option(help="A platform of the catalogue, or a platform file; `NAME,key=value` changes it.")]
ProgramOption = Annotated[Path | None, typer.Option(help="The virtual-time program.", show_default="build folder or package")]
Published = Annotated[list[str], typer.Argument(help="published:NAME, FILE.rst#RELEASE or FILE.csv.")]
TestOption = Annotated[list[str] | None, typer.Option("--test", help="Only this test; may be given several times.")]
HoldOption = Annotated[list[str] | None, typer.Option("--hold", help="Leave this cost as the platform has it.")]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    for verb in (fit, predict):
        app.command()(verb)


def fit(
    published: Published,
    platform: PlatformOption = "juno",
    test: TestOption = None,
    hold: HoldOption = None,
    program: ProgramOption = None,
    format: FormatOption = TableFormat.TABLE,
) -> None:
    """Fit a platform's costs to published figures; refuses when they cannot determine one, and names it."""
    from latlab.prediction import fit_board
    from latlab.references import load
    from latlab.report.virtual import fit_table, residual_table
    from latlab.targets.board import load_board
    from latlab.targets.virtual_time import find_program

    runs = [load(reference) for reference in published]
    found = fit_board(find_program(program), load_board(platform), runs, test or (), hold or ())
    _print([fit_table(found), residual_table(found)], format)


def predict(
    measured: Annotated[str, typer.Argument(help="The figures to predict: published:NAME, FILE.rst#RELEASE or FILE.csv.")],
    platform: PlatformOption = "juno",
    fit_to: Annotated[list[str] | None, typer.Option("--fit", help="Fit the costs to these figures first.")] = None,
    fit_test: Annotated[list[str] | None, typer.Option("--fit-test", help="Fit to this test only; may be given several times.")] = None,
    test: TestOption = None,
    program: ProgramOption = None,
    format: FormatOption = TableFormat.TABLE,
) -> None:
    """Predict published figures from a platform's costs and the order in which the cores came, and show the error."""
    from latlab.prediction import fit_board, predict, undetermined_costs
    from latlab.references import load
    from latlab.report.virtual import error_table, prediction_table
    from latlab.targets.board import load_board
    from latlab.targets.virtual_time import find_program

    if fit_test and not fit_to:
        raise UsageError("--fit-test chooses tests of the figures that --fit names; give --fit too")
    board, found = load_board(platform), find_program(program)
    if fit_to:
        runs = [load(reference) for reference in fit_to]
        held = undetermined_costs(found, board, runs[0], fit_test or ())
        if held:
            typer.echo(f"held, because the figures cannot determine them: {', '.join(held)}", err=True)
        board = board.with_costs(fit_board(found, board, runs, fit_test or (), held).values_ns)
    predictions = predict(found, board, load(measured), test or ())
    _print([prediction_table(predictions), error_table(predictions)], format)


def _print(tables: list[Table], format: TableFormat) -> None:
    from latlab.report import virtual

    if format is TableFormat.TABLE:
        for table in tables:
            virtual.print_table(_out(), table)
        return
    render = {TableFormat.JSON: virtual.as_json, TableFormat.CSV: virtual.as_csv, TableFormat.RST: virtual.as_rst}[format]
    sys.stdout.write(render(tables))


def _out() -> Console:
    from rich.console import Console

    from latlab.report.terminal import PIPE_WIDTH

    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
