# SPDX-License-Identifier: BSD-3-Clause
"""The verb that passes or fails a run: gate. Heavy imports wait until they are needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from latlab.core.cli.options import AllowDifferentOption, BoardOption, Format, Reference, StoreOption, UnitOption, refuse_given
from latlab.core.cli.output import check_output, emit_tables, say, say_lines
from latlab.core.errors import LatlabError, UsageError
from latlab.core.store.address import Place
from latlab.runs.verbs.comparing import ToleranceOption, board_times, comparison_of

OF_FILES, OF_ONE_RUN = "Files for a CI server", "Limits of one run, instead of a comparison"
_LINK = re.compile(r"https?://[^\s<>]+")


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(gate)


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
        comparison = comparison_of(base, candidate, tolerance, unit, store, allow_different, judges=True)
        report = report_gate(comparison, verdicts)
    except LatlabError as error:
        files.write_refused(base, candidate, error)
        raise
    files.write(comparison, report)
    times = board_times(board, base, candidate, unit, store) if board else None
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


def _verdicts(text: str) -> frozenset[str]:
    from latlab.core.comparison.verdicts import WORDS

    named = [part.strip() for part in text.split(",") if part.strip()]
    if not named or any(word not in WORDS for word in named):
        raise UsageError(f"--fail-on {text!r} is not a list of verdicts", f"use {', '.join(WORDS)}", value=text)
    return frozenset(named)
