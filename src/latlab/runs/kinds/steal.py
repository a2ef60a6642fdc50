# SPDX-License-Identifier: BSD-3-Clause
"""What runs of the steal meter have beside other runs of amounts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from latlab.core.kinds.kind import Files
from latlab.core.model.run import Run
from latlab.runs.kinds import benchmarks

if TYPE_CHECKING:
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.core.report.page import Page
    from latlab.core.report.table import Table
    from latlab.rt.campaign.steal_results import StealPhase


def _read(material: RunArtifacts) -> Run:
    from latlab.rt.campaign.steal_results import with_stolen

    return material.named(lambda files: with_stolen(material.run, files))


def _phases_of(material: RunArtifacts) -> tuple[StealPhase, ...]:
    from latlab.rt.campaign.steal_results import phases_of

    return material.named(phases_of)


def _screen(material: RunArtifacts) -> Page:
    from latlab.rt.pages.stolen import screen

    return screen(material.run, _phases_of(material))


def _document(material: RunArtifacts) -> Page:
    from latlab.rt.pages.stolen import document

    return document(material.run, _phases_of(material))


def _csv(material: RunArtifacts) -> Iterable[Table]:
    from latlab.rt.pages.stolen import tables

    return tables(_phases_of(material))


def _problems(run: Run, files: Files) -> list[str]:
    from latlab.rt.campaign.steal_results import problems_of

    return problems_of(files)


KIND = replace(
    benchmarks.KIND,
    campaign="steal",
    codec=replace(benchmarks.KIND.codec, read=_read),
    forms=replace(benchmarks.KIND.forms, screen=_screen, document=_document, csv=_csv),
    problems=_problems,
    verbs=("run steal",),
)
