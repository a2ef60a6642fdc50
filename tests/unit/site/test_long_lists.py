# SPDX-License-Identifier: BSD-3-Clause
"""A site of many runs and many boards: no page is long, nothing is left out, and every link leads to a page."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import unquote

import pytest

from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Head
from latlab.core.report.page import Page
from latlab.core.store.listing import heads
from latlab.site.campaign.comparison_summaries import SummaryCache
from latlab.site.campaign.measured import things_of
from latlab.site.pages.files import write_site
from latlab.site.pages.run_lists import MOST_LISTED, parts_of
from latlab.site.pages.site_pages import SiteContents, pages_of
from support.stored_campaigns import open_campaigns

RUNS, BOARDS = 1000, 650


def made_up(model: Head, number: int, platform: str, began: str) -> Head:
    return model._replace(id=f"run-{number:05}", platform=platform, started_utc=began, status=RunStatus.COMPLETE)


@pytest.fixture(name="listed", scope="module")
def fixture_listed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Head]]:
    """A board with a thousand runs of which eight hundred began in one month, and hundreds of boards with one."""
    folder = tmp_path_factory.mktemp("long")
    model = heads(open_campaigns(folder))[0]
    start = datetime(2026, 1, 1)
    times = [start + timedelta(hours=13 * at) for at in range(200)] + [
        datetime(2026, 6, 1) + timedelta(minutes=50 * at) for at in range(800)
    ]
    runs = [made_up(model, at, "busy", f"{time:%Y-%m-%dT%H:%M:%SZ}") for at, time in enumerate(times)]
    runs += [made_up(model, RUNS + at, f"board {at:03}", "2026-07-01T00:00:00Z") for at in range(BOARDS)]
    tellings = SummaryCache(lambda a, b: "not compared here")
    contents = SiteContents((), things_of(runs), 1, lambda run: Page(run), lambda a, b: "", tellings)
    write_site(folder / "site", pages_of(contents), lambda path: None)
    return folder / "site", runs


def test_no_page_has_more_than_a_few_hundred_rows_and_every_link_leads_to_a_page(listed: tuple[Path, list[Head]]) -> None:
    site, _ = listed
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert all(table.count("<tr") <= MOST_LISTED + 1 for table in text.split("<table")), page
        assert all(items.count("<li") <= MOST_LISTED for items in text.split("<ul")), page
        targets = [unquote(target) for target in re.findall(r'<a href="([^"#][^"]*)"', text)]
        assert [target for target in targets if not (page.parent / target).is_file()] == [], page
    assert (site / "feed.xml").read_text("utf-8").count("<entry>") <= MOST_LISTED


def test_every_run_is_in_one_list_and_every_board_on_one_page(listed: tuple[Path, list[Head]]) -> None:
    site, runs = listed
    rows = Counter(
        run
        for page in (site / "runs").iterdir()
        for run in re.findall(r'<th scope="row" class="words">(?:<a[^>]*>)?(run-\d+)', page.read_text("utf-8"))
    )
    assert rows == Counter(run.id for run in runs)
    measured = [site / "index.html", *(site / "measured").iterdir()]
    boards = Counter(board for page in measured for board in re.findall(r">[^<]* on (board \d+|busy), ", page.read_text("utf-8")))
    assert set(boards) == {run.platform for run in runs} and set(boards.values()) == {1}
    week = [board for page in (site / "weeks").glob("2026-W27*") for board in re.findall(r" on (board \d+), ", page.read_text("utf-8"))]
    assert len(week) == len(set(week)) == BOARDS


def test_older_pages_are_reached_from_the_newest_and_lead_back(listed: tuple[Path, list[Head]]) -> None:
    site, runs = listed
    thing = next(thing for thing in things_of(runs) if thing.runs[-1].platform == "busy")
    newest = (site / "runs" / f"{thing.place}.html").read_text("utf-8")
    older, shown = parts_of(thing)
    assert MOST_LISTED >= sum(len(part.runs) for part in shown) > MOST_LISTED // 2
    assert len(older) > 3
    for part in older:
        assert f'href="{thing.place}-{part.name}.html"' in newest
        assert f'href="../runs/{thing.place}.html"' in (site / "runs" / f"{thing.place}-{part.name}.html").read_text("utf-8")


def test_one_more_run_leaves_the_pages_of_older_ones(listed: tuple[Path, list[Head]]) -> None:
    _, runs = listed
    busy = [run for run in runs if run.platform == "busy"]
    (before,), (after,) = things_of(busy), things_of([*busy, made_up(busy[0], 99999, "busy", "2026-08-01T00:00:00Z")])
    made_of = [{part.name: part.made_of(frozenset()) for part in parts_of(thing)[0]} for thing in (before, after)]
    assert made_of[0].items() <= made_of[1].items()


def test_runs_without_a_date_are_listed_too(listed: tuple[Path, list[Head]]) -> None:
    _, runs = listed
    busy = [run._replace(started_utc="") for run in runs if run.platform == "busy"]
    (thing,) = things_of(busy)
    older, newest = parts_of(thing)
    assert [part.name for part in older][:2] == ["undated", "undated-2"]
    assert sum(len(part.runs) for part in (*older, *newest)) == RUNS
