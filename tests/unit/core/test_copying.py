# SPDX-License-Identifier: BSD-3-Clause
"""Runs of every kind in another store are the same runs."""

from __future__ import annotations

from pathlib import Path

from latlab.core.store.copying import copy_runs
from latlab.core.store.store import open_store
from support import every_kind


def test_a_copied_run_of_each_kind_is_the_same_and_stays_so_when_it_is_copied_again(tmp_path: Path) -> None:
    every_kind.fill(tmp_path / "from.sqlite")
    source, target = open_store(str(tmp_path / "from.sqlite")), open_store(str(tmp_path / "to.sqlite"))
    ids = [run.id for run in source.runs()]
    for _ in range(2):
        copy_runs(source, [*ids, ids[0]], target)
    assert [run.id for run in target.runs()] == ids and len(ids) > 10
    assert all(source.load(run) == target.load(run) and source.logs(run) == target.logs(run) for run in ids)
    assert {life.run_id: life for life in source.unfinished_runs()} == {life.run_id: life for life in target.unfinished_runs()}
