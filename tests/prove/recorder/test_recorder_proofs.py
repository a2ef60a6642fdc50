# SPDX-License-Identifier: BSD-3-Clause
"""Slow: six hours at 200 us on four and on eight CPUs, every one of the 864,000,000 wake-ups through the recorder's bookkeeping; and
twenty SIGKILLs."""

import os
from pathlib import Path

import pytest

from latlab.rt.targets.recorder_binary import recorder_for
from support.recorder_hours import LIMIT_BYTES, OUTLIERS_KEPT, build, hours
from support.recorder_kills import kill_at, kill_times

pytestmark = pytest.mark.slow

SIX_HOURS_S = 6 * 3600


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("hours"))


@pytest.mark.parametrize("late", [250, 300_000], ids=["outliers in every second", "a flood from the start"])
@pytest.mark.parametrize("cpus", [4, 8])
def test_six_hours_stay_below_ten_megabytes(program: Path, tmp_path: Path, cpus: int, late: int) -> None:
    found = hours(program, tmp_path, cpus, SIX_HOURS_S, late)
    found.check()
    assert len(found.read.outliers) == OUTLIERS_KEPT or late == 250
    assert found.size_bytes < LIMIT_BYTES


@pytest.mark.realtime
@pytest.mark.parametrize("after_s", kill_times(20261121, 20))
def test_sigkill_at_any_moment_costs_at_most_the_second_that_was_under_way(tmp_path: Path, after_s: float) -> None:
    kill_at(recorder_for(os.uname().machine), tmp_path / "killed.rec", after_s).check()
