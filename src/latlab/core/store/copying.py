# SPDX-License-Identifier: BSD-3-Clause
"""Runs from one store into another, such as the two of a comparison into a file that is handed on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from latlab.core.store.checksums import PARTS, check, sealed
from latlab.core.store.run_parts import add_rows, check_parts
from latlab.core.store.schema import lives_table, runs_table
from latlab.core.store.store import Store


def copy_runs(source: Store, ids: Iterable[str], target: Store) -> None:
    """Whole runs with their raw logs, under the same ids. A run that the target has already stays there as it is. Raises UsageError for an
    id that `source` does not have."""
    for run_id in dict.fromkeys(map(source.resolve, ids)):
        if target.has(run_id):
            continue
        with source.reading() as connection, source.naming(run_id):
            run = check(runs_table, connection.execute(sa.select(runs_table).where(runs_table.c.id == run_id)).mappings().one())
            check_parts(connection, run["number"])
            lives = _rows(connection, lives_table, run["number"])
            parts = {table: _rows(connection, table, run["number"]) for table in PARTS}
        with target.writing() as connection:
            (number,) = connection.execute(runs_table.insert(), _without(run, "number") | {"parts": 0}).inserted_primary_key or (0,)
            for life in lives:
                connection.execute(lives_table.insert(), sealed(lives_table, life | {"run": number}))
            for table, rows in parts.items():
                add_rows(connection, table, number, rows)


def _rows(connection: sa.Connection, table: sa.Table, number: int) -> list[dict[str, object]]:
    """Read rows in the form in which another run can take them."""
    rows = connection.execute(sa.select(table).where(table.c.run == number).order_by(table.c.number)).mappings()
    return [_without(check(table, row), "number", "run", "checksum") for row in rows]


def _without(row: Mapping[Any, Any], *names: str) -> dict[str, object]:
    return {name: value for name, value in row.items() if name not in names}
