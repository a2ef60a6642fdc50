# SPDX-License-Identifier: BSD-3-Clause
"""A checksum (CRC-32) of every row: SQLite gives back a byte that changed in its file as it gives back any other.

A row of a run has two: one of the columns that a list of runs shows, which covers the other one, of the rest. `parts` of a run is the sum
of the checksums of its samples, traces, problems and logs, so that none of them can go missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

import msgspec
import sqlalchemy as sa

from latlab.core.model.life import Head
from latlab.core.store.schema import lives_table, logs_table, problems_table, runs_table, samples_table, traces_table

Row = Mapping[Any, Any]
HEAD = (*("sample_count" if name == "samples" else name for name in Head._fields), "removed_utc", "facts_checksum")
"""The columns of a run that `checksum` covers, in its order."""
FACTS = tuple(column.name for column in runs_table.columns if column.name not in {"number", "checksum", "parts", *HEAD})
FLOATS = tuple(column.name for column in runs_table.columns if isinstance(column.type, sa.Float))
"""A database returns a whole number there as one with a point."""
NEW = {"label": "", "sample_count": 0, "removed_utc": "", "parts": 0}
_encode = msgspec.json.Encoder().encode
PARTS = (samples_table, traces_table, problems_table, logs_table)


def sealed(table: sa.Table, row: Row) -> dict[str, Any]:
    """Add the checksum to a row that has every other column of the table but its number."""
    return {**row, "checksum": _of(row, _covered(table))}


def sealed_run(row: Row) -> dict[str, Any]:
    """Add both checksums to a row of `runs`."""
    whole = NEW | dict(row)
    whole["facts_checksum"] = _of(whole, FACTS)
    return whole | {"checksum": _of(whole, HEAD)}


def check(table: sa.Table, row: Row) -> Row:
    """Return the row, or raise ValueError if a value of it has changed since it was written."""
    if table is runs_table and row["facts_checksum"] != _of(row, FACTS):
        raise ValueError("checksum mismatch in its facts")
    if row["checksum"] != _of(row, HEAD if table is runs_table else _covered(table)):
        raise ValueError(f"checksum mismatch in its row of {table.name}")
    return row


def check_head(cells: Sequence[object], checksum: object) -> None:
    """Raise ValueError if a value of the columns HEAD of a run, of which none has bytes, has changed since they were written."""
    if checksum != crc32(_encode(cells)):
        raise ValueError("checksum mismatch in what a list shows")


def change_run(connection: sa.Connection, number: int, values: Row) -> None:
    """Set columns of a run, and its checksums. Requires a transaction of `Store.writing`. A damaged row keeps its wrong checksum."""
    this_run = runs_table.c.number == number
    row = connection.execute(sa.select(runs_table).where(this_run).with_for_update()).mappings().one()
    connection.execute(runs_table.update().where(this_run), dict(values) if is_damaged(runs_table, row) else _changed(row, values))


def change_life(connection: sa.Connection, number: int, values: Row) -> None:
    """Set columns of a run's life as `change_run` does; nothing happens where it has none."""
    of_run = lives_table.c.run == number
    row = connection.execute(sa.select(lives_table).where(of_run).with_for_update()).mappings().first()
    if row is not None:
        new = values if is_damaged(lives_table, row) else {**values, "checksum": sealed(lives_table, {**row, **values})["checksum"]}
        connection.execute(lives_table.update().where(of_run), dict(new))


def add_parts(connection: sa.Connection, table: sa.Table, rows: Iterable[Row]) -> int:
    """Insert rows of one of PARTS, each with the number of its run. Returns the sum of their checksums."""
    new = [sealed(table, row) for row in rows]
    if new:
        connection.execute(table.insert(), new)
    return sum(row["checksum"] for row in new)


def sum_of_parts(connection: sa.Connection, number: int) -> int:
    sums = (sa.select(sa.func.coalesce(sa.func.sum(table.c.checksum), 0)).where(table.c.run == number) for table in PARTS)
    return sum(int(connection.execute(query).scalar_one()) for query in sums)


def _changed(row: Row, values: Row) -> dict[str, Any]:
    new = sealed_run({**row, **values})
    return {**values, "facts_checksum": new["facts_checksum"], "checksum": new["checksum"]}


def is_damaged(table: sa.Table, row: Row) -> bool:
    """Tell whether `check` refuses the row."""
    try:
        check(table, row)
    except ValueError:
        return True
    return False


def _covered(table: sa.Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns if column.name not in ("number", "checksum"))


def _of(row: Row, names: Iterable[str]) -> int:
    return _crc(tuple(float(row[name]) if name in FLOATS and isinstance(row[name], int) else row[name] for name in names))


def _crc(cells: tuple[object, ...]) -> int:
    """Compute the CRC-32 of the cells as JSON, which is the same text on every machine. Bytes go in by their own CRC-32."""
    plain = [crc32(cell) if isinstance(cell, bytes) else cell for cell in cells]
    return crc32(_encode(plain))
