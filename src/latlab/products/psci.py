# SPDX-License-Identifier: BSD-3-Clause
"""The runs of spans: PSCI transitions, calls of firmware, PSA calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from latlab.kinds.kind import Analysis, Codec, Files, Forms, Line, Lines, Pairs, RunKind, StoredParts
from latlab.model.enums import Metric
from latlab.model.run import Run, Spans

if TYPE_CHECKING:
    from latlab.analysis.base.check import Check
    from latlab.analysis.base.comparison import SpanComparison
    from latlab.analysis.base.coverage import Counted, SampleKey
    from latlab.analysis.base.explanation import Explanation
    from latlab.analysis.base.figure import Figure
    from latlab.analysis.base.limit import Held, Limit
    from latlab.analysis.base.tail import Tail
    from latlab.analysis.base.verdicts import Limits
    from latlab.campaigns.material import RunArtifacts
    from latlab.model.time_line import TimeLine
    from latlab.report.page import Page, Section
    from latlab.report.redaction import Secrets
    from latlab.store.store import Store


def _to_json(spans: Spans) -> Mapping[str, Any]:
    from latlab.formats.contents.span_json import to_json

    return to_json(spans)


def _of_json(document: Mapping[str, Any]) -> Spans:
    from latlab.formats.contents.span_json import of_json

    return of_json(document)


def _of_store(parts: StoredParts) -> Spans:
    from latlab.formats.probe.functions import FUNCTIONS_LOG, KINDS_LOG, parse, parse_refused

    functions, refused = parse(parts.log(FUNCTIONS_LOG)), parse_refused(parts.log(KINDS_LOG))
    return Spans(tuple(parts.samples), tuple(parts.traces), functions, refused)


def _compare(a: Run, b: Run, limits: Limits, earlier: Sequence[Run]) -> SpanComparison:
    from latlab.analysis.ladder.compare_spans import compare_spans

    return compare_spans(a, b, limits)


def _explain_pair(comparison: SpanComparison) -> tuple[Explanation, ...]:
    from latlab.analysis.ladder.explain_span_pair import explain_span_pair

    return explain_span_pair(comparison)


def _headline(comparison: SpanComparison) -> tuple[str, ...]:
    from latlab.report.comparison.span_pairs import headline

    return headline(comparison)


def _results(comparison: SpanComparison) -> Section:
    from latlab.report.comparison.span_pairs import results

    return results(comparison)


def _sections(comparison: SpanComparison) -> Iterable[Section]:
    from latlab.report.comparison.span_pairs import sections

    return sections(comparison)


def _pair_json(comparison: SpanComparison) -> Mapping[str, Any]:
    from latlab.report.comparison.span_pairs import data

    return data(comparison)


def _explain(run: Run) -> tuple[Explanation, ...]:
    from latlab.analysis.ladder.explain_spans import explain_spans

    return explain_spans(run)


def _rules(run: Run) -> tuple[Check, ...]:
    from latlab.analysis.ladder.span_invariants import check_spans

    return check_spans(run)


def _figures(run: Run) -> tuple[Figure, ...]:
    from latlab.analysis.ladder.span_figures import span_figures

    return span_figures(run)


def _counted(run: Run) -> dict[SampleKey, Counted]:
    from latlab.analysis.spans.span_coverage import counted_spans

    return counted_spans(run)


def _rounding(runs: Sequence[Run], metric: Metric) -> float:
    from latlab.analysis.base.sample_matrix import resolution

    return max(resolution(run, metric) for run in runs)


def _limited(run: Run, limit: Limit) -> Iterable[Held]:
    from latlab.analysis.ladder.span_limits import limited_samples

    return limited_samples(run, limit)


def _tails(run: Run, test: str | None, metric: Metric, once_in: float) -> tuple[Tail, ...]:
    from latlab.analysis.ladder.span_tails import span_tails

    return span_tails(run, test, metric, once_in)


def _tests(run: Run) -> Iterable[str]:
    return (sample.test for sample in run.samples)


def _join(runs: Sequence[Run]) -> Spans:
    from latlab.analysis.spans.joined_spans import joined_spans

    return joined_spans(runs)


def _summary(run: Run) -> Sequence[Line]:
    from latlab.analysis.base.summary import summarise

    return [(row.test, row.metric, str(row.core), row.n, row.minimum, row.median, row.maximum) for row in summarise(run)]


def _time_line(material: RunArtifacts) -> TimeLine:
    from latlab.campaigns.psa import load_symbols
    from latlab.campaigns.time_lines import time_line_of_spans

    return time_line_of_spans(material.run, material.stored_logs, lambda: load_symbols(material.store, material.run.id))


def _screen(material: RunArtifacts) -> Page:
    from latlab.report.run.span_pages import screen

    return screen(material.whole)


def _document(material: RunArtifacts) -> Page:
    from latlab.report.run.span_pages import document

    return document(material.whole)


def _csv(material: RunArtifacts) -> str:
    from latlab.report.run.data import run_csv

    return run_csv(material.whole)


def _page(material: RunArtifacts) -> Page:
    from latlab.campaigns.watch_logs import calls_of, masked_of
    from latlab.report.run.spans_page import spans_page

    return spans_page(material.whole, calls_of(material), masked_of(material))


def _guide(material: RunArtifacts) -> Page:
    from latlab.report.run.guide import guide

    return guide(material.whole)


def _extent(run: Run) -> str:
    from latlab.report.comparison.span_pairs import extent

    return extent(run)


def _lines(run: Run) -> Lines:
    from latlab.report.exports.sample_lines import sample_lines

    return sample_lines(run)


def _hidden(spans: Spans, secrets: Secrets) -> Spans:
    """Samples and traces are figures, and many."""
    from latlab.report.redaction import redacted

    return replace(spans, functions=redacted(spans.functions, secrets))


def _recover(store: Store, run: Run, files: Files) -> None:
    from latlab.campaigns.recovering_spans import keep_iterations

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
    verbs=("run psci", "run psa", "run smc", "run sbi", "watch"),
)
