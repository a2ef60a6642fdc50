# SPDX-License-Identifier: BSD-3-Clause
"""A migration that is killed at any moment loses nothing: the store is whole, of the older version or of the newer one."""

from __future__ import annotations

import gzip
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from latlab.core.model.run import Sample
from latlab.core.store.schema import SCHEMA_VERSION
from latlab.core.store.store import open_store
from support.places import TESTS

pytestmark = pytest.mark.slow

COPIES = 400
MOMENTS = 20
OPEN = "import sys\nfrom latlab.core.store.store import open_store\nprint('begun', flush=True)\nopen_store(sys.argv[1])\n"


@pytest.fixture(name="older", scope="module")
def fixture_older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of version 5 with many copies of two runs, so that its migration takes a while."""
    place = tmp_path_factory.mktemp("older") / "store.sqlite"
    place.write_bytes(gzip.decompress((TESTS / "data/stores/version-5.sqlite.gz").read_bytes()))
    with closing(sqlite3.connect(place)) as tables, tables:
        columns = ", ".join(row[1] for row in tables.execute("PRAGMA table_info(runs)") if row[1] not in ("number", "id"))
        of_samples = "test, metric, cluster, core, boot, iteration, value_ticks"
        first, last = tables.execute("SELECT min(number), max(number) FROM runs").fetchone()
        of_run = f"INSERT INTO runs (number, id, {columns}) SELECT ?, ?, {columns} FROM runs WHERE number = ?"
        of_sample = f"INSERT INTO samples (run, {of_samples}) SELECT ?, {of_samples} FROM samples WHERE run = ? ORDER BY number"
        for copy in range(1, COPIES):
            tables.execute(of_run, (last + copy, f"copy-{copy}", first))
            tables.execute(of_sample, (last + copy, first))
    return place


def samples_of(place: Path) -> dict[str, tuple[Sample, ...]]:
    store = open_store(str(place))
    return {run.id: store.load(run.id).samples for run in store.runs()}


def test_a_migration_killed_at_twenty_moments_loses_nothing(older: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.sqlite"
    shutil.copy(older, whole)
    began = time.monotonic()
    expected = samples_of(whole)
    took_s = time.monotonic() - began
    versions = []
    for moment in range(MOMENTS):
        place = tmp_path / f"{moment}" / "store.sqlite"
        place.parent.mkdir()
        shutil.copy(older, place)
        process = subprocess.Popen((sys.executable, "-c", OPEN, str(place)), stdout=subprocess.PIPE)
        assert process.stdout and process.stdout.readline() == b"begun\n"
        time.sleep(took_s * moment / MOMENTS)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with closing(sqlite3.connect(place)) as tables:
            versions.append(tables.execute("SELECT version FROM latlab_schema").fetchone()[0])
        assert samples_of(place) == expected
        shutil.rmtree(place.parent)
    assert set(versions) == {5, SCHEMA_VERSION}, "no kill fell into the migration, or all did"
