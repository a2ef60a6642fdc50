# SPDX-License-Identifier: BSD-3-Clause
"""The runs of wake-ups: what the recorder and other tools measured on Linux."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from latlab.core.kinds.kind import Analysis, Codec, Files, Forms, Lines, Pairs, RunKind
from latlab.core.model.distributions import WakeupCounts, distributions_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run

if TYPE_CHECKING:
    from latlab.core.comparison.check import Check
    from latlab.core.comparison.comparison import WakeupComparison
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
    from latlab.core.report.table import Table
    from latlab.rt.analysis.result import RtResult


BURST = 10
"""Wake-ups to one event: what keeps a CPU busy passes over several periods in a row. Lateness counts them in the same way."""


def _to_json(counts: WakeupCounts) -> Mapping[str, Any]:
    from latlab.rt.readers.distribution_json import to_json

    return to_json(counts)


def _of_json(document: Mapping[str, Any]) -> WakeupCounts:
    from latlab.rt.readers.distribution_json import of_json

    return of_json(document)


def _read(material: RunArtifacts) -> Run:
    from latlab.rt.campaign.samples import with_distributions

    return material.named(lambda files: with_distributions(material.run, files))


def wakeups_of(material: RunArtifacts) -> list[tuple[str, RtResult]]:
    """The results of each measurement of a run."""
    from latlab.rt.campaign.results import results_of

    return material.named(lambda files: results_of(material.run, files))


def _compare(a: Run, b: Run, limits: Limits, earlier: Sequence[Run]) -> WakeupComparison:
    from latlab.rt.analysis.compare_wakeups import compare_wakeups

    return compare_wakeups(a, b, limits, earlier)


def _aligned(run: Run, other: Run) -> Run:
    from latlab.core.comparison.numbered_threads import by_threads

    return by_threads(run, other)


def _earlier(runs: Iterable[Run], a: Run, b: Run) -> tuple[Run, ...]:
    from latlab.core.comparison.between_runs import earlier_runs

    return earlier_runs(runs, a, b)


def _repeats(base: Run, runs: Sequence[Run]) -> tuple[Run, ...]:
    from latlab.core.comparison.between_runs import check_repeats

    return check_repeats(base, runs)


def _explain_pair(comparison: WakeupComparison) -> tuple[Explanation, ...]:
    from latlab.rt.analysis.explain_wakeups import explain_wakeup_pair

    return explain_wakeup_pair(comparison)


def _headline(comparison: WakeupComparison) -> tuple[str, ...]:
    from latlab.core.report.comparison.wakeup_pairs import headline

    return headline(comparison)


def _results(comparison: WakeupComparison) -> Section:
    from latlab.core.report.comparison.wakeup_pairs import results

    return results(comparison)


def _explain(run: Run) -> tuple[Explanation, ...]:
    from latlab.rt.analysis.explain_wakeups import explain_wakeups

    return explain_wakeups(run)


def _rules(run: Run) -> tuple[Check, ...]:
    from latlab.rt.analysis.wakeup_invariants import check_wakeups

    return check_wakeups(run)


def _figures(run: Run) -> tuple[Figure, ...]:
    from latlab.rt.analysis.wakeup_figures import wakeup_figures

    return wakeup_figures(run)


def _counted(run: Run) -> dict[SampleKey, Counted]:
    from latlab.rt.analysis.wakeup_figures import counted_wakeups

    return counted_wakeups(run)


def _rounding(runs: Sequence[Run], metric: Metric) -> float:
    """Rates and averages have none."""
    if metric is Metric.MISSED_PERIODS:
        return 0.0
    return max(distribution.resolution_ticks * run.tick.value for run in runs for distribution in distributions_of(run))


def _limited(run: Run, limit: Limit) -> Iterable[Held]:
    from latlab.rt.analysis.wakeup_figures import limited_wakeups

    return limited_wakeups(run, limit)


def _tails(run: Run, test: str | None, metric: Metric, once_in: float) -> tuple[Tail, ...]:
    from latlab.rt.analysis.wakeup_tails import wakeup_tails

    return wakeup_tails(run, test, metric, once_in)


def _tests(run: Run) -> Iterable[str]:
    return (distribution.test for distribution in distributions_of(run))


def _time_line(material: RunArtifacts) -> TimeLine:
    from latlab.runs.campaign.time_lines import time_line_of_wakeups

    return time_line_of_wakeups(material.run, material.stored_logs)


def _screen(material: RunArtifacts) -> Page:
    from latlab.rt.pages.wakeup_pages import screen

    return screen(material.run, wakeups_of(material))


def _document(material: RunArtifacts) -> Page:
    from latlab.rt.pages.wakeup_pages import document

    return document(material.run, wakeups_of(material))


def _csv(material: RunArtifacts) -> Iterable[Table]:
    from latlab.rt.pages.wakeup_tables import published

    return published(material.run, wakeups_of(material))


def _page(material: RunArtifacts) -> Page:
    from latlab.rt.pages.web import page

    return page(material.run, wakeups_of(material))


def _guide(material: RunArtifacts) -> Page:
    from latlab.rt.pages.web import guide

    return guide(material.whole, wakeups_of(material))


def _extent(run: Run) -> str:
    from latlab.core.report.comparison.wakeup_pairs import extent

    return extent(run)


def _lines(run: Run) -> Lines:
    from latlab.rt.pages.interval_lines import interval_lines

    return interval_lines(run)


def _hidden(counts: WakeupCounts, secrets: Secrets) -> WakeupCounts:
    from latlab.core.report.redaction import redacted

    return replace(counts, load=redacted(counts.load, secrets))


def _problems(run: Run, files: Files) -> list[str]:
    from latlab.rt.campaign.results import problems_of

    return problems_of(run, files)


KIND = RunKind(
    contents=WakeupCounts,
    codec=Codec(keys={"distributions": (), "load": ()}, to_json=_to_json, of_json=_of_json, read=_read),
    pairs=Pairs(
        compare=_compare, explain=_explain_pair, headline=_headline, results=_results, aligned=_aligned, earlier=_earlier, repeats=_repeats
    ),
    analysis=Analysis(
        explain=_explain,
        rules=_rules,
        figures=_figures,
        counted=_counted,
        burst=BURST,
        rounding=_rounding,
        limited=_limited,
        tails=_tails,
        tail_metric=Metric.TASK_WAKEUP,
        tests=_tests,
        time_line=_time_line,
    ),
    forms=Forms(
        screen=_screen,
        document=_document,
        csv=_csv,
        page=_page,
        guide=_guide,
        lines=_lines,
        extent=_extent,
        lists=True,
        without_samples="{id} has histograms and no samples; `latlab export {id} --format csv` has one line per interval",
    ),
    is_measured=True,
    hidden=_hidden,
    problems=_problems,
    verbs=("run rt",),
)
