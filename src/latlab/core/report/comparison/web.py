# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as a page for a browser: the answer, its picture, the tables, why, and folded all the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from latlab.core.comparison.by_kind import explain_pair
from latlab.core.comparison.comparison import Comparison
from latlab.core.comparison.explanation import Explanation
from latlab.core.comparison.wording import count
from latlab.core.kinds.registry import pairs_of
from latlab.core.report.chart import named
from latlab.core.report.comparison import comparison_tables
from latlab.core.report.comparison.answer import answer, more_than_answer, sides
from latlab.core.report.comparison.charts import function_charts, shift_charts, wakeup_charts
from latlab.core.report.comparison.sentences import explained, headline, made_with, sentence
from latlab.core.report.page import Block, Folded, Item, Items, Page, Section
from latlab.core.report.titles import title_of

MOST_CAUSES = 3


def page(comparison: Comparison) -> Page:
    why = explain_pair(comparison)
    title = (f"{comparison.b.platform}: {sides(comparison)} ", comparison_tables.title_verdict(comparison.verdict))
    return Page(
        title,
        tuple(filter(None, (comparison.caveat, sentence(more_than_answer(comparison, why))))),
        tuple(_sections(comparison, why)),
        name=f"{comparison.a.id} to {comparison.b.id}: {'; '.join(filter(None, (comparison.verdict, comparison.caveat)))}",
        answer=answer(comparison, why),
    )


def _sections(comparison: Comparison, explanations: Sequence[Explanation]) -> Iterator[Section]:
    pictures = named((*shift_charts(comparison), *wakeup_charts(comparison)), "shift")
    if pictures or comparison_tables.change_tables(comparison):
        yield Section("What changed", (*pictures, *comparison_tables.change_tables(comparison)))
    if why := tuple(_why(explanations)):
        yield Section("Why", why)
    if own_sections := pairs_of(comparison).sections:
        yield from own_sections(comparison)
    yield _every_row(comparison)


def _why(explanations: Sequence[Explanation]) -> Iterator[Block]:
    """The picture by function, the first sentences, and the others on demand."""
    yield from named(function_charts(explanations), "function")
    items = [explained(explanation, with_test=True) for explanation in explanations]
    if items:
        yield Items(tuple(items[:MOST_CAUSES]))
    if more_items := items[MOST_CAUSES:]:
        yield Folded(f"{count(len(more_items), 'more sentence')} on causes", (Items(tuple(more_items)),))


def _every_row(comparison: Comparison) -> Section:
    equal = comparison_tables.equal_tests(comparison)
    tables = ((test, table) for test, table in comparison_tables.row_tables(comparison) if test not in equal)
    folded = [Folded(title_of(test).full, (table,)) for test, table in tables]
    if equal:
        summary = f"{count(len(equal), 'test')} with the same figures in both runs"
        folded.append(Folded(summary, (comparison_tables.equal_table(comparison, equal),)))
    lines = (*headline(comparison), *filter(None, (made_with(comparison),)), *comparison.notes)
    method = Folded("Method: what was compared, and what counts as a change", (Items(tuple(Item(sentence(line)) for line in lines)),))
    return Section("Every row and data point", (*folded, method))
