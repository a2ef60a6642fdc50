# SPDX-License-Identifier: BSD-3-Clause
"""Every page of a site: where it is, what it is made of, and how it is made, which waits until it is known to be needed.

The search page lists all others, and a few lines of script hide what was not asked for. It needs no network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeVar

from latlab.core.comparison.comparison import Comparison
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import count
from latlab.core.errors import LatlabError
from latlab.core.model.life import Head
from latlab.core.report.page import Facts, Item, Items, Page, Paragraph, Section
from latlab.core.report.redaction import Secrets, redacted
from latlab.core.report.renderers import html
from latlab.core.report.text import Styled, Text, soft, with_code
from latlab.site.campaign.board_summary import board_title, headline, release
from latlab.site.campaign.comparison_summaries import MOST_TRIED, ComparisonSummary, SummaryCache
from latlab.site.campaign.measured import MeasuredThing, PublishedBoard, UnderWay, state_of
from latlab.site.pages import digest, feed, run_lists
from latlab.site.pages.digest import Week, place
from latlab.site.pages.front import (
    MADE_BY,
    board_page,
    compared,
    front,
    measured_page,
    measured_pages,
    measured_place,
    steps_in_words,
    trail,
)  # fmt: skip

T = TypeVar("T")

PATH = "search.html"
MOST = 300
"""Pages of a kind: more would make the page heavier than a phone likes."""


@dataclass(frozen=True, slots=True)
class SitePage:
    """`made_of` names all that the page shows: the same again is the same page. `path` is below the folder of the site."""

    path: str
    made_of: str
    page: Callable[[], Page]

    def text(self) -> str:
        return html.document(self.page())


@dataclass(frozen=True, slots=True)
class SiteFile:
    """The same of what is no page."""

    path: str
    made_of: str
    text: Callable[[], str]


@dataclass(frozen=True)
class SiteContents:
    """What a site is made of. `compare` compares two stored runs by their ids, `page_of` makes the page of one; `newest` runs of each
    thing that was measured get a page, and so has each that is in progress. `figures` gives the figures of a run as `run_figures.document`
    makes them, empty if it has none. `redact` hides whose machines they were in all the others, by `secrets`, or those of `things`."""

    boards: Sequence[PublishedBoard]
    things: Sequence[MeasuredThing]
    newest: int
    page_of: Callable[[str], Page]
    compare: Callable[[str, str], Comparison | str]
    tellings: SummaryCache
    redact: bool = True
    figures: Callable[[str], str] = lambda run: ""
    secrets: Secrets | None = None

    @cached_property
    def shown(self) -> tuple[Head, ...]:
        return tuple(head for thing in self.things for head in thing.runs[-self.newest :])

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset(head.id for head in self.shown)

    @cached_property
    def hidden(self) -> Secrets:
        """Names of machines. Other texts of a run or a comparison are redacted where they are made."""
        return self.secrets or Secrets.of([thing.runs[-1] for thing in self.things])

    @cached_property
    def with_figures(self) -> frozenset[str]:
        """The runs of which a page may have figures: those with a page of their own, and those that the newest may be compared with."""
        return self.ids | {head.id for thing in self.things for head in thing.whole[-MOST_TRIED - 1 :]}

    @cached_property
    def weeks(self) -> tuple[Week, ...]:
        return digest.weeks(self.things)


def pages_of(of: SiteContents) -> Iterator[SitePage | SiteFile]:
    """Every page without the runs that are under way. Pages of a measured thing come first, so that its comparison is made once, and the
    first page comes last, so that a site that is cut short leads nowhere."""
    yield from pages_of_parts(of)
    yield from _hiding(_of_all(of), of)
    made_of = f"{of.redact} {_everything(of.things)} {''.join(week.made_of for week in of.weeks)}"
    yield SiteFile(feed.PATH, made_of, lambda: feed.document(_hidden(feed.entries(of.things, of.weeks, of.tellings), of)))


def pages_of_parts(of: SiteContents) -> Iterator[SitePage]:
    """The pages of each measured thing and of each board: those of one are made without knowing the others."""
    yield from _hiding(_of_parts(of), of)


def _hiding(pages: Iterable[SitePage], of: SiteContents) -> Iterator[SitePage]:
    for page in pages:
        yield replace(page, page=partial(_redacted, page.page, of), made_of=f"redacted {page.made_of}") if of.redact else page


def pages_under_way(of: SiteContents, running: Sequence[UnderWay]) -> Iterator[SitePage]:
    """The first page with the runs under way, and a page for each of them."""
    yield _first(of, running)
    for run in running:
        yield SitePage(f"run/{run.head.id}.html", _now(run), partial(_unfinished, run))


def _first(of: SiteContents, running: Sequence[UnderWay]) -> SitePage:
    now = "".join(f"\n{run.head.id} under way" for run in running)
    return SitePage("index.html", f"{_everything(of.things)}{now}", partial(_front, of, running))


def _hidden(value: T, of: SiteContents) -> T:
    return redacted(value, of.hidden) if of.redact else value


def _redacted(page: Callable[[], Page], of: SiteContents) -> Page:
    return redacted(page(), of.hidden)


def _of_parts(of: SiteContents) -> Iterator[SitePage]:
    for thing in of.things:
        listed = partial(run_lists.newest_page, thing, of.ids, of.tellings, of.figures)
        yield SitePage(run_lists.place_of(thing), f"{_everything([thing])} {of.newest}", listed)
        for part in run_lists.parts_of(thing)[0]:
            older = partial(run_lists.older_page, thing, part, of.ids)
            yield SitePage(run_lists.place_of(thing, part), part.made_of(of.ids), older)
        if pair := of.tellings.pair(thing):
            a, b = (head.id for head in pair)
            yield _pair(a, b, partial(of.compare, a, b), (thing.name, f"../runs/{thing.place}.html"), of.redact)
        for head in thing.runs[-of.newest :]:
            yield SitePage(f"run/{head.id}.html", state_of(head), partial(_run, thing, head.id, of.page_of))
    for board in of.boards:
        yield SitePage(board_page(board), "catalogue", partial(_board, board))
        for a, b in board.steps:
            yield _pair(a, b, partial(board.compare, a, b), (board_title(board), f"../{board_page(board)}"), of.redact)


def _of_all(of: SiteContents) -> Iterator[SitePage]:
    for week in of.weeks:
        for number in range(1, digest.pages_of(week) + 1):
            yield SitePage(digest.place(week, number), week.made_of, partial(digest.page, week, of.tellings, of.ids, number))
    for number in range(2, measured_pages(of.things) + 1):
        yield SitePage(measured_place(number), _everything(of.things), partial(measured_page, of.things, of.ids, of.tellings, number))
    yield SitePage(PATH, _everything(of.things), partial(_search, of))
    yield _first(of, ())


def _front(of: SiteContents, running: Sequence[UnderWay]) -> Page:
    week = (digest.title(of.weeks[0], of.tellings), digest.place(of.weeks[0])) if of.weeks else None
    return front(of.boards, of.things, of.ids, of.tellings, running, week)


def _search(of: SiteContents) -> Page:
    pairs = filter(None, map(of.tellings.pair, of.things))
    summaries = [(a.id, b.id, of.tellings.of(a.id, b.id)) for a, b in pairs]
    return page(of.boards, of.things, of.weeks, of.shown, summaries, of.tellings)


def _everything(things: Sequence[MeasuredThing]) -> str:
    return "\n".join(thing.state for thing in things)


def _now(run_under_way: UnderWay) -> str:
    return f"{state_of(run_under_way.head)} {run_under_way.phase}"


def _unfinished(run_under_way: UnderWay) -> Page:
    head = run_under_way.head
    facts = (
        ("status", head.status),
        ("doing", run_under_way.phase),
        ("started (UTC)", head.started_utc),
        ("platform", head.platform),
        ("firmware", head.firmware),
        ("figures so far", f"{head.samples}" if head.samples else ""),
    )
    shown = Facts(tuple(pair for pair in facts if pair[1]))
    lead = "The run is in progress. Its figures appear here when it ends."
    return Page(f"{head.id} is in progress", (lead,), (Section("", (shown,)),), trail=_above(), made_by=f"latlab show {head.id}")


def _above(*above: tuple[str, str]) -> Text:
    return trail(("Front page", "../index.html"), ("Search", f"../{PATH}"), *above)


def _pair(a: str, b: str, compared_to: Callable[[], Comparison | str], above: tuple[str, str], redact: bool) -> SitePage:
    def page() -> Page:
        from latlab.core.report.comparison import web  # loads what draws charts

        comparison = compared_to()
        if isinstance(comparison, str):
            new_page = Page(f"{a} and {b} are not compared", (with_code(comparison),))
        else:
            new_page = redacted(web.page(comparison), Secrets.of((comparison.a, comparison.b))) if redact else web.page(comparison)
        return replace(new_page, trail=_above(above), made_by=f"latlab compare {a} {b}")

    return SitePage(compared(a, b), f"{a} {b}", page)


def _board(board: PublishedBoard) -> Page:
    from latlab.core.report.history import pages as history  # loads what draws charts

    new_page = history.page(board.history, with_causes=False)
    links = (Styled(f"{release(a)} to {release(b)}", target=f"../{compared(a, b)}") for a, b in board.steps)
    steps = Section("Release by release, and why", (Paragraph(tuple(part for link in links for part in (link, " \u00b7 "))[:-1]),))
    picture, *other_sections = new_page.sections
    title = f"{board_title(board)}: {release(board.references[0])} to {release(board.references[-1])}"
    return replace(
        new_page,
        title=title,
        lead=(headline(board), *new_page.lead),
        sections=(picture, steps, *other_sections),
        trail=_above(),
        name=title,
        made_by=MADE_BY,
    )


def _run(thing: MeasuredThing, run: str, page_of: Callable[[str], Page]) -> Page:
    try:
        new_page = page_of(run)
    except LatlabError as error:
        new_page = Page(f"{run} has no page", (str(error),), made_by=f"latlab show {run}")
    return replace(new_page, trail=_above((thing.name, f"../runs/{thing.place}.html")))


def page(
    boards: Sequence[PublishedBoard],
    things: Sequence[MeasuredThing],
    weeks: Sequence[Week],
    shown: Sequence[Head],
    summaries: Sequence[tuple[str, str, ComparisonSummary]],
    tellings: SummaryCache,
) -> Page:
    """`shown` are the runs that have a page, `summaries` the pairs of runs that have one of their comparison."""
    newest = sorted(shown, key=lambda head: (head.started_utc, head.id), reverse=True)
    sections = (
        _section("What was measured", (_item(thing.name, f"runs/{thing.place}.html", count(len(thing.runs), "run")) for thing in things)),
        _section("Boards, release by release", _of_boards(boards, tellings)),
        _section("Weeks", (_item(week.name, place(week), "what changed") for week in weeks)),
        _section("Comparisons", (_item(f"{a} to {b}", compared(a, b), _summary_text(summary)) for a, b, summary in summaries)),
        _section("Runs", (_item(head.id, f"run/{head.id}.html", _of_run(head)) for head in newest)),
    )
    listed = sum(len(section.blocks[0].items) for section in sections if isinstance(section.blocks[0], Items))
    lead = "Words in any order: a platform, a campaign, a firmware, a label, a verdict, a function, a run."
    pairs = (
        "Each newest run is compared with the newest comparable one, each release with the one before; other two by `latlab compare A B`."
    )
    above = trail(("Front page", "index.html"))
    return Page(f"{listed} pages of this site", (lead, with_code(pairs)), sections, name="Search", trail=above, made_by=MADE_BY, finds=True)


def _section(title: str, items: Iterable[Item]) -> Section:
    """The first items; pages that list the others lead to them."""
    all_items = tuple(items)
    left_out = len(all_items) - MOST
    note = (Paragraph(f"{count(left_out, 'more page')} of this kind: see the front page, the weeks and the lists of runs."),)
    return Section(title, (Items(all_items[:MOST]), *(note if left_out > 0 else ())))


def _of_boards(boards: Sequence[PublishedBoard], tellings: SummaryCache) -> Iterator[Item]:
    for board in boards:
        yield _item(board_title(board), board_page(board), "all figures")
        for (a, b), change in zip(board.steps, steps_in_words(tellings.board(board)), strict=True):
            yield _item(f"{board_title(board)}, {release(a)} to {release(b)}", compared(a, b), change)


def _of_run(head: Head) -> str:
    parts = (head.campaign, head.platform, f"cores {head.topology}", head.firmware, head.status, head.label, head.started_utc[:10])
    return ", ".join(filter(None, parts))


def _summary_text(summary: ComparisonSummary) -> str:
    return ": ".join(
        filter(None, (str(Verdict(summary.verdict)) if summary.verdict else "not compared", summary.functions or summary.said))
    )


def _item(title: str, target: str, more: str) -> Item:
    return Item((Styled(title, target=target), soft(f"  {more}")))
