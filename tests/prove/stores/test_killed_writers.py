# SPDX-License-Identifier: BSD-3-Clause
"""Slow: four writers of one store, each killed at 42 random moments, then 42 killed recoveries. Each run that was reported as complete is
whole, each other run is partial with what was reported of it, and no lock stays."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.killed_writers import check_no_lock, check_store, kill_recoveries, kill_writers
from support.postgres import DURABLE
from support.postgres import server as postgres_server

pytestmark = [pytest.mark.slow, pytest.mark.postgres]

WRITERS = 4
KILLS = int(os.environ.get("LATLAB_PROOF_KILLS", "42"))
SEED = 20261130


@pytest.fixture(name="place", params=["sqlite", "postgresql"])
def fixture_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "killed.sqlite")
        return
    with postgres_server(DURABLE) as started:
        yield started.url


def test_writers_and_recoveries_that_are_killed_leave_whole_and_partial_runs(
    place: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    reported = kill_writers(place, tmp_path, WRITERS, KILLS, SEED)
    check_no_lock(place)
    kill_recoveries(place, KILLS, SEED)
    command = [sys.executable, "-m", "latlab", "runs", "recover", "--store", place]
    subprocess.run(command, capture_output=True, check=True, timeout=3600)
    counts = check_store(place, reported)
    check_no_lock(place)
    assert counts["complete"] and counts["partial"]
    record_property("killed writers", WRITERS * KILLS)
    record_property("whole runs of killed writers", counts["complete"])
    record_property("partial runs of killed writers", counts["partial"])
