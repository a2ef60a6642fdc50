# SPDX-License-Identifier: BSD-3-Clause
"""The list of runs of a store, read again only where it has changed: for a process that is asked for it every second."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

import sqlalchemy as sa

from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Head
from latlab.core.store.choice import ALL
from latlab.core.store.listing import HEAD_COLUMNS, head_of
from latlab.core.store.schema import runs_table
from latlab.core.store.store import Store

ENDED = (RunStatus.COMPLETE.value, RunStatus.PARTIAL.value)


MOST_AGAIN = 500
"""Rows that are asked for by their numbers; for more, all are read."""


class RunList:
    """`heads` are all runs, the oldest first: the same object as long as none has changed. Threads may share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._mark: object = None
        self._by_number: dict[int, Head] = {}
        self._newest = 0
        self._unfinished: list[int] = []
        self._counts: tuple[int, int] = (0, 0)
        self._labelled: dict[int, str] = {}
        self._heads: tuple[Head, ...] = ()
        self.readings = 0
        """How often the store was read: another number when anything in it may have changed, such as the phase of a run."""

    def heads(self) -> tuple[Head, ...]:
        with self._lock:
            mark = self._store.change_mark()
            if mark != self._mark or mark is None:
                self._refresh()
                self.readings += 1
                self._mark = mark
            return self._heads

    def _refresh(self) -> None:
        """New rows, and rows that could have changed. A run that has ended changes its label at most; or it goes: then all are read."""
        number, removed = runs_table.c.number, runs_table.c.removed_utc
        newest = self._newest
        query = sa.select(number, *HEAD_COLUMNS).where(*ALL.clauses()).order_by(number)
        of_label = sa.select(number, runs_table.c.label).where(runs_table.c.label > "")
        with self._store.transaction() as connection:
            new = connection.execute(query.where(number > newest)).all()
            labelled = {row[0]: row[1] for row in connection.execute(of_label)}
            relabelled = [at for at in self._labelled | labelled if at <= newest and labelled.get(at) != self._labelled.get(at)]
            again = list(dict.fromkeys((*self._unfinished, *relabelled)))
            reread = connection.execute(query.where(number.in_(again))).all() if 0 < len(again) <= MOST_AGAIN else []
            changed = self._update((row[0], head_of(self._store, row[1:])) for row in (*reread, *new))
            count, gone = (
                int(connection.execute(sa.select(sa.func.count()).select_from(runs_table).where(*chosen)).scalar_one())
                for chosen in ((), (removed > "",))
            )
            if (count - len(new), gone) != self._counts or len(again) > MOST_AGAIN:
                self._by_number = {row[0]: head_of(self._store, row[1:]) for row in connection.execute(query)}
                changed = True
            self._counts, self._labelled = (count, gone), labelled
        if changed:
            self._newest = max(self._by_number, default=0)
            self._unfinished = [number for number, head in self._by_number.items() if head.status not in ENDED]
            self._heads = tuple(self._by_number[number] for number in sorted(self._by_number))

    def _update(self, rows: Iterable[tuple[int, Head]]) -> bool:
        changed = False
        for number, head in rows:
            changed |= self._by_number.get(number) != head
            self._by_number[number] = head
        return changed
