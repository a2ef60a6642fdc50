# SPDX-License-Identifier: BSD-3-Clause
"""The runs of a store as a list, which reads none of their contents; and what is done to whole runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from latlab.core.errors import UsageError
from latlab.core.model.life import Head
from latlab.core.store.schema import lives_table, logs_table, problems_table, runs_table, samples_table, traces_table
from latlab.core.store.store import Store

PARTS = (samples_table, traces_table, problems_table, logs_table, lives_table)
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs are wanted; an empty field takes all. `since_utc` and `before_utc` are times as `started_utc` has them, or their
    beginnings; `limit` takes the newest."""

    campaign: str = ""
    platform: str = ""
    label: str = ""
    status: str = ""
    since_utc: str = ""
    before_utc: str = ""
    limit: int | None = None


def heads(store: Store, chosen: Filter = Filter()) -> tuple[Head, ...]:
    """A line for each run, the oldest first."""
    runs = runs_table.c
    columns = (
        *(runs.id, runs.campaign, runs.kind, runs.target, runs.platform, runs.topology, runs.clock, runs.firmware),
        *(runs.status, runs.started_utc, runs.sample_count, runs.label),
    )
    query = sa.select(*columns).order_by(runs.number.desc())
    for column in (runs.campaign, runs.platform, runs.label, runs.status):
        value = getattr(chosen, column.name)
        query = query.where(column == value) if value else query
    query = query.where(runs.started_utc >= chosen.since_utc) if chosen.since_utc else query
    query = query.where(runs.started_utc < chosen.before_utc) if chosen.before_utc else query
    query = query if chosen.limit is None else query.limit(chosen.limit)
    with store.transaction() as connection:
        return tuple(Head._make(map(_shown, row)) for row in reversed(connection.execute(query).all()))


def _shown(value: object) -> object:
    """A damaged row is listed too, so that it can be removed: SQLite keeps bytes, or nothing, where text should be."""
    if value is None:
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def remove(store: Store, ids: Sequence[str]) -> None:
    """Runs with all that is kept of them. No reference to them may be needed any more: there is no way back."""
    with store.transaction() as connection:
        for start in range(0, len(ids), AT_ONCE):
            numbers_query = sa.select(runs_table.c.number).where(runs_table.c.id.in_(ids[start : start + AT_ONCE]))
            numbers = list(connection.execute(numbers_query).scalars())
            for table in PARTS:
                connection.execute(table.delete().where(table.c.run.in_(numbers)))
            connection.execute(runs_table.delete().where(runs_table.c.number.in_(numbers)))


def set_label(store: Store, run_id: str, label: str) -> None:
    """An empty label takes it away. Raises UsageError for one by which no run could be named."""
    if "+" in label:
        other = label.replace("+", "-")
        raise UsageError(f"the label {label!r} contains a +, which joins runs in references; use another character, as in {other!r}")
    with store.transaction() as connection:
        connection.execute(runs_table.update().where(runs_table.c.id == run_id), {"label": label})
