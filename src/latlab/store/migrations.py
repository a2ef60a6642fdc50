# SPDX-License-Identifier: BSD-3-Clause
"""A store of an older version brought up to this one, in the transaction of its caller: all of it, or nothing."""

from __future__ import annotations

import json

import msgspec
import sqlalchemy as sa

from latlab.formats.run_v1 import typed
from latlab.store.schema import SCHEMA_VERSION, problems_table, runs_table, schema_table

OLDEST = 1
_NEW_COLUMNS = (
    (runs_table, ("kind", "conditions", "source", "code_bytes", "printed_deltas", "resolutions")),
    (problems_table, ("kind",)),
)


def can_migrate(version: int | None) -> bool:
    return version is not None and OLDEST <= version < SCHEMA_VERSION


def migrate(connection: sa.Connection) -> None:
    """From version 1. Raises ValueError or KeyError where a row is damaged."""
    for table, names in _NEW_COLUMNS:
        for name in names:
            column = sa.schema.CreateColumn(table.c[name]).compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {column}")
    old = connection.execute(sa.select(runs_table.c.number, runs_table.c.campaign, runs_table.c.target, runs_table.c.facts)).all()
    for number, campaign, target, facts in old:
        found = typed(campaign, target, tuple((key, value) for key, value in json.loads(facts)))
        values = {
            "kind": found.kind.value,
            "conditions": _json(found.conditions),
            "source": found.source,
            "code_bytes": found.code_bytes,
            "printed_deltas": _json(found.printed_deltas),
            "resolutions": _json(found.resolutions),
            "facts": _json(found.facts),
        }
        connection.execute(runs_table.update().where(runs_table.c.number == number), values)
    connection.execute(schema_table.update().values(version=SCHEMA_VERSION))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
