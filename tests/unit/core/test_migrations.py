# SPDX-License-Identifier: BSD-3-Clause
"""How a store of an older version becomes one of a newer version, with a step that exists only here."""

import sqlite3
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


@pytest.mark.parametrize("other", [1, SCHEMA_VERSION - 1, SCHEMA_VERSION + 1])
def test_a_store_of_another_version_is_refused_and_left_as_it_is(place: Path, other: int) -> None:
    with closing(sqlite3.connect(place)) as tables, tables:
        tables.execute(f"UPDATE latlab_schema SET version = {other}")
    with pytest.raises(DataError, match=f"has schema {other}, this latlab knows schema {SCHEMA_VERSION}; use the latlab that made it"):
        open_store(str(place))
    assert version(place) == other and list(place.parent.iterdir()) == [place]
