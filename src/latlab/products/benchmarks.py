# SPDX-License-Identifier: BSD-3-Clause
"""The runs of benchmarks and noise meters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latlab.kinds.kind import Analysis, Codec, Files, Forms, Lines, Pairs, RunKind
from latlab.model.amounts import Amounts
from latlab.model.run import Run

if TYPE_CHECKING:
    from latlab.analysis.base.comparison import AmountComparison
    from latlab.analysis.base.coverage import Counted, SampleKey
    from latlab.analysis.base.explanation import Explanation
    from latlab.analysis.base.figure import Figure
    from latlab.analysis.base.verdicts import Limits
    from latlab.campaigns.material import RunArtifacts
    from latlab.report.page import Page, Section
    from latlab.report.table import Table


def _to_json(contents: Amounts) -> Mapping[str, Any]:
    from latlab.formats.contents.amount_json import to_json

    return to_json(contents)


def _of_json(document: Mapping[str, Any]) -> Amounts:
    from latlab.formats.contents.amount_json import of_json

    return of_json(document)


def _read(material: RunArtifacts) -> Run:
    from latlab.campaigns.benchmarks import with_amounts

    return material.named(lambda files: with_amounts(material.run, files))


def _compare(a: Run, b: Run, limits: Limits, earlier: Sequence[Run]) -> AmountComparison:
    from latlab.analysis.amounts.compare_amounts import compare_amounts

    return compare_amounts(a, b, limits)


def _explain_pair(comparison: AmountComparison) -> tuple[Explanation, ...]:
    from latlab.analysis.amounts.explain_amounts import explain_amount_pair

    return explain_amount_pair(comparison)


def _headline(comparison: AmountComparison) -> tuple[str, ...]:
    from latlab.report.comparison.amount_pairs import headline

    return headline(comparison)


def _results(comparison: AmountComparison) -> Section:
    from latlab.report.comparison.amount_pairs import results

    return results(comparison)


def _pair_json(comparison: AmountComparison) -> Mapping[str, Any]:
    from latlab.report.comparison.amount_pairs import data

    return data(comparison)


def _figures(run: Run) -> tuple[Figure, ...]:
    from latlab.analysis.amounts.amount_figures import amount_figures

    return amount_figures(run)


def _counted(run: Run) -> dict[SampleKey, Counted]:
    from latlab.analysis.amounts.amount_coverage import counted_amounts

    return counted_amounts(run)


def _join(runs: Sequence[Run]) -> Amounts:
    from latlab.analysis.amounts.repetitions import joined_amounts

    return joined_amounts(runs)


def _screen(material: RunArtifacts) -> Page:
    from latlab.report.amounts.amount_pages import screen

    return screen(material.whole)


def _document(material: RunArtifacts) -> Page:
    from latlab.report.amounts.amount_pages import document

    return document(material.whole)


def _csv(material: RunArtifacts) -> Iterable[Table]:
    from latlab.report.amounts.amount_pages import tables

    return tables(material.whole)


def _extent(run: Run) -> str:
    from latlab.report.comparison.amount_pairs import extent

    return extent(run)


def _lines(run: Run) -> Lines:
    from latlab.report.amounts.amount_lines import amount_lines

    return amount_lines(run)


def _problems(run: Run, files: Files) -> list[str]:
    from latlab.campaigns.rt_results import problems_of

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
