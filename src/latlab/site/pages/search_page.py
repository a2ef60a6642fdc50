# SPDX-License-Identifier: BSD-3-Clause
"""The search of a site: a page that lists all others, and a few lines of script that hide what was not asked for. It needs no network,
and without scripts it is the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import count
from latlab.core.model.life import Head
from latlab.core.report.page import Item, Items, Page, Section
from latlab.core.report.text import Styled, soft, with_code
from latlab.site.campaign import MeasuredThing, PublishedBoard
from latlab.site.pages.comparison_summaries import ComparisonSummary
from latlab.site.pages.digest import Week, place
from latlab.site.pages.front import MADE_BY, board_page, board_title, compared, release, steps_in_words, trail

PATH = "search.html"
MOST = 1500
"""Runs: more would make the page heavier than a phone likes."""


def page(
    boards: Sequence[PublishedBoard],
    things: Sequence[MeasuredThing],
    weeks: Sequence[Week],
    shown: Sequence[Head],
    summaries: Sequence[tuple[str, str, ComparisonSummary]],
) -> Page:
    """`shown` are the runs that have a page, `summaries` the pairs of runs that have one of their comparison."""
    newest = sorted(shown, key=lambda head: (head.started_utc, head.id), reverse=True)
    sections = (
        _section("What was measured", (_item(thing.name, f"runs/{thing.place}.html", count(len(thing.runs), "run")) for thing in things)),
        _section("Boards, release by release", _of_boards(boards)),
        _section("Weeks", (_item(week.name, place(week), "what changed") for week in weeks)),
        _section("Comparisons", (_item(f"{a} to {b}", compared(a, b), _summary_text(summary)) for a, b, summary in summaries)),
        _section("Runs", (_item(head.id, f"run/{head.id}.html", _of_run(head)) for head in newest[:MOST])),
    )
    listed = sum(len(section.blocks[0].items) for section in sections if isinstance(section.blocks[0], Items))
    lead = "Words in any order: a platform, a campaign, a firmware, a label, a verdict, a function, a run."
    pairs = (
        "Each newest run is compared with the newest comparable one, each release with the one before; other two by `latlab compare A B`."
    )
    above = trail(("Front page", "index.html"))
    return Page(f"{listed} pages of this site", (lead, with_code(pairs)), sections, name="Search", trail=above, made_by=MADE_BY, finds=True)


def _section(title: str, items: Iterable[Item]) -> Section:
    return Section(title, (Items(tuple(items)),))


def _of_boards(boards: Sequence[PublishedBoard]) -> Iterator[Item]:
    for board in boards:
        yield _item(board_title(board), board_page(board), "all figures")
        for (a, b), words in zip(board.steps, steps_in_words(board), strict=True):
            yield _item(f"{board_title(board)}, {release(a)} to {release(b)}", compared(a, b), words)


def _of_run(head: Head) -> str:
    parts = (head.campaign, head.platform, f"cores {head.topology}", head.firmware, head.status, head.label, head.started_utc[:10])
    return ", ".join(filter(None, parts))


def _summary_text(summary: ComparisonSummary) -> str:
    return ": ".join(
        filter(None, (str(Verdict(summary.verdict)) if summary.verdict else "not compared", summary.functions or summary.said))
    )


def _item(words: str, target: str, more: str) -> Item:
    return Item((Styled(words, target=target), soft(f"  {more}")))
