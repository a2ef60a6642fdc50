# SPDX-License-Identifier: BSD-3-Clause
"""The runs of CPU hotplug and system suspend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from latlab.core.kinds.kind import Analysis, Codec, Files, Forms, Lines, RunKind
from latlab.core.model.run import Run
from latlab.rt.model.power_steps import PowerCycles

if TYPE_CHECKING:
    from latlab.core.comparison.comparison import Comparison
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.core.report.page import Page
    from latlab.core.report.table import Table
    from latlab.rt.campaign.power_results import PowerResult


def _to_json(cycles: PowerCycles) -> Mapping[str, Any]:
    return {}


def _of_json(document: Mapping[str, Any]) -> PowerCycles:
    return PowerCycles()


def _result_of(material: RunArtifacts) -> PowerResult:
    from latlab.rt.campaign.power_results import power_result

    return material.named(power_result)


def _screen(material: RunArtifacts) -> Page:
    from latlab.rt.pages.power_pages import power_screen

    return power_screen(material.run, _result_of(material))


def _document(material: RunArtifacts) -> Page:
    from latlab.rt.pages.power_pages import power_document

    return power_document(material.run, _result_of(material))


def _csv(material: RunArtifacts) -> Iterable[Table]:
    from latlab.rt.pages.power_pages import tables

    return tables(material.run, _result_of(material))


def _json(material: RunArtifacts) -> str:
    from latlab.rt.pages.power_pages import data

    return data(material.run, _result_of(material))


def _lines(run: Run) -> Lines:
    from latlab.core.report.exports.samples_csv import sample_lines

    return sample_lines(run)


def _problems(run: Run, files: Files) -> list[str]:
    from latlab.rt.campaign.power_results import problems_of

    return problems_of(run, files)


KIND: RunKind[PowerCycles, Comparison] = RunKind(
    contents=PowerCycles,
    codec=Codec(
        keys={},
        to_json=_to_json,
        of_json=_of_json,
        unreadable="{id} has power-state transitions and no wake-ups; `latlab show {id}` prints them",
    ),
    incomparable="a run of power-state transitions has no latencies to compare; print the two side by side with `latlab show`",
    analysis=Analysis(without_figures="a run of power-state transitions has no figures to follow; `latlab show` prints them"),
    forms=Forms(screen=_screen, document=_document, csv=_csv, json=_json, lines=_lines),
    problems=_problems,
    verbs=("run rt-power",),
)
