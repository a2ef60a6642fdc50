# SPDX-License-Identifier: BSD-3-Clause
"""A site: what its first page says, where its links lead, and what a second build writes."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import unquote

import pytest

from latlab.core.cli.showing import page_of
from latlab.core.errors import UsageError
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Spans
from latlab.core.report.page import Page
from latlab.core.report.renderers import html
from latlab.core.report.text import plain
from latlab.core.store.store import Store, open_store
from latlab.site.campaign.comparison_summaries import KEPT, SummaryCache
from latlab.site.campaign.measured import compare_stored, measured, published_boards
from latlab.site.pages import digest
from latlab.site.pages.files import LISTED_EVERY, MADE, write_site
from latlab.site.pages.front import front
from latlab.site.pages.site_pages import SiteContents, SitePage, pages_of
from support.ladder_model import Truth, make_run
from support.stored_campaigns import open_campaigns


@pytest.fixture(name="store")
def fixture_store(tmp_path: Path) -> Store:
    return open_campaigns(tmp_path)


def written(store: Store, folder: Path, newest: int = 1, boards: int = 0) -> tuple[list[str], int]:
    """The pages that were written, and how many were there; of the catalogue those of so many boards, as each chart takes its time."""
    said: list[str] = []
    of = material(store, folder, newest, boards)
    kept = write_site(folder, pages_of(of), said.append)[1]
    of.tellings.keep()
    return said, kept


def material(store: Store, folder: Path | None = None, newest: int = 1, boards: int = 0, redact: bool = True) -> SiteContents:
    compare = partial(compare_stored, store)
    shown = published_boards()[:boards]
    return SiteContents(
        shown, measured(store), newest, lambda run: page_of(store, store.load(run)), compare, SummaryCache(compare, redact, folder), redact
    )


def no_tellings() -> SummaryCache:
    return SummaryCache(lambda a, b: "not asked for")


def test_the_first_page_begins_with_what_happened_to_a_board_and_where_it_stands() -> None:
    title = plain(front(published_boards(), (), frozenset(), no_tellings()).title)
    assert title == (
        "From v2.10 to v2.12 a core of N1SDP took up to 2.4 times as long to wake up as at v2.9. At v2.15 it takes 1.3 times as long."
    )


def test_a_rise_that_no_comparison_calls_one_is_no_headline() -> None:
    board = next(one for one in published_boards() if one.name == "tf-a/n1sdp")
    quiet = type(board)(board.name, board.references)
    quiet.__dict__["figure"] = replace(board.figure, changes=())
    assert "times" not in plain(front([quiet], (), frozenset(), no_tellings()).title)


def test_every_link_of_every_page_leads_to_a_page_of_the_site(store: Store, tmp_path: Path) -> None:
    written(store, tmp_path / "site", boards=len(published_boards()))
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text("utf-8")
        targets = [unquote(one) for one in re.findall(r'<a href="([^"#][^"]*)"', text)]
        assert [one for one in targets if not (page.parent / one).is_file()] == [], page
        assert page.name == "index.html" or (tmp_path / "site" / "index.html").resolve() in [
            (page.parent / one).resolve() for one in targets
        ]


def test_a_second_build_writes_nothing_and_two_builds_are_the_same_bytes(store: Store, tmp_path: Path) -> None:
    first, _ = written(store, tmp_path / "a")
    again, kept = written(store, tmp_path / "a")
    assert (again, kept) == ([], len(first))
    written(store, tmp_path / "b")
    files = [path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert len(files) == len(first) + 2
    assert all((tmp_path / "a" / one).read_bytes() == (tmp_path / "b" / one).read_bytes() for one in files)


def test_one_more_run_writes_its_own_pages_and_those_that_list_it(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    make = made(store)
    ids = [make(1.0), make(1.0)]
    first, _ = written(store, tmp_path / "site")
    assert {f"run/{ids[1]}.html", f"compare/{ids[0]}..{ids[1]}.html"} <= set(first) and f"run/{ids[0]}.html" not in first
    ids.append(make(2.0))
    place = measured(store)[0].place
    week = {f"weeks/{digest.week_of(measured(store)[0].runs[-1].started_utc)}.html"}
    more = week | {"index.html", "search.html", "feed.xml", f"runs/{place}.html", f"run/{ids[2]}.html", f"compare/{ids[1]}..{ids[2]}.html"}
    assert set(written(store, tmp_path / "site")[0]) == more
    assert (tmp_path / "site" / "run" / f"{ids[1]}.html").is_file()
    assert ">regressed</span></a>" in (tmp_path / "site" / "index.html").read_text("utf-8")


def test_pages_written_for_one_more_run_are_those_of_a_whole_publish(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    make = made(store)
    for times in (1.0, 1.0, 2.0):
        make(times)
        written(store, tmp_path / "grown", boards=1)
    written(store, tmp_path / "whole", boards=1)
    for path in (path for path in (tmp_path / "whole").rglob("*.*") if path.name not in (KEPT, MADE)):
        assert path.read_bytes() == (tmp_path / "grown" / path.relative_to(tmp_path / "whole")).read_bytes(), path


def test_the_history_of_a_board_is_computed_for_the_first_publish_only(tmp_path: Path) -> None:
    (board,) = published_boards()[:1]
    first = SummaryCache(lambda a, b: "", folder=tmp_path)
    summary = first.board(board)
    first.keep()
    unread = type(board)(board.name, board.references)
    unread.__dict__["releases"] = ()  # what asks for the history of no release fails
    assert SummaryCache(lambda a, b: "", folder=tmp_path).board(unread) == summary
    with pytest.raises(UsageError, match="no figure"):
        SummaryCache(lambda a, b: "").board(unread)


def made(store: Store) -> Callable[..., str]:
    """Adds a run whose wake-ups take so many times as long as usual, begun at that time."""

    def add(times: float, began: str = "2026-01-01T00:00:00Z") -> str:
        run = make_run(replace(Truth(), wakeup=tuple(times * one for one in Truth().wakeup)), 1, boots=8, iterations=4)
        kept = store.begin(replace(run, id="", contents=Spans(), started_utc=began))
        store.add(kept, run.samples)
        store.finish(kept, RunStatus.COMPLETE)
        return kept

    return add


def test_a_run_that_cannot_be_compared_says_why(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    make = made(store)
    make(1.0)
    (alone,) = measured(store)
    assert no_tellings().pair(alone) is None
    assert "no earlier complete run of it" in html.document(front((), [alone], frozenset(), no_tellings()))


def under_conditions(store: Store) -> tuple[str, str, str]:
    """A run of one processor, one of another, and one of the first again that takes twice as long."""
    ids = []
    for number, (times, processor) in enumerate(((1.0, "cortex-a57"), (1.0, "cortex-a72"), (2.0, "cortex-a57"))):
        run = make_run(replace(Truth(), wakeup=tuple(times * one for one in Truth().wakeup)), 1, boots=8, iterations=4)
        began = f"2026-01-0{number + 1}T00:00:00Z"
        conditions = replace(run.conditions, processor=processor)
        stored = store.begin(replace(run, id="", contents=Spans(), started_utc=began, conditions=conditions))
        store.add(stored, run.samples)
        store.finish(stored, RunStatus.COMPLETE)
        ids.append(stored)
    return ids[0], ids[1], ids[2]


def test_the_newest_run_is_compared_with_the_newest_comparable_one(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    first, other, last = under_conditions(store)
    said, _ = written(store, tmp_path / "site", newest=3, boards=1)
    assert f"compare/{first}..{last}.html" in said and not any(f"{other}..{last}" in path for path in said)
    text = (tmp_path / "site" / "index.html").read_text("utf-8")
    thing, lone = measured(store)
    assert thing.name.endswith(", processor cortex-a57") and lone.name.endswith(", processor cortex-a72")
    assert f": 1 regressed ({thing.name})" in text
    assert f'<a href="run/{first}.html">{first}</a>' in text and "are not compared" not in text
    assert text.index("What was measured") < text.index("Wake-up after CPU_OFF") and "Published: From v2.10" in text


def test_where_no_earlier_run_is_comparable_the_front_page_says_why(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    _, other, last = under_conditions(store)
    newest, older = measured(store)
    store_of_two = [replace(newest, runs=(*older.runs, newest.runs[-1]))]
    pages = front((), store_of_two, frozenset(), material(store).tellings)
    assert plain(pages.title) == "One measurement in this store; none has two comparable runs yet."
    reason = f"no earlier run is comparable: the processor differs, cortex-a72 in {other} and cortex-a57 in {last}"
    assert reason in html.document(pages)


def test_the_list_of_a_measurement_names_the_command_for_two_of_its_runs(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    first, other, last = under_conditions(store)
    written(store, tmp_path / "site")
    text = (tmp_path / "site" / "runs" / f"{measured(store)[0].place}.html").read_text("utf-8")
    assert f'<pre id="chosen" tabindex="0">latlab compare {first} {last}</pre>' in text
    assert f'<option value="{first}" selected>' in text and other not in text
    assert f'href="../compare/{first}..{last}.html"' in text and '<form class="choice" hidden>' in text


def test_a_folder_that_holds_something_else_is_left_alone(store: Store, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "index.html").write_text("my own")
    with pytest.raises(UsageError, match="holds files and no site that latlab made; name an empty folder"):
        written(store, tmp_path / "thesis")
    assert (tmp_path / "thesis" / "index.html").read_text() == "my own"


def test_a_site_whose_record_is_damaged_says_so(store: Store, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / MADE).write_text("{half")
    with pytest.raises(UsageError, match="is damaged"):
        written(store, tmp_path / "site")


def pages(count: int, cut_at: int | None = None) -> Iterator[SitePage]:
    for number in range(count):
        if number == cut_at:
            raise KeyboardInterrupt
        yield SitePage(f"run/{number}.html", str(number), partial(Page, f"page {number}"))


@pytest.mark.parametrize("cut_at", [0, 1, 4])
def test_a_build_that_was_interrupted_goes_on_and_ends_as_an_undisturbed_one(tmp_path: Path, cut_at: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        write_site(tmp_path / "cut", pages(5, cut_at), lambda path: None)
    assert write_site(tmp_path / "cut", pages(5), lambda path: None) == (5 - cut_at, cut_at)
    write_site(tmp_path / "whole", pages(5), lambda path: None)
    files = sorted(path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*"))
    assert files == sorted(path.relative_to(tmp_path / "cut") for path in (tmp_path / "cut").rglob("*"))


def test_a_process_that_is_killed_makes_few_pages_again(tmp_path: Path) -> None:
    def killed() -> Iterator[SitePage]:
        yield from pages(LISTED_EVERY + 3)
        os._exit(9)

    child = os.fork()
    if not child:
        write_site(tmp_path, killed(), lambda path: None)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert write_site(tmp_path, pages(LISTED_EVERY + 3), lambda path: None) == (3, LISTED_EVERY)


def test_an_error_of_a_page_is_not_told_as_one_of_the_folder(tmp_path: Path) -> None:
    def unreadable() -> Page:
        raise OSError(5, "of a store")

    with pytest.raises(OSError, match="of a store"):
        write_site(tmp_path, [SitePage("index.html", "", unreadable)], lambda path: None)


def test_a_process_that_is_killed_in_the_first_page_leaves_a_folder_that_the_next_one_takes(tmp_path: Path) -> None:
    def killed() -> Iterator[SitePage]:
        assert (tmp_path / MADE).is_file()
        yield SitePage("index.html", "", lambda: os._exit(9))

    child = os.fork()
    if not child:
        write_site(tmp_path, killed(), lambda path: None)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert write_site(tmp_path, pages(2), lambda path: None) == (2, 0)


def test_a_place_that_is_a_file_or_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"file cannot be read: Not a directory"):
        write_site(tmp_path / "file", pages(1), lambda path: None)
    with pytest.raises(UsageError, match=r"latlab-site.json cannot be written: Not a directory; name another folder"):
        write_site(tmp_path / "file" / "site", pages(1), lambda path: None)


def test_a_run_that_has_no_page_gets_one_that_says_why(store: Store, tmp_path: Path) -> None:
    def refuse(run: str) -> Page:
        raise UsageError(f"{run} saw nothing")

    pages = pages_of(replace(material(store), page_of=refuse))
    made = [one for one in pages if isinstance(one, SitePage) and one.path.startswith("run/")]
    assert made
    for one, page in ((one, one.page()) for one in made):
        run = Path(one.path).stem
        assert plain(page.title) == f"{run} has no page" and f"{run} saw nothing" in html.document(page)


def test_the_feed_has_the_newest_verdict_on_each_thing_and_its_links_lead_to_pages(store: Store, tmp_path: Path) -> None:
    site = tmp_path / "site"
    written(store, site)
    atom = "{http://www.w3.org/2005/Atom}"
    found = ET.parse(site / "feed.xml").getroot()
    entries = found.findall(f"{atom}entry")
    weeks = [entry for entry in entries if (entry.findtext(f"{atom}id") or "").startswith("urn:latlab:week:")]
    tellings = material(store).tellings
    assert len(entries) - len(weeks) == sum(tellings.pair(one) is not None for one in measured(store)) > 0
    assert len(weeks) == len(digest.weeks(measured(store))) > 0
    for entry in entries:
        link = entry.find(f"{atom}link")
        assert link is not None and (site / link.attrib["href"]).is_file()
        assert re.match(r"(regressed|improved|unchanged|inconclusive|Week 20)", entry.findtext(f"{atom}title") or "")
        assert (entry.findtext(f"{atom}updated") or "") <= (found.findtext(f"{atom}updated") or "")


def test_a_week_says_what_regressed_what_improved_and_what_is_new(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    make = made(store)
    for times, day in ((1.0, "2026-01-05"), (1.0, "2026-01-07"), (1.3, "2026-01-15"), (1.0, "2026-02-01")):
        make(times, f"{day}T10:00:00Z")
    weeks = digest.weeks(measured(store))
    tellings = material(store).tellings
    told = [digest.title(week, tellings).partition(";")[0] for week in weeks]
    assert told == [
        "Week 2026-W05: nothing regressed, 1 improved, nothing new",
        "Week 2026-W03: 1 regressed, nothing improved, nothing new",
        "Week 2026-W02: nothing regressed, nothing improved, 1 new",
    ]
    text = html.document(digest.page(weeks[1], tellings, frozenset()))
    assert "2026-01-12 to 2026-01-18, UTC" in text and ">Regressed</h2>" in text and "wakeup regressed" in text
    improved = html.document(digest.page(weeks[0], tellings, frozenset()))
    assert "wakeup improved" in improved and ">Improved</h2>" in improved and ">Regressed</h2>" not in improved


def test_the_last_days_of_a_year_are_in_the_week_that_iso_8601_says() -> None:
    assert digest.week_of("2027-01-02T00:00:00Z") == "2026-W53" and digest.week_of("2024-12-30") == "2025-W01"
    assert digest.week_of("") == digest.week_of("yesterday") == ""


def test_what_was_told_once_is_not_compared_again(tmp_path: Path) -> None:
    asked = []

    def compare(a: str, b: str) -> str:
        asked.append((a, b))
        return "the clocks differ"

    first = SummaryCache(compare, folder=tmp_path)
    assert first.of("a", "b").said == "the clocks differ" and first.of("a", "b").verdict == ""
    first.keep()
    assert SummaryCache(compare, folder=tmp_path).of("a", "b") == first.of("a", "b") and asked == [("a", "b")]
    SummaryCache(compare, redact=False, folder=tmp_path).of("a", "b")
    (tmp_path / KEPT).write_text("{half")
    SummaryCache(compare, folder=tmp_path).of("a", "b")
    assert len(asked) == 3


def test_what_was_told_of_one_stores_runs_is_not_told_of_another_s(tmp_path: Path) -> None:
    first = SummaryCache(lambda a, b: "the clocks differ", folder=tmp_path, place="here.sqlite")
    first.of("a", "b")
    first.keep()
    there = SummaryCache(lambda a, b: "the processors differ", folder=tmp_path, place="there.sqlite")
    assert there.of("a", "b").said == "the processors differ"


def test_the_search_lists_every_other_page_with_what_it_is_about(store: Store, tmp_path: Path) -> None:
    site = tmp_path / "site"
    said, _ = written(store, site)
    text = (site / "search.html").read_text("utf-8")
    assert set(said) - {one for one in said if f'href="{one}"' in text} == {"feed.xml", "search.html"}
    assert "location.search" in text and "fetch(" not in text
    assert 'action="search.html"' in (site / "index.html").read_text("utf-8")
