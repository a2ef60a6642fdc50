# SPDX-License-Identifier: BSD-3-Clause
"""Designed experiments: runs with factors and their effects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from latlab.kinds.kind import Analysis, Codec, Forms, Lines, RunKind
from latlab.model.experiment import Experiment
from latlab.model.run import Run

if TYPE_CHECKING:
    from latlab.analysis.base.comparison import Comparison
    from latlab.campaigns.material import RunArtifacts
    from latlab.report.page import Page


def _to_json(contents: Experiment) -> Mapping[str, Any]:
    from latlab.formats.contents.experiment_json import to_json

    return to_json(contents)


def _of_json(document: Mapping[str, Any]) -> Experiment:
    from latlab.formats.contents.experiment_json import of_json

    return of_json(document)


def _read(material: RunArtifacts) -> Run:
    from latlab.campaigns.design_results import with_experiment
    from latlab.campaigns.material import load_run

    return with_experiment(material.store, material.run, load_run)


def _screen(material: RunArtifacts) -> Page:
    from latlab.analysis.design.effects import effects_of
    from latlab.report.design.design_pages import screen

    return screen(material.whole, effects_of(material.whole)[0])


def _document(material: RunArtifacts) -> Page:
    from latlab.analysis.design.effects import effects_of
    from latlab.report.design.design_pages import document

    return document(material.whole, *effects_of(material.whole))


def _json(material: RunArtifacts) -> str:
    from latlab.analysis.design.effects import effects_of
    from latlab.report.design.data import analysis_json

    return analysis_json(material.whole, effects_of(material.whole)[0])


def _csv(material: RunArtifacts) -> str:
    from latlab.report.exports.samples_csv import render

    return render(material.whole)


def _lines(run: Run) -> Lines:
    from latlab.report.design.trial_lines import trial_lines

    return trial_lines(run)


KIND: RunKind[Experiment, Comparison] = RunKind(
    contents=Experiment,
    codec=Codec(keys={"experiment": None}, to_json=_to_json, of_json=_of_json, read=_read),
    incomparable="an experiment is no run; `latlab design show` prints the effects of its factors and its runs",
    analysis=Analysis(without_figures="an experiment has effects and no figures of its own; `latlab design show` prints them"),
    forms=Forms(
        screen=_screen,
        document=_document,
        csv=_csv,
        json=_json,
        lines=_lines,
        without_samples="{id} is an experiment and has no samples; `latlab export {id} --format csv` has one line per figure",
    ),
    verbs=("design run",),
)
