# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a new store are those that stores of this version have: another column is another version, with a migration."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from latlab.core.store.schema import SCHEMA_VERSION
from latlab.core.store.store import open_store

# Of SQLite's own description: the name and type of each column, ! where it must not be empty, = what it is where nothing is said.
OF_RUN = "number INTEGER!, run INTEGER!, checksum BIGINT!"
TABLES = {
    "latlab_schema": "version INTEGER!",
    "runs": (
        "number INTEGER!, id TEXT!, campaign TEXT!, target TEXT!, platform TEXT!, topology TEXT!, clock TEXT!, tick_value FLOAT!, "
        "firmware TEXT!, events_hash TEXT, build_options TEXT!, lead TEXT, status TEXT!, capture_cost_ticks FLOAT, started_utc TEXT!, "
        "emulator TEXT!, command TEXT!, facts TEXT!, kind TEXT!='spans', conditions TEXT!='{}', source TEXT!='', code_bytes BIGINT, "
        "printed_deltas TEXT!='[]', resolutions TEXT!='[]', label TEXT!='', sample_count BIGINT!='0', provenance TEXT!='{}', "
        "removed_utc TEXT!='', facts_checksum BIGINT!, checksum BIGINT!, parts BIGINT!"
    ),
    "lives": f"{OF_RUN}, owner TEXT!, heartbeat_utc TEXT!, phase TEXT!, leaves TEXT!, part TEXT!",
    "sample_columns": f"{OF_RUN}, test TEXT!, metric TEXT!, columns BLOB!",
    "trace_columns": f"{OF_RUN}, columns BLOB!",
    "problems": f"{OF_RUN}, line BIGINT!, message TEXT!, kind TEXT!='input'",
    "logs": f"{OF_RUN}, name TEXT!, data BLOB!",
    "comparisons": f"{OF_RUN}, base TEXT!, verdict TEXT!, sentence TEXT!, cause TEXT!, made_by TEXT!",
}
UNIQUE = {"runs": {"id"}, "lives": {"run"}}
FOUND_BY = {table: {"run"} for table in ("trace_columns", "problems", "logs", "comparisons")} | {
    "sample_columns": {"run", "test"},
    "runs": {"label", "started_utc", "removed_utc", "platform", "firmware", "campaign", "status"},
}


@pytest.fixture(name="tables")
def fixture_tables(tmp_path: Path) -> sqlite3.Connection:
    store = open_store(str(tmp_path / "new.sqlite"))
    assert store.runs() == ()
    store.close()
    return sqlite3.connect(tmp_path / "new.sqlite")


def test_a_new_store_has_the_tables_of_its_version(tables: sqlite3.Connection) -> None:
    assert tables.execute("SELECT version FROM latlab_schema").fetchall() == [(8,)] and SCHEMA_VERSION == 8
    names = tables.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    assert {name for (name,) in names} == set(TABLES)
    for table, columns in TABLES.items():
        rows = tables.execute(f"PRAGMA table_info({table})").fetchall()
        said = [f"{name} {kind}{'!' * not_null}{'' if usual is None else f'={usual}'}" for _, name, kind, not_null, usual, _ in rows]
        assert ", ".join(said) == columns
        assert [name for _, name, _, _, _, key in rows if key] == [rows[0][1]], "the first column alone is the key"


def test_what_belongs_to_a_run_goes_with_it_and_is_found_by_it(tables: sqlite3.Connection) -> None:
    for table in TABLES:
        indices = tables.execute(f"PRAGMA index_list({table})").fetchall()
        by = {(tables.execute(f"PRAGMA index_info({name})").fetchall()[0][2], bool(unique)) for _, name, unique, *_ in indices}
        assert {column for column, unique in by if unique} == UNIQUE.get(table, set())
        assert {column for column, unique in by if not unique} == FOUND_BY.get(table, set())
        keys = [row[2:7] for row in tables.execute(f"PRAGMA foreign_key_list({table})").fetchall()]
        belongs = table not in ("latlab_schema", "runs")
        assert keys == ([("runs", "run", "number", "NO ACTION", "CASCADE")] if belongs else [])
