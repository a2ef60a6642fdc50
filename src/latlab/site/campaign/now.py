# SPDX-License-Identifier: BSD-3-Clause
"""What a site is made of at the moment: made again only if a run has changed since it was asked last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Generic, TypeVar

from latlab.core.model.life import Head
from latlab.core.store.changes import ENDED, RunList
from latlab.core.store.store import Store
from latlab.site.campaign.measured import MeasuredThing, UnderWay, things_of, under_way

P = TypeVar("P")


class Now(Generic[P]):
    """`pages_of` makes the pages of what was measured and of what is under way. Threads may share it."""

    def __init__(
        self, store: Store, runs: RunList, pages_of: Callable[[tuple[MeasuredThing, ...], tuple[UnderWay, ...]], Mapping[str, P]]
    ) -> None:
        self._store, self._runs, self._pages_of = store, runs, pages_of
        self._lock = Lock()
        self._listed: tuple[Head, ...] | None = None
        self._ended: tuple[Head, ...] | None = None
        self._things: tuple[MeasuredThing, ...] = ()
        self._running: tuple[UnderWay, ...] = ()
        self._pages: Mapping[str, P] = {}

    def pages(self) -> Mapping[str, P]:
        with self._lock:
            listed = self._runs.heads()
            if listed is not self._listed:
                self._listed = listed
                has_ended = self._group(listed)
            else:
                has_ended = False
            running = under_way(self._store, listed)
            if has_ended or running != self._running or not self._pages:
                self._running = running
                self._pages = self._pages_of(self._things, running)
            return self._pages

    def _group(self, listed: tuple[Head, ...]) -> bool:
        """A run under way belongs to no measured thing, so it does not group them again at each sign of life."""
        ended = tuple(head for head in listed if head.status in ENDED)
        if ended == self._ended:
            return False
        self._ended, self._things = ended, things_of(ended)
        return True
