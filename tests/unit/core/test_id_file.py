# SPDX-License-Identifier: BSD-3-Clause
"""The file of `--id-file` has a run's id from the moment when the run begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.core.cli import ids
from latlab.core.store.store import open_store
from support.runs import run_with


def begun_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    file = folder / "run.id"
    monkeypatch.setattr(ids, "_handing", ids._Handing(True, file))
    store = open_store(str(folder / "store.sqlite"))
    ids.watch_store(store)
    return file, store.begin(run_with())


def test_a_killed_process_leaves_the_id_of_its_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, run_id = begun_in(tmp_path, monkeypatch)
    assert file.read_text() == f"{run_id}\n", "nothing of this process has ended"


def test_the_end_hands_over_the_same_and_forgets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, run_id = begun_in(tmp_path, monkeypatch)
    ids.hand_over()
    assert file.read_text() == f"{run_id}\n" and f"id: {run_id}" in capsys.readouterr().err
    file.unlink()
    ids.hand_over()
    assert not file.exists()
