# SPDX-License-Identifier: BSD-3-Clause
"""The verbs that look at one run: show, report, export. Heavy imports wait until they are needed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.cli.options import (
    AcrossOption,
    Format,
    OutputOption,
    Reference,
    RunArgument,
    StoreOption,
    TablesFormat,
    UnitOption,
    one_of,
    refuse_given,
)
from latlab.cli.output import check_output, emit, write_bytes
from latlab.cli.output import show as show_page
from latlab.errors import UsageError
from latlab.model.enums import Kind

if TYPE_CHECKING:
    from latlab.model.run import Run
    from latlab.store.store import Store


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    for verb in (show, report, export):
        app.command()(verb)


def show(
    run: RunArgument = "last",
    test: Annotated[str | None, typer.Option(help="Only this test, such as susp_deep_serial.")] = None,
    log: Annotated[str | None, typer.Option(help="Print a raw log instead: console, secure or stderr.")] = None,
    span: Annotated[
        str | None, typer.Option(help="Print the calls of functions in TEST/METRIC/core-0.1 instead, or in the slowest core's TEST/METRIC.")
    ] = None,
    store: StoreOption = None,
    format: TablesFormat = Format.TABLE,
) -> None:
    """Print the figures of a run, or one of its raw logs."""
    from latlab.cli.showing import print_run
    from latlab.cli.stores import open_store

    opened = open_store(store)
    if span is not None:
        if log is not None or test is not None:
            raise UsageError("--span names its test; leave out --test and --log")
        _print_timeline(opened, opened.load(run), span, format)
        return
    if log is None:
        loaded = opened.load(run)
        if loaded.kind is Kind.SPANS:
            _check_test(loaded, test)
        elif test is not None:
            raise UsageError(f"--test {test}: {loaded.id} is of the campaign {loaded.campaign}, which has no tests to choose from")
        print_run(opened, loaded, format, test)
        return
    logs = opened.logs(run)
    if log not in logs:
        raise UsageError(f"{opened.resolve(run)} has no log {log!r}; it has {', '.join(sorted(logs)) or 'none'}")
    sys.stdout.buffer.write(logs[log])


def report(
    run: RunArgument = "last",
    against: Annotated[str | None, typer.Argument(help="A second run or reference: report how it differs from the first.")] = None,
    format: Annotated[Format, one_of(Format.HTML, Format.RST, Format.MD)] = Format.HTML,
    builds: Annotated[bool, typer.Option("--builds", help="psa: every build that was measured alike, side by side.")] = False,
    across: AcrossOption = None,
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """Write a run, or the comparison of two, as a document: an offline HTML page with charts, or a page in RST or Markdown.

    In RST and Markdown a file gets the whole page of a performance guide, its pictures beside it, and standard output the tables alone.
    """
    if output is None and format is Format.HTML and sys.stdout.isatty():
        raise UsageError("a page of a megabyte is not for a terminal; name a file with -o FILE")
    if builds and (output is None or against is not None):
        raise UsageError("--builds is for one run as a page in a file: name it with -o FILE")
    check_output(output)
    if across and against is None:
        raise UsageError("--across is for the comparison of two runs; name the second one")
    if against is not None:
        from latlab.cli.analysis import comparison_of, comparison_text

        emit(comparison_text(comparison_of(run, against, store=store, across=across), format), output)
        return
    from latlab.cli.showing import document_of
    from latlab.cli.stores import open_store

    opened = open_store(store)
    loaded = opened.load(run)
    if format is not Format.HTML and output is not None:
        from latlab.analysis.base.conditions import label_of
        from latlab.cli.showing import guide_of, write_guide
        from latlab.report.kinds import forms_of

        write_guide(guide_of(opened, loaded, builds), format, output, forms_of(loaded).lists, label_of(loaded))
        return
    emit(document_of(opened, loaded, format, builds), output)


def export(
    context: typer.Context,
    run: Reference,
    format: Annotated[
        Format,
        one_of(
            Format.JSON,
            Format.CSV,
            Format.JUNIT,
            Format.BENCHMARK,
            Format.SQUAD,
            Format.KCIDB,
            Format.CHROME,
            Format.BMF,
            Format.LAVA,
            Format.OPENMETRICS,
            Format.HLOG,
            Format.PARQUET,
            help="json and csv hold everything; benchmark is github-action-benchmark's; chrome is one iteration.",
        ),
    ] = Format.JSON,
    test: Annotated[str | None, typer.Option(help="chrome: the test.")] = None,
    iteration: Annotated[int | None, typer.Option(help="chrome: the iteration.", show_default="the middle one")] = None,
    origin: Annotated[str, typer.Option(help="kcidb: the name of your CI system.")] = "latlab",
    build_id: Annotated[str, typer.Option(help="kcidb: the build as KCIDB knows it.", show_default="ORIGIN:FIRMWARE")] = "",
    unit: UnitOption = "",
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """Write a run in a form that another tool reads."""
    from latlab.campaigns.loading import load_reference
    from latlab.formats import run_json
    from latlab.report.exports import benchmark_json, bmf, hlog, junit, kcidb, lava, openmetrics, samples_csv, squad

    if format is not Format.CHROME:
        refuse_given(context, ("test", "iteration"), f"chooses what a chrome trace shows; {format.value} holds the whole run")
    if format is not Format.KCIDB:
        refuse_given(context, ("origin", "build_id"), "is for --format kcidb")
    if format is Format.PARQUET and output is None:
        raise UsageError("a Parquet file is not text; name a file with -o FILE")
    check_output(output)
    loaded = load_reference(run, unit, store)
    if format is Format.PARQUET and output is not None:
        from latlab.report.exports import parquet

        write_bytes(parquet.render(loaded), output)
        return
    texts = {
        Format.JSON: lambda: run_json.render(loaded),
        Format.CSV: lambda: samples_csv.render(loaded),
        Format.JUNIT: lambda: junit.render(loaded),
        Format.BENCHMARK: lambda: benchmark_json.render(loaded),
        Format.SQUAD: lambda: squad.render(loaded),
        Format.KCIDB: lambda: kcidb.render(loaded, origin, build_id),
        Format.BMF: lambda: bmf.render(loaded),
        Format.LAVA: lambda: lava.render(loaded),
        Format.HLOG: lambda: hlog.render(loaded),
        Format.OPENMETRICS: lambda: openmetrics.render(loaded),
        Format.CHROME: lambda: _trace(loaded, test, iteration, store),
    }
    emit(texts[format](), output)


def _trace(run: Run, test: str | None, iteration: int | None, store: str | None) -> str:
    from latlab.campaigns.psa import CAMPAIGN, load_symbols
    from latlab.report.exports import chrome_trace, psa_trace
    from latlab.store.store import open_store

    if run.functions and not run.traces:
        return _calls_trace(run, test, iteration, store)
    if run.campaign != CAMPAIGN:
        return chrome_trace.render(run, test, iteration)
    if iteration is not None:
        raise UsageError("--iteration chooses nothing here: a PSA call's trace is made from a whole sweep; leave it out")
    return psa_trace.render(run, load_symbols(open_store(store), run.id), test)


def _calls_trace(run: Run, test: str | None, iteration: int | None, store: str | None) -> str:
    from latlab.campaigns.material import Material
    from latlab.report.exports import calls_trace
    from latlab.store.store import open_store

    if iteration is not None:
        raise UsageError("--iteration chooses nothing here: of each core the calls of one iteration are kept, the median one; leave it out")
    return calls_trace.render(run, Material(open_store(store), run).timelines, test)


def _print_timeline(store: Store, run: Run, span: str, format: Format) -> None:
    from latlab.campaigns.material import Material
    from latlab.report.run import timeline

    if format not in (Format.TABLE, Format.JSON):
        raise UsageError(f"the calls of a span are printed as table or json, not as {format.value}")
    found = timeline.chosen(run, Material(store, run).timelines, span)
    if format is Format.JSON:
        emit(timeline.document(run, found))
    else:
        show_page(timeline.page(run, found))


def _check_test(run: Run, test: str | None) -> None:
    from latlab.analysis.base.summary import ordered_tests

    tests = ordered_tests(run.samples)
    if test is not None and test not in tests:
        raise UsageError(f"{run.id} has no test {test!r}; it has {', '.join(tests) or 'none'}")
