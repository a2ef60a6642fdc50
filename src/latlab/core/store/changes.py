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


class RunList:
    """`heads` are all runs, the oldest first: the same object as long as none has changed. Threads may share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._mark: object = None
        self._by_number: dict[int, Head] = {}
        self._labels: dict[str, str] = {}
        self._heads: tuple[Head, ...] = ()

    def heads(self) -> tuple[Head, ...]:
        with self._lock:
            mark = self._store.change_mark()
            if mark != self._mark or mark is None:
                self._refresh()
                self._mark = mark
            return self._heads

    def _refresh(self) -> None:
        """New rows, and rows that could have changed. A run that has ended changes its label at most, or goes."""
        newest = max(self._by_number, default=0)
        unfinished = [number for number, head in self._by_number.items() if head.status not in ENDED]
        number = runs_table.c.number
        with self._store.transaction() as connection:
            count = connection.execute(sa.select(sa.func.count()).where(*ALL.clauses())).scalar_one()
            labelled = sa.select(runs_table.c.id, runs_table.c.label).where(runs_table.c.label > "")
            labels = {run_id: label for run_id, label in connection.execute(labelled)}
            query = sa.select(number, *HEAD_COLUMNS).where(*ALL.clauses()).order_by(number)
            rows = connection.execute(query.where(sa.or_(number > newest, number.in_(unfinished)))).all()
            changed = self._update((row[0], head_of(row[1:])) for row in rows)
            if len(self._by_number) != count or labels != self._labels:
                self._by_number = {row[0]: head_of(row[1:]) for row in connection.execute(query)}
                self._labels, changed = labels, True
        if changed:
            self._heads = tuple(self._by_number[number] for number in sorted(self._by_number))

    def _update(self, rows: Iterable[tuple[int, Head]]) -> bool:
        changed = False
        for number, head in rows:
            changed |= self._by_number.get(number) != head
            self._by_number[number] = head
        return changed
