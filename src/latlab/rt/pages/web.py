# SPDX-License-Identifier: BSD-3-Clause
"""An rt run as a page for a browser, and as a page of a performance guide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from latlab.core.model.enums import Clock
from latlab.core.model.run import Run, Tick
from latlab.core.report.chart import named
from latlab.core.report.facts import begun, method, partial, problem_items
from latlab.core.report.guides import commentary, platform_of, procedure
from latlab.core.report.page import Block, Caution, Facts, Folded, Page, Paragraph, Section
from latlab.core.report.text import plain
from latlab.core.report.titles import platform_title
from latlab.core.report.units import CLOCK_NAMES
from latlab.core.shown import significant
from latlab.rt.analysis.result import RtResult
from latlab.rt.pages import cause_details, thread_tables
from latlab.rt.pages.charts import charts, histograms, later_charts
from latlab.rt.pages.wakeup_pages import TITLE, answer
from latlab.rt.pages.wakeup_tables import (
    UNIT,
    Results,
    cause_tables,
    further_tables,
    is_exact,
    latency_tables,
    outside_tables,
    tables,
    thread_states,
    worst_tables,
)
from latlab.rt.pages.words import check_publishable, facts_of, mode_of, mode_sentence


def page(run: Run, results: Results) -> Page:
    """Every table and chart. Refuses figures that are no latencies."""
    check_publishable(run)
    lead = f"{run.platform}, run {run.id}{begun(run)}", f"Clock: {CLOCK_NAMES[run.tick.clock]}. Unit: {_unit(run.tick)}."
    return Page(TITLE, lead, tuple(_sections(run, results)), name=f"{TITLE}: {run.id}", answer=answer(run, results))


def _unit(tick: Tick) -> str:
    """A guest's microseconds are counts of instructions, `tick.value` in a ns."""
    return f"{UNIT}, each instruction shown as {significant(1 / tick.value)} ns" if tick.clock is Clock.INSTRUCTIONS else UNIT


def _sections(run: Run, results: Results) -> Iterator[Section]:
    if mode_text := mode_sentence(run):
        yield Section("", (Caution(mode_of(run), mode_text),))
    yield from partial(run)
    threads = thread_tables.by_thread(results)
    if len(threads) > 1:
        yield Section("Threads", (thread_tables.overview(threads),))
    shown = [pair for pair in results if pair[0] not in threads or not thread_tables.is_quiet(*threads[pair[0]])]
    measurements = [(_title(*pair), tuple(_measurement(pair[1], is_exact(run), f"m{n}"))) for n, pair in enumerate(shown)]
    if len(measurements) > 1:
        yield Section("Each measurement", tuple(Folded(name, blocks) for name, blocks in measurements))
    else:
        yield from (Section(name, blocks) for name, blocks in measurements)
    command = (("emulator's command", " ".join(run.command)),) if run.command else ()
    yield method(Facts((*facts_of(run), *command)))


def _title(name: str, result: RtResult) -> str:
    return f"{name}: cycles" if result.cycles is not None else name or "Measurement"


def _measurement(result: RtResult, is_exact: bool, name: str) -> Iterator[Block]:
    """How late, on which CPU, by which cause; then the latest, and what else was measured on demand."""
    pictures = named(histograms(result), f"{name}-histogram")
    has_causes = result.attributed is not None
    if has_causes:
        yield from cause_tables("", result, is_exact)
    yield from pictures
    yield from latency_tables("", result)
    yield from thread_states("", result)
    if not has_causes:
        yield from cause_tables("", result, is_exact)
    yield from outside_tables("", result)
    yield from named(cause_details.charts(result), f"{name}-cause")
    if worst := worst_tables("", result):
        yield Folded("The latest, figure by figure", tuple(worst)) if cause_details.charts(result) else worst[0]
    yield from named(later_charts(result), f"{name}-late")
    for table in further_tables("", result, is_exact):
        yield Folded(plain(table.caption), (replace(table, caption=""),))


def guide(run: Run, results: Results) -> Page:
    """`run` with its distributions. Refuses figures that are no latencies."""
    check_publishable(run)
    measured = tuple(_result(run, number, *pair) for number, pair in enumerate(results))
    section = Section("Results", sections=measured)
    return Page(f"{TITLE} on {platform_title(run)}", sections=(*platform_of(run), _method(run), *procedure(run), section, *commentary(run)))


def _method(run: Run) -> Section:
    return Section("Method", tuple(_method_blocks(run)))


def _method_blocks(run: Run) -> Iterator[Block]:
    yield Paragraph(f"Mode: {mode_of(run)}.")
    if sentence := mode_sentence(run):
        yield Paragraph(sentence)
    if run.problems:
        yield from (Paragraph("The run is partial; what follows is left out or doubtful:"), problem_items(run.problems))
    yield Facts(tuple((name, value) for name, value in facts_of(run) if name not in ("mode", "command", "repeated by")))


def _result(run: Run, number: int, name: str, result: RtResult) -> Section:
    pictures = named(charts(result), f"m{number}")
    return Section(name or "Wake-up latency", (*tables("", result, is_exact(run)), *pictures))
