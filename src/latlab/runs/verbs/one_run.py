# SPDX-License-Identifier: BSD-3-Clause
"""The verbs that look at one run: show, report, export. Heavy imports wait until they are needed."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.core.cli.options import (
    AllowDifferentOption,
    ClassOption,
    Format,
    OutputOption,
    RedactOption,
    Reference,
    RunArgument,
    StoreOption,
    TablesFormat,
    UnitOption,
    one_of,
    refuse_given,
)
from latlab.core.cli.output import check_output, emit, write_bytes
from latlab.core.cli.output import show as show_page
from latlab.core.errors import UsageError
from latlab.core.report.exports.registry import EXPORTERS, ExportOptions

if TYPE_CHECKING:
    from pathlib import Path

    from latlab.core.model.run import Run
    from latlab.core.store.store import Store

ENDINGS = {Format.HTML: (".html", ".htm"), Format.RST: (".rst", ".txt"), Format.MD: (".md", ".markdown", ".txt")}


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    for verb in (show, report, export):
        app.command()(verb)


def show(
    context: typer.Context,
    run: RunArgument = "last",
    test: Annotated[str | None, typer.Option(help="Only this test, such as susp_deep_serial.")] = None,
    log: Annotated[str | None, typer.Option(help="Print a raw log instead: console, secure or stderr.")] = None,
    span: Annotated[
        str | None, typer.Option(help="Print the calls of functions in TEST/METRIC/core-0.1 instead, or in the slowest core's TEST/METRIC.")
    ] = None,
    of_class: ClassOption = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also the method, the conditions and the command.")] = False,
    store: StoreOption = None,
    format: TablesFormat = Format.TABLE,
) -> None:
    """Print the figures of a run, or a raw log."""
    from latlab.core.cli.showing import print_run
    from latlab.core.cli.stores import store_with
    from latlab.core.kinds.registry import kind_of

    if of_class is not None:
        refuse_given(context, ("test", "log", "span"), "has no effect with --class; leave it out")
    elif log is not None:
        refuse_given(context, ("test", "span", "format"), "has no effect with --log, which prints the log as it is; leave it out")
    opened = context.with_resource(store_with(run, store))
    if of_class is not None:
        _print_classes(opened.load(run), of_class, format)
        return
    if span is not None:
        if test is not None:
            raise UsageError("--span names its test", "leave out --test")
        _print_timeline(opened, opened.load(run), span, format)
        return
    if log is None:
        loaded = opened.load(run)
        if kind_of(loaded).is_sampled:
            _check_test(loaded, test)
        elif test is not None:
            raise UsageError(
                f"--test {test}: {loaded.id} is of the campaign {loaded.campaign}, which has no tests", "leave it out", value=test
            )
        print_run(opened, loaded, format, test, verbose)
        return
    logs = opened.logs(run)
    if log not in logs:
        raise UsageError(f"{opened.resolve(run)} has no log {log!r}; it has {', '.join(sorted(logs)) or 'none'}", value=log)
    sys.stdout.buffer.write(logs[log])


def _print_classes(run: Run, of_class: str, format: Format) -> None:
    from latlab.calls.pages.class_tables import data, page

    class_page = page(run, of_class)
    if format is Format.JSON:
        emit(data(class_page))
    elif format is Format.TABLE:
        show_page(class_page)
    else:
        raise UsageError("--class is printed as a table or as JSON", f"leave out --format {format.value}")


def _check_ending(output: Path | None, format: Format) -> None:
    """Raises UsageError where the name of the file promises another document."""
    if output is not None and output.suffix and output.suffix.lower() not in ENDINGS[format]:
        named = f"{output} ends in {output.suffix}, and this writes {format.value.upper()}"
        raise UsageError(named, f"end the name in {ENDINGS[format][0]}, or choose --format html, rst or md", value=output.suffix)


def report(
    context: typer.Context,
    run: RunArgument = "last",
    against: Annotated[str | None, typer.Argument(help="A second run or reference: report how it differs from the first.")] = None,
    format: Annotated[Format, one_of(Format.HTML, Format.RST, Format.MD)] = Format.HTML,
    builds: Annotated[bool, typer.Option("--builds", help="psa: every build that was measured alike, side by side.")] = False,
    allow_different: AllowDifferentOption = None,
    redact: RedactOption = False,
    of_class: ClassOption = None,
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """Write a run or a comparison as a document.

    The document is an offline HTML page with charts, or a page in RST or Markdown.

    In RST and Markdown a file gets the whole page of a performance guide, its pictures beside it, and standard output the tables alone.
    """
    if output is None and format is Format.HTML and sys.stdout.isatty():
        raise UsageError("an HTML page is not for a terminal", "name a file with -o FILE")
    if builds and (output is None or against is not None):
        raise UsageError("--builds is for one run as a page in a file: name it with -o FILE")
    check_output(output)
    _check_ending(output, format)
    if allow_different and against is None:
        raise UsageError("--allow-different is for the comparison of two runs", "name the second one")
    if against is not None:
        from latlab.runs.verbs.comparing import comparison_of, comparison_text

        compared = comparison_of(run, against, store=store, allow_different=allow_different)
        if of_class is not None:
            compared = replace(compared, a=_of_class(compared.a, of_class), b=_of_class(compared.b, of_class))
        emit(comparison_text(compared, format, redact), output)
        return
    from latlab.core.cli.showing import document_of
    from latlab.core.cli.stores import store_with

    opened = context.with_resource(store_with(run, store))
    loaded = opened.load(run)
    if of_class is not None:
        loaded = _of_class(loaded, of_class)
    if format is not Format.HTML and output is not None:
        from latlab.core.cli.showing import guide_of, write_guide
        from latlab.core.comparison.conditions import label_of
        from latlab.core.lifecycle.material import RunArtifacts

        lists = RunArtifacts(opened, loaded).forms.lists
        write_guide(guide_of(opened, loaded, builds, redact), format, output, lists, label_of(loaded))
        return
    emit(document_of(opened, loaded, format, builds, redact), output)


def _of_class(run: Run, of_class: str) -> Run:
    from latlab.core.comparison.class_views import ALL, check_classes, class_named, in_class

    if of_class != ALL:
        return in_class(run, class_named(of_class))
    check_classes(run)
    return run


def export(
    context: typer.Context,
    run: Reference,
    format: Annotated[
        str, one_of(*EXPORTERS, help="json and csv hold everything; benchmark is github-action-benchmark's; chrome is one iteration.")
    ] = "json",
    test: Annotated[str | None, typer.Option(help="chrome: the test.")] = None,
    iteration: Annotated[int | None, typer.Option(help="chrome: the iteration.", show_default="the middle one")] = None,
    origin: Annotated[str, typer.Option(help="kcidb: the name of your CI system.")] = "latlab",
    build_id: Annotated[str, typer.Option(help="kcidb: the build as KCIDB knows it.", show_default="ORIGIN:FIRMWARE")] = "",
    redact: RedactOption = False,
    unit: UnitOption = "",
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """Write a run in another tool's format."""
    from latlab.core.lifecycle.loading import check_unit, load_reference
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.core.store.store import open_store

    exporter = EXPORTERS[format]
    for name, other in EXPORTERS.items():
        if name != format:
            refuse_given(context, other.options, f"is for --format {name}")
    if exporter.is_binary and output is None:
        raise UsageError(f"{format} is not text", "name a file with -o FILE")
    check_output(output)
    check_unit(unit, run)
    loaded = load_reference(run, unit, store)
    shown, secrets = loaded, None
    if redact:
        from latlab.core.report.redaction import Secrets, redacted_run

        shown, secrets = redacted_run(loaded), Secrets.of([loaded])
    options = ExportOptions(test=test, iteration=iteration, origin=origin, build_id=build_id, secrets=secrets)
    rendered = exporter.render(shown, lambda: RunArtifacts(open_store(store), loaded), options)
    if secrets is not None and exporter.reads_material and isinstance(rendered, str):
        rendered = secrets.hide(rendered)
    if isinstance(rendered, str):
        emit(rendered, output)
    elif output is not None:
        write_bytes(rendered, output)


def _print_timeline(store: Store, run: Run, span: str, format: Format) -> None:
    from latlab.calls.campaign.watch_logs import timelines_of
    from latlab.calls.pages import timeline
    from latlab.core.lifecycle.material import RunArtifacts

    if format not in (Format.TABLE, Format.JSON):
        raise UsageError(f"the calls of a span are printed as table or json, not as {format.value}")
    span_timeline = timeline.chosen(run, timelines_of(RunArtifacts(store, run)), span)
    if format is Format.JSON:
        emit(timeline.document(run, span_timeline))
    else:
        show_page(timeline.page(run, span_timeline))


def _check_test(run: Run, test: str | None) -> None:
    from latlab.core.comparison.summary import ordered_tests

    tests = ordered_tests(run.samples)
    if test is not None and test not in tests:
        raise UsageError(f"{run.id} has no test {test!r}; it has {', '.join(tests) or 'none'}")
