# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a store (docs/reference/export-schema.md has the same names)."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

SCHEMA_VERSION = 8

metadata = sa.MetaData()

schema_table = sa.Table("latlab_schema", metadata, sa.Column("version", sa.Integer, primary_key=True, autoincrement=False))

runs_table = sa.Table(
    "runs",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("campaign", sa.Text, nullable=False),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("platform", sa.Text, nullable=False),
    sa.Column("topology", sa.Text, nullable=False),
    sa.Column("clock", sa.Text, nullable=False),
    sa.Column("tick_value", sa.Float(53), nullable=False),
    sa.Column("firmware", sa.Text, nullable=False),
    sa.Column("events_hash", sa.Text),
    sa.Column("build_options", sa.Text, nullable=False),
    sa.Column("lead", sa.Text),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("capture_cost_ticks", sa.Float(53)),
    sa.Column("started_utc", sa.Text, nullable=False),
    sa.Column("emulator", sa.Text, nullable=False),
    sa.Column("command", sa.Text, nullable=False),
    sa.Column("facts", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False, server_default="spans"),
    sa.Column("conditions", sa.Text, nullable=False, server_default="{}"),
    sa.Column("source", sa.Text, nullable=False, server_default=""),
    sa.Column("code_bytes", sa.BigInteger),
    sa.Column("printed_deltas", sa.Text, nullable=False, server_default="[]"),
    sa.Column("resolutions", sa.Text, nullable=False, server_default="[]"),
    sa.Column("label", sa.Text, nullable=False, server_default=""),
    sa.Column("sample_count", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("provenance", sa.Text, nullable=False, server_default="{}"),
    sa.Column("removed_utc", sa.Text, nullable=False, server_default=""),
    sa.Column("facts_checksum", sa.BigInteger, nullable=False),
    sa.Column("checksum", sa.BigInteger, nullable=False),
    sa.Column("parts", sa.BigInteger, nullable=False),
    *(sa.Index(f"ix_runs_{name}", name) for name in ("label", "started_utc", "removed_utc")),
    *(sa.Index(f"ix_runs_{name}_started", name, "started_utc") for name in ("platform", "firmware", "campaign", "status")),
)


def _of_run() -> sa.Column[Any]:
    return sa.Column("run", sa.Integer, sa.ForeignKey("runs.number", ondelete="CASCADE"), nullable=False, index=True)


def _number() -> sa.Column[Any]:
    return sa.Column("number", sa.Integer, primary_key=True)


def _checksum() -> sa.Column[Any]:
    """Before long columns, so that summing reads none of them."""
    return sa.Column("checksum", sa.BigInteger, nullable=False)


lives_table = sa.Table(
    "lives",
    metadata,
    _number(),
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.number", ondelete="CASCADE"), nullable=False, unique=True),
    _checksum(),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("heartbeat_utc", sa.Text, nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("leaves", sa.Text, nullable=False),
    sa.Column("part", sa.Text, nullable=False),
)

samples_table = sa.Table(
    "sample_columns",
    metadata,
    _number(),
    _of_run(),
    _checksum(),
    sa.Column("test", sa.Text, nullable=False),
    sa.Column("metric", sa.Text, nullable=False),
    sa.Column("columns", sa.LargeBinary, nullable=False),
    sa.Index("ix_sample_columns_test_metric", "test", "metric"),
)

traces_table = sa.Table(
    "trace_columns",
    metadata,
    _number(),
    _of_run(),
    _checksum(),
    sa.Column("columns", sa.LargeBinary, nullable=False),
)

problems_table = sa.Table(
    "problems",
    metadata,
    _number(),
    _of_run(),
    _checksum(),
    sa.Column("line", sa.BigInteger, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False, server_default="input"),
)

logs_table = sa.Table(
    "logs",
    metadata,
    _number(),
    _of_run(),
    _checksum(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
)

comparisons_table = sa.Table(
    "comparisons",
    metadata,
    _number(),
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.number", ondelete="CASCADE"), nullable=False, index=True),
    _checksum(),
    sa.Column("base", sa.Text, nullable=False),
    sa.Column("verdict", sa.Text, nullable=False),
    sa.Column("sentence", sa.Text, nullable=False),
    sa.Column("cause", sa.Text, nullable=False),
    sa.Column("made_by", sa.Text, nullable=False),
)
