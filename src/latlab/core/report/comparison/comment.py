# SPDX-License-Identifier: BSD-3-Clause
"""A gate's decision as a comment under a change: the verdict, what moved, of what, and the commands for more, in at most 30 lines."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from latlab.core.comparison.comparison import Comparison, Row
from latlab.core.comparison.gate import GateReport
from latlab.core.comparison.wording import MEDIANS_AND_MEANS, amount, percent, signed
from latlab.core.model.provenance import SHORT
from latlab.core.model.run import Run
from latlab.core.report.comparison.sentences import made_with
from latlab.core.report.facts import repeated_by
from latlab.core.report.page import Block, Commands, Item, Items, Page, Section
from latlab.core.report.renderers import markdown
from latlab.core.report.table import Table, figures, words

MOST_ROWS = 6
MOST_SENTENCES = 4
VERDICTS = {0: "passes", 1: "fails", 3: "is inconclusive"}


@dataclass(frozen=True, slots=True)
class Handed:
    """What a reader of the comment gets: `link` to the whole report, `runs`, the name of a store with both runs, and `download`, the
    command that brings it. `reason` says why the base was taken. Each is empty where there is none."""

    link: str = ""
    reason: str = ""
    runs: str = ""
    download: str = ""


NOTHING_HANDED = Handed()


def render(comparison: Comparison, report: GateReport, handed: Handed = NOTHING_HANDED) -> str:
    """Markdown."""
    a, b = comparison.a, comparison.b
    versions = f" ({tool_versions})" if (tool_versions := made_with(comparison)) else ""
    title = f"latlab gate {VERDICTS[report.exit_code]}: {b.platform}, {b.build.firmware}{versions}"
    lead = (report.verdict, _against(a, b, handed.reason))
    page = Page(title, lead, (Section("", tuple(_blocks(comparison, report, handed))),), name=f"{a.id} to {b.id}")
    return markdown.document(page) + _linked(handed.link)


def refused(base: str, candidate: str, sentence: str, handed: Handed = NOTHING_HANDED) -> str:
    """The same where the two cannot be compared at all, and why."""
    commands = Commands(tuple(_brought("compare", base, candidate, handed)))
    lead = (f"{candidate} cannot be judged against {base}: {sentence}.", *filter(None, (handed.reason,)))
    return markdown.document(Page("latlab gate is inconclusive", lead, (Section("", (commands,)),))) + _linked(handed.link)


def not_measured(command: str, sentence: str, link: str = "") -> str:
    """The same where there is nothing to compare: the command that should have measured, and how it ended."""
    page = Page("latlab gate is inconclusive", (f"{sentence}.",), (Section("", (Commands((command,)),)),))
    return markdown.document(page) + _linked(link)


def _linked(link: str) -> str:
    return f"\n[The whole report](<{link}>)\n" if link else ""


def _against(base: Run, candidate: Run, reason: str) -> str:
    """Both runs with their commits, and why this base was taken."""
    named = (f"{run.id}{f' of commit {run.provenance.commit[:SHORT]}' if run.provenance.commit else ''}" for run in (candidate, base))
    return " ".join(filter(None, (f"{' compared with '.join(named)}.", reason)))


def _blocks(comparison: Comparison, report: GateReport, handed: Handed) -> Iterator[Block]:
    worst = sorted(report.failing, key=lambda row: abs(row.relative), reverse=True)
    if worst:
        yield _table(comparison, worst[:MOST_ROWS], len(worst))
    more = dict.fromkeys((*report.parts, *report.before, *report.causes))
    if sentences := [sentence for sentence in more if sentence not in report.verdict]:
        yield Items(tuple(map(Item, _first(sentences))))
    yield Commands(tuple(_commands(comparison, handed)))


def _table(comparison: Comparison, rows: Sequence[Row], all_rows: int) -> Table:
    columns = (*figures("Change"), *words("Test", "Figure"), *figures("Before", "After"))
    lines = tuple(_line(comparison, row) for row in rows)
    notes = [f"The largest {len(rows)} of {all_rows}."] if all_rows > len(rows) else []
    if any(row.is_of_some_cores for row in rows):
        notes.append(f"{MEDIANS_AND_MEANS}.")
    return Table("", columns, lines, notes=tuple(notes))


def _line(comparison: Comparison, row: Row) -> tuple[str, ...]:
    """What a phone shows without scrolling comes first: how much, of what."""
    unit = comparison.unit_of(row.metric)
    change = f"{signed(row.shift.value, unit)} ({percent(row.relative)})"
    return change, row.test, f"{row.metric} {row.title}", amount(row.before, unit), amount(row.after, unit)


def _first(sentences: Sequence[str]) -> Iterator[str]:
    yield from sentences[:MOST_SENTENCES]
    if len(sentences) > MOST_SENTENCES:
        yield f"and {len(sentences) - MOST_SENTENCES} more, which the commands below print"


def _commands(comparison: Comparison, handed: Handed) -> Iterator[str]:
    if again := repeated_by(comparison.b):
        yield again
    yield from _brought("explain", comparison.a.id, comparison.b.id, handed)


def _brought(verb: str, base: str, candidate: str, handed: Handed) -> Iterator[str]:
    """The lines for another machine, which has neither run yet."""
    if handed.runs and handed.download:
        yield handed.download
    store = ("--store", handed.runs) if handed.runs else ()
    yield shlex.join(("latlab", verb, base, candidate, *store))
