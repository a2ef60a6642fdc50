# SPDX-License-Identifier: BSD-3-Clause
"""What a machine does whose cores are all off, and what a reset leaves of memory that is protected."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.delays import BUILD, DELAYS, Schedule
from support.idle import busy_and_off
from support.memory_writers import pages_left, pages_left_by_cut_resets
from support.taken_back import NOT_FORGOTTEN, built_without

MOST_RUNS = 24
RESETS = 25

pytestmark = [pytest.mark.slow, pytest.mark.qemu]


@pytest.mark.parametrize("build", ["qemu_virt", BUILD])
@pytest.mark.parametrize("gic", [2, 3])
@pytest.mark.parametrize("seed", [22, 384])
def test_a_machine_whose_cores_are_all_off_uses_no_processor(build: str, gic: int, seed: int, tmp_path: Path) -> None:
    busy, off = busy_and_off(Schedule((4, 4), gic, seed, DELAYS, 2_000, build), tmp_path)
    assert off * 50 < busy, f"{off:.2f} s of processor time asked for with all cores off, {busy:.2f} s with all busy"


@pytest.mark.parametrize(("gic", "seeds"), [(2, range(22, 23)), (3, range(1, MOST_RUNS + 1))])
def test_a_wake_up_that_a_core_does_not_forget_keeps_the_processor_busy(gic: int, seeds: range, tmp_path: Path) -> None:
    images = built_without(NOT_FORGOTTEN, BUILD, tmp_path)
    assert any(_stays_busy(Schedule((4, 4), gic, seed, DELAYS, 2_000, folder=images), tmp_path / str(seed)) for seed in seeds)


def _stays_busy(schedule: Schedule, folder: Path) -> bool:
    folder.mkdir()
    busy, off = busy_and_off(schedule, folder)
    return off * 10 > busy


@pytest.mark.parametrize("gic", [2, 3, None])
@pytest.mark.parametrize("cores", [1, 4])
def test_a_reset_leaves_no_page_that_other_cores_wrote_meanwhile(cores: int, gic: int | None, tmp_path: Path) -> None:
    assert pages_left(tmp_path, cores, gic, resets=RESETS) == [0] * RESETS


@pytest.mark.parametrize("cores", [1, 4])
def test_a_reset_that_cuts_off_another_leaves_no_page_either(cores: int, tmp_path: Path) -> None:
    left = pages_left_by_cut_resets(tmp_path, cores, gic=3, cuts=RESETS)
    assert left and not any(left)
