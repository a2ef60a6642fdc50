# SPDX-License-Identifier: BSD-3-Clause
"""An rt run as a whole page of a performance guide: board, method, commands, latencies with their histogram, and what is late and why."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.core.model.run import Run
from latlab.core.report.chart import named
from latlab.core.report.facts import problem_items
from latlab.core.report.guides import commentary, platform_of, procedure
from latlab.core.report.page import Block, Facts, Page, Paragraph, Section
from latlab.core.report.titles import platform_title
from latlab.rt.analysis.result import RtResult
from latlab.rt.pages.charts import charts
from latlab.rt.pages.wakeup_pages import TITLE
from latlab.rt.pages.wakeup_tables import Results, is_exact, tables
from latlab.rt.pages.words import check_publishable, facts_of, mode_of, mode_sentence


def guide(run: Run, results: Results) -> Page:
    """`run` with its distributions. Refuses figures that are no latencies."""
    check_publishable(run)
    measured = tuple(_measurement(run, number, *pair) for number, pair in enumerate(results))
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


def _measurement(run: Run, number: int, name: str, result: RtResult) -> Section:
    pictures = named(charts(result), f"m{number}")
    return Section(name or "Wake-up latency", (*tables("", result, is_exact(run)), *pictures))
