# SPDX-License-Identifier: BSD-3-Clause
"""A store of an older version becomes one of this version, in the transaction of its caller: all of it, or nothing."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, CoreTrace, Sample, TraceRecord
from latlab.core.store.sample_columns import column_rows
from latlab.core.store.schema import SCHEMA_VERSION, comparisons_table, runs_table, samples_table, schema_table, traces_table
from latlab.core.store.trace_columns import trace_rows

NUMBERS = ("cluster", "core", "boot", "iteration", "value_ticks")
PLACE_OF_6 = ("boot", "iteration", "cluster", "core", "lost")
TRACES_OF_6 = sa.table("traces", *map(sa.column, ("number", "run", "test", "records", *PLACE_OF_6)))
SAMPLES_OF_5 = sa.table("samples", *map(sa.column, ("number", "run", "test", "metric", *NUMBERS)))


def _samples_to_columns(connection: sa.Connection) -> None:
    """From one row a sample to one row a figure, run by run; and what finds runs among many."""
    connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN removed_utc TEXT NOT NULL DEFAULT ''")
    for index in runs_table.indexes:
        index.create(connection)
    samples_table.create(connection)
    comparisons_table.create(connection)
    for number in connection.execute(sa.select(SAMPLES_OF_5.c.run).distinct()).scalars().all():
        of_run = sa.select(SAMPLES_OF_5).where(SAMPLES_OF_5.c.run == number).order_by(SAMPLES_OF_5.c.number)
        rows = _columns_of_5(connection.execute(of_run).mappings().all())
        connection.execute(samples_table.insert(), [row | {"run": number} for row in rows])
    connection.exec_driver_sql("DROP TABLE samples")


def _columns_of_5(rows: Sequence[sa.RowMapping]) -> list[dict[str, Any]]:
    """A run with a damaged row stays a damaged run, and keeps no other one from its migration."""
    try:
        return column_rows(list(map(_sample_of_5, rows)), 0)
    except (ValueError, TypeError):
        return [{"test": "", "metric": "", "columns": b""}]


def _sample_of_5(row: sa.RowMapping) -> Sample:
    test, metric, *numbers = (row[name] for name in ("test", "metric", *NUMBERS))
    if not (isinstance(test, str) and all(isinstance(number, int) for number in numbers)):
        raise ValueError(f"a sample of run number {row['run']} in the test {test!r} is {numbers!r}")
    cluster, core, boot, iteration, value = numbers
    return Sample(test, Metric(metric), CoreId(cluster, core), boot, iteration, value)


def _traces_to_columns(connection: sa.Connection) -> None:
    """From one row a trace to one row a run."""
    traces_table.create(connection)
    for number in connection.execute(sa.select(TRACES_OF_6.c.run).distinct()).scalars().all():
        of_run = sa.select(TRACES_OF_6).where(TRACES_OF_6.c.run == number).order_by(TRACES_OF_6.c.number)
        rows = _columns_of_6(connection.execute(of_run).mappings().all())
        connection.execute(traces_table.insert(), [row | {"run": number} for row in rows])
    connection.exec_driver_sql("DROP TABLE traces")


def _columns_of_6(rows: Sequence[sa.RowMapping]) -> list[dict[str, Any]]:
    try:
        return trace_rows(list(map(_trace_of_6, rows)))
    except (ValueError, TypeError, zlib.error):
        return [{"columns": b""}]


def _trace_of_6(row: sa.RowMapping) -> CoreTrace:
    test, packed, *numbers = (row[name] for name in ("test", "records", *PLACE_OF_6))
    if not (isinstance(test, str) and all(isinstance(number, int) for number in numbers)):
        raise ValueError(f"a trace of run number {row['run']} in the test {test!r} is {numbers!r}")
    boot, iteration, cluster, core, lost = numbers
    records = msgspec.json.decode(zlib.decompress(packed), type=list[tuple[int, int, str, int]])
    return CoreTrace(test, boot, iteration, CoreId(cluster, core), tuple(TraceRecord(*record) for record in records), lost)


STEPS: Mapping[int, Callable[[sa.Connection], None]] = {5: _samples_to_columns, 6: _traces_to_columns}
"""From a version to the one behind it. A step raises ValueError or KeyError where a row is damaged. Nothing older than 5 was released."""


def can_migrate(version: int) -> bool:
    """Whether a step leads from each version between `version` and this one."""
    return version < SCHEMA_VERSION and all(number in STEPS for number in range(version, SCHEMA_VERSION))


def migrate(connection: sa.Connection, version: int) -> None:
    """Requires `can_migrate(version)`. Raises what the steps raise."""
    for number in range(version, SCHEMA_VERSION):
        STEPS[number](connection)
    connection.execute(schema_table.update().values(version=SCHEMA_VERSION))
