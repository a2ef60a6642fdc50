# SPDX-License-Identifier: BSD-3-Clause
"""A gate's decision as a comment under a change: the verdict, what moved, of what, and the commands for more, in at most 30 lines."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from math import isfinite

from latlab.core.comparison.comparison import Comparison, Row
from latlab.core.comparison.gate import GateReport
from latlab.core.comparison.wording import amount, percent, signed
from latlab.core.report.comparison.sentences import made_with
from latlab.core.report.facts import repeated_by
from latlab.core.report.page import Block, Commands, Item, Items, Page, Section
from latlab.core.report.renderers import markdown
from latlab.core.report.table import Table, figures, words

MOST_ROWS = 8
MOST_SENTENCES = 5
MOST_APART = 0.5  # of a change, before a reader who subtracts the medians asks where the rest is
VERDICTS = {0: "passes", 1: "fails", 3: "is inconclusive"}


def render(comparison: Comparison, report: GateReport, link: str = "") -> str:
    """Markdown. `link` is where the whole report will be, empty where it is nowhere."""
    a, b = comparison.a, comparison.b
    versions = f" ({tool_versions})" if (tool_versions := made_with(comparison)) else ""
    title = f"latlab {VERDICTS[report.exit_code]}: {b.platform}, {b.build.firmware}{versions}"
    page = Page(title, (report.verdict,), (Section("", tuple(_blocks(comparison, report))),), name=f"{a.id} to {b.id}")
    return markdown.document(page) + _linked(link)


def refused(base: str, candidate: str, sentence: str, link: str = "") -> str:
    """The same where the two cannot be compared at all, and why."""
    compare = Commands((shlex.join(("latlab", "compare", base, candidate)),))
    page = Page("latlab: inconclusive", (f"{candidate} cannot be judged against {base}: {sentence}.",), (Section("", (compare,)),))
    return markdown.document(page) + _linked(link)


def not_measured(command: str, sentence: str, link: str = "") -> str:
    """The same where there is nothing to compare: the command that should have measured, and how it ended."""
    page = Page("latlab: inconclusive", (f"{sentence}.",), (Section("", (Commands((command,)),)),))
    return markdown.document(page) + _linked(link)


def _linked(link: str) -> str:
    return f"\n[The whole report](<{link}>)\n" if link else ""


def _blocks(comparison: Comparison, report: GateReport) -> Iterator[Block]:
    worst = sorted(report.failing, key=lambda row: abs(row.relative), reverse=True)
    if worst:
        yield _table(comparison, worst[:MOST_ROWS], len(worst))
    if sentences := (*report.parts, *report.before, *report.causes):
        yield Items(tuple(map(Item, _first(sentences))))
    yield Commands(tuple(_commands(comparison)))


def _table(comparison: Comparison, rows: Sequence[Row], all_rows: int) -> Table:
    columns = (*words("Test", "Figure"), *figures("Before", "After", "Change"))
    lines = tuple((row.test, f"{row.metric} {row.title}", *_amounts(comparison, row)) for row in rows)
    notes = [f"The largest {len(rows)} of {all_rows}."] if all_rows > len(rows) else []
    if any(_is_of_some_cores(row) for row in rows):
        notes.append("Before and after are medians over the cores, and the change is a mean: a few cores can cause it.")
    return Table("", columns, lines, notes=tuple(notes))


def _is_of_some_cores(row: Row) -> bool:
    """The medians did not move as the row did."""
    return isfinite(row.shift.value) and abs(row.after - row.before - row.shift.value) > MOST_APART * abs(row.shift.value)


def _amounts(comparison: Comparison, row: Row) -> tuple[str, str, str]:
    unit = comparison.unit_of(row.metric)
    return amount(row.before, unit), amount(row.after, unit), f"{signed(row.shift.value, unit)} ({percent(row.relative)})"


def _first(sentences: Sequence[str]) -> Iterator[str]:
    yield from sentences[:MOST_SENTENCES]
    if len(sentences) > MOST_SENTENCES:
        yield f"and {len(sentences) - MOST_SENTENCES} more, which the commands below print"


def _commands(comparison: Comparison) -> Iterator[str]:
    if again := repeated_by(comparison.b):
        yield again
    yield shlex.join(("latlab", "explain", comparison.a.id, comparison.b.id))
