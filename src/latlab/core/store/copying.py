# SPDX-License-Identifier: BSD-3-Clause
"""Runs from one store into another, such as the two of a comparison into a file that is handed on."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from latlab.core.store.schema import lives_table, logs_table, problems_table, runs_table, samples_table, traces_table
from latlab.core.store.store import Store

PARTS = (lives_table, samples_table, traces_table, problems_table, logs_table)


def copy_runs(source: Store, ids: Iterable[str], target: Store) -> None:
    """Whole runs with their raw logs, under the same ids. A run that the target has already stays there as it is. Raises UsageError for an
    id that `source` does not have."""
    for run_id in dict.fromkeys(map(source.resolve, ids)):
        if target.has(run_id):
            continue
        with source.transaction() as connection:
            run = dict(connection.execute(sa.select(runs_table).where(runs_table.c.id == run_id)).mappings().one())
            of_run = {
                table: [dict(row) for row in connection.execute(sa.select(table).where(table.c.run == run["number"])).mappings()]
                for table in PARTS
            }
        del run["number"]
        with target.transaction() as connection:
            (number,) = connection.execute(runs_table.insert(), run).inserted_primary_key or (None,)
            for table, rows in of_run.items():
                if rows:
                    connection.execute(table.insert(), [{**row, "run": number} for row in map(_without_number, rows)])


def _without_number(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name != "number"}
