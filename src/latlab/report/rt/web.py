# SPDX-License-Identifier: BSD-3-Clause
"""An rt run as a page for a browser."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.model.enums import Metric
from latlab.model.run import Run
from latlab.report.chart import named
from latlab.report.page import Caution, Facts, Folded, Page, Section
from latlab.report.rt.charts import charts
from latlab.report.rt.experiment import experiment
from latlab.report.rt.stack_story import answer
from latlab.report.rt.wakeup_pages import TITLE
from latlab.report.rt.wakeup_tables import UNIT, Results, is_exact, is_stacked, tables
from latlab.report.rt.words import check_publishable, facts_of, mode_of, mode_sentence
from latlab.report.run.facts import FACTS, problem_items
from latlab.report.units import CLOCK_NAMES


def page(run: Run, results: Results) -> Page:
    """Every table and chart. Refuses figures that are no latencies."""
    check_publishable(run)
    said = (answer(run, results),) if is_stacked(run) else tuple(_answer(results))
    lead = *said, f"{run.platform}, run {run.id} of {run.started_utc}", f"Clock: {CLOCK_NAMES[run.tick.clock]}. Unit: {UNIT}."
    return Page(TITLE, lead, tuple(_sections(run, results)), name=f"{TITLE}: {run.id}")


def _answer(results: Results) -> Iterator[str]:
    """Of what measures wake-ups; a tool that counts stalls says them in its table."""
    late = [(one.max_ns, one, name) for name, result in results for one in result.wakeups if one.metric is Metric.TASK_WAKEUP and one.cpus]
    if late:
        most, by, name = max(late, key=lambda one: one[0])
        under = f", {name}" if name else ""
        yield f"The latest wake-up came {most / 1000:.1f} µs late ({by.tool}{under}), of {sum(cpu.got for cpu in by.cpus):,}."


def _sections(run: Run, results: Results) -> Iterator[Section]:
    yield Section("", (Caution(mode_of(run), mode_sentence(run)),))
    if run.problems:
        yield Section("This run is partial", (problem_items(run.problems),))
    yield from experiment(run, results)
    if is_stacked(run):
        boots = (Folded(name, tuple(tables("", result, is_exact(run)))) for name, result in results)
        yield Section("Boot by boot", tuple(boots))
    else:
        for number, (name, result) in enumerate(results):
            yield Section(name or "Measurement", (*tables("", result, is_exact(run)), *named(charts(result), f"m{number}")))
    command = (("emulator's command", " ".join(run.command)),) if run.command else ()
    yield Section("What these figures mean", (Folded(FACTS, (Facts((*facts_of(run), *command)),)),))
