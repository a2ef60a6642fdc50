# SPDX-License-Identifier: BSD-3-Clause
"""Designed experiments: runs with factors and their effects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from latlab.core.kinds.kind import Analysis, Codec, Forms, Lines, RunKind
from latlab.core.model.experiment import Experiment
from latlab.core.model.run import Run

if TYPE_CHECKING:
    from latlab.core.comparison.comparison import Comparison
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.core.report.page import Page


def _to_json(contents: Experiment) -> Mapping[str, Any]:
    from latlab.experiments.readers import to_json

    return to_json(contents)


def _of_json(document: Mapping[str, Any]) -> Experiment:
    from latlab.experiments.readers import of_json

    return of_json(document)


def _read(material: RunArtifacts) -> Run:
    from latlab.core.lifecycle.material import load_run
    from latlab.experiments.campaign.results import with_experiment

    return with_experiment(material.store, material.run, load_run)


def _screen(material: RunArtifacts) -> Page:
    from latlab.experiments.analysis.effects import effects_of
    from latlab.experiments.pages.design_pages import screen

    return screen(material.whole, effects_of(material.whole)[0])


def _document(material: RunArtifacts) -> Page:
    from latlab.experiments.analysis.effects import effects_of
    from latlab.experiments.pages.design_pages import document

    return document(material.whole, *effects_of(material.whole))


def _json(material: RunArtifacts) -> str:
    from latlab.experiments.analysis.effects import effects_of
    from latlab.experiments.pages.data import analysis_json

    return analysis_json(material.whole, effects_of(material.whole)[0])


def _csv(material: RunArtifacts) -> str:
    from latlab.core.report.exports.samples_csv import render

    return render(material.whole)


def _lines(run: Run) -> Lines:
    from latlab.experiments.pages.data import trial_lines

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
