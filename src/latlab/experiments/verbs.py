# SPDX-License-Identifier: BSD-3-Clause
"""`latlab design run` and `latlab design show`. Heavy imports wait until they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.core.cli.options import Format, OutputOption, Reference, StoreOption, one_of
from latlab.core.cli.output import check_output, emit, refuse_output, say
from latlab.core.cli.output import show as show_page
from latlab.core.errors import UsageError

if TYPE_CHECKING:
    from latlab.core.model.run import Run

DesignFormat = Annotated[Format, one_of(Format.TABLE, Format.JSON, Format.CSV, Format.RST, Format.MD, Format.HTML)]

design_app = typer.Typer(help="Run a factorial experiment and print the effects.", no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    app.add_typer(design_app, name="design")


@design_app.command()
def run(
    file: Annotated[Path, typer.Argument(help="The experiment's TOML file.")],
    seed: Annotated[int | None, typer.Option(help="Draws the order of the runs.", show_default="drawn, and kept")] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Begin again instead of resuming.")] = False,
    store: StoreOption = None,
) -> None:
    """Measure every combination of the factors' levels.

    The order is drawn at random. The same command continues an interrupted experiment.
    """
    from latlab.core.cli.stores import open_store
    from latlab.core.lifecycle.loading import load_reference
    from latlab.core.store.location import store_location
    from latlab.experiments.campaign.design import run_design
    from latlab.experiments.campaign.plan import load_plan

    plan = load_plan(file)
    run_id = run_design(open_store(store), plan, seed, store_location(store), say, restart)
    print_design(load_reference(run_id, "", store), Format.TABLE)


@design_app.command()
def show(
    experiment: Reference = "last",
    response: Annotated[
        str | None, typer.Option(help="Another figure of its runs: METRIC, TEST/METRIC or TEST/METRIC/NAME.", show_default="the plan's")
    ] = None,
    difference: Annotated[bool, typer.Option("--difference", help="Judge differences of means instead of factors between them.")] = False,
    format: DesignFormat = Format.TABLE,
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """Print each factor's effect, or inconclusive."""
    from latlab.core.lifecycle.loading import load_reference

    if format is Format.TABLE:
        refuse_output(output)
    check_output(output)
    print_design(load_reference(experiment, "", store), format, response, not difference, output)


def print_design(loaded: Run, format: Format, response: str | None = None, as_ratio: bool = True, output: Path | None = None) -> None:
    """An experiment in any of its forms."""
    from latlab.core.model.experiment import experiment_of
    from latlab.core.report.exports import samples_csv
    from latlab.core.report.renderers import html, markdown, rst
    from latlab.experiments.analysis.effects import analysis_of
    from latlab.experiments.pages import data, design_pages

    experiment = experiment_of(loaded)
    if experiment is None:
        raise UsageError(f"{loaded.id} is a run of {loaded.campaign} and no experiment", f"`latlab show {loaded.id}` prints it")
    if format is Format.JSON:
        emit(data.analysis_json(loaded, analysis_of(loaded, experiment, response, as_ratio)[0]), output)
    elif format is Format.CSV:
        emit(samples_csv.render(loaded), output)
    else:
        analysis, response_used = analysis_of(loaded, experiment, response, as_ratio)
        if format is Format.TABLE:
            show_page(design_pages.screen(loaded, analysis))
            return
        render = {Format.HTML: html.document, Format.MD: markdown.document, Format.RST: rst.document}[format]
        emit(render(design_pages.document(loaded, analysis, response_used)), output)
