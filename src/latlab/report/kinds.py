# SPDX-License-Identifier: BSD-3-Clause
"""Which forms a run has, by its kind, or by its campaign where that shows more. What draws a form is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from latlab.errors import DataError
from latlab.model.enums import Kind
from latlab.model.run import CallsOfKind, MaskedAtlas, Run
from latlab.report.page import Page

if TYPE_CHECKING:
    from latlab.campaigns.material import RunArtifacts


class Form(NamedTuple):
    """MODULE:FUNCTION under `latlab.report`, and the fields of the run's material that it takes."""

    place: str
    takes: tuple[str, ...] = ("whole",)

    @property
    def function(self) -> Any:
        module, _, name = self.place.partition(":")
        return getattr(import_module(f"latlab.report.{module}"), name)

    def of(self, material: RunArtifacts) -> Any:
        return self.function(*(getattr(material, field) for field in self.takes))


@dataclass(frozen=True)
class Forms:
    """Pages for the terminal, for RST and Markdown, for a browser and for a performance guide (the last two are the document where no
    other is named). As CSV its tables, or text. As JSON a text, or else the run as it is exported.
    `lists`: in RST, tables are set as `csv-table`."""

    screen: Form
    document: Form
    csv: Form
    page: Form | None = None
    guide: Form | None = None
    json: Form | None = None
    lists: bool = False


@dataclass(frozen=True)
class PairForms:
    """What the comparison of two runs of a kind has of its own: lines under its title (what was counted, what counts under a clock, and
    more), the figures of its document, sections of its page for a browser, and keys of its JSON. Each is a function of the comparison."""

    headline: Form
    results: Form
    sections: Form | None = None
    json: Form | None = None


PAIRS: Mapping[Kind, PairForms] = {
    Kind.SPANS: PairForms(
        headline=Form("comparison.span_pairs:headline"),
        results=Form("comparison.span_pairs:results"),
        sections=Form("comparison.span_pairs:sections"),
        json=Form("comparison.span_pairs:data"),
    ),
    Kind.WAKEUPS: PairForms(
        headline=Form("comparison.wakeup_pairs:headline"),
        results=Form("comparison.wakeup_pairs:results"),
    ),
    Kind.AMOUNTS: PairForms(
        headline=Form("comparison.amount_pairs:headline"),
        results=Form("comparison.amount_pairs:results"),
        json=Form("comparison.amount_pairs:data"),
    ),
}

RT = ("run", "wakeups")
POWER = ("run", "power")
STEAL = ("run", "stolen")

KINDS: Mapping[Kind, Forms] = {
    Kind.SPANS: Forms(
        screen=Form("run.span_pages:screen"),
        document=Form("run.span_pages:document"),
        csv=Form("run.data:run_csv"),
        page=Form("kinds:spans_page", ("whole", "calls", "masked")),
        guide=Form("run.guide:guide"),
    ),
    Kind.WAKEUPS: Forms(
        screen=Form("rt.wakeup_pages:screen", RT),
        document=Form("rt.wakeup_pages:document", RT),
        csv=Form("rt.wakeup_tables:published", RT),
        page=Form("rt.web:page", RT),
        guide=Form("rt.guide:guide", ("whole", "wakeups")),
        lists=True,
    ),
    Kind.POWER: Forms(
        screen=Form("rt.power_pages:power_screen", POWER),
        document=Form("rt.power_pages:power_document", POWER),
        csv=Form("rt.power_pages:tables", POWER),
        json=Form("rt.power_pages:data", POWER),
    ),
    Kind.AMOUNTS: Forms(
        screen=Form("amounts.amount_pages:screen"),
        document=Form("amounts.amount_pages:document"),
        csv=Form("amounts.amount_pages:tables"),
    ),
    Kind.ATTACKS: Forms(
        screen=Form("attacks.attack_pages:screen"),
        document=Form("attacks.attack_pages:document"),
        csv=Form("attacks.attack_pages:tables"),
    ),
    Kind.DESIGN: Forms(
        screen=Form("design.design_pages:screen", ("whole", "effects")),
        document=Form("design.design_pages:document", ("whole", "effects", "response")),
        csv=Form("exports.samples_csv:render"),
        json=Form("design.data:analysis_json", ("whole", "effects")),
    ),
}
CAMPAIGNS: Mapping[str, Forms] = {
    "psa": replace(KINDS[Kind.SPANS], page=Form("run.psa_guide:page", ("builds",)), guide=Form("run.psa_guide:guide", ("builds",))),
    "steal": Forms(
        screen=Form("amounts.stolen:screen", STEAL),
        document=Form("amounts.stolen:document", STEAL),
        csv=Form("amounts.stolen:tables", ("stolen",)),
    ),
}


def forms_of(material: RunArtifacts) -> Forms:
    run = material.run
    return KINDS[run.kind] if run.campaign not in CAMPAIGNS or material.is_exported else CAMPAIGNS[run.campaign]


def spans_page(run: Run, calls: Sequence[CallsOfKind], masked: MaskedAtlas | None) -> Page:
    """Of a watch, what it saw. Raises DataError where it saw nothing."""
    if run.conditions.instrument == "crossings" and not (calls or masked or run.samples):
        why = f": {run.problems[0].message}" if run.problems else ""
        raise DataError(f"{run.id} saw nothing that a page could show{why}")
    if calls or masked:
        from latlab.report.crossings.web import page as watched

        return watched(run, calls, masked)
    from latlab.report.run.web import page

    return page(run)
