# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as a page for a browser."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.analysis.base.comparison import Comparison
from latlab.analysis.base.wording import count
from latlab.analysis.explain import explain_pair
from latlab.report.chart import named
from latlab.report.comparison import comparison_tables
from latlab.report.comparison.charts import shift_charts
from latlab.report.comparison.sentences import explained, headline, summary
from latlab.report.kinds import PAIRS
from latlab.report.page import Folded, Item, Items, Page, Section
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
    if own := PAIRS[comparison.kind].sections:
        yield from own.function(comparison)
    if shifts := named(shift_charts(comparison), "shift"):
        yield Section("Shifts", shifts)
    yield _every_row(comparison)


def _every_row(comparison: Comparison) -> Section:
    equal = comparison_tables.equal_tests(comparison)
    tables = ((test, table) for test, table in comparison_tables.row_tables(comparison) if test not in equal)
    folded = [Folded(title_of(test).full, (table,)) for test, table in tables]
    if equal:
        summary = f"{count(len(equal), 'test')} with the same figures in both runs"
        folded.append(Folded(summary, (comparison_tables.equal_table(comparison, equal),)))
    notes = (Section("Notes", (Items(tuple(map(Item, comparison.notes))),)),) if comparison.notes else ()
    return Section("Every row and cell", tuple(folded), notes)
