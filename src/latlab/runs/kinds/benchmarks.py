# SPDX-License-Identifier: BSD-3-Clause
"""The runs of benchmarks and noise meters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latlab.core.kinds.kind import Analysis, Codec, Files, Forms, Lines, Pairs, RunKind
from latlab.core.model.amounts import Amounts
from latlab.core.model.run import Run

if TYPE_CHECKING:
    from latlab.core.comparison.comparison import AmountComparison
    from latlab.core.comparison.coverage import Counted, SampleKey
    from latlab.core.comparison.explanation import Explanation
    from latlab.core.comparison.figure import Figure
    from latlab.core.comparison.verdicts import Limits
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.core.report.page import Page, Section
    from latlab.core.report.table import Table


def _to_json(contents: Amounts) -> Mapping[str, Any]:
    from latlab.benchmarks.readers.amount_json import to_json

    return to_json(contents)


def _of_json(document: Mapping[str, Any]) -> Amounts:
    from latlab.benchmarks.readers.amount_json import of_json

    return of_json(document)


def _read(material: RunArtifacts) -> Run:
    from latlab.runs.campaign.importing_amounts import with_amounts

    return material.named(lambda files: with_amounts(material.run, files))


def _compare(a: Run, b: Run, limits: Limits, earlier: Sequence[Run]) -> AmountComparison:
    from latlab.benchmarks.analysis.compare_amounts import compare_amounts

    return compare_amounts(a, b, limits)


def _explain_pair(comparison: AmountComparison) -> tuple[Explanation, ...]:
    from latlab.benchmarks.analysis.explain_amounts import explain_amount_pair

    return explain_amount_pair(comparison)


def _headline(comparison: AmountComparison) -> tuple[str, ...]:
    from latlab.core.report.comparison.amount_pairs import headline

    return headline(comparison)


def _results(comparison: AmountComparison) -> Section:
    from latlab.core.report.comparison.amount_pairs import results

    return results(comparison)


def _pair_json(comparison: AmountComparison) -> Mapping[str, Any]:
    from latlab.core.report.comparison.amount_pairs import data

    return data(comparison)


def _figures(run: Run) -> tuple[Figure, ...]:
    from latlab.benchmarks.analysis.amount_figures import amount_figures

    return amount_figures(run)


def _counted(run: Run) -> dict[SampleKey, Counted]:
    from latlab.benchmarks.analysis.amount_figures import counted_amounts

    return counted_amounts(run)


def _join(runs: Sequence[Run]) -> Amounts:
    from latlab.benchmarks.analysis.amount_figures import joined_amounts

    return joined_amounts(runs)


def _screen(material: RunArtifacts) -> Page:
    from latlab.benchmarks.pages.amount_pages import screen

    return screen(material.whole)


def _document(material: RunArtifacts) -> Page:
    from latlab.benchmarks.pages.amount_pages import document

    return document(material.whole)


def _csv(material: RunArtifacts) -> Iterable[Table]:
    from latlab.benchmarks.pages.amount_pages import tables

    return tables(material.whole)


def _extent(run: Run) -> str:
    from latlab.core.report.comparison.amount_pairs import extent

    return extent(run)


def _lines(run: Run) -> Lines:
    from latlab.benchmarks.pages.amount_pages import amount_lines

    return amount_lines(run)


def _problems(run: Run, files: Files) -> list[str]:
    from latlab.rt.campaign.results import problems_of

    return problems_of(run, files)


KIND = RunKind(
    contents=Amounts,
    codec=Codec(keys={"amounts": (), "tool": ""}, to_json=_to_json, of_json=_of_json, read=_read),
    pairs=Pairs(compare=_compare, explain=_explain_pair, headline=_headline, results=_results, json=_pair_json),
    analysis=Analysis(figures=_figures, counted=_counted, join=_join),
    forms=Forms(
        screen=_screen,
        document=_document,
        csv=_csv,
        lines=_lines,
        extent=_extent,
        without_samples="{id} has benchmark metrics and no samples; `latlab export {id} --format csv` has one line per value",
    ),
    is_measured=True,
    problems=_problems,
    verbs=("import",),
)
