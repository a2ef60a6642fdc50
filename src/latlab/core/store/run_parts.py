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

from latlab.core.model.run import Run, Sample
from latlab.core.store.rows import contents_of, problem_of, run_of
from latlab.core.store.sample_columns import column_rows, samples_of
from latlab.core.store.schema import logs_table, problems_table, runs_table, samples_table, traces_table
from latlab.core.store.trace_columns import trace_rows, traces_of
from latlab.core.store.unpacking import unpacked

DAMAGE = (zlib.error, msgspec.MsgspecError, ValueError, KeyError, TypeError)
"""What reading a damaged row raises."""


def add_samples(connection: sa.Connection, number: int, samples: Sequence[Sample]) -> None:
    """A row for each figure, and the new count of samples."""
    this_run = runs_table.c.number == number
    first = connection.execute(sa.select(runs_table.c.sample_count).where(this_run)).scalar_one()
    connection.execute(samples_table.insert(), [row | {"run": number} for row in column_rows(samples, first)])
    connection.execute(runs_table.update().where(this_run).values(sample_count=runs_table.c.sample_count + len(samples)))


def join_samples(connection: sa.Connection, number: int) -> None:
    """One row for each figure, where each part that arrived has left one. What is damaged stays as it is."""
    of_run = samples_table.c.run == number
    figures = sa.select(samples_table.c.test, samples_table.c.metric).where(of_run)
    if len(rows := connection.execute(figures).all()) == len(set(rows)):
        return
    with suppress(*DAMAGE), _rows(connection, samples_table, number) as stored:
        joined = column_rows(tuple(samples_of(stored)), 0)
        connection.execute(samples_table.delete().where(of_run))
        connection.execute(samples_table.insert(), [row | {"run": number} for row in joined])


def join_traces(connection: sa.Connection, number: int) -> None:
    """One row for all of them, as `join_samples` makes one of each figure."""
    of_run = traces_table.c.run == number
    if connection.execute(sa.select(sa.func.count()).where(of_run)).scalar_one() < 2:
        return
    with suppress(*DAMAGE), _rows(connection, traces_table, number) as stored:
        joined = trace_rows(tuple(traces_of(stored)))
        connection.execute(traces_table.delete().where(of_run))
        connection.execute(traces_table.insert(), [row | {"run": number} for row in joined])


def whole_run(connection: sa.Connection, row: Mapping[Any, Any]) -> Run:
    """Raises one of DAMAGE where a row is damaged."""
    number = row["number"]
    with _rows(connection, samples_table, number) as samples, _rows(connection, traces_table, number) as traces:
        contents = contents_of(row["kind"], samples, traces, partial(log_of, connection, number))
    with _rows(connection, problems_table, number) as problems:
        return run_of(row, contents, tuple(map(problem_of, problems)))


@contextmanager
def _rows(connection: sa.Connection, table: sa.Table, number: int) -> Iterator[Iterable[Mapping[Any, Any]]]:
    """They are closed where one is damaged: its exception would keep the rest of them open, and SQLite's lock for all who write."""
    with connection.execute(sa.select(table).where(table.c.run == number).order_by(table.c.number)) as rows:
        yield rows.mappings()


def log_of(connection: sa.Connection, number: int, name: str) -> bytes:
    """One log of a run; empty where it has none of the name."""
    query = sa.select(logs_table.c.data).where(logs_table.c.run == number, logs_table.c.name == name).order_by(logs_table.c.number)
    with connection.execute(query) as rows:
        return b"".join(map(unpacked, rows.scalars()))
