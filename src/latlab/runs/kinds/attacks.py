# SPDX-License-Identifier: BSD-3-Clause
"""The runs of attacks on the secure side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from latlab.core.kinds.kind import Analysis, Codec, Files, Forms, Lines, RunKind
from latlab.core.model.run import Run
from latlab.psa.attack_results import Attacks

if TYPE_CHECKING:
    from latlab.core.comparison.comparison import Comparison
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.core.model.time_line import TimeLine
    from latlab.core.report.page import Page
    from latlab.core.report.table import Table


def _to_json(contents: Attacks) -> Mapping[str, Any]:
    from latlab.psa.readers.attack_rows import to_json

    return to_json(contents)


def _of_json(document: Mapping[str, Any]) -> Attacks:
    from latlab.psa.readers.attack_rows import of_json

    return of_json(document)


def _read(material: RunArtifacts) -> Run:
    from latlab.psa.campaign.attack import with_attacks

    return with_attacks(material.store, material.run)


def _time_line(material: RunArtifacts) -> TimeLine:
    from latlab.runs.campaign.time_lines import time_line_of_probe

    return time_line_of_probe(material.stored_logs)


def _screen(material: RunArtifacts) -> Page:
    from latlab.psa.pages.attack_pages import screen

    return screen(material.whole)


def _document(material: RunArtifacts) -> Page:
    from latlab.psa.pages.attack_pages import document

    return document(material.whole)


def _csv(material: RunArtifacts) -> Iterable[Table]:
    from latlab.psa.pages.attack_pages import tables

    return tables(material.whole)


def _lines(run: Run) -> Lines:
    from latlab.psa.pages.attack_pages import attack_lines

    return attack_lines(run)


def _problems(run: Run, files: Files) -> list[str]:
    from latlab.rt.campaign.results import problems_of

    return problems_of(run, files)


KIND: RunKind[Attacks, Comparison] = RunKind(
    contents=Attacks,
    codec=Codec(keys={"attacks": ()}, to_json=_to_json, of_json=_of_json, read=_read),
    incomparable="a run of attacks has outcomes and no figures; print the two side by side with `latlab show`",
    analysis=Analysis(without_figures="a run of attacks has outcomes and no figures; `latlab show` prints them", time_line=_time_line),
    forms=Forms(
        screen=_screen,
        document=_document,
        csv=_csv,
        lines=_lines,
        without_samples="{id} has attacks and no samples; `latlab export {id} --format csv` has one line per attack",
    ),
    problems=_problems,
    verbs=("run attack",),
)
