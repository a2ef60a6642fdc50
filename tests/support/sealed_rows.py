# SPDX-License-Identifier: BSD-3-Clause
"""Many rows of a store at once, with the checksums that it gives each run as it arrives."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from latlab.core.store.checksums import PARTS, sealed, sealed_run
from latlab.core.store.schema import lives_table, runs_table


def insert(connection: sa.Connection, rows: Mapping[sa.Table, Sequence[Mapping[str, Any]]]) -> None:
    """`rows` has those of `runs_table`, with their numbers, and of other tables all that belong to these runs."""
    new = {table: [sealed(table, row) for row in of_table] for table, of_table in rows.items() if table is not runs_table}
    sums: Counter[int] = Counter()
    for table, of_table in new.items():
        for row in of_table if table in PARTS else ():
            sums[row["run"]] += row["checksum"]
    runs = [sealed_run({**row, "parts": sums[row["number"]]}) for row in rows[runs_table]]
    for table, of_table in {runs_table: runs, **new}.items():
        if of_table:
            connection.execute(table.insert(), of_table)


def reseal(place: Path | str) -> None:
    """The rows of a store as they stand now are those that were written: a test has changed some of them, whose text is no UTF-8 maybe."""
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.row_factory = sqlite3.Row
        sums: Counter[int] = Counter()
        for table in PARTS:
            for row in _rows(connection, table):
                sums[row["run"]] += _update(connection, table, sealed(table, row), "checksum")
        for row in _rows(connection, lives_table):
            _update(connection, lives_table, sealed(lives_table, row), "checksum")
        for row in _rows(connection, runs_table):
            _update(connection, runs_table, sealed_run({**row, "parts": sums[row["number"]]}), "parts", "facts_checksum", "checksum")


def _rows(connection: sqlite3.Connection, table: sa.Table) -> Iterator[dict[str, Any]]:
    for (number,) in connection.execute(f"SELECT number FROM {table.name}").fetchall():
        with suppress(sqlite3.OperationalError):
            yield dict(connection.execute(f"SELECT * FROM {table.name} WHERE number = ?", (number,)).fetchone())


def _update(connection: sqlite3.Connection, table: sa.Table, row: Mapping[str, Any], *names: str) -> int:
    values = ", ".join(f"{name} = {row[name]}" for name in names)
    connection.execute(f"UPDATE {table.name} SET {values} WHERE number = {row['number']}")
    return int(row["checksum"])
