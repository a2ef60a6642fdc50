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
    from latlab.report.page import Page
    from latlab.store.store import Store


def print_run(store: Store, run: Run, format: Format, test: str | None = None) -> None:
    """The figures of a run, or of one of its tests, to standard output."""
    if run.kind is Kind.POWER:
        _print_power(store, run, format)
    elif run.kind is Kind.AMOUNTS:
        _print_amounts(store, run, format)
    elif run.kind is Kind.ATTACKS:
        _print_attacks(store, run, format)
    elif run.kind is Kind.DESIGN:
        _print_design(store, run, format)
    elif run.kind is Kind.WAKEUPS:
        _print_rt(store, run, format)
    else:
        _print_samples(run, format, test)


def document_of(store: Store, run: Run, format: Format, builds: bool = False) -> str:
    """A run as a document, in HTML, RST or Markdown; `builds` as `guide_of` has it."""
    if format is Format.HTML:
        from latlab.report.renderers import html

        return html.document(_page_of(store, run, builds))
    from latlab.report.renderers import markdown, rst

    if run.kind is Kind.WAKEUPS:
        from latlab.campaigns.rt_results import results_of
        from latlab.report.rt import pages

        page = pages.document(run, results_of(run, store.logs(run.id)))
        return rst.document(page, rst.csv_table) if format is Format.RST else markdown.document(page)
    page = _plain_page(store, run)
    return rst.document(page) if format is Format.RST else markdown.document(page)


def write_guide(page: Page, format: Format, output: Path, kind: Kind = Kind.SPANS, label: str = "") -> None:
    """A whole page in RST or Markdown, its pictures in a folder beside it that is named after it, and after what its figures are."""
    from latlab.report.renderers import markdown, rst
    from latlab.report.renderers.pictures import write_pictures

    pictures = output.parent / f"{'-'.join(filter(None, (output.stem, label)))}-img"
    if format is Format.MD:
        text = markdown.document(page, pictures.name)
    else:
        text = rst.document(page, rst.csv_table if kind is Kind.WAKEUPS else None, pictures.name)
    emit(text, output)
    written = write_pictures(page, pictures)
    if written:
        say(f"{pictures}: {len(written) // 2} pictures, each as SVG and PNG")


def guide_of(store: Store, run: Run, builds: bool = False) -> Page:
    """A run as a page of a performance guide; `builds`: beside the newest run of every other build that was measured alike."""
    from latlab.campaigns import psa

    if builds and run.campaign != psa.CAMPAIGN:
        raise UsageError(f"--builds puts builds of the psa campaign side by side; {run.id} is of {run.campaign}")
    if run.campaign == psa.CAMPAIGN:
        from latlab.report.run.psa_guide import guide as psa_guide

        return psa_guide(psa.build_results(store, run, builds))
    if run.kind in (Kind.AMOUNTS, Kind.POWER, Kind.ATTACKS, Kind.DESIGN):
        return _plain_page(store, run)
    if run.kind is Kind.WAKEUPS:
        from latlab.campaigns.rt_results import results_of
        from latlab.campaigns.rt_samples import with_distributions
        from latlab.report.rt.guide import guide as rt_guide

        logs = store.logs(run.id)
        return rt_guide(with_distributions(run, logs), results_of(run, logs))
    from latlab.report.run.guide import guide

    return guide(run)


def _page_of(store: Store, run: Run, builds: bool) -> Page:
    from latlab.campaigns import psa

    if run.kind in (Kind.AMOUNTS, Kind.POWER, Kind.ATTACKS, Kind.DESIGN):
        return _plain_page(store, run)
    if builds or run.campaign == psa.CAMPAIGN:
        return guide_of(store, run, builds)
    if run.kind is Kind.SPANS:
        from latlab.campaigns.loading import kinds_of, masked_of
        from latlab.report.crossings.web import page as calls_page
        from latlab.report.run.web import page

        kinds, masked = kinds_of(store, run), masked_of(store, run)
        return calls_page(run, kinds, masked) if kinds or masked else page(run)
    from latlab.campaigns.rt_results import results_of
    from latlab.report.rt import web

    return web.page(run, results_of(run, store.logs(run.id)))


def _plain_page(store: Store, run: Run) -> Page:
    if run.kind is Kind.AMOUNTS:
        return _amounts_page(store, run)
    if run.kind is Kind.ATTACKS:
        from latlab.campaigns.attack import with_attacks
        from latlab.report.attacks.pages import document as attacks_document

        return attacks_document(with_attacks(store, run))
    if run.kind is Kind.DESIGN:
        return _design_page(store, run)
    if run.kind is Kind.POWER:
        from latlab.campaigns.power_results import power_result
        from latlab.report.rt.pages import power_document

        return power_document(run, power_result(store.logs(run.id)))
    from latlab.report.run.pages import document

    return document(run)


def _print_design(store: Store, run: Run, format: Format) -> None:
    from latlab.campaigns.design_results import with_experiment
    from latlab.cli.design import print_design

    print_design(with_experiment(store, run), format)


def _design_page(store: Store, run: Run) -> Page:
    from latlab.analysis.design.effects import analysis_of
    from latlab.campaigns.design_results import with_experiment
    from latlab.report.design.pages import document

    whole = with_experiment(store, run)
    assert whole.experiment is not None
    return document(whole, *analysis_of(whole, whole.experiment))


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


def _print_amounts(store: Store, run: Run, format: Format) -> None:
    from latlab.formats import run_json
    from latlab.report.amounts import pages
    from latlab.report.renderers import csv

    if _is_steal(run) and format in (Format.TABLE, Format.CSV):
        _print_steal(store, run, format)
        return
    whole = _with_amounts(store, run)
    if format is Format.TABLE:
        show(pages.screen(whole))
    elif format is Format.JSON:
        emit(run_json.render(whole))
    elif format is Format.CSV:
        emit(csv.tables(pages.tables(whole)))
    else:
        emit(document_of(store, run, format))


def _is_steal(run: Run) -> bool:
    from latlab.campaigns.steal_results import CAMPAIGN

    return run.campaign == CAMPAIGN


def _print_steal(store: Store, run: Run, format: Format) -> None:
    from latlab.campaigns.steal_results import phases_of
    from latlab.report.amounts import stolen
    from latlab.report.renderers import csv

    phases = phases_of(store.logs(run.id))
    if format is Format.TABLE:
        show(stolen.screen(run, phases))
    else:
        emit(csv.tables(stolen.tables(phases)))


def _print_attacks(store: Store, run: Run, format: Format) -> None:
    from latlab.campaigns.attack import with_attacks
    from latlab.formats import run_json
    from latlab.report.attacks import pages
    from latlab.report.renderers import csv

    whole = with_attacks(store, run)
    if format is Format.TABLE:
        show(pages.screen(whole))
    elif format is Format.JSON:
        emit(run_json.render(whole))
    elif format is Format.CSV:
        emit(csv.tables([pages.rows(whole)]))
    else:
        emit(document_of(store, run, format))


def _amounts_page(store: Store, run: Run) -> Page:
    if _is_steal(run):
        from latlab.campaigns.steal_results import phases_of
        from latlab.report.amounts import stolen

        return stolen.document(run, phases_of(store.logs(run.id)))
    from latlab.report.amounts.pages import document

    return document(_with_amounts(store, run))


def _with_amounts(store: Store, run: Run) -> Run:
    from latlab.campaigns.benchmarks import with_amounts

    return with_amounts(run, store.logs(run.id))


def _print_power(store: Store, run: Run, format: Format) -> None:
    from latlab.campaigns.power_results import power_result
    from latlab.report.rt.pages import power_screen

    if format is not Format.TABLE:
        raise UsageError(f"{run.id} is a run of power boundaries; it is shown as a table only")
    show(power_screen(run, power_result(store.logs(run.id))))
