# SPDX-License-Identifier: BSD-3-Clause
"""A stored run in each of its forms, whichever kind it is of. Heavy imports wait until they are needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from latlab.core.cli.options import Format
from latlab.core.cli.output import emit, say, show
from latlab.core.errors import UsageError

if TYPE_CHECKING:
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.core.model.run import Run
    from latlab.core.report.page import Page
    from latlab.core.store.store import Store


def print_run(store: Store, run: Run, format: Format, test: str | None = None, verbose: bool = False) -> None:
    """The figures of a run, or of one of its tests, to standard output; `verbose`: a table with its method and conditions."""
    from latlab.core.lifecycle.material import RunArtifacts

    if test is not None:
        from latlab.core.report.run_data import of_test

        run = of_test(run, test)
    material = RunArtifacts(store, run)
    if format is Format.TABLE:
        show(_with_status(material.forms.screen(material), run), verbose)
    elif format in (Format.JSON, Format.CSV):
        emit(_for_programs(material, format))
    elif test is not None:
        from latlab.core.report.renderers import rst
        from latlab.psci.pages.span_pages import results

        emit(rst.document(results(run)))
    else:
        emit(document_of(store, run, format))


def _with_status(page: Page, run: Run) -> Page:
    """That a run is partial is the first word of its answer, with the first reason and its line. A planned run has no other answer."""
    from latlab.core.model.enums import RunStatus
    from latlab.core.report.facts import placed
    from latlab.core.report.text import plain

    if run.status is RunStatus.PLANNED:
        return replace(page, answer="This run is planned: it has not started and has no figures.")
    if run.status is not RunStatus.PARTIAL:
        return page
    reason = placed(run.problems[0]).rstrip(".") if run.problems else ""
    answer = page.answer if isinstance(page.answer, tuple) else (page.answer,)
    if reason and plain(page.answer).startswith(reason):
        return replace(page, answer=("Partial run: ", *answer))
    return replace(page, answer=(f"Partial run: {reason}. " if reason else "Partial run. ", *answer))


def document_of(store: Store, run: Run, format: Format, builds: bool = False, redact: bool = False) -> str:
    """A run as a document, in HTML, RST or Markdown; `builds` as `guide_of` has it, `redact` hides whose machine it was."""
    if format is Format.HTML:
        from latlab.core.report.renderers import html

        return html.document(page_of(store, run, builds, redact))
    from latlab.core.report.renderers import markdown, rst

    material = _material(store, run, builds)
    forms = material.forms
    page = _shown(forms.document(material), run, redact)
    return markdown.document(page) if format is Format.MD else rst.document(page, rst.csv_table if forms.lists else None)


def page_of(store: Store, run: Run, builds: bool = False, redact: bool = False) -> Page:
    """A run as a page for a browser; `builds` and `redact` as `document_of` has them."""
    material = _material(store, run, builds)
    forms = material.forms
    page = (forms.page or forms.document)(material)
    return _shown(replace(page, made_by=f"latlab report {run.id}"), run, redact)


def _shown(page: Page, run: Run, redact: bool) -> Page:
    if not redact:
        return page
    from latlab.core.report.redaction import Secrets, redacted

    return redacted(page, Secrets.of([run]))


def write_guide(page: Page, format: Format, output: Path, lists: bool = False, label: str = "") -> None:
    """A whole page in RST or Markdown, its pictures in a folder beside it that is named after it, and after what its figures are; `lists`
    as a kind's forms have it."""
    from latlab.core.report.renderers import markdown, rst
    from latlab.core.report.renderers.pictures import write_pictures

    pictures = output.parent / f"{'-'.join(filter(None, (output.stem, label)))}-img"
    if format is Format.MD:
        text = markdown.document(page, pictures.name)
    else:
        text = rst.document(page, rst.csv_table if lists else None, pictures.name)
    emit(text, output)
    written = write_pictures(page, pictures)
    if written:
        say(f"{pictures}: {len(written) // 2} pictures, each as SVG and PNG")


def guide_of(store: Store, run: Run, builds: bool = False, redact: bool = False) -> Page:
    """A run as a page of a performance guide; `builds`: beside the newest run of every other build that was measured alike."""
    material = _material(store, run, builds)
    forms = material.forms
    return _shown((forms.guide or forms.document)(material), run, redact)


def _material(store: Store, run: Run, builds: bool) -> RunArtifacts:
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.psa.campaign import measure as psa

    if builds and run.campaign != psa.CAMPAIGN:
        raise UsageError(f"--builds puts builds of the psa campaign side by side; {run.id} is of {run.campaign}")
    return RunArtifacts(store, run, builds)


def _for_programs(material: RunArtifacts, format: Format) -> str:
    from latlab.core.report.renderers import csv
    from latlab.core.store import run_json

    forms = material.forms
    if format is Format.JSON:
        return forms.json(material) if forms.json else run_json.render(material.whole)
    content = forms.csv(material)
    return content if isinstance(content, str) else csv.tables(content)
