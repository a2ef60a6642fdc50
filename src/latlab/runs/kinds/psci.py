# SPDX-License-Identifier: BSD-3-Clause
"""The runs of spans: PSCI transitions, calls of firmware, PSA calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from latlab.core.kinds.kind import Analysis, Codec, Files, Forms, Line, Lines, Pairs, RunKind, StoredParts
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run, Spans

if TYPE_CHECKING:
    from latlab.core.comparison.check import Check
    from latlab.core.comparison.comparison import SpanComparison
    from latlab.core.comparison.coverage import Counted, SampleKey
    from latlab.core.comparison.explanation import Explanation
    from latlab.core.comparison.figure import Figure
    from latlab.core.comparison.limit import Held, Limit
    from latlab.core.comparison.tail import Tail
    from latlab.core.comparison.verdicts import Limits
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.core.model.time_line import TimeLine
    from latlab.core.report.page import Page, Section
    from latlab.core.report.redaction import Secrets
    from latlab.core.store.store import Store


def _to_json(spans: Spans) -> Mapping[str, Any]:
    from latlab.psci.readers.span_json import to_json

    return to_json(spans)


def _of_json(document: Mapping[str, Any]) -> Spans:
    from latlab.psci.readers.span_json import of_json

    return of_json(document)


def _of_store(parts: StoredParts) -> Spans:
    from latlab.core.store.function_files import FUNCTIONS_LOG, KINDS_LOG, parse, parse_refused

    functions, refused = parse(parts.log(FUNCTIONS_LOG)), parse_refused(parts.log(KINDS_LOG))
    return Spans(tuple(parts.samples), tuple(parts.traces), functions, refused)


def _compare(a: Run, b: Run, limits: Limits, earlier: Sequence[Run]) -> SpanComparison:
    from latlab.psci.analysis.compare_spans import compare_spans

    return compare_spans(a, b, limits)


def _explain_pair(comparison: SpanComparison) -> tuple[Explanation, ...]:
    from latlab.psci.analysis.explain_span_pair import explain_span_pair

    return explain_span_pair(comparison)


def _headline(comparison: SpanComparison) -> tuple[str, ...]:
    from latlab.core.report.comparison.span_pairs import headline

    return headline(comparison)


def _results(comparison: SpanComparison) -> Section:
    from latlab.core.report.comparison.span_pairs import results

    return results(comparison)


def _sections(comparison: SpanComparison) -> Iterable[Section]:
    from latlab.core.report.comparison.span_pairs import sections

    return sections(comparison)


def _pair_json(comparison: SpanComparison) -> Mapping[str, Any]:
    from latlab.core.report.comparison.span_pairs import data

    return data(comparison)


def _explain(run: Run) -> tuple[Explanation, ...]:
    from latlab.psci.analysis.explain_spans import explain_spans

    return explain_spans(run)


def _rules(run: Run) -> tuple[Check, ...]:
    from latlab.psci.analysis.span_invariants import check_spans

    return check_spans(run)


def _figures(run: Run) -> tuple[Figure, ...]:
    from latlab.psci.analysis.span_figures import span_figures

    return span_figures(run)


def _counted(run: Run) -> dict[SampleKey, Counted]:
    from latlab.psci.analysis.span_figures import counted_spans

    return counted_spans(run)


def _rounding(runs: Sequence[Run], metric: Metric) -> float:
    from latlab.core.statistics.sample_matrix import resolution

    return max(resolution(run, metric) for run in runs)


def _limited(run: Run, limit: Limit) -> Iterable[Held]:
    from latlab.psci.analysis.span_figures import limited_samples

    return limited_samples(run, limit)


def _tails(run: Run, test: str | None, metric: Metric, once_in: float) -> tuple[Tail, ...]:
    from latlab.psci.analysis.span_tails import span_tails

    return span_tails(run, test, metric, once_in)


def _tests(run: Run) -> Iterable[str]:
    return (sample.test for sample in run.samples)


def _join(runs: Sequence[Run]) -> Spans:
    from latlab.psci.analysis.joined_spans import joined_spans

    return joined_spans(runs)


def _summary(run: Run) -> Sequence[Line]:
    from latlab.core.comparison.summary import summarise

    return [(row.test, row.metric, str(row.core), row.n, row.minimum, row.median, row.maximum) for row in summarise(run)]


def _time_line(material: RunArtifacts) -> TimeLine:
    from latlab.psa.campaign.measure import load_symbols
    from latlab.runs.campaign.time_lines import time_line_of_spans

    return time_line_of_spans(material.run, material.stored_logs, lambda: load_symbols(material.store, material.run.id))


def _screen(material: RunArtifacts) -> Page:
    from latlab.psci.pages.span_pages import screen

    return screen(material.whole)


def _document(material: RunArtifacts) -> Page:
    from latlab.psci.pages.span_pages import document

    return document(material.whole)


def _csv(material: RunArtifacts) -> str:
    from latlab.core.report.run_data import run_csv

    return run_csv(material.whole)


def _page(material: RunArtifacts) -> Page:
    from latlab.calls.campaign.watch_logs import calls_of, masked_of
    from latlab.psci.pages.web import spans_page

    return spans_page(material.whole, calls_of(material), masked_of(material))


def _guide(material: RunArtifacts) -> Page:
    from latlab.psci.pages.web import guide

    return guide(material.whole)


def _extent(run: Run) -> str:
    from latlab.core.report.comparison.span_pairs import extent

    return extent(run)


def _lines(run: Run) -> Lines:
    from latlab.core.report.exports.samples_csv import sample_lines

    return sample_lines(run)


def _hidden(spans: Spans, secrets: Secrets) -> Spans:
    """Samples and traces are figures, and many."""
    from latlab.core.report.redaction import redacted

    return replace(spans, functions=redacted(spans.functions, secrets))


def _recover(store: Store, run: Run, files: Files) -> None:
    from latlab.psci.campaign.recovering_spans import keep_iterations

    return keep_iterations(store, run, files)


KIND = RunKind(
    contents=Spans,
    codec=Codec(
        keys={"samples": (), "traces": (), "functions": (), "code": (), "classes": (), "refused": ()},
        to_json=_to_json,
        of_json=_of_json,
        of_store=_of_store,
    ),
    pairs=Pairs(compare=_compare, explain=_explain_pair, headline=_headline, results=_results, sections=_sections, json=_pair_json),
    analysis=Analysis(
        explain=_explain,
        rules=_rules,
        figures=_figures,
        counted=_counted,
        rounding=_rounding,
        limited=_limited,
        tails=_tails,
        tests=_tests,
        join=_join,
        summary=_summary,
        time_line=_time_line,
    ),
    forms=Forms(screen=_screen, document=_document, csv=_csv, page=_page, guide=_guide, lines=_lines, extent=_extent),
    is_sampled=True,
    is_measured=True,
    hidden=_hidden,
    recover=_recover,
    verbs=("run psci", "run psa", "run calls", "watch"),
)
