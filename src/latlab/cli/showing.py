# SPDX-License-Identifier: BSD-3-Clause
"""A stored run in each of its forms, whichever campaign it is of. Heavy imports wait until they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from latlab.cli.options import Format
from latlab.cli.output import emit, say, show
from latlab.errors import UsageError
from latlab.model.enums import Kind

if TYPE_CHECKING:
    from latlab.model.run import Run
    from latlab.store.store import Store


def print_run(store: Store, run: Run, format: Format, test: str | None = None) -> None:
    """The figures of a run, or of one of its tests, to standard output."""
    if run.kind is Kind.POWER:
        _print_power(store, run, format)
    elif run.kind is Kind.WAKEUPS:
        _print_rt(store, run, format)
    else:
        _print_samples(run, format, test)


def document_of(store: Store, run: Run, format: Format) -> str:
    """A run as a document, in HTML or in RST."""
    from latlab.campaigns.rt_results import results_of
    from latlab.report.renderers import rst

    if format is Format.HTML:
        return _page_of(store, run)
    if run.kind is Kind.SPANS:
        from latlab.report.run.pages import document

        return rst.document(document(run))
    from latlab.report.rt import pages

    return rst.document(pages.document(run, results_of(run, store.logs(run.id))), rst.csv_table)


def write_guide(run: Run, output: Path) -> None:
    """A whole page in RST, its pictures in a folder beside it that is named after it."""
    from latlab.report.renderers import rst
    from latlab.report.renderers.pictures import write_pictures
    from latlab.report.run.guide import guide

    page = guide(run)
    pictures = output.parent / f"{output.stem}-img"
    emit(rst.document(page, pictures=pictures.name), output)
    written = write_pictures(page, pictures)
    if written:
        say(f"{pictures}: {len(written) // 2} pictures, each as SVG and PNG")


def _page_of(store: Store, run: Run) -> str:
    from latlab.campaigns.rt_results import results_of
    from latlab.report.renderers import html

    if run.kind is Kind.SPANS:
        from latlab.report.run.web import page

        return html.document(page(run))
    from latlab.report.rt import web

    return html.document(web.page(run, results_of(run, store.logs(run.id))))


def _print_samples(run: Run, format: Format, test: str | None) -> None:
    from latlab.formats import run_json
    from latlab.report.renderers import rst
    from latlab.report.run import data, pages

    chosen = data.of_test(run, test)
    if format is Format.TABLE:
        show(pages.screen(chosen))
    elif format is Format.JSON:
        emit(run_json.render(chosen))
    elif format is Format.CSV:
        emit(data.run_csv(chosen))
    else:
        emit(rst.document(pages.results(chosen) if test else pages.document(chosen)))


def _print_rt(store: Store, run: Run, format: Format) -> None:
    from latlab.campaigns.rt_results import results_of
    from latlab.campaigns.rt_samples import with_distributions
    from latlab.formats import run_json
    from latlab.report.renderers import csv
    from latlab.report.rt import pages
    from latlab.report.rt.tables import all_tables
    from latlab.report.rt.words import check_publishable

    logs = store.logs(run.id)
    if format is Format.TABLE:
        show(pages.screen(run, results_of(run, logs)))
    elif format is Format.JSON:
        emit(run_json.render(with_distributions(run, logs)))
    elif format is Format.CSV:
        check_publishable(run)
        emit(csv.tables(all_tables(run, results_of(run, logs))))
    else:
        emit(document_of(store, run, format))


def _print_power(store: Store, run: Run, format: Format) -> None:
    from latlab.campaigns.power_results import power_result
    from latlab.report.rt.pages import power_screen

    if format is not Format.TABLE:
        raise UsageError(f"{run.id} is a run of power boundaries; it is shown as a table only")
    show(power_screen(run, power_result(store.logs(run.id))))
