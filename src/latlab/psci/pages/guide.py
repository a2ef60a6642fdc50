# SPDX-License-Identifier: BSD-3-Clause
"""A run as a whole page of a performance guide: platform, method, commands, results with pictures, and what they are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from latlab.core.comparison.queue_model import Ladders
from latlab.core.comparison.summary import ordered_tests
from latlab.core.model.run import Run
from latlab.core.report.chart import Chart, named, with_legends
from latlab.core.report.guides import commentary, platform_of, procedure
from latlab.core.report.ladders import ladder_chart
from latlab.core.report.page import Block, Facts, Page, Section
from latlab.core.report.table import Table, prose, words
from latlab.psci.analysis.decompose import MEANING
from latlab.psci.analysis.queue_fit import queues_of
from latlab.psci.pages.charts import charts, legend
from latlab.psci.pages.span_pages import document
from latlab.psci.pages.span_tables import tables_of


def guide(run: Run) -> Page:
    """Refuses figures that are no latencies. Charts have names, under which a renderer expects their pictures."""
    plain = document(run)
    method, results = plain.sections
    method = replace(method, blocks=tuple(_without_command(block) for block in method.blocks))
    pictured = Section(results.title, sections=tuple(_with_charts(run, results)))
    sections = (*platform_of(run), method, *procedure(run), *_parts(run), pictured, *commentary(run))
    return replace(plain, sections=sections)


def _without_command(block: Block) -> Block:
    """The procedure has it."""
    if not isinstance(block, Facts):
        return block
    return Facts(tuple(pair for pair in block.pairs if pair[0] not in ("Repeated by", "Emulator's command")))


def _with_charts(run: Run, results: Section) -> Iterator[Section]:
    """Each section of the results with the charts of its tests below its tables."""
    queues = queues_of(run)
    tests = {test_table.table.caption: test_table.test for test_table in tables_of(run)}
    for section in results.sections:
        of_section = [tests[block.caption] for block in section.blocks if isinstance(block, Table) and block.caption in tests]
        pictures = [chart for test in of_section for chart in named(_pictures(run, test, queues), test.replace("_", "-"))]
        yield replace(section, blocks=(*section.blocks, *pictures))


def _pictures(run: Run, test: str, queues: Mapping[str, Ladders]) -> Iterator[Chart]:
    yield from map(with_legends, charts(run, test))
    if test in queues:
        yield ladder_chart(f"The queue of {test}", {run.id: queues[test]}, run.tick.unit)


def _parts(run: Run) -> Iterator[Section]:
    """What the colours of the charts stand for, in the order in which a call goes through them."""
    rows = tuple((str(name), MEANING[name.kind]) for name, _ in legend(run, ordered_tests(run.samples)))
    if rows:
        yield Section("Parts of a call", (Table("Parts of a call", (*words("Part"), prose("Meaning")), rows),))
