# SPDX-License-Identifier: BSD-3-Clause
"""The runs of a store as a list, which reads none of their contents; and what is done to whole runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec
import sqlalchemy as sa

from latlab.core.errors import UsageError
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.life import Head
from latlab.core.model.run import Sample
from latlab.core.store.checksums import HEAD, PARTS, change_run, check, check_head
from latlab.core.store.choice import ALL, Filter
from latlab.core.store.restarts import through_a_restart
from latlab.core.store.rows import now_utc
from latlab.core.store.sample_columns import samples_of
from latlab.core.store.schema import comparisons_table, lives_table, runs_table, samples_table
from latlab.core.store.store import Store

OF_A_RUN = (*PARTS, lives_table, comparisons_table)
AT_ONCE = 500
FIELDS = len(Head._fields)
HEAD_COLUMNS = tuple(runs_table.c[name] for name in (*HEAD, "checksum"))
"""What `head_of` takes."""


@through_a_restart
def heads(store: Store, chosen: Filter = ALL) -> tuple[Head, ...]:
    """A line for each run, the oldest first."""
    query = sa.select(*HEAD_COLUMNS).where(*chosen.clauses()).order_by(_order(chosen).desc())
    with store.transaction() as connection:
        if chosen.conditions:
            rows = list(islice(_under_conditions(connection, query, chosen.conditions), chosen.limit))
        else:
            rows = [tuple(row) for row in connection.execute(query.limit(chosen.limit))]
        return tuple(head_of(store, row) for row in reversed(rows))


def _order(chosen: Filter) -> sa.ColumnElement[int]:
    """By number. For a range of dates it is an expression: SQLite else reads every row in the order of numbers, and no index of dates."""
    number = runs_table.c.number
    return number + 0 if chosen.since_utc or chosen.before_utc else number


def head_of(store: Store, row: Sequence[object]) -> Head:
    """A row of `HEAD_COLUMNS`; the store names it where it is damaged. Many thousands of runs have few different conditions."""
    cells = row[:FIELDS]
    is_plain = None not in cells
    try:
        check_head(row[:-1], row[-1])
    except ValueError as error:
        store.name_damage(str(row[0]), error)
        is_plain = False
    if not is_plain:
        cells = [_shown(cell) for cell in cells]
    return Head(*cells[:-2], sys.intern(str(cells[-2])), str(cells[-1]))  # type: ignore[arg-type,call-arg]


def _under_conditions(connection: sa.Connection, query: sa.Select[Any], conditions: Sequence[tuple[str, str]]) -> Iterator[tuple[Any, ...]]:
    """Conditions are JSON in a row, so each row is read."""
    for *row, packed in connection.execute(query.add_columns(runs_table.c.conditions)):
        stated = _stated(packed)
        if all(_text(stated.get(name)) == value for name, value in conditions):
            yield tuple(row)


def _stated(packed: object) -> dict[str, Any]:
    try:
        return msgspec.json.decode(packed, type=dict[str, Any]) if isinstance(packed, str) else {}
    except msgspec.MsgspecError:
        return {}


def _text(value: object) -> str | None:
    """As a user writes it: the words of a list with spaces between."""
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(str, value)) if isinstance(value, list) else None if value is None else str(value)


def _shown(value: object) -> object:
    """A damaged row is listed too, so that it can be removed: SQLite keeps bytes, or nothing, where text should be."""
    if value is None:
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def figure_samples(store: Store, test: str, metric: Metric, chosen: Filter = ALL) -> Iterator[tuple[Head, tuple[Sample, ...]]]:
    """The samples of one test and metric of every complete run that has some, as they were stored. They are read as they are taken. The
    store names a damaged run and leaves it out."""
    query = (
        sa.select(*samples_table.columns, *HEAD_COLUMNS[:-1], HEAD_COLUMNS[-1].label("of_head"))
        .join(samples_table, samples_table.c.run == runs_table.c.number)
        .where(*replace(chosen, status=RunStatus.COMPLETE.value).clauses())
        .where(samples_table.c.test == test, samples_table.c.metric == metric.value)
    )
    for row in store.each_row(query, samples_table.c.number):
        cells = [*(row[column] for column in HEAD_COLUMNS[:-1]), row["of_head"]]
        with store.leaving_out(row["id"]):
            check_head(cells[:-1], cells[-1])
            yield head_of(store, cells), tuple(samples_of([check(samples_table, row)]))


def set_removed(store: Store, ids: Sequence[str], is_removed: bool) -> None:
    """A removed run is in no list and has no name, until it is restored or deleted."""
    _change(store, ids, {"removed_utc": now_utc() if is_removed else ""})


@through_a_restart
def _change(store: Store, ids: Sequence[str], values: Mapping[str, str]) -> None:
    with store.writing() as connection:
        for start in range(0, len(ids), AT_ONCE):
            numbers = sa.select(runs_table.c.number).where(runs_table.c.id.in_(ids[start : start + AT_ONCE]))
            for number in connection.execute(numbers).scalars().all():
                change_run(connection, number, values)


@through_a_restart
def remove(store: Store, ids: Sequence[str]) -> None:
    """Runs with all that is kept of them. No reference to them may be needed any more: there is no way back."""
    with store.transaction() as connection:
        for start in range(0, len(ids), AT_ONCE):
            numbers_query = sa.select(runs_table.c.number).where(runs_table.c.id.in_(ids[start : start + AT_ONCE]))
            numbers = list(connection.execute(numbers_query).scalars())
            for table in OF_A_RUN:
                connection.execute(table.delete().where(table.c.run.in_(numbers)))
            connection.execute(runs_table.delete().where(runs_table.c.number.in_(numbers)))


def set_label(store: Store, run_id: str, label: str) -> None:
    """An empty label takes it away. Raises UsageError for one by which no run could be named."""
    if "+" in label:
        other = label.replace("+", "-")
        raise UsageError(
            f"the label {label!r} contains a +, which joins runs in references", f"use another character, as in {other!r}", value=label
        )
    _change(store, (run_id,), {"label": label})
