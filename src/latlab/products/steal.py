# SPDX-License-Identifier: BSD-3-Clause
"""What runs of the steal meter have beside other runs of amounts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from latlab.kinds.kind import Files
from latlab.model.run import Run
from latlab.products import benchmarks

if TYPE_CHECKING:
    from latlab.campaigns.material import RunArtifacts
    from latlab.campaigns.steal_results import StealPhase
    from latlab.report.page import Page
    from latlab.report.table import Table


def _read(material: RunArtifacts) -> Run:
    from latlab.campaigns.steal_results import with_stolen

    return material.named(lambda files: with_stolen(material.run, files))


def _phases_of(material: RunArtifacts) -> tuple[StealPhase, ...]:
    from latlab.campaigns.steal_results import phases_of

    return material.named(phases_of)


def _screen(material: RunArtifacts) -> Page:
    from latlab.report.amounts.stolen import screen

    return screen(material.run, _phases_of(material))


def _document(material: RunArtifacts) -> Page:
    from latlab.report.amounts.stolen import document

    return document(material.run, _phases_of(material))


def _csv(material: RunArtifacts) -> Iterable[Table]:
    from latlab.report.amounts.stolen import tables

    return tables(_phases_of(material))


def _problems(run: Run, files: Files) -> list[str]:
    from latlab.campaigns.steal_results import problems_of

    return problems_of(files)


KIND = replace(
    benchmarks.KIND,
    campaign="steal",
    codec=replace(benchmarks.KIND.codec, read=_read),
    forms=replace(benchmarks.KIND.forms, screen=_screen, document=_document, csv=_csv),
    problems=_problems,
    verbs=("run steal",),
)
