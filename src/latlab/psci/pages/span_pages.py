# SPDX-License-Identifier: BSD-3-Clause
"""A run on the terminal and as a document in the layout of the reference."""

from __future__ import annotations

from itertools import groupby

from latlab.core.comparison.summary import SENTENCES, Mark, is_noise
from latlab.core.errors import UsageError
from latlab.core.model.run import Run
from latlab.core.report.facts import facts_of, problem_items
from latlab.core.report.page import Block, Facts, Page, Paragraph, Section
from latlab.core.report.text import code
from latlab.core.report.titles import platform_title
from latlab.core.report.units import CLOCK_NAMES, unit
from latlab.psci.pages.answer import answer
from latlab.psci.pages.span_tables import TestTable, for_readers, single_figures, tables_of


def screen(run: Run) -> Page:
    """A table for each test, or one of all tests with one figure each, what is wrong, and the facts."""
    together = single_figures(run)
    test_tables = (together,) if together else for_readers(run)
    how = "Figures are medians" + (
        "; minimum and maximum are in brackets if samples differ." if _vary(test_tables) else "; all samples of a figure are equal."
    )
    tables: tuple[Block, ...] = (Paragraph(how), *(test_table.table for test_table in test_tables)) if test_tables else ()
    sections = (Section("", (*tables, problem_items(run.problems, marked=True))), Section("", (Facts(facts_of(run)),)))
    return Page("", sections=sections, answer=answer(run))


def document(run: Run) -> Page:
    """A section for each call, a captioned table for each test. Refuses figures that are no latencies."""
    results = Section("Results", sections=_results(run))
    partial: tuple[Block, ...] = ()
    if run.problems:
        partial = (Paragraph("The run is partial; what follows is left out or doubtful:"), problem_items(run.problems))
    lead = f"Clock: {CLOCK_NAMES[run.tick.clock]}. Unit: {unit(run.tick)}. Each figure is the median of the samples named in its caption."
    method = Section("Method", (Facts(facts_of(run)), *partial))
    return Page(f"{run.campaign.upper()} Performance Measurements on {platform_title(run)}", (lead,), (method, results))


def results(run: Run) -> Page:
    """The figures alone, to be included in a document. Refuses those that are no latencies."""
    return Page("", sections=_results(run))


def _results(run: Run) -> tuple[Section, ...]:
    """Tests of one call and scope share a section."""
    if is_noise(run):
        raise UsageError(
            f"{run.id} has no latencies to publish. {SENTENCES[Mark.NOISE]} Run it in the mode deterministic, or look at it as a table"
        )
    groups = groupby(tables_of(run), key=lambda test_table: (test_table.title.call, test_table.title.scope))
    return tuple(
        Section((code(call), f" {scope}" if scope else ""), tuple(test_table.table for test_table in group))
        for (call, scope), group in groups
    )


def _vary(test_tables: tuple[TestTable, ...]) -> bool:
    return any(test_table.varies for test_table in test_tables)
