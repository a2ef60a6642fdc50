# SPDX-License-Identifier: BSD-3-Clause
"""The verbs that compare and explain: compare, explain, gate, history, check-dt, extremes. Heavy imports wait until they are needed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

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
from latlab.core.cli.output import check_output, emit, emit_tables, refuse_output, say, say_lines, show
from latlab.core.errors import LatlabError, UsageError
from latlab.core.store.address import Place
from latlab.runs.verbs.upkeep import RunFilterOptions

if TYPE_CHECKING:
    from latlab.core.comparison.comparison import Comparison
    from latlab.core.comparison.explanation import Explanation
    from latlab.core.comparison.history import Series
    from latlab.core.comparison.verdicts import Limits
    from latlab.core.model.run import Run
    from latlab.core.report.table import Table

MOST_SAMPLES = 1e12
OF_FILES, OF_ONE_RUN = "Files for a CI server", "Limits of one run, instead of a comparison"
OF_MATCHING_RUNS = (*names_of(RunFilterOptions), "newest")
_LINK = re.compile(r"https?://[^\s<>]+")

ToleranceOption = Annotated[
    float | None,
    typer.Option(help="Relative change below which a difference is ignored, in percent.", show_default="3; 0 under the instruction clock"),
]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    for verb in (compare, explain, gate, grouped(history), check_dt, extremes):
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
        typer.Option(help="Of a run of the steal meter: a run of `watch` with the same firmware, to name the calls behind its steal time."),
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
        table, basis = _board_times(board, run, against, unit, store)
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


def _board_times(board: str, run: str, against: str | None, unit: str, store: Place | None) -> tuple[Table, str]:
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


def gate(
    context: typer.Context,
    base: Reference,
    candidate: Annotated[str | None, typer.Argument(help="The run that passes or fails; left out with --limit and --max-masked.")] = None,
    fail_on: Annotated[
        str,
        typer.Option(help="Verdicts that fail: regressed, improved, unchanged, inconclusive; comma-separated."),
    ] = "regressed",
    tolerance: ToleranceOption = None,
    allow_different: AllowDifferentOption = None,
    unit: UnitOption = "",
    junit: Annotated[Path | None, typer.Option(help="Write the verdicts as JUnit XML to this file.", rich_help_panel=OF_FILES)] = None,
    sarif: Annotated[
        Path | None,
        typer.Option(help="Write the functions of failing figures as SARIF 2.1.0, if their lines are known.", rich_help_panel=OF_FILES),
    ] = None,
    comment: Annotated[
        Path | None, typer.Option(help="Write the decision as Markdown for a comment, at most 30 lines.", rich_help_panel=OF_FILES)
    ] = None,
    link: Annotated[
        str, typer.Option(help="Address of the whole report, for the comment.", show_default="none", rich_help_panel=OF_FILES)
    ] = "",
    runs: Annotated[
        Path | None,
        typer.Option(help="Write both runs into this new store, which the comment's commands name.", rich_help_panel=OF_FILES),
    ] = None,
    download: Annotated[
        str, typer.Option(help="The command that brings that store, for the comment.", show_default="none", rich_help_panel=OF_FILES)
    ] = "",
    base_reason: Annotated[
        str, typer.Option(help="Why this base was taken, for the comment.", show_default="none", rich_help_panel=OF_FILES)
    ] = "",
    max_masked: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Of one run of `watch --masked`: fail if interrupts were masked for more than so many instructions.",
            rich_help_panel=OF_ONE_RUN,
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            help="Of one run: a limit of its figures, such as 'wakeup 99.99% <= 50us on cpu 1-3' or 'missed == 0'; may be repeated.",
            rich_help_panel=OF_ONE_RUN,
        ),
    ] = None,
    limit_file: Annotated[Path | None, typer.Option(help="The same from a file, a limit a line.", rich_help_panel=OF_ONE_RUN)] = None,
    board: BoardOption = None,
    store: StoreOption = None,
) -> None:
    """Pass or fail a candidate run in CI.

    Exits 0 for a pass, 1 for a failure, 3 if the data are inconclusive.
    """
    if limit or limit_file is not None or max_masked is not None:
        option = "--max-masked" if not limit and limit_file is None else "--limit"
        of_pairs = ("fail_on", "tolerance", "link", "runs", "download", "base_reason")
        refuse_given(
            context,
            of_pairs,
            f"is of two runs and has no effect with {option}; leave it out",
        )
    if limit or limit_file is not None:
        of_pair = {
            "--allow-different": allow_different,
            "--junit": junit,
            "--sarif": sarif,
            "--comment": comment,
            "--board": board,
            "--max-masked": max_masked is not None,
        }
        _gate_limits(base, candidate, limit or (), limit_file, [name for name, value in of_pair.items() if value], unit, store)
    if max_masked is not None:
        of_two = {
            "--allow-different": allow_different,
            "--unit": unit,
            "--junit": junit,
            "--sarif": sarif,
            "--comment": comment,
            "--board": board,
        }
        _gate_masked(base, candidate, max_masked, [name for name, value in of_two.items() if value], store)
    if candidate is None:
        raise UsageError(f"gate compares two runs and has {base} alone", "name the candidate too, or a limit with --limit or --max-masked")
    from latlab.core.comparison.gate import report_gate
    from latlab.core.report.comparison.comment import Handed
    from latlab.runs.verbs.gate_files import GateFiles

    check_output(junit)
    check_output(sarif)
    check_output(comment)
    check_output(runs)
    if (download or base_reason) and comment is None:
        raise UsageError("--download and --base-reason are for a comment", "name its file with --comment")
    if link and (comment is None or not _LINK.fullmatch(link)):
        raise UsageError(f"--link {link!r} is no http(s) address for a comment", "give one, with --comment FILE", value=link)
    files = GateFiles(comment, junit, sarif, Handed(link, base_reason, runs.name if runs else "", download))
    if runs is not None:
        _hand_on(runs, base, candidate, store)
    verdicts = _verdicts(fail_on)
    try:
        comparison = comparison_of(base, candidate, tolerance, unit, store, allow_different)
        if base != candidate and comparison.a.id == comparison.b.id != "":
            raise UsageError(f"{base} and {candidate} are the same run, {comparison.b.id}", "measure what is to be judged, then name it")
        report = report_gate(comparison, verdicts)
    except LatlabError as error:
        files.write_refused(base, candidate, error)
        raise
    files.write(comparison, report)
    times = _board_times(board, base, candidate, unit, store) if board else None
    say_lines(report.lines)
    if times:
        emit_tables([times[0]], Format.TABLE)
        say(times[1])
    raise typer.Exit(report.exit_code)


def _hand_on(file: Path, base: str, candidate: str, store: Place | None) -> None:
    """Both runs, and the earlier ones of the same thing that a comparison of wake-ups reads."""
    from latlab.core.cli.stores import open_existing
    from latlab.core.lifecycle.loading import is_stored, latest_beside, load_base, load_earlier, load_reference
    from latlab.core.store.copying import copy_runs
    from latlab.core.store.store import open_store

    file.unlink(missing_ok=True)
    before = latest_beside(base, candidate, store)
    a, b = load_base(before, "", store)[0], load_reference(candidate, "", store)
    named = [name for reference in (before, candidate) for name in reference.split("+") if is_stored(name)]
    target = open_store(file.as_posix())
    copy_runs(open_existing(store), [*named, *(run.id for run in load_earlier(a, b, store))], target)
    target.close()


def _gate_limits(
    run: str, other: str | None, written: Sequence[str], file: Path | None, of_pair: Sequence[str], unit: str, store: Place | None
) -> NoReturn:
    from latlab.core.lifecycle.loading import check_unit, load_reference
    from latlab.core.store.reading import read_file
    from latlab.runs.analysis import judge_limits, parse_limit, parse_limits

    if other is not None:
        raise UsageError("--limit judges one run", f"leave out {run} or {other}")
    if of_pair:
        raise UsageError("--limit compares nothing", f"leave out {' and '.join(of_pair)}")
    limits = [*map(parse_limit, written)]
    if file is not None:
        limits += parse_limits(read_file(file).decode("utf-8", "replace"), str(file))
    check_unit(unit, run)
    code, lines = judge_limits(load_reference(run, unit, store), limits)
    say_lines(lines)
    raise typer.Exit(code)


def _gate_masked(run: str, other: str | None, most_insns: int, of_two: Sequence[str], store: Place | None) -> NoReturn:
    from latlab.calls.analysis.masked import judge_masked
    from latlab.calls.campaign.watch_logs import masked_of
    from latlab.core.cli.stores import open_existing
    from latlab.core.lifecycle.material import RunArtifacts

    if other is not None:
        raise UsageError("--max-masked judges one run", f"leave out {run} or {other}")
    if of_two:
        raise UsageError("--max-masked compares nothing", f"leave out {' and '.join(of_two)}")
    opened = open_existing(store)
    loaded = opened.load(run)
    code, lines = judge_masked(
        loaded.id, masked_of(RunArtifacts(opened, loaded)), most_insns, [problem.message for problem in loaded.problems]
    )
    say_lines(lines)
    raise typer.Exit(code)


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

    check_output(output)
    words = [*([figure] if figure else []), *(runs or ())]
    if commits.repo is not None:
        refuse_given(context, OF_MATCHING_RUNS, "chooses runs of the store and has no effect with --repo; leave it out")
    if commits.repo is None:
        of_commits = (*names_of(CommitOptions), *names_of(ChoiceOptions))
        refuse_given(context, (name for name in of_commits if name != "firmware" or runs), "is for commits; it needs --repo DIR")
        if figure is None:
            raise UsageError("history needs a figure or commits", "name a figure and two runs, or a repository with --repo DIR")
        lines = _named_runs(context, runs, unit, store) if runs else _matching_runs(which, commits.firmware, newest, store)
    elif not is_figure(figure):
        refuse_given(context, ("unit",), "is of tables in a file; figures of commits have a unit, leave it out")
        limits_of(tolerance)
        print_commits(commits, choice, words, (tolerance or 0.0) / 100, check_across(allow_different or ()), format, output, store)
        return
    else:
        lines = runs_of(commits, choice, words[1:], store)
    fewest = min(map(len, lines.values()))
    if fewest < 2:
        raise UsageError(f"a history needs two runs at least, there is {fewest}", "name another")
    limits, ignored = limits_of(tolerance), check_across(allow_different or ())
    all_series = _followed(lines, figure or "", limits, ignored)
    if format is Format.TABLE:
        refuse_output(output)
        show(screen(all_series))
    elif format is Format.JSON:
        emit(history_json(all_series), output)
    else:
        from latlab.core.report.renderers import html, markdown

        emit(html.document(page(all_series)) if format is Format.HTML else markdown.document(screen(all_series)), output)


def _followed(lines: Mapping[str, Sequence[Run]], figure: str, limits: Limits, across: frozenset[str]) -> tuple[Series, ...]:
    """The figure over each line of runs. A line without the figure is named, and is an error if no other has it."""
    from dataclasses import replace

    from latlab.core.comparison.history import history as follow

    all_series: list[Series] = []
    refusals: dict[str, UsageError] = {}
    for name, runs in lines.items():
        try:
            series_of_line = follow(runs, figure, limits, across)
        except UsageError as error:
            refusals[name] = error
            continue
        all_series += (replace(series, path=f"{series.path} of {name}" if len(lines) > 1 else series.path) for series in series_of_line)
    if not all_series:
        raise next(iter(refusals.values()))
    for name in refusals:
        say(f"{name}: these runs have no figure {figure}")
    return tuple(all_series)


def _named_runs(context: typer.Context, runs: Sequence[str], unit: str, store: Place | None) -> dict[str, list[Run]]:
    from latlab.core.lifecycle.loading import check_unit, load_reference

    refuse_given(context, OF_MATCHING_RUNS, "chooses runs of the store and has no effect beside named runs; leave it out")
    check_unit(unit, *runs)
    return {"": [load_reference(run, unit, store) for run in runs]}


def _matching_runs(which: RunFilterOptions, firmware: Path | None, newest: int | None, store: Place | None) -> dict[str, list[Run]]:
    from latlab.core.cli.stores import open_existing
    from latlab.core.lifecycle.material import load_run
    from latlab.runs.campaign.matching_runs import runs_to_follow

    opened = open_existing(store)
    followed = runs_to_follow(opened, which.chosen("" if firmware is None else str(firmware), newest))
    return {name: [load_run(opened, run) for run in runs] for name, runs in followed.items()}


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
        raise UsageError(f"--once-in {once_in:g} must be more than 1 and at most {MOST_SAMPLES:g}", value=once_in)
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
) -> Comparison:
    """Two references, compared."""
    from latlab.core.comparison.by_kind import compare as compare_runs
    from latlab.core.comparison.conditions import check_across
    from latlab.core.comparison.verdicts import limits_of
    from latlab.core.lifecycle.loading import check_unit, latest_beside, load_base, load_earlier, load_reference

    check_unit(unit, before, after)
    ignored = check_across(allow_different or ())
    before = latest_beside(before, after, store)
    (a, repeats), b = load_base(before, unit, store), load_reference(after, unit, store)
    earlier = {run.id: run for run in (*repeats, *load_earlier(a, b, store))}
    return compare_runs(a, b, limits_of(tolerance), tuple(earlier.values()), ignored)


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


def _verdicts(text: str) -> frozenset[str]:
    from latlab.core.comparison.verdicts import WORDS

    named = [part.strip() for part in text.split(",") if part.strip()]
    if not named or any(word not in WORDS for word in named):
        raise UsageError(f"--fail-on {text!r} is not a list of verdicts", f"use {', '.join(WORDS)}", value=text)
    return frozenset(named)
