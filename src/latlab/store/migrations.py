# SPDX-License-Identifier: BSD-3-Clause
"""A store of an older version brought up to this one, in the transaction of its caller: all of it, or nothing."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import sqlalchemy as sa

from latlab.formats.old_runs import lifted
from latlab.model.conditions import Conditions
from latlab.store.schema import SCHEMA_VERSION, metadata, problems_table, runs_table, samples_table, schema_table

_NEW_IN_2 = (
    (runs_table, ("kind", "conditions", "source", "code_bytes", "printed_deltas", "resolutions")),
    (problems_table, ("kind",)),
)
_NEW_IN_3 = ((runs_table, ("label", "sample_count")),)
_NEW_IN_5 = ((runs_table, ("provenance",)),)


def migrate(connection: sa.Connection, version: int) -> None:
    """From `version`. Raises ValueError or KeyError where a row is damaged."""
    if version < 2:
        _add(connection, _NEW_IN_2)
    if version < 3:
        metadata.create_all(connection)
        _add(connection, _NEW_IN_3)
        _count(connection)
    if version < 4:
        _lift(connection, version)
    _add(connection, _NEW_IN_5)
    connection.execute(schema_table.update().values(version=SCHEMA_VERSION))


def _add(connection: sa.Connection, new: tuple[tuple[sa.Table, tuple[str, ...]], ...]) -> None:
    for table, names in new:
        for name in names:
            column = sa.schema.CreateColumn(table.c[name]).compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {column}")


def _count(connection: sa.Connection) -> None:
    """Runs of older versions have no row in `lives`: all of them are at their end."""
    sample_counts = connection.execute(sa.select(samples_table.c.run, sa.func.count()).group_by(samples_table.c.run)).all()
    for number, count in sample_counts:
        connection.execute(runs_table.update().where(runs_table.c.number == number), {"sample_count": count})


def _lift(connection: sa.Connection, version: int) -> None:
    names = ("number", "campaign", "target", "conditions", "facts", "command", "events_hash")
    for number, campaign, target, conditions, facts, command, events in connection.execute(
        sa.select(*(runs_table.c[n] for n in names))
    ).all():
        fact_pairs = tuple((key, value) for key, value in json.loads(facts))
        decoded = msgspec.json.decode(conditions, type=Conditions)
        lifted_run = lifted(version, campaign, target, fact_pairs, json.loads(command), events is not None, decoded)
        values: dict[str, Any] = {"conditions": _json(lifted_run.conditions), "facts": _json(lifted_run.kept)}
        if version == 1:
            values |= {
                "kind": lifted_run.kind.value,
                "source": lifted_run.source,
                "code_bytes": lifted_run.code_bytes,
                "printed_deltas": _json(lifted_run.printed_deltas),
                "resolutions": _json(lifted_run.resolutions),
            }
        connection.execute(runs_table.update().where(runs_table.c.number == number), values)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
