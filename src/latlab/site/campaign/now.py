# SPDX-License-Identifier: BSD-3-Clause
"""What a site is made of at the moment: made again only if a run has changed since it was asked last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Generic, Protocol, TypeVar

from latlab.core.model.life import Head
from latlab.core.store.changes import ENDED, RunList
from latlab.core.store.store import Store
from latlab.site.campaign.measured import MeasuredThing, UnderWay, things_of, under_way


class HasPath(Protocol):
    @property
    def path(self) -> str: ...


C = TypeVar("C")
P = TypeVar("P", bound=HasPath)


class Now(Generic[C, P]):
    """`contents` are made of what was measured, `pages_of` and `pages_under_way` make pages of them, `pages_under_way` also of the runs
    under way: its pages replace others with the same path. Threads may share it."""

    def __init__(
        self,
        store: Store,
        runs: RunList,
        contents: Callable[[tuple[MeasuredThing, ...]], C],
        pages_of: Callable[[C], Iterable[P]],
        pages_under_way: Callable[[C, Sequence[UnderWay]], Iterable[P]],
    ) -> None:
        self._store, self._runs, self._contents_of = store, runs, contents
        self._pages_of, self._pages_under_way = pages_of, pages_under_way
        self._lock = Lock()
        self._listed: tuple[Head, ...] | None = None
        self._ended: tuple[Head, ...] | None = None
        self._unfinished: tuple[Head, ...] = ()
        self._readings = 0
        self._running: tuple[UnderWay, ...] = ()
        self._contents: C | None = None
        self._pages_of_ended: dict[str, P] = {}
        self._pages: dict[str, P] = {}

    def pages(self) -> dict[str, P]:
        """By path: the same object as long as nothing has changed. While one thread reads what has changed, others have what was."""
        if not self._lock.acquire(blocking=not self._pages):
            return self._pages
        try:
            return self._read_pages()
        finally:
            self._lock.release()

    def _read_pages(self) -> dict[str, P]:
        listed = self._runs.heads()
        if self._readings == self._runs.readings:
            return self._pages
        self._readings = self._runs.readings
        has_ended = listed is not self._listed and self._group(listed)
        self._listed = listed
        running = under_way(self._store, self._unfinished)
        if has_ended or running != self._running:
            self._running = running
            assert self._contents is not None
            of_running = {page.path: page for page in self._pages_under_way(self._contents, running)}
            self._pages = self._pages_of_ended | of_running
        return self._pages

    def _group(self, listed: tuple[Head, ...]) -> bool:
        """A run under way belongs to no measured thing, so its signs of life make nothing else again."""
        self._unfinished = tuple(head for head in listed if head.status not in ENDED)
        ended = tuple(head for head in listed if head.status in ENDED)
        if ended == self._ended:
            return False
        self._ended, self._contents = ended, self._contents_of(things_of(ended))
        self._pages_of_ended = {page.path: page for page in self._pages_of(self._contents)}
        return True
