# SPDX-License-Identifier: BSD-3-Clause
"""The contents of a store's site, and pages made by several processes: one measured thing or one board at a time.

Each page is the same as one process makes it. What they do not get to is made afterwards, so a process that ends early costs time only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from time import monotonic

from latlab.core.cli.showing import page_of
from latlab.core.report.redaction import Secrets
from latlab.core.store.address import StoreAddress
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.many import in_processes, through_dask
from latlab.site.campaign.comparison_summaries import Summaries, SummaryCache
from latlab.site.campaign.measured import MeasuredThing, PublishedBoard, compare_stored, measured, published_boards
from latlab.site.campaign.run_figures import figures_of_run
from latlab.site.pages import digest
from latlab.site.pages.files import is_current, read_digests
from latlab.site.pages.site_pages import SiteContents, SiteFile, SitePage, pages_of_parts

FEWEST_JOBS = 4
"""A process takes a second to start: for fewer jobs it is slower than none."""


@dataclass(frozen=True, slots=True)
class SiteOrder:
    """What all jobs share. `place` is the store as another process opens it; `folder` is None if it cannot see the site."""

    place: StoreAddress
    folder: Path | None
    newest: int
    redact: bool
    secrets: Secrets | None = None


Progress = Callable[[int, int, float | None], None]
"""Takes the jobs done, all jobs, and the time left in s, None where it is not known yet."""


@dataclass(frozen=True, slots=True)
class Job:
    """One measured thing with the weeks that compare its runs, or one board."""

    things: tuple[MeasuredThing, ...]
    boards: tuple[PublishedBoard, ...]
    weeks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MadePages:
    """(path, made of, text) of each page, and what was computed for them."""

    pages: tuple[tuple[str, str, str], ...]
    summaries: Summaries


def contents_of(store: Store, order: SiteOrder) -> SiteContents:
    contents = _without_runs(store, order)
    return replace(contents, boards=published_boards(), things=measured(store))


def pages_at_once(contents: SiteContents, order: SiteOrder, processes: int, dask: str | None, progress: Progress) -> Iterator[SiteFile]:
    """The changed pages, made by so many processes or through Dask; none for fewer than FEWEST_JOBS."""
    assert order.folder is not None
    digests = read_digests(order.folder)
    jobs = [job for job in _jobs(contents) if not is_current(order.folder, digests, _first_page(contents, job))]
    if len(jobs) < FEWEST_JOBS or (processes < 2 and not dask):
        return
    shared, left = replace(order, secrets=contents.hidden), _TimeLeft(jobs)
    results = through_dask(dask, make, jobs, replace(shared, folder=None)) if dask else in_processes(partial(make, shared), jobs, processes)
    for number, result in enumerate(results, 1):
        contents.tellings.add(result.summaries)
        for path, made_of, text in result.pages:
            yield SiteFile(path, made_of, partial(str, text))
        progress(number, len(jobs), left.after(number))


class _TimeLeft:
    """Boards come first, and one of them takes as long as many measured things, so that they tell nothing of the time for those."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._count, self._boards = len(jobs), sum(bool(job.boards) for job in jobs)
        self._began = monotonic()

    def after(self, done: int) -> float | None:
        """In s; None as long as no measured thing is done."""
        if done == self._boards:
            self._began = monotonic()
        things = done - self._boards
        if done == self._count:
            return 0.0
        return (monotonic() - self._began) / things * (self._count - done) if things > 0 else None


def make(order: SiteOrder, job: Job) -> MadePages:
    """In a process of its own: the pages of a job that are not there yet."""
    everything, digests = _opened(order)
    contents = replace(everything, things=job.things, boards=job.boards, secrets=order.secrets)
    new = (page for page in pages_of_parts(contents) if order.folder is None or not is_current(order.folder, digests, page))
    pages = tuple((page.path, page.made_of, page.text()) for page in new)
    for week in digest.weeks(job.things):
        if week.name in job.weeks:
            digest.tell(week, contents.tellings)
    for board in job.boards:
        contents.tellings.board(board)
    return MadePages(pages, contents.tellings.take_new())


def _jobs(contents: SiteContents) -> Sequence[Job]:
    """Boards first, which take longest."""
    weeks: dict[str, set[str]] = {}
    for week in contents.weeks:
        for in_week in week.things:
            weeks.setdefault(in_week.measured.place, set()).add(week.name)
    things = [Job((thing,), (), frozenset(weeks.get(thing.place, ()))) for thing in contents.things]
    return [*(Job((), (board,)) for board in contents.boards), *things]


def _first_page(contents: SiteContents, job: Job) -> SitePage:
    """That of a thing names the state of all its runs."""
    return next(pages_of_parts(replace(contents, things=job.things, boards=job.boards, secrets=contents.hidden)))


@lru_cache(maxsize=1)
def _opened(order: SiteOrder) -> tuple[SiteContents, dict[str, str]]:
    return _without_runs(open_store(order.place), order), read_digests(order.folder) if order.folder else {}


def _without_runs(store: Store, order: SiteOrder) -> SiteContents:
    compare = lru_cache(maxsize=1)(partial(compare_stored, store))  # its summary and its page follow each other
    return SiteContents(
        boards=(),
        things=(),
        newest=order.newest,
        page_of=lambda run: page_of(store, store.load(run), redact=order.redact),
        compare=compare,
        tellings=SummaryCache(compare, order.redact, order.folder, str(store.place)),
        redact=order.redact,
        figures=partial(figures_of_run, store, order.redact),
    )
