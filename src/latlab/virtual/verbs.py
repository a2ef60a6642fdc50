# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of virtual time: fit, predict, whatif, explore. Heavy imports wait until they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from latlab.core.cli.options import Format, StoreOption, TablesFormat, refuse_given
from latlab.core.cli.output import emit, emit_tables, say, say_lines, write_file
from latlab.core.errors import DataError, UsageError

PlatformOption = Annotated[str, typer.Option(help="A platform of the catalogue, or a platform file; `NAME,key=value` changes it.")]
ProgramOption = Annotated[Path | None, typer.Option(help="The virtual-time program.", show_default="build folder or package")]
Published = Annotated[list[str], typer.Argument(help="published:NAME, FILE.rst#RELEASE, FILE.csv, or a stored run.")]
TestOption = Annotated[list[str] | None, typer.Option("--test", help="Only this test; may be given several times.")]
HoldOption = Annotated[list[str] | None, typer.Option("--hold", help="Keep this cost as in the platform file.")]

CountedOption = Annotated[
    bool, typer.Option("--counted", help="By counts of the same releases: the time of an instruction on their board.")
]
ONE_SYSTEM = "One system, instead of a set of small ones"
OF_SIMULATION = "is of the simulated platform and has no effect with --counted; leave it out"


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    for verb in (fit, predict, whatif, explore):
        app.command()(verb)


def fit(
    context: typer.Context,
    published: Published,
    platform: PlatformOption = "juno",
    test: TestOption = None,
    hold: HoldOption = None,
    counted: CountedOption = False,
    program: ProgramOption = None,
    format: TablesFormat = Format.TABLE,
    store: StoreOption = None,
) -> None:
    """Fit a platform's costs to published figures.

    It refuses if the figures do not determine a cost, and names that cost.
    """
    from latlab.core.lifecycle.loading import load_reference
    from latlab.psci.targets.board import load_board
    from latlab.psci.targets.virtual_program import find_program
    from latlab.virtual.analysis.class_costs import fit_classes, left_out
    from latlab.virtual.campaign.prediction import fit_board
    from latlab.virtual.pages.tables import class_cost_table, fit_table, left_out_table, residual_table

    runs = [load_reference(reference, "", store) for reference in published]
    if counted:
        refuse_given(context, ("platform", "test", "hold", "program"), OF_SIMULATION)
        costs = fit_classes(runs)
        emit_tables([class_cost_table(costs), left_out_table(left_out(runs))], format)
        say(costs.basis)
        return
    fitted = fit_board(find_program(program), load_board(platform), runs, test or (), hold or ())
    emit_tables([fit_table(fitted), residual_table(fitted)], format)


def predict(
    context: typer.Context,
    measured: Annotated[str, typer.Argument(help="The figures to predict: published:NAME, FILE.rst#RELEASE, FILE.csv, or a stored run.")],
    platform: PlatformOption = "juno",
    fit_to: Annotated[list[str] | None, typer.Option("--fit", help="Fit the costs to these figures first.")] = None,
    fit_test: Annotated[list[str] | None, typer.Option("--fit-test", help="Fit to this test only; may be given several times.")] = None,
    test: TestOption = None,
    counted: CountedOption = False,
    program: ProgramOption = None,
    format: TablesFormat = Format.TABLE,
    store: StoreOption = None,
) -> None:
    """Predict published figures from a platform's costs.

    The order in which the cores arrived is taken from the figures. The error is printed beside them.

    Intervals come from the platform's other published releases. Exits 3 if every test shows an effect that the model does not have."""
    from latlab.core.lifecycle.loading import load_reference
    from latlab.psci.targets.board import load_board
    from latlab.psci.targets.virtual_program import find_program
    from latlab.virtual.analysis.class_costs import fit_classes, observed
    from latlab.virtual.campaign.prediction import fit_board, other_releases, predict, undetermined_costs
    from latlab.virtual.campaign.scatter import basis_of_intervals, with_intervals
    from latlab.virtual.pages.tables import class_cost_table, departure_table, error_table, guess_table, prediction_table

    if fit_test and not fit_to:
        raise UsageError("--fit-test chooses tests of the figures that --fit names", "give --fit too")
    runs = [load_reference(reference, "", store) for reference in fit_to or ()]
    if counted:
        refuse_given(context, ("platform", "test", "fit_test", "program"), OF_SIMULATION)
        costs = fit_classes(runs)
        emit_tables([class_cost_table(costs), guess_table(costs.predict(observed(load_reference(measured, "", store))))], format)
        say(costs.basis)
        return
    board, model_program = load_board(platform), find_program(program)
    if runs:
        held = undetermined_costs(model_program, board, runs[0], fit_test or ())
        if held:
            say(f"held, because the figures cannot determine them: {', '.join(held)}")
        board = board.with_costs(fit_board(model_program, board, runs, fit_test or (), held).values_ns)
    run = load_reference(measured, "", store)
    predicted = predict(model_program, board, run, test or ())
    if not predicted.spans:
        raise DataError(f"{run.id} is not predicted: in {predicted.departures[0].test} {predicted.departures[0].sentence}")
    others = other_releases(board, [run, *runs])
    spans = with_intervals(predicted.spans, [predict(model_program, board, other).spans for other in others])
    tables = [error_table(spans), prediction_table(spans)]
    emit_tables([*tables, departure_table(predicted.departures)] if predicted.departures else tables, format)
    say(basis_of_intervals([other.id for other in others]))


def whatif(
    context: typer.Context,
    platform: PlatformOption = "juno",
    cores: Annotated[str, typer.Option(help="Numbers of cores, joined by commas.")] = "6,16,64",
    cluster: Annotated[str, typer.Option(help="Cores of a cluster; several sizes joined by commas.")] = "4",
    test: Annotated[str, typer.Option(help="susp_deep_parallel or cpu_susp_parallel.")] = "susp_deep_parallel",
    lock: Annotated[list[str] | None, typer.Option("--lock", help="ticket, bakery or compare-and-swap; several times.")] = None,
    scope: Annotated[list[str] | None, typer.Option("--scope", help="coordination or transition; several times.")] = None,
    channel: Annotated[list[str] | None, typer.Option("--channel", help="shared or per-core; several times.")] = None,
    output: Annotated[
        list[Path] | None, typer.Option("-o", "--output", help="Write a .html page, .csv, .json or .rst; several times.")
    ] = None,
    dask: Annotated[str | None, typer.Option(help="Spread the sweep with Dask: `local`, or a scheduler such as tcp://host:8786.")] = None,
    program: ProgramOption = None,
    format: TablesFormat = Format.TABLE,
) -> None:
    """Sweep simulated boards: cores, clusters, locks.

    It prints median and worst power-down and wake-up of boards that do not exist.
    """
    from latlab.psci.targets.board import load_board
    from latlab.psci.targets.virtual_program import find_program
    from latlab.virtual.campaign.engines import on_dask, on_this_machine
    from latlab.virtual.campaign.whatif import counts_of, designs_of, jobs_of
    from latlab.virtual.pages.whatif import Sweep, answer, check_output, tables, text_of

    if output:
        refuse_given(context, ("format",), "is of what is printed; a file's name says its own, leave it out")
    for path in output or ():
        check_output(path)
    board = load_board(platform)
    designs = designs_of(board, lock or (), scope or (), channel or ())
    jobs = jobs_of(board, designs, counts_of("--cores", cores), counts_of("--cluster", cluster), test)
    engine = on_dask(dask) if dask else on_this_machine
    sweep = Sweep(platform, board, test, tuple(engine(find_program(program), jobs)))
    for path in output or ():
        write_file(text_of(sweep, path.suffix), path)
        say(f"{path}: {len(sweep.points)} points")
    if output:
        return
    if format is Format.TABLE:
        say_lines([answer(sweep)])
        emit_tables(tables(sweep), format)
    else:
        emit(text_of(sweep, f".{format.value}"))


def explore(
    context: typer.Context,
    full: Annotated[bool, typer.Option("--full", help="The larger set; minutes instead of seconds.")] = False,
    clusters: Annotated[
        str | None, typer.Option(help="Check this system instead: cores of each cluster.", rich_help_panel=ONE_SYSTEM)
    ] = None,
    programs: Annotated[
        str | None,
        typer.Option(help="A program for each core, as '2|2|0|f': docs/explanation/model-checking.md.", rich_help_panel=ONE_SYSTEM),
    ] = None,
    bound: Annotated[
        int | None, typer.Option(help="At most so many preemptions.", show_default="every interleaving", rich_help_panel=ONE_SYSTEM)
    ] = None,
    walks: Annotated[int, typer.Option(help="Random walks instead.", rich_help_panel=ONE_SYSTEM)] = 0,
    seed: Annotated[int, typer.Option(help="Of the walks.", rich_help_panel=ONE_SYSTEM)] = 1,
    os_initiated: Annotated[bool, typer.Option("--os-initiated", help="OS-initiated suspend mode.", rich_help_panel=ONE_SYSTEM)] = False,
    every_access: Annotated[
        bool, typer.Option("--every-access", help="Interleave every access, even one that commutes.", rich_help_panel=ONE_SYSTEM)
    ] = False,
    interrupts: Annotated[
        str, typer.Option(help="Switch cores on and off by this interrupt controller: gicv3-hide, ...", rich_help_panel=ONE_SYSTEM)
    ] = "",
    scope: Annotated[list[str] | None, typer.Option("--scope", help="coordination or transition; several times.")] = None,
    replay: Annotated[str | None, typer.Option(help="Print the timeline of these choices.", rich_help_panel=ONE_SYSTEM)] = None,
    program: ProgramOption = None,
    format: TablesFormat = Format.TABLE,
) -> None:
    """Model-check PSCI coordination on small systems.

    It checks the rules of coordination in every interleaving of the cores.
    """
    from latlab.core.errors import TestFailed
    from latlab.virtual.campaign import exploration
    from latlab.virtual.pages.tables import exploration_table

    if (clusters is None) != (programs is None) or (replay is not None and clusters is None):
        raise UsageError("a system is --clusters and --programs together, also for --replay")
    if clusters is None and (bound is not None or walks or os_initiated or every_access or interrupts):
        raise UsageError(
            "--bound, --walks, --os-initiated, --every-access and --interrupts are of one system", "name it with --clusters and --programs"
        )
    if clusters is not None and full:
        raise UsageError("--full is a set of systems and --clusters names one", "choose either")
    if replay is not None:
        refuse_given(context, ("format", "seed"), "has no effect with --replay, which prints the timeline of its choices; leave it out")
    if not walks:
        refuse_given(context, ("seed",), "draws random walks; it needs --walks")
    scopes = scope or list(exploration.SCOPES)
    system = exploration.System(clusters or "", programs or "", bound, walks, os_initiated, every_access, interrupts)
    exploration.check_choices(scopes, system)
    explorer = exploration.find_explorer(program)
    if replay is not None:
        emit(exploration.replay(explorer, system, scopes[0], replay))
        return
    systems = [system] if clusters is not None else list(exploration.FULL if full else exploration.SMALL)
    findings = exploration.explore(explorer, systems, scopes, seed)
    emit_tables([exploration_table(findings)], format)
    for finding in findings:
        if finding.timeline:
            say(finding.timeline)
    unfinished = sum(finding.verdict == exploration.TOO_MANY for finding in findings)
    broken = [finding for finding in findings if finding.timeline]
    if broken:
        raise TestFailed(
            f"{len(broken)} of {len(findings)} checked systems break a rule; the timelines above show how, --replay repeats them"
        )
    if unfinished:
        raise DataError(
            f"{unfinished} of {len(findings)} checked systems have too many states", "give --bound or --walks, or shorten the programs"
        )
