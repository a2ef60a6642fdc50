# SPDX-License-Identifier: BSD-3-Clause
"""A site that several processes make is the site that one makes, also if it is cut short in the middle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import pytest

from latlab.core.store.store import Store
from latlab.site.campaign.comparison_summaries import KEPT
from latlab.site.pages.files import MADE, write_site
from latlab.site.pages.site_pages import SiteContents, SiteFile, SitePage, pages_of
from latlab.site.verbs import site_at_once
from latlab.site.verbs.site_at_once import FEWEST_JOBS, Job, MadePages, SiteOrder, contents_of, make, pages_at_once
from support.stored_campaigns import open_campaigns

Files = dict[str, bytes]


@pytest.fixture(name="store", scope="module")
def fixture_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return open_campaigns(tmp_path_factory.mktemp("store"))


@pytest.fixture(name="alone", scope="module")
def fixture_alone(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Files:
    return published(store, tmp_path_factory.mktemp("alone") / "site", processes=1)


def published(
    store: Store,
    folder: Path,
    processes: int,
    dask: str | None = None,
    told: Callable[[int, int, float | None], None] = lambda done, count, left_s: None,
    cut: Callable[[Iterable[SitePage | SiteFile]], Iterable[SitePage | SiteFile]] = lambda pages: pages,
) -> Files:
    """The files of a site without the boards of the catalogue, whose charts take their time."""
    order = SiteOrder(store.place, folder, 2, True)
    contents: SiteContents = replace(contents_of(store, order), boards=())
    try:
        write_site(folder, cut(chain(pages_at_once(contents, order, processes, dask, told), pages_of(contents))), lambda path: None)
    finally:
        contents.tellings.keep(contents.with_figures)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_processes_write_the_bytes_of_one_and_tell_the_time_left(store: Store, alone: Files, tmp_path: Path) -> None:
    progress: list[tuple[int, int, float | None]] = []
    assert published(store, tmp_path / "site", 2, told=lambda *now: progress.append(now)) == alone
    assert len(progress) == progress[-1][1] >= FEWEST_JOBS and progress[-1][2] == 0 < (progress[0][2] or 0)
    assert {KEPT, MADE} < set(alone)


def test_boards_say_nothing_of_the_time_that_measured_things_take(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter((0.0, 100.0, 102.0, 104.0))
    monkeypatch.setattr(site_at_once, "monotonic", lambda: next(now))
    contents = contents_of(store, SiteOrder(store.place, None, 2, True))
    jobs = [*(Job((), (board,)) for board in contents.boards[:2]), *(Job((thing,), ()) for thing in contents.things[:3])]
    left = site_at_once._TimeLeft(jobs)
    assert [left.after(done) for done in range(1, 6)] == [None, None, 4.0, 2.0, 0.0]


@pytest.mark.slow
def test_what_was_cut_short_in_the_middle_is_completed_by_the_next_publish(store: Store, alone: Files, tmp_path: Path) -> None:
    def ended(pages: Iterable[SitePage | SiteFile]) -> Iterator[SitePage | SiteFile]:
        yield from islice(pages, 5)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        published(store, tmp_path / "site", 2, cut=ended)
    assert len([path for path in (tmp_path / "site").rglob("*.html")]) == 5
    files = published(store, tmp_path / "site", 1)
    assert {name: files[name] for name in files if name != KEPT} == {name: alone[name] for name in alone if name != KEPT}


def test_workers_that_see_no_folder_make_the_same_site(store: Store, alone: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def here(address: str, work: Callable[[SiteOrder, Job], MadePages], jobs: Sequence[Job], shared: SiteOrder) -> Iterator[MadePages]:
        assert address == "tcp://host:8786" and shared.folder is None
        return (work(shared, job) for job in jobs)

    monkeypatch.setattr(site_at_once, "through_dask", here)
    assert published(store, tmp_path / "site", 1, dask="tcp://host:8786") == alone


def test_little_work_starts_no_process(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_at_once, "in_processes", None)
    first = published(store, tmp_path / "site", 1)
    assert published(store, tmp_path / "site", 2) == first


def test_a_page_that_is_there_is_not_made_by_a_worker(store: Store, tmp_path: Path) -> None:
    published(store, tmp_path / "site", 1)
    order = SiteOrder(store.place, tmp_path / "site", 2, True)
    contents = contents_of(store, order)
    site_at_once._opened.cache_clear()
    assert make(replace(order, secrets=contents.hidden), Job((contents.things[0],), ())).pages == ()
    assert make(replace(order, newest=1, secrets=contents.hidden), Job((contents.things[0],), ())).pages != ()
