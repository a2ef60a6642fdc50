# SPDX-License-Identifier: BSD-3-Clause
"""Ten minutes of wake-ups in a moment; the six hours are in tests/prove."""

from pathlib import Path

import pytest

from support.recorder_hours import LIMIT_BYTES, OUTLIERS_KEPT, build, hours


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("hours"))


@pytest.mark.parametrize(("cpus", "late"), [(4, 0), (4, 200), (2, 300_000)], ids=["quiet", "a late one each second", "a flood"])
def test_ten_minutes_are_in_the_file_to_the_last_wake_up(program: Path, tmp_path: Path, cpus: int, late: int) -> None:
    found = hours(program, tmp_path, cpus, 600, late)
    found.check()
    assert found.size_bytes < LIMIT_BYTES
    if late == 0:
        assert len(found.read.outliers) == 0
    if late == 300_000:
        assert len(found.read.outliers) == OUTLIERS_KEPT
