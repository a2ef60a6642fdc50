# SPDX-License-Identifier: BSD-3-Clause
"""What belongs to a run in the other tables: samples, traces, problems and logs. Runs have their number here, and a transaction is open."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import exc

from latlab.core.errors import DataError
from latlab.core.model.run import Run, Sample
from latlab.core.store.checksums import add_parts, change_run, check, sum_of_parts
from latlab.core.store.rows import contents_of, problem_of, run_of
from latlab.core.store.sample_columns import column_rows, samples_of
from latlab.core.store.schema import logs_table, problems_table, runs_table, samples_table, traces_table
from latlab.core.store.trace_columns import trace_rows, traces_of
from latlab.core.store.unpacking import unpacked

DAMAGE = (zlib.error, msgspec.MsgspecError, ValueError, KeyError, TypeError, OverflowError, exc.NoResultFound)
"""What reading a damaged row raises; an index may have a row that its table has not."""


class Addition:
    """What arrives for a run at once. It is added once, also where a server ended before it told that it had committed the rows."""

    def __init__(self, samples: Sequence[Sample], rows: Mapping[sa.Table, Sequence[Mapping[str, Any]]]) -> None:
        self._samples, self._rows = samples, rows
        self._before: int | None = None
        self._added = 0

    def add_once(self, connection: sa.Connection, number: int) -> None:
        """Raises DataError where another process changed the run since the first call, so that nobody knows what that one did."""
        query = sa.select(runs_table.c.parts).where(runs_table.c.number == number).with_for_update()
        parts = int(connection.execute(query).scalar_one())
        if self._before is None or parts == self._before:
            self._before, self._added = parts, self._add(connection, number)
        elif parts != self._before + self._added:
            raise DataError("the connection to the database was lost while another process changed the run; the last part may be lost")

    def _add(self, connection: sa.Connection, number: int) -> int:
        added = sum(add_rows(connection, table, number, rows) for table, rows in self._rows.items())
        return added + (add_samples(connection, number, self._samples) if self._samples else 0)


def add_rows(connection: sa.Connection, table: sa.Table, number: int, rows: Sequence[Mapping[str, Any]]) -> int:
    """Rows of one of these tables. Requires, as everything here that writes, a transaction of `Store.writing`. Returns the sum of their
    checksums."""
    added = add_parts(connection, table, [{**row, "run": number} for row in rows])
    connection.execute(runs_table.update().where(runs_table.c.number == number).values(parts=runs_table.c.parts + added))
    return added


def remove_rows(connection: sa.Connection, table: sa.Table, number: int, *clauses: sa.ColumnElement[bool]) -> None:
    chosen = (table.c.run == number, *clauses)
    gone = connection.execute(sa.select(sa.func.coalesce(sa.func.sum(table.c.checksum), 0)).where(*chosen)).scalar_one()
    connection.execute(table.delete().where(*chosen))
    connection.execute(runs_table.update().where(runs_table.c.number == number).values(parts=runs_table.c.parts - int(gone)))


def add_samples(connection: sa.Connection, number: int, samples: Sequence[Sample]) -> int:
    """A row for each figure, and the new count of samples. Returns what `add_rows` does."""
    first = connection.execute(sa.select(runs_table.c.sample_count).where(runs_table.c.number == number)).scalar_one()
    added = add_rows(connection, samples_table, number, column_rows(samples, first))
    change_run(connection, number, {"sample_count": first + len(samples)})
    return added


def join_samples(connection: sa.Connection, number: int) -> None:
    """One row for each figure, where each part that arrived has left one. What is damaged stays as it is."""
    of_run = samples_table.c.run == number
    figures = sa.select(samples_table.c.test, samples_table.c.metric).where(of_run)
    if len(rows := connection.execute(figures).all()) == len(set(rows)):
        return
    with suppress(*DAMAGE), _rows(connection, samples_table, number) as stored:
        joined = column_rows(tuple(samples_of(stored)), 0)
        remove_rows(connection, samples_table, number)
        add_rows(connection, samples_table, number, joined)


def join_traces(connection: sa.Connection, number: int) -> None:
    """One row for all of them, as `join_samples` makes one of each figure."""
    of_run = traces_table.c.run == number
    if connection.execute(sa.select(sa.func.count()).where(of_run)).scalar_one() < 2:
        return
    with suppress(*DAMAGE), _rows(connection, traces_table, number) as stored:
        joined = trace_rows(tuple(traces_of(stored)))
        remove_rows(connection, traces_table, number)
        add_rows(connection, traces_table, number, joined)


def whole_run(connection: sa.Connection, row: Mapping[Any, Any]) -> Run:
    """Raises one of DAMAGE where a row is damaged, or missing."""
    number = row["number"]
    with _rows(connection, samples_table, number) as samples, _rows(connection, traces_table, number) as traces:
        contents = contents_of(row["kind"], samples, traces, partial(log_of, connection, number))
    with _rows(connection, problems_table, number) as problems:
        run = run_of(row, contents, tuple(map(problem_of, problems)))
    check_parts(connection, number)
    return run


def check_parts(connection: sa.Connection, number: int) -> None:
    """Raise ValueError where a row of the run's parts is missing, or one is there that it never had."""
    stored = connection.execute(sa.select(runs_table.c.parts).where(runs_table.c.number == number)).scalar_one()
    if sum_of_parts(connection, number) != stored:
        raise ValueError("not all of its rows are there")


@contextmanager
def _rows(
    connection: sa.Connection, table: sa.Table, number: int, *clauses: sa.ColumnElement[bool]
) -> Iterator[Iterable[Mapping[Any, Any]]]:
    """They are closed where one is damaged: its exception would keep the rest of them open, and SQLite's lock for all who write."""
    with connection.execute(sa.select(table).where(table.c.run == number, *clauses).order_by(table.c.number)) as rows:
        yield (check(table, row) for row in rows.mappings())


def logs_of(connection: sa.Connection, number: int, *clauses: sa.ColumnElement[bool]) -> dict[str, bytes]:
    """The logs of a run by name, each with its parts joined. Raises one of DAMAGE."""
    parts: dict[str, list[bytes]] = {}
    with _rows(connection, logs_table, number, *clauses) as rows:
        for row in rows:
            if not isinstance(row["name"], str):
                raise ValueError(f"a log is called {row['name']!r}")
            parts.setdefault(row["name"], []).append(unpacked(row["data"]))
    return {name: b"".join(data) for name, data in parts.items()}


def log_of(connection: sa.Connection, number: int, name: str) -> bytes:
    """One log of a run; empty where it has none of the name."""
    return logs_of(connection, number, logs_table.c.name == name).get(name, b"")
