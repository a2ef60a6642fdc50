# SPDX-License-Identifier: BSD-3-Clause
"""Every page of a site: where it is, what it is made of, and how it is made, which waits until it is known to be needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from latlab.analysis.base.comparison import Comparison
from latlab.analysis.compare import compare
from latlab.campaigns.site import Board, Measured, UnderWay
from latlab.errors import LatlabError
from latlab.model.life import Head
from latlab.report.comparison import web
from latlab.report.page import Facts, Page, Paragraph, Section
from latlab.report.redaction import Secrets, redacted
from latlab.report.renderers import html
from latlab.report.site import feed, history
from latlab.report.site.front import MADE_BY, board_page, board_title, compared, front, release, trail
from latlab.report.table import Table, Value, figures, words
from latlab.report.text import Styled, Text

MOST_LISTED = 300


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


def pages_of(
    boards: Sequence[Board],
    found: Sequence[Measured],
    newest: int,
    page_of: Callable[[str], Page],
    redact: bool = True,
    under_way: Sequence[UnderWay] = (),
) -> Iterator[SitePage | SiteFile]:
    """`newest` runs of each thing that was measured get a page, which `page_of` makes of a run's id, and so has each that is under way;
    `redact` hides whose machines they were in all the others."""
    yield from (SitePage(f"run/{one.head.id}.html", _now(one), partial(_unfinished, one)) for one in under_way)
    for page in _pages(boards, found, newest, page_of, under_way):
        yield replace(page, page=partial(_redacted, page.page, found), made_of=f"redacted {page.made_of}") if redact else page
    yield SiteFile(feed.PATH, f"{redact} {_everything(found)}", partial(_feed, found, redact))


def _feed(found: Sequence[Measured], redact: bool) -> str:
    told = feed.entries(found)
    return feed.document(redacted(told, _secrets(found)) if redact else told)


def _redacted(page: Callable[[], Page], found: Sequence[Measured]) -> Page:
    return redacted(page(), _secrets(found))


def _secrets(found: Sequence[Measured]) -> Secrets:
    compared_runs = [run for one in found if isinstance(one.newest, Comparison) for run in (one.newest.a, one.newest.b)]
    return Secrets.of([*compared_runs, *(one.runs[-1] for one in found)])


def _pages(
    boards: Sequence[Board], found: Sequence[Measured], newest: int, page_of: Callable[[str], Page], under_way: Sequence[UnderWay]
) -> Iterator[SitePage]:
    shown = [head for one in found for head in one.runs[-newest:]]
    ids = frozenset(head.id for head in shown)
    now = "".join(f"\n{one.head.id} under way" for one in under_way)
    yield SitePage("index.html", f"{_everything(found)}{now}", partial(front, boards, found, ids, under_way))
    for board in boards:
        yield SitePage(board_page(board), "catalogue", partial(_board, board))
        for a, b in board.steps:
            yield _pair(a.id, b.id, partial(compare, a, b), (board_title(board), f"../{board_page(board)}"))
    for one in found:
        yield SitePage(f"runs/{one.place}.html", _everything([one]), partial(_list, one, ids))
        if one.pair:
            yield _pair(*one.pair, partial(getattr, one, "newest"), (one.name, f"../runs/{one.place}.html"))
        for head in one.runs[-newest:]:
            yield SitePage(f"run/{head.id}.html", _state(head), partial(_run, one, head.id, page_of))


def _everything(found: Sequence[Measured]) -> str:
    return "\n".join(_state(head) for one in found for head in one.runs)


def _state(head: Head) -> str:
    return f"{head.id} {head.status} {head.samples} {head.label}"


def _now(one: UnderWay) -> str:
    return f"{_state(one.head)} {one.phase}"


def _unfinished(one: UnderWay) -> Page:
    head = one.head
    facts = (
        ("status", head.status),
        ("doing", one.phase),
        ("started (UTC)", head.started_utc),
        ("platform", head.platform),
        ("firmware", head.firmware),
        ("figures so far", f"{head.samples}" if head.samples else ""),
    )
    shown = Facts(tuple(pair for pair in facts if pair[1]))
    lead = "It is being made; its figures stand here when it is at its end."
    return Page(f"{head.id} is under way", (lead,), (Section("", (shown,)),), trail=_above(), made_by=f"latlab show {head.id}")


def _above(*above: tuple[str, str]) -> Text:
    return trail(("Front page", "../index.html"), *above)


def _pair(a: str, b: str, compared_to: Callable[[], Comparison | str], above: tuple[str, str]) -> SitePage:
    def page() -> Page:
        found = compared_to()
        made = Page(f"{a} and {b} are not compared", (found,)) if isinstance(found, str) else web.page(found)
        return replace(made, trail=_above(above), made_by=f"latlab compare {a} {b}")

    return SitePage(compared(a, b), f"{a} {b}", page)


def _board(board: Board) -> Page:
    made = history.page(board.history, with_causes=False)
    steps = tuple((Styled(f"{release(a)} to {release(b)}", target=f"../{compared(a.id, b.id)}"), "  ") for a, b in board.steps)
    first = Section("Release by release, and why", tuple(Paragraph(step) for step in steps))
    title = f"{board_title(board)}: {release(board.releases[0])} to {release(board.releases[-1])}"
    return replace(made, title=title, sections=(first, *made.sections), trail=_above(), name=title, made_by=MADE_BY)


def _list(one: Measured, pages: frozenset[str]) -> Page:
    listed = one.runs[-MOST_LISTED:]
    columns = (*words("Run", "Started (UTC)", "Status"), *figures("Samples"), *words("Firmware", "Label"))
    rows: list[tuple[Value, ...]] = []
    for head in reversed(listed):
        run = Styled(head.id, target=f"../run/{head.id}.html" if head.id in pages else "")
        rows.append((run, head.started_utc[:16].replace("T", " "), head.status, head.samples, head.firmware, head.label))
    older = len(one.runs) - len(listed)
    rest = (Paragraph(f"{older} older runs are not listed; `latlab ls` lists all."),) if older else ()
    table = Table("Runs, the newest first", columns, tuple(rows))
    return Page(one.name, sections=(Section("", (table, *rest)),), trail=_above(), made_by=MADE_BY)


def _run(one: Measured, run: str, page_of: Callable[[str], Page]) -> Page:
    try:
        made = page_of(run)
    except LatlabError as error:
        made = Page(f"{run} has no page", (str(error),), made_by=f"latlab show {run}")
    return replace(made, trail=_above((one.name, f"../runs/{one.place}.html")))
