# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as a page for a browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from latlab.analysis.base.comparison import Comparison
from latlab.analysis.base.summary import mark_of
from latlab.analysis.explain import explain_pair
from latlab.analysis.ladder.deltas import judge_printed_deltas
from latlab.report.chart import Chart, named
from latlab.report.comparison import comparison_tables
from latlab.report.comparison.charts import shift_charts
from latlab.report.comparison.sentences import explained, headline, order_lines, summary
from latlab.report.flame import DIFFERENCE_KEY, difference_flames
from latlab.report.ladders import ladder_chart
from latlab.report.page import Beside, Drawing, Folded, Item, Items, Page, Paragraph, Section
from latlab.report.table import Table
from latlab.report.titles import title_of


def page(comparison: Comparison) -> Page:
    a, b = comparison.a, comparison.b
    title = (f"{b.platform}: {a.build.firmware} to {b.build.firmware} ", comparison_tables.title_verdict(comparison.verdict))
    lead = (*filter(None, (comparison.caveat,)), summary(comparison), *headline(comparison))
    return Page(
        title,
        lead,
        tuple(_sections(comparison)),
        name=f"{a.id} to {b.id}: {'; '.join(filter(None, (comparison.verdict, comparison.caveat)))}",
    )


def _sections(comparison: Comparison) -> Iterator[Section]:
    why = Items(tuple(explained(one, with_test=True) for one in explain_pair(comparison)))
    yield Section("What changed", (why, *comparison_tables.change_tables(comparison)))
    if queues := comparison_tables.queue_tables(comparison):
        yield _queues(comparison, replace(queues[0], caption=""))
    if deltas := comparison_tables.delta_blocks(judge_printed_deltas(comparison)):
        yield Section("Printed deltas, judged", tuple(deltas))
    if pictures := _functions(comparison):
        yield Section("Functions that changed", (DIFFERENCE_KEY, *pictures))
    yield Section("Shifts", named(shift_charts(comparison), "shift"))
    yield _every_row(comparison)


def _functions(comparison: Comparison) -> tuple[Drawing, ...]:
    """Where cores take turns, waiting shows as instructions and is left out."""
    tests = dict.fromkeys(one.test for one in comparison.b.functions)
    told = [test for test in tests if mark_of(comparison.a, test) is None]
    found = [(test, drawing) for test in told for drawing in difference_flames(comparison.a, comparison.b, test)]
    return tuple(replace(drawing, title=f"{title_of(test).full}: {drawing.title}") for test, drawing in found)


def _queues(comparison: Comparison, terms: Table) -> Section:
    unit = comparison.heading
    said = f"Powerdown in {unit}. Sorted by place it climbs by one step for each core; an extra follows the last man of a cluster."
    ladders = tuple(_ladders(comparison, test) for test in comparison.ladders)
    orders = (Paragraph(f"Order changed in {line}.") for line in order_lines(comparison))
    return Section("Queues of the parallel tests", (Paragraph(said), terms, Beside(ladders), *orders))


def _ladders(comparison: Comparison, test: str) -> Chart:
    before, after = comparison.ladders[test]
    chart = ladder_chart(title_of(test).full, {"before": before, "after": after}, comparison.unit)
    return replace(chart, name=f"ladder-{test}")


def _every_row(comparison: Comparison) -> Section:
    folded = tuple(Folded(title_of(test).full, (table,)) for test, table in comparison_tables.row_tables(comparison))
    notes = (Section("Notes", (Items(tuple(map(Item, comparison.notes))),)),) if comparison.notes else ()
    return Section("Every row and cell", folded, notes)
