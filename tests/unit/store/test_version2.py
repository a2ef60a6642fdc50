# SPDX-License-Identifier: BSD-3-Clause
"""A store that version 2 made: it opens, its runs are at their end, and their samples are counted."""

import gzip
import sqlite3
from pathlib import Path

import pytest

from latlab.errors import LatlabError
from latlab.model.enums import RunStatus
from latlab.model.provenance import UNKNOWN
from latlab.store.listing import Filter, heads
from latlab.store.store import open_store
from support.places import TESTS
from support.runs import unfinished_run

COUNTS = {"psci-0660": 192, "rt-3473": 0, "rt-power-0ee2": 0, "psci-1cb6": 108}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite"
    path.write_bytes(gzip.decompress((TESTS / "data" / "version2" / "store.sqlite.gz").read_bytes()))
    return path


def test_runs_of_version_2_are_counted_and_none_of_them_is_under_way(place: Path) -> None:
    store = open_store(str(place))
    assert {head.id: head.samples for head in heads(store)} == COUNTS
    assert [head.id for head in heads(store, Filter(status="partial"))] == ["psci-1cb6"]
    assert store.unfinished_runs(series=True) == ()
    assert [len(store.load(run_id).samples) for run_id in COUNTS] == list(COUNTS.values())


def test_a_migration_that_fails_leaves_the_store_as_it_was_and_its_copy(place: Path) -> None:
    with sqlite3.connect(place) as damaged:
        damaged.execute("ALTER TABLE runs ADD COLUMN label TEXT")
    before = sqlite3.connect(place).execute("SELECT sql FROM sqlite_master").fetchall()
    with pytest.raises(LatlabError, match="duplicate column"):
        open_store(str(place))
    assert sqlite3.connect(place).execute("SELECT sql FROM sqlite_master").fetchall() == before
    assert Path(f"{place}.version-2").exists()


def test_a_store_of_version_4_opens_and_its_runs_say_nothing_of_their_files(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    store = open_store(str(place))
    run_id = store.begin(unfinished_run())
    store.finish(run_id, RunStatus.COMPLETE)
    store.close()
    with sqlite3.connect(place) as older:
        older.execute("ALTER TABLE runs DROP COLUMN provenance")
        older.execute("UPDATE latlab_schema SET version = 4")
    assert open_store(str(place)).load(run_id).provenance == UNKNOWN
    assert not Path(f"{place}.version-4").exists()
