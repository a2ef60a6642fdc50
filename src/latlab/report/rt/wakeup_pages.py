# SPDX-License-Identifier: BSD-3-Clause
"""An rt run on the terminal, and as a document in the layout of the reference."""

from __future__ import annotations

from dataclasses import replace

from latlab.campaigns.power_results import PowerResult
from latlab.model.conditions import Mode
from latlab.model.run import Run
from latlab.report.page import Block, Caution, Commands, Facts, Page, Paragraph, Section
from latlab.report.rt.stack_story import answer, story
from latlab.report.rt.wakeup_tables import Results, all_tables, is_exact, is_stacked, power_table, summary, tables
from latlab.report.rt.words import check_publishable, facts_of, mode_of, mode_sentence
from latlab.report.table import Table

TITLE = "RT Linux: wake-up latency"


def screen(run: Run, results: Results) -> Page:
    """What an experiment comes to, or everything that one measurement says."""
    found = _screen(run, summary(run, results) or all_tables(run, results))
    return replace(found, lead=(answer(run, results),)) if is_stacked(run) else found


def power_screen(run: Run, result: PowerResult) -> Page:
    """A run of power boundaries."""
    return _screen(run, [power_table(result)])


def power_document(run: Run, result: PowerResult) -> Page:
    """The same as a document."""
    title = f"Power boundaries: {run.platform}"
    blocks = (Paragraph(mode_sentence(run) or mode_of(run)), power_table(result))
    sections = (Section("Results", blocks), Section("What these figures mean", (Facts(facts_of(run)),)))
    return Page(title, (f"Run {run.id} of {run.started_utc}.",), sections, name=f"{title}: {run.id}")


def document(run: Run, results: Results) -> Page:
    """Every table, with the commands that made it. Refuses figures that are no latencies."""
    check_publishable(run)
    blocks: list[Block] = [Paragraph(f"Mode: {mode_of(run)}.")]
    if sentence := mode_sentence(run):
        blocks.append(Paragraph(sentence))
    if is_stacked(run):
        boots = tuple(table for name, result in results for table in tables(name, result, is_exact(run)))
        last = Section("Boot by boot", (*boots, Facts(facts_of(run))))
        return Page(TITLE, (answer(run, results),), (Section("", tuple(blocks)), *story(run, results), last))
    blocks.append(Commands(run.conditions.commands))
    return Page(TITLE, sections=(Section("", (*blocks, *all_tables(run, results), Facts(facts_of(run)))),))


def _screen(run: Run, found: list[Table]) -> Page:
    caution = () if run.conditions.mode is Mode.REAL else (Caution("", mode_sentence(run) or mode_of(run)),)
    return Page("", sections=(Section("", (Facts(facts_of(run)), *caution, *found)),))
