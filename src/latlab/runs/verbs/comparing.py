# SPDX-License-Identifier: BSD-3-Clause
"""The verbs that compare and explain: compare, explain, history, check-dt, extremes. Heavy imports wait until they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.commits.verbs import ChoiceOptions, CommitOptions, is_figure, print_commits, runs_of
from latlab.core.cli.options import (
    AllowDifferentOption,
    BoardOption,
    ClassOption,
    Format,
    OutputOption,
    Reference,
    StoreOption,
    UnitOption,
    grouped,
    names_of,
    one_of,
    refuse_given,
    title_of,
)
from latlab.core.cli.output import check_output, emit, emit_tables, refuse_output, say, show
from latlab.core.errors import UsageError
from latlab.core.shown import significant
from latlab.core.store.address import Place
from latlab.runs.verbs.upkeep import RunFilterOptions

if TYPE_CHECKING:
    from latlab.core.comparison.comparison import Comparison
    from latlab.core.comparison.explanation import Explanation
    from latlab.core.model.run import Run
    from latlab.core.report.table import Table
    from latlab.runs.campaign.histories import Line

MOST_SAMPLES = 1e12
OF_MATCHING_RUNS = (*names_of(RunFilterOptions), "newest")

ToleranceOption = Annotated[
    float | None,
    typer.Option(help="Relative change below which a difference is ignored, in percent.", show_default="3; 0 under the instruction clock"),
]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    for verb in (compare, explain, grouped(history), check_dt, extremes):
        app.command()(verb)


def compare(
    before: Reference,
    after: Reference,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every row and data point.")] = False,
    tolerance: ToleranceOption = None,
    allow_different: AllowDifferentOption = None,
    unit: UnitOption = "",
    format: Annotated[Format, one_of(Format.TABLE, Format.JSON, Format.CSV, Format.RST, Format.MD, Format.HTML)] = Format.TABLE,
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """Print what changed between two runs.

    The order in which cores arrive does not count as a change. As `gate`, it exits 0 if nothing regressed, 1 if something did, 3 if that is
    inconclusive or the runs are not comparable.
    """
    check_output(output)
    from latlab.core.comparison.decision import decide

    comparison = comparison_of(before, after, tolerance, unit, store, allow_different)
    if format is Format.TABLE:
        from latlab.core.report.comparison.comparison_pages import screen

        refuse_output(output)
        show(screen(comparison, verbose))
    else:
        emit(comparison_text(comparison, format), output)
    raise typer.Exit(decide(comparison).exit_code)


def explain(
    context: typer.Context,
    run: Reference = "last",
    against: Annotated[str | None, typer.Argument(help="A second run: why does it differ from the first?")] = None,
    calls: Annotated[
        str | None,
        typer.Option(help="Of a run of the steal meter: a run of `watch` with the same firmware, to name the calls behind its times."),
    ] = None,
    tolerance: ToleranceOption = None,
    allow_different: AllowDifferentOption = None,
    unit: UnitOption = "",
    of_class: ClassOption = None,
    board: BoardOption = None,
    format: Annotated[Format, one_of(Format.TABLE, Format.JSON)] = Format.TABLE,
    store: StoreOption = None,
) -> None:
    """Explain a run's figures, or why two runs differ."""
    from latlab.core.comparison.by_kind import explain_pair, explain_run
    from latlab.core.lifecycle.loading import check_unit, load_reference
    from latlab.core.report.comparison.comparison_pages import pair_explanations, run_explanations
    from latlab.core.report.comparison.data import explanations_json

    if allow_different and against is None:
        raise UsageError("--allow-different is for the comparison of two runs", "name the second one")
    if calls is not None and (against is not None or allow_different):
        raise UsageError("--calls names the calls of one run", "leave out the second one")
    if of_class is not None:
        refuse_given(context, ("calls", "tolerance", "allow_different", "board"), "has no effect with --class; leave it out")
        _print_class_moves(run, against, of_class, unit, format, store)
        return
    if board is not None:
        refuse_given(context, ("calls", "tolerance", "allow_different"), "has no effect with --board; leave it out")
        table, basis = board_times(board, run, against, unit, store)
        emit_tables([table], format)
        say(basis)
        return
    if against is None:
        refuse_given(context, ("tolerance",), "is of the comparison of two runs; name the second one")
    if against is None and calls is not None:
        refuse_given(context, ("unit",), "is of tables in a file; a stored run has its unit, leave it out")
        single, explanations = _thefts_and_calls(run, calls, store)
        page = run_explanations(single, explanations)
    elif against is None:
        check_unit(unit, run)
        single = load_reference(run, unit, store)
        explanations = explain_run(single)
        page = run_explanations(single, explanations)
    else:
        comparison = comparison_of(run, against, tolerance, unit, store, allow_different)
        explanations = explain_pair(comparison)
        page = pair_explanations(comparison, explanations)
    if format is Format.JSON:
        emit(explanations_json(explanations))
        return
    if not explanations:
        say("nothing to explain: no queue, no wait and no broken rule in the figures")
    show(page)


def check_dt(
    run: Reference,
    tree: Annotated[Path, typer.Argument(help="A .dtb, or a board's own /sys/firmware/fdt.")],
    state: Annotated[
        list[str] | None,
        typer.Option(
            help="Tests that enter a state, if its number does not define them: NODE=cpu_susp or NODE=susp_deep; may be repeated."
        ),
    ] = None,
    unit: UnitOption = "",
    format: Annotated[Format, one_of(Format.TABLE, Format.JSON)] = Format.TABLE,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The file to write the corrected nodes to, a .dtsi.")] = None,
    store: StoreOption = None,
) -> None:
    """Check a device tree's idle-state latencies.

    It compares them with a board's psci run. Exits 1 if one is too short.
    """
    from latlab.core.lifecycle.loading import check_unit, load_reference
    from latlab.core.readers.platform_facts import facts_of
    from latlab.core.store.reading import read_file
    from latlab.psci.analysis.idle_audit import IdleFinding, audit, deepest_level
    from latlab.psci.pages import idle_audit
    from latlab.psci.readers.idle_states import read_idle_states

    check_output(output)
    states = read_idle_states(read_file(tree), tree.name)
    check_unit(unit, run)
    measured = load_reference(run, unit, store)
    deepest = deepest_level(measured)
    levels = facts_of(measured.platform).levels
    if deepest is None and levels is not None:
        deepest = len(levels.value) - 1
    judgements = audit(measured, states, deepest, _tests_of_states(state or ()))
    if format is Format.JSON:
        emit(idle_audit.document(measured, judgements))
    else:
        show(idle_audit.page(measured, judgements))
    nodes = idle_audit.corrected_nodes(measured, judgements)
    if output is not None and nodes:
        emit(nodes, output)
    elif output is not None:
        say("no value needs a correction, so no file is written")
    findings = {judgement.finding for judgement in judgements}
    if IdleFinding.TOO_SHORT in findings:
        raise typer.Exit(1)
    if findings == {IdleFinding.CANNOT_TELL}:
        raise typer.Exit(3)


def _tests_of_states(written: Iterable[str]) -> dict[str, str]:
    tests_by_state = {}
    for assignment in written:
        name, equals, tests = assignment.partition("=")
        if not equals:
            raise UsageError(
                f"--state {assignment}: write the state's node and its tests, such as cluster-sleep-0=susp_deep", value=assignment
            )
        tests_by_state[name] = tests
    return tests_by_state


def _print_class_moves(run: str, against: str | None, of_class: str, unit: str, format: Format, store: Place | None) -> None:
    from latlab.calls.pages.class_tables import data, page, pair_page
    from latlab.core.lifecycle.loading import check_unit, load_reference

    check_unit(unit, *filter(None, (run, against)))
    a = load_reference(run, unit, store)
    class_page = page(a, of_class) if against is None else pair_page(a, load_reference(against, unit, store), of_class)
    if format is Format.JSON:
        emit(data(class_page))
    else:
        show(class_page)


def board_times(board: str, run: str, against: str | None, unit: str, store: Place | None) -> tuple[Table, str]:
    """What differs in µs of the board, and what that rests on."""
    from latlab.core.lifecycle.loading import check_unit, load_reference
    from latlab.virtual.campaign.board_times import costs_of
    from latlab.virtual.pages.tables import board_time_table

    if against is None:
        raise UsageError("--board is for the difference of two runs", "name the second one")
    check_unit(unit, run, against)
    costs = costs_of(board)
    a, b = load_reference(run, unit, store), load_reference(against, unit, store)
    return board_time_table(board, costs.between(a, b), list(costs.fit.groups)), costs.basis(a, b)


def _thefts_and_calls(run: str, calls: str, place: Place | None) -> tuple[Run, tuple[Explanation, ...]]:
    from latlab.calls.campaign.watch_logs import calls_of
    from latlab.core.cli.stores import open_existing
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.rt.campaign.steal_results import thefts_by_caller, with_stolen

    store = open_existing(place)
    single, files = store.load(run), store.logs(store.resolve(run))
    explanations = thefts_by_caller(single, files, calls_of(RunArtifacts(store, store.load(calls))))
    return with_stolen(single, files), explanations


def history(
    context: typer.Context,
    commits: CommitOptions,
    choice: ChoiceOptions,
    which: RunFilterOptions,
    figure: Annotated[
        str | None,
        typer.Argument(
            help="METRIC or TEST/METRIC: its figures together; TEST/METRIC/NAME, as susp_deep_parallel/powerdown/step: one. * and ? match. "
            "With --repo it may be left out: then all figures by commit.",
        ),
    ] = None,
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Two or more runs or references, oldest first; with --repo, GOOD..BAD or single commits. Without runs and --repo: the "
            "complete runs of the store that match --platform, --since and the like; --firmware then is a firmware's name."
        ),
    ] = None,
    newest: Annotated[
        int | None,
        typer.Option(
            min=2, max=1 << 31, help="Of the runs that match only so many, the newest.", rich_help_panel=title_of(RunFilterOptions)
        ),
    ] = None,
    tolerance: ToleranceOption = None,
    allow_different: AllowDifferentOption = None,
    unit: UnitOption = "",
    format: Annotated[Format, one_of(Format.TABLE, Format.JSON, Format.MD, Format.HTML)] = Format.TABLE,
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """Find where figures changed, by release or commit.

    It follows one figure over releases or over matching runs of the store, or all figures over the commits of a repository. It names
    the causes.
    """
    from latlab.core.comparison.conditions import check_across
    from latlab.core.comparison.verdicts import limits_of
    from latlab.core.report.history.pages import history_json, page, screen
    from latlab.runs.campaign.histories import Line, histories

    check_output(output)
    words = [*([figure] if figure else []), *(runs or ())]
    if commits.repo is not None:
        refuse_given(context, OF_MATCHING_RUNS, "chooses runs of the store and has no effect with --repo; leave it out")
    if commits.repo is None:
        of_commits = (*names_of(CommitOptions), *names_of(ChoiceOptions))
        refuse_given(context, (name for name in of_commits if name != "firmware" or runs), "is for commits; it needs --repo DIR")
        if figure is None:
            raise UsageError("history needs a figure or commits", "name a figure and two runs, or a repository with --repo DIR")
        lines = {"": _named_runs(context, runs, unit, store)} if runs else _matching_runs(which, commits.firmware, newest, store)
    elif not is_figure(figure):
        refuse_given(context, ("unit",), "is of tables in a file; figures of commits have a unit, leave it out")
        limits_of(tolerance)
        print_commits(commits, choice, words, (tolerance or 0.0) / 100, check_across(allow_different or ()), format, output, store)
        return
    else:
        lines = {name: Line.of(line) for name, line in runs_of(commits, choice, words[1:], store).items()}
    limits, ignored = limits_of(tolerance), check_across(allow_different or ())
    all_series, without_figure = histories(lines, figure or "", limits, ignored)
    for name in without_figure:
        say(f"{name}: these runs have no figure {figure}")
    if format is Format.TABLE:
        refuse_output(output)
        show(screen(all_series))
    elif format is Format.JSON:
        emit(history_json(all_series), output)
    else:
        from latlab.core.report.renderers import html, markdown

        emit(html.document(page(all_series)) if format is Format.HTML else markdown.document(screen(all_series)), output)


def _named_runs(context: typer.Context, runs: Sequence[str], unit: str, store: Place | None) -> Line:
    from latlab.core.lifecycle.loading import check_unit, load_reference
    from latlab.runs.campaign.histories import Line

    refuse_given(context, OF_MATCHING_RUNS, "chooses runs of the store and has no effect beside named runs; leave it out")
    check_unit(unit, *runs)
    return Line.of([load_reference(run, unit, store) for run in runs])


def _matching_runs(which: RunFilterOptions, firmware: Path | None, newest: int | None, store: Place | None) -> dict[str, Line]:
    from latlab.core.cli.stores import open_existing
    from latlab.runs.campaign.histories import matching_lines

    return matching_lines(open_existing(store), which.chosen("" if firmware is None else str(firmware), newest))


def extremes(
    run: Reference,
    metric: Annotated[
        str | None,
        typer.Option(help="powerdown, wakeup, cache_flush, psci_call or task_wakeup.", show_default="wakeup; task_wakeup of an rt run"),
    ] = None,
    test: Annotated[str | None, typer.Option(help="Only this test.")] = None,
    once_in: Annotated[float, typer.Option(help="Estimate the value that is exceeded once in so many samples.")] = 1e6,
    unit: UnitOption = "",
    store: StoreOption = None,
) -> None:
    """Estimate worst cases beyond the measured ones.

    It prints the reason if the data do not allow an estimate. Exits 3 if no core allows one.
    """
    from latlab.core.comparison.by_kind import tails
    from latlab.core.comparison.conditions import caveat_of
    from latlab.core.kinds.registry import kind_of
    from latlab.core.lifecycle.loading import check_unit, load_reference
    from latlab.core.model.enums import Metric
    from latlab.rt.pages.tails import screen

    if metric is not None and metric not in list(Metric):
        raise UsageError(f"--metric {metric!r} is no metric", f"use {', '.join(Metric)}", value=metric)
    if not 1 < once_in <= MOST_SAMPLES:
        raise UsageError(f"--once-in {significant(once_in)} must be more than 1 and at most {significant(MOST_SAMPLES)}", value=once_in)
    check_unit(unit, run)
    loaded = load_reference(run, unit, store)
    tests = list(dict.fromkeys(kind_of(loaded).analysis.tests(loaded)))
    if test is not None and test not in tests:
        raise UsageError(f"{run} has no test {test!r}; it has {', '.join(tests) or 'none'}")
    estimates = tails(loaded, test, Metric(metric or (kind_of(loaded).analysis.tail_metric)), once_in)
    if not estimates:
        raise UsageError(f"{run} has no {metric or 'wake-ups'}{f' in {test}' if test else ''}", "`latlab show` lists what it has")
    show(screen(estimates, loaded.tick.unit, caveat_of(loaded)))
    raise typer.Exit(0 if any(tail_estimate.level is not None for tail_estimate in estimates) else 3)


def comparison_of(
    before: str,
    after: str,
    tolerance: float | None = None,
    unit: str = "",
    store: Place | None = None,
    allow_different: list[str] | None = None,
    judges: bool = False,
) -> Comparison:
    """Two references, compared. Raises UsageError if the comparison `judges` a run by itself, under whichever names."""
    from latlab.core.comparison.by_kind import compare as compare_runs
    from latlab.core.comparison.conditions import check_across
    from latlab.core.comparison.verdicts import limits_of
    from latlab.core.lifecycle.loading import check_unit, latest_beside, load_base, load_earlier, load_reference

    check_unit(unit, before, after)
    ignored = check_across(allow_different or ())
    (a, repeats), b = load_base(latest_beside(before, after, store), unit, store), load_reference(after, unit, store)
    earlier = {run.id: run for run in (*repeats, *load_earlier(a, b, store))}
    comparison = compare_runs(a, b, limits_of(tolerance), tuple(earlier.values()), ignored)
    common = {name for run in (a, *repeats) for name in run.id.split("+")} & {*b.id.split("+")} - {""}
    if judges and (common or before == after):
        names = f"{before} and {after}" if before != after else f"{before} twice"
        raise UsageError(
            f"{names}: the same run, {', '.join(sorted(common)) or before}", "measure what is to be judged, then name it", value=after
        )
    return comparison


def comparison_text(comparison: Comparison, format: Format, redact: bool = False) -> str:
    """A comparison in a format that is written, not shown; `redact` hides in a document whose machines it is of."""
    from latlab.core.report.comparison import comparison_pages, data, web
    from latlab.core.report.redaction import Secrets, redacted
    from latlab.core.report.renderers import html, markdown, rst

    if format is Format.JSON:
        return data.comparison_json(comparison)
    if format is Format.CSV:
        return data.comparison_csv(comparison)
    page = web.page(comparison) if format is Format.HTML else comparison_pages.document(comparison)
    shown = redacted(page, Secrets.of([comparison.a, comparison.b])) if redact else page
    render = {Format.HTML: html.document, Format.MD: markdown.document, Format.RST: rst.document}[format]
    return render(shown)
