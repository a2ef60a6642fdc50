# SPDX-License-Identifier: BSD-3-Clause
"""The verbs that look at runs: compare, explain, gate, history, tail, export. Heavy imports wait until they are needed."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.cli.options import StoreOption, refuse_given
from latlab.errors import UsageError
from latlab.model.enums import Kind

if TYPE_CHECKING:
    from rich.console import Console

    from latlab.analysis.base.comparison import Comparison
    from latlab.analysis.base.verdicts import Limits
    from latlab.model.run import Run

MOST_SAMPLES = 1e12
EXIT_CODES = {"regressed": 1, "cannot tell": 3, "improved": 0, "same": 0}


class CompareFormat(StrEnum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    RST = "rst"
    HTML = "html"


class HistoryFormat(StrEnum):
    TABLE = "table"
    JSON = "json"
    HTML = "html"


class ExportFormat(StrEnum):
    JSON = "json"
    CSV = "csv"
    JUNIT = "junit"
    BENCHMARK = "benchmark"
    SQUAD = "squad"
    KCIDB = "kcidb"
    CHROME = "chrome"


class ListFormat(StrEnum):
    TABLE = "table"
    JSON = "json"


Reference = Annotated[str, typer.Argument(help="published:NAME, FILE.rst#RELEASE, FILE.csv, .json or .log, a run's id, or `last`.")]
UnitOption = Annotated[str, typer.Option(help="Unit of tables that name none: ns, us or ms.")]
ToleranceOption = Annotated[
    float | None, typer.Option(help="Relative change that does not count, in percent.", show_default="3; 0 under the instruction clock")
]
OutputOption = Annotated[Path | None, typer.Option("-o", "--output", help="The file to write.", show_default="standard output")]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    for verb in (compare, explain, gate, history, tail, export):
        app.command()(verb)


def compare(
    before: Reference,
    after: Reference,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every row and cell.")] = False,
    tolerance: ToleranceOption = None,
    unit: UnitOption = "",
    format: Annotated[CompareFormat, typer.Option(help="How the result is printed.")] = CompareFormat.TABLE,
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """Say what changed between two runs, whatever the order in which the cores came. Exits 1 where something regressed."""
    comparison = _comparison(before, after, tolerance, unit, store)
    if format is CompareFormat.TABLE:
        _refuse_output(output)
        from latlab.analysis.ladder.deltas import judge_printed_deltas
        from latlab.report.comparison.terminal import print_comparison

        print_comparison(_console(), comparison, judge_printed_deltas(comparison), verbose)
    else:
        write_text(comparison_text(comparison, format), output)
    raise typer.Exit(EXIT_CODES[comparison.verdict])


def explain(
    run: Reference,
    against: Annotated[str | None, typer.Argument(help="A second run: why does it differ from the first?")] = None,
    tolerance: ToleranceOption = None,
    unit: UnitOption = "",
    format: Annotated[ListFormat, typer.Option(help="How the result is printed.")] = ListFormat.TABLE,
    store: StoreOption = None,
) -> None:
    """Say what a run's figures are made of, or why two runs differ, in sentences with figures."""
    from latlab.analysis.explain import explain_pair, explain_run
    from latlab.report.comparison.terminal import print_pair_explanations, print_run_explanations

    comparison = _comparison(run, against, tolerance, unit, store) if against is not None else None
    single = load_reference(run, unit, store) if comparison is None else comparison.a
    sentences = explain_pair(comparison) if comparison else explain_run(single)
    if format is ListFormat.JSON:
        import json
        from dataclasses import asdict

        write_text(json.dumps([asdict(sentence) for sentence in sentences], indent=2, ensure_ascii=False) + "\n", None)
        return
    if not sentences:
        typer.echo("nothing to explain: the figures show no queue, no wait and no broken rule", err=True)
    if comparison:
        print_pair_explanations(_console(), comparison, sentences)
    else:
        print_run_explanations(_console(), single, sentences)


def gate(
    base: Reference,
    candidate: Reference,
    fail_on: Annotated[str, typer.Option(help="Verdicts that fail: regressed, improved, cannot tell; comma-separated.")] = "regressed",
    tolerance: ToleranceOption = None,
    unit: UnitOption = "",
    junit: Annotated[Path | None, typer.Option(help="Write the verdicts as JUnit XML to this file.")] = None,
    store: StoreOption = None,
) -> None:
    """Pass or fail a candidate in CI: exit 0 pass, 1 fail, 3 where nothing can be told."""
    from latlab.analysis.gate import decide_gate

    comparison = _comparison(base, candidate, tolerance, unit, store)
    decision = decide_gate(comparison, _verdicts(fail_on))
    if junit is not None:
        from latlab.report.exports.junit import comparison_junit

        write_file(comparison_junit(comparison, decision), junit)
    for line in decision.lines:
        typer.echo(line)
    raise typer.Exit(decision.exit_code)


def history(
    figure: Annotated[str, typer.Argument(help="TEST/METRIC/NAME, such as susp_deep_parallel/powerdown/step; * and ? match.")],
    runs: Annotated[list[str], typer.Argument(help="Two or more runs or references, oldest first.")],
    tolerance: ToleranceOption = None,
    unit: UnitOption = "",
    format: Annotated[HistoryFormat, typer.Option(help="How the result is printed.")] = HistoryFormat.TABLE,
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """Follow a figure over releases, find where it changed, and say why."""
    from latlab.analysis.history import history as follow
    from latlab.report.site import history_views

    if len(runs) < 2:
        raise UsageError(f"a history needs two runs at least, {len(runs)} is named")
    found = follow([load_reference(run, unit, store) for run in runs], figure, _limits(tolerance))
    if format is HistoryFormat.TABLE:
        _refuse_output(output)
        history_views.print_history(_console(), found)
    elif format is HistoryFormat.JSON:
        write_text(history_views.history_json(found), output)
    else:
        write_text(history_views.page(found), output)


def tail(
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
    """Estimate worst cases beyond what was measured, or say why that cannot be done. Exits 3 where no core allows an estimate."""
    from latlab.analysis.wakeups.tail import tails
    from latlab.analysis.wakeups.wakeup_identity import caveat_of
    from latlab.model.enums import Metric
    from latlab.report.rt.tail_terminal import print_tails

    if metric is not None and metric not in list(Metric):
        raise UsageError(f"--metric {metric!r} is no metric; use {', '.join(Metric)}")
    if not 1 < once_in <= MOST_SAMPLES:
        raise UsageError(f"--once-in {once_in:g} must be more than 1 and at most {MOST_SAMPLES:g}")
    loaded = load_reference(run, unit, store)
    found = tails(loaded, test, Metric(metric or (Metric.TASK_WAKEUP if loaded.kind is Kind.WAKEUPS else Metric.WAKEUP)), once_in)
    if not found:
        raise UsageError(f"{run} has no {metric or 'wake-ups'}{f' in {test}' if test else ''}; `latlab show` lists what it has")
    print_tails(_console(), found, loaded.tick.unit, caveat_of(loaded))
    raise typer.Exit(0 if any(one.level is not None for one in found) else 3)


def export(
    context: typer.Context,
    run: Reference,
    format: Annotated[
        ExportFormat, typer.Option(help="json and csv hold everything; benchmark is github-action-benchmark's; chrome is one iteration.")
    ] = ExportFormat.JSON,
    test: Annotated[str | None, typer.Option(help="chrome: the test.")] = None,
    iteration: Annotated[int | None, typer.Option(help="chrome: the iteration.", show_default="the middle one")] = None,
    origin: Annotated[str, typer.Option(help="kcidb: the name of your CI system.")] = "latlab",
    build_id: Annotated[str, typer.Option(help="kcidb: the build as KCIDB knows it.", show_default="ORIGIN:FIRMWARE")] = "",
    unit: UnitOption = "",
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """Write a run in a form that another tool reads."""
    from latlab.formats import run_json
    from latlab.report.exports import benchmark_json, chrome_trace, junit, kcidb, samples_csv, squad

    if format is not ExportFormat.CHROME:
        refuse_given(context, ("test", "iteration"), f"chooses what a chrome trace shows; {format.value} holds the whole run")
    if format is not ExportFormat.KCIDB:
        refuse_given(context, ("origin", "build_id"), "is for --format kcidb")
    loaded = load_reference(run, unit, store)
    texts = {
        ExportFormat.JSON: lambda: run_json.render(loaded),
        ExportFormat.CSV: lambda: samples_csv.render(loaded),
        ExportFormat.JUNIT: lambda: junit.render(loaded),
        ExportFormat.BENCHMARK: lambda: benchmark_json.render(loaded),
        ExportFormat.SQUAD: lambda: squad.render(loaded),
        ExportFormat.KCIDB: lambda: kcidb.render(loaded, origin, build_id),
        ExportFormat.CHROME: lambda: chrome_trace.render(loaded, test, iteration),
    }
    write_text(texts[format](), output)


def write_comparison(before: str, after: str, format: CompareFormat, output: Path | None, store: str | None) -> None:
    """The report of a comparison, with the default limits."""
    write_text(comparison_text(_comparison(before, after, None, "", store), format), output)


def comparison_text(comparison: Comparison, format: CompareFormat) -> str:
    """A comparison in a format that is written, not shown."""
    if format is CompareFormat.JSON:
        from latlab.report.comparison.data import comparison_json as text_of
    elif format is CompareFormat.CSV:
        from latlab.report.comparison.data import comparison_csv as text_of
    elif format is CompareFormat.RST:
        from latlab.report.comparison.rst import document as text_of
    else:
        from latlab.report.comparison.html import page as text_of
    return text_of(comparison)


def _refuse_output(output: Path | None) -> None:
    if output is not None:
        raise UsageError(f"-o {output}: a table is for the terminal; name another --format to have it in a file")


def write_text(text: str, output: Path | None) -> None:
    if output is None:
        typer.echo(text, nl=False)
        return
    write_file(text, output)
    typer.echo(f"{output}: written", err=True)


def write_file(text: str, output: Path) -> None:
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(output)) from error  # a failed write does not say its file


def _comparison(before: str, after: str, tolerance: float | None, unit: str, store: str | None) -> Comparison:
    from latlab.analysis.compare import compare as compare_runs

    return compare_runs(load_reference(before, unit, store), load_reference(after, unit, store), _limits(tolerance))


def _limits(tolerance: float | None) -> Limits:
    from latlab.analysis.base.verdicts import Limits

    if tolerance is None:
        return Limits()
    if not 0 <= tolerance < 100:
        raise UsageError(f"--tolerance {tolerance:g} is not a percentage from 0 to below 100")
    return Limits(relative=tolerance / 100, relative_exact=tolerance / 100)


def load_reference(reference: str, unit: str, store: str | None) -> Run:
    """Whatever a user may name as a run: a published reference, a file, a stored run."""
    from latlab.store.references import load

    if unit not in ("", "ns", "us", "ms", "s"):
        raise UsageError(f"--unit {unit!r} is not a unit; use ns, us, ms or s")
    return load(reference, unit, lambda name: _stored(name, store))


def _stored(name: str, store: str | None) -> Run | None:
    from latlab.campaigns.rt_samples import load_run
    from latlab.store.store import open_store

    return load_run(open_store(store), name)


def _verdicts(text: str) -> frozenset[str]:
    named = frozenset(part.strip() for part in text.split(",") if part.strip())
    unknown = named - set(EXIT_CODES)
    if unknown or not named:
        raise UsageError(f"--fail-on {text!r} is not a list of verdicts; use {', '.join(EXIT_CODES)}")
    return named


def _console() -> Console:
    from rich.console import Console

    from latlab.report.run.terminal import PIPE_WIDTH

    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
