# SPDX-License-Identifier: BSD-3-Clause
"""A migration that is killed at any moment loses nothing: the store is whole, of the older version or of the newer one."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from latlab.core.model.run import Sample
from latlab.core.store.schema import SCHEMA_VERSION, runs_table, samples_table
from latlab.core.store.store import open_store
from support.sealed_rows import insert
from support.stored_campaigns import unpack_campaigns

pytestmark = pytest.mark.slow

COPIES = 400
MOMENTS = 20
OPEN = """
import sys
from latlab.core.store import migrations, store
from latlab.core.store.schema import SCHEMA_VERSION

def step(connection):
    connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN migrated TEXT NOT NULL DEFAULT ''")
    for (number,) in connection.exec_driver_sql("SELECT number FROM runs").all():
        connection.exec_driver_sql("UPDATE runs SET migrated = 'yes' WHERE number = ?", (number,))
        connection.exec_driver_sql("UPDATE sample_columns SET columns = columns WHERE run = ?", (number,))

migrations.SCHEMA_VERSION = store.SCHEMA_VERSION = SCHEMA_VERSION + 1
migrations.STEPS = {SCHEMA_VERSION: step}
print("begun", flush=True)
opened = store.open_store(sys.argv[1])
"""
"""A latlab whose store has one version more. The step to it writes every row of the store."""


@pytest.fixture(name="older", scope="module")
def fixture_older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with many copies of one run, so that its migration takes a while."""
    place = tmp_path_factory.mktemp("older") / "store.sqlite"
    unpack_campaigns(place)
    store = open_store(str(place))
    with store.writing() as connection:
        model = connection.execute(sa.select(runs_table).order_by(runs_table.c.number)).mappings().first()
        assert model is not None
        of_run = connection.execute(sa.select(samples_table).where(samples_table.c.run == model["number"])).mappings().all()
        samples = [{name: value for name, value in row.items() if name != "number"} for row in of_run]
        last = connection.execute(sa.select(sa.func.max(runs_table.c.number))).scalar_one()
        for copy in range(1, COPIES):
            run = {**model, "number": last + copy, "id": f"copy-{copy}"}
            insert(connection, {runs_table: [run], samples_table: [{**row, "run": last + copy} for row in samples]})
    store.close()
    return place


def samples_of(place: Path) -> dict[str, tuple[Sample, ...]]:
    """Read by the latlab that made the store, or by the newer one: the tables that both have are the same."""
    copy = place.with_name("read.sqlite")
    shutil.copy(place, copy)
    with closing(sqlite3.connect(copy)) as tables, tables:
        tables.execute(f"UPDATE latlab_schema SET version = {SCHEMA_VERSION}")
    store = open_store(str(copy))
    return {run.id: store.load(run.id).samples for run in store.runs()}


def migration(place: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen((sys.executable, "-c", OPEN, str(place)), stdout=subprocess.PIPE)
    assert process.stdout and process.stdout.readline() == b"begun\n"
    return process


def version(place: Path) -> int:
    with closing(sqlite3.connect(place)) as tables:
        return int(tables.execute("SELECT version FROM latlab_schema").fetchone()[0])


def test_a_migration_killed_at_twenty_moments_loses_nothing(older: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.sqlite"
    shutil.copy(older, whole)
    expected = samples_of(whole)
    began = time.monotonic()
    with migration(whole) as process:
        assert process.wait() == 0
    took_s = time.monotonic() - began
    assert version(whole) == SCHEMA_VERSION + 1 and samples_of(whole) == expected
    versions = []
    for moment in range(MOMENTS):
        place = tmp_path / f"{moment}" / "store.sqlite"
        place.parent.mkdir()
        shutil.copy(older, place)
        with migration(place) as process:
            time.sleep(took_s * moment / MOMENTS)
            process.send_signal(signal.SIGKILL)
        versions.append(version(place))
        assert samples_of(place) == expected
        shutil.rmtree(place.parent)
    assert set(versions) == {SCHEMA_VERSION, SCHEMA_VERSION + 1}, "no kill fell into the migration, or all did"
