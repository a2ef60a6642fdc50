# SPDX-License-Identifier: BSD-3-Clause
"""The runs of one measured thing as pages, none longer than a few hundred runs: the newest with a choice of two of them, and older ones by
month. A month's page stays as it is while its runs do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from latlab.core.comparison.wording import count
from latlab.core.model.life import Head
from latlab.core.report.page import Page, Paragraph, RunChoice, Section
from latlab.core.report.table import Table, Value, figures, words
from latlab.core.report.text import Styled, Text
from latlab.site.campaign.comparison_summaries import SummaryCache
from latlab.site.campaign.measured import MeasuredThing, state_of
from latlab.site.pages.front import MADE_BY, compared, linked, trail

MOST_LISTED, PART = 300, 150
"""Runs of a page, and of a part of a month: so the newest page has at least half of what it may have."""
MONTH = re.compile(r"\d{4}-\d\d")


@dataclass(frozen=True, slots=True)
class RunPart:
    """Runs of one month, the oldest first. `name` is a part of a file's name: 2026-11, or 2026-11-2 for the second of a month."""

    name: str
    runs: tuple[Head, ...]

    def made_of(self, pages: frozenset[str]) -> str:
        return "\n".join(f"{state_of(head)} {head.id in pages}" for head in self.runs)


def parts_of(thing: MeasuredThing) -> tuple[tuple[RunPart, ...], tuple[RunPart, ...]]:
    """The older parts, each of which has a page, and the newest ones, which are together on the page of the thing; the oldest first."""
    months: dict[str, list[Head]] = {}
    for head in thing.runs:
        month = MONTH.match(head.started_utc)
        months.setdefault(month[0] if month else "", []).append(head)
    parts = [
        RunPart((month or "undated") + (f"-{number}" if number > 1 else ""), runs)
        for month, of_month in sorted(months.items())
        for number, runs in enumerate((tuple(of_month[at : at + PART]) for at in range(0, len(of_month), PART)), 1)
    ]
    listed, first = 0, len(parts)
    while first and listed + len(parts[first - 1].runs) <= MOST_LISTED:
        first -= 1
        listed += len(parts[first].runs)
    return tuple(parts[:first]), tuple(parts[first:])


def place_of(thing: MeasuredThing, part: RunPart | None = None) -> str:
    """The page of a thing, or of one of its older parts, from the folder of the site."""
    return f"runs/{thing.place}{f'-{part.name}' if part else ''}.html"


def newest_page(thing: MeasuredThing, pages: frozenset[str], tellings: SummaryCache, read: Callable[[str], str]) -> Page:
    """`pages` are the runs that have a page; `read` gives the figures of a run as JSON."""
    older, newest = parts_of(thing)
    links = [(f"{part.name} ({count(len(part.runs), 'run')})", place_of(thing, part).removeprefix("runs/")) for part in reversed(older)]
    note = (linked("Older runs: ", links),) if links else ()
    runs = [head for part in newest for head in part.runs]
    sections = (*_choice(thing, pages, tellings, read), Section("", (_table(runs, pages), *note)))
    return Page(thing.name, sections=sections, trail=_above(), made_by=MADE_BY)


def older_page(thing: MeasuredThing, part: RunPart, pages: frozenset[str]) -> Page:
    title = f"{thing.name}: runs of {part.name}"
    above = _above((thing.name, f"../{place_of(thing)}"))
    return Page(title, sections=(Section("", (_table(part.runs, pages),)),), trail=above, made_by=MADE_BY)


def _above(*above: tuple[str, str]) -> Text:
    return trail(("Front page", "../index.html"), ("Search", "../search.html"), *above)


def _table(runs: Sequence[Head], pages: frozenset[str]) -> Table:
    columns = (*words("Run", "Started (UTC)", "Status"), *figures("Samples"), *words("Firmware", "Label"))
    rows: list[tuple[Value, ...]] = []
    for head in reversed(runs):
        run = Styled(head.id, target=f"../run/{head.id}.html" if head.id in pages else "")
        rows.append((run, head.started_utc[:16].replace("T", " "), head.status, head.samples, head.firmware, head.label))
    return Table("Runs, the newest first", columns, tuple(rows))


def _choice(thing: MeasuredThing, pages: frozenset[str], tellings: SummaryCache, read: Callable[[str], str]) -> Iterator[Section]:
    """Any two whole runs of one thing, with the command that compares them, and the figures of the newest."""
    whole = thing.whole[-MOST_LISTED:]
    if len(whole) < 2:
        return
    pair = tellings.pair(thing)
    before, after = pair or whole[-2:]
    with_figures = [head.id for head in reversed(whole) if head.id in pages or head in (pair or ())]
    run_figures = ",".join(filter(None, (tellings.figures(run, read) for run in with_figures)))
    page = Styled("The page of this comparison", target=f"../{compared(before.id, after.id)}") if pair else ""
    runs = tuple((head.id, ", ".join(filter(None, (head.id, head.started_utc[:10], head.label)))) for head in reversed(whole))
    how = "The newest run and the newest comparable one before it are chosen; any two runs of the list can be chosen."
    choice = RunChoice(runs, before.id, after.id, page, run_figures and f"[{run_figures}]")
    yield Section("Compare two runs", (Paragraph(how), choice))
