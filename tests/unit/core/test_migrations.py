# SPDX-License-Identifier: BSD-3-Clause
"""How a store of an older version becomes one of a newer version, with a step that exists only here."""

import gzip
import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from latlab.core.errors import DataError
from latlab.core.store import migrations
from latlab.core.store import store as stores
from latlab.core.store.schema import SCHEMA_VERSION
from latlab.core.store.store import open_store
from support.places import TESTS
from support.stored_campaigns import unpack_campaigns


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite"
    unpack_campaigns(path)
    return path


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This latlab has one version more, whose step adds a column and reads all campaigns."""
    for module in (migrations, stores):
        monkeypatch.setattr(module, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    monkeypatch.setattr(migrations, "STEPS", {SCHEMA_VERSION: step})
    yield


def step(connection: sa.Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN migrated TEXT NOT NULL DEFAULT 'yes'")
    for (campaign,) in connection.exec_driver_sql("SELECT campaign FROM runs").all():
        if campaign == "unreadable":
            raise ValueError("campaign unreadable")


def shape(place: Path) -> set[tuple[str, ...]]:
    with closing(sqlite3.connect(place)) as tables:
        names = [name for (name,) in tables.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {(name, *map(str, row[1:])) for name in names for row in tables.execute(f"PRAGMA table_info({name})")}
        return columns | {row for row in tables.execute("SELECT 'index', name, tbl_name FROM sqlite_master WHERE type = 'index'")}


@pytest.fixture
def older(tmp_path: Path) -> Path:
    path = tmp_path / "older.sqlite"
    path.write_bytes(gzip.decompress((TESTS / "data/stores/version-5.sqlite.gz").read_bytes()))
    return path


@pytest.fixture(name="former", params=[5, 6])
def fixture_former(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The same two runs in a store of each version that is migrated."""
    path = tmp_path / "former.sqlite"
    path.write_bytes(gzip.decompress((TESTS / f"data/stores/version-{request.param}.sqlite.gz").read_bytes()))
    return path


Numbers = tuple[object, ...]


def traces_before_7(place: Path, run_id: str) -> list[tuple[Numbers, list[Numbers]]]:
    of_run = "run = (SELECT number FROM runs WHERE id = ?)"
    query = f"SELECT test, boot, iteration, cluster, core, lost, records FROM traces WHERE {of_run} ORDER BY number"
    with closing(sqlite3.connect(place)) as tables:
        return [(tuple(row[:-1]), list(map(tuple, json.loads(zlib.decompress(row[-1]))))) for row in tables.execute(query, (run_id,))]


def test_a_store_of_each_former_version_keeps_its_traces(former: Path, tmp_path: Path) -> None:
    before = {run_id: traces_before_7(former, run_id) for run_id in ("psci-b1b7", "psci-1cb6")}
    store = open_store(str(former))
    for run_id, traces in before.items():
        after = [
            (
                (trace.test, trace.boot, trace.iteration, trace.core.cluster, trace.core.core, trace.lost),
                [(record.sequence, record.time_ticks, record.event, record.arg) for record in trace.records],
            )
            for trace in store.load(run_id).traces
        ]
        assert after == traces != []
    open_store(str(tmp_path / "new.sqlite"))
    assert shape(former) == shape(tmp_path / "new.sqlite")


@pytest.mark.parametrize("column", ["lost", "records", "test"])
def test_a_damaged_trace_of_a_former_version_costs_its_run_alone(former: Path, column: str) -> None:
    with closing(sqlite3.connect(former)) as damaged, damaged:
        damaged.execute(f"UPDATE traces SET {column} = x'00' WHERE number = (SELECT min(number) FROM traces)")
    store = open_store(str(former))
    outcomes = []
    for run in store.runs():
        try:
            outcomes.append(len(store.load(run.id).traces))
        except DataError as error:
            outcomes.append(f"run {run.id} in" in str(error))
    assert sorted(outcomes) == [True, 36]


def samples_of_5(place: Path, run_id: str) -> list[tuple[object, ...]]:
    columns = "test, metric, cluster, core, boot, iteration, value_ticks"
    of_run = "run = (SELECT number FROM runs WHERE id = ?)"
    with closing(sqlite3.connect(place)) as tables:
        return tables.execute(f"SELECT {columns} FROM samples WHERE {of_run} ORDER BY number", (run_id,)).fetchall()


def test_a_store_of_the_last_version_has_the_same_samples_in_the_tables_of_this_one(older: Path, tmp_path: Path) -> None:
    before = {run_id: samples_of_5(older, run_id) for run_id in ("psci-b1b7", "psci-1cb6")}
    store = open_store(str(older))
    for run_id, samples in before.items():
        found = store.load(run_id).samples
        assert [(s.test, s.metric, s.core.cluster, s.core.core, s.boot, s.iteration, s.value_ticks) for s in found] == samples != []
    open_store(str(tmp_path / "new.sqlite"))
    assert shape(older) == shape(tmp_path / "new.sqlite")


def test_a_damaged_sample_of_the_last_version_costs_its_run_alone(older: Path) -> None:
    with closing(sqlite3.connect(older)) as damaged, damaged:
        damaged.execute("UPDATE samples SET core = 'x' WHERE number = (SELECT min(number) FROM samples)")
    store = open_store(str(older))
    outcomes = []
    for run in store.runs():
        try:
            outcomes.append(len(store.load(run.id).samples))
        except DataError as error:
            outcomes.append(f"run {run.id} in" in str(error))
    assert True in outcomes and max(map(int, outcomes)) > 1


def version(place: Path) -> int:
    with closing(sqlite3.connect(place)) as tables:
        return int(tables.execute("SELECT version FROM latlab_schema").fetchone()[0])


@pytest.mark.usefixtures("newer")
def test_a_migration_that_succeeds_leaves_no_copy_and_is_not_done_twice(place: Path) -> None:
    first = [run.id for run in open_store(str(place)).runs()]
    assert version(place) == SCHEMA_VERSION + 1 and list(place.parent.iterdir()) == [place]
    assert [run.id for run in open_store(str(place)).runs()] == first != []


@pytest.mark.usefixtures("newer")
def test_a_migration_that_fails_leaves_the_older_store_and_its_copy(place: Path) -> None:
    with closing(sqlite3.connect(place)) as damaged, damaged:
        damaged.execute("UPDATE runs SET campaign = 'unreadable' WHERE id = 'psci-0660'")
    before = sqlite3.connect(place).execute("SELECT sql FROM sqlite_master").fetchall()
    with pytest.raises(DataError, match="campaign unreadable"):
        open_store(str(place))
    assert sqlite3.connect(place).execute("SELECT sql FROM sqlite_master").fetchall() == before
    assert version(place) == SCHEMA_VERSION and Path(f"{place}.version-{SCHEMA_VERSION}").exists()


@pytest.mark.parametrize("other", [1, 4, SCHEMA_VERSION + 1])
def test_a_store_of_another_version_is_refused_and_left_as_it_is(place: Path, other: int) -> None:
    with closing(sqlite3.connect(place)) as tables, tables:
        tables.execute(f"UPDATE latlab_schema SET version = {other}")
    with pytest.raises(DataError, match=f"has schema {other}, this latlab knows schema {SCHEMA_VERSION}; use the latlab that made it"):
        open_store(str(place))
    assert version(place) == other and list(place.parent.iterdir()) == [place]
