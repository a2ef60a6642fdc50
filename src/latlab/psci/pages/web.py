# SPDX-License-Identifier: BSD-3-Clause
"""A run of spans as a page for a browser: calls and masked stretches of a watch, or else each test with its parts and one iteration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from latlab.calls.model.calls import TRACE_CAMPAIGN
from latlab.core.comparison.queue_model import Ladders
from latlab.core.comparison.summary import SENTENCES, Mark, is_noise, ordered_tests
from latlab.core.errors import DataError
from latlab.core.model.run import CallsOfKind, MaskedAtlas, Run
from latlab.core.report.chart import Chart, named, with_legends
from latlab.core.report.facts import begun, facts_of, method, partial
from latlab.core.report.flame import flames
from latlab.core.report.guides import commentary, platform_of, procedure
from latlab.core.report.ladders import ladder_chart
from latlab.core.report.page import Block, Caution, Facts, Legend, Links, Page, Paragraph, Section
from latlab.core.report.table import Table, prose, words
from latlab.core.report.text import code
from latlab.core.report.titles import platform_title
from latlab.core.report.units import CLOCK_NAMES, unit
from latlab.psci.analysis.decompose import MEANING, MEANING_IN_CODE
from latlab.psci.analysis.queue_fit import queues_of
from latlab.psci.pages.answer import answer
from latlab.psci.pages.charts import charts, legend
from latlab.psci.pages.span_pages import document
from latlab.psci.pages.span_tables import TestTable, for_readers, tables_of

SPANS_SENTENCE = "Powerdown goes from ENTER_PSCI to ENTER_HW_LOW_PWR, wakeup from EXIT_HW_LOW_PWR to EXIT_PSCI."

CODE_SENTENCE = (
    "Powerdown goes from the call to the instruction in which the core sleeps, wakeup from there to the first "
    "instruction of the normal world. Each instruction belongs to one part, by its opcode; the cache flush is the loop around the "
    "instructions that clean caches by set and way."
)


def spans_page(run: Run, calls: Sequence[CallsOfKind], masked: MaskedAtlas | None) -> Page:
    """Raises DataError for a watch that counted nothing."""
    if run.conditions.instrument == "crossings" and not (calls or masked or run.samples):
        why = f": {run.problems[0].message}" if run.problems else ""
        raise DataError(f"{run.id} saw nothing that a page could show{why}")
    if calls or masked:
        from latlab.calls.pages.web import page as watched

        return watched(run, calls, masked)
    if run.campaign == TRACE_CAMPAIGN:
        from latlab.calls.pages.web import whole_page

        return whole_page(run)
    return page(run)


def page(run: Run) -> Page:
    """Every test with its charts, and what the figures mean."""
    title = f"{run.campaign.upper()} latencies on {platform_title(run)}"
    cores = "1 core" if len(run.topology.cores) == 1 else f"{len(run.topology.cores)} cores"
    lead = (
        f"{run.build.firmware}, {cores} in clusters of {run.topology}, run {run.id}{begun(run)}",
        f"Clock: {CLOCK_NAMES[run.tick.clock]}. Unit: {unit(run.tick)}.",
    )
    return Page(title, lead, tuple(_sections(run)), name=f"{title}: {run.id}", answer=answer(run))


def _sections(run: Run) -> Iterator[Section]:
    test_tables = for_readers(run)
    if is_noise(run):
        yield Section("", (Caution(Mark.NOISE, SENTENCES[Mark.NOISE]),))
    yield from partial(run)
    if len(test_tables) > 1:
        yield Section("", (Links(tuple((test_table.test, test_table.title.full) for test_table in test_tables)),))
    yield from (_test(run, test_table) for test_table in test_tables)
    yield Section("Parts of a call", (Paragraph(SPANS_SENTENCE if run.traces or not run.functions else CODE_SENTENCE),))
    yield method(Facts(facts_of(run)))


def _colours(run: Run, test: str) -> Legend:
    """Those of one test, beside its charts."""
    meaning = MEANING if run.traces else MEANING | MEANING_IN_CODE
    return Legend(tuple((str(name), colour, meaning[name.kind]) for name, colour in legend(run, [test])))


def _test(run: Run, test_table: TestTable) -> Section:
    spread = ", minimum to maximum below" if test_table.varies else "; all samples of a core are equal"
    note = Paragraph((code(test_table.test), f": medians in {unit(run.tick)}{spread}; n = {test_table.n} for each core."))
    table = replace(test_table.table, caption="", detail="")
    if is_noise(run):  # said once for the whole page
        table = replace(table, warning="", mark="")
    pictures = named(charts(run, test_table.test), test_table.test)
    colours = (_colours(run, test_table.test),) if pictures else ()
    return Section(test_table.title.full, (note, table, *colours, *pictures, *flames(run, test_table.test)), anchor=test_table.test)


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
