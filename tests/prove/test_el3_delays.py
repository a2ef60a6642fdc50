# SPDX-License-Identifier: BSD-3-Clause
"""Hostile schedules, many of them; and that each mend is needed: what was taken back is found."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.delays import DELAYS, OS_INITIATED, Schedule, run

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

ROOT = Path(__file__).parents[2]
SOURCES = ("CMakeLists.txt", "CMakePresets.json", "cmake", "firmware", "guest", "probe", "scripts")
SETTINGS = [((2, 2), 2), ((2, 2), 3), ((4, 4), 2), ((4, 4), 3), ((4, 4, 4, 4), 3)]
MOST_RUNS = 15

# Each mend taken back: the controller it belongs to, the file, what stands there, what stood in its place.
MENDS = {
    "a late wake-up hides others": (3, "arch/aarch64/gic_v3.c", "GICD_ICENABLER, 1U << GIC_WAKE_SGI", "GICD_ICENABLER, 0"),
    "a late wake-up hides others (GICv2)": (2, "arch/aarch64/gic_v2.c", "#define PRIORITY_NEVER 0xFFU", "#define PRIORITY_NEVER 0x00U"),
    "the normal world has the wake-up's priority": (
        3,
        "arch/aarch64/include/gic.h",
        "#define GIC_WAKE_PRIORITY 0x00U",
        "#define GIC_WAKE_PRIORITY 0x80U",
    ),
    "what ran stays": (3, "arch/aarch64/gic_v3.c", "SYSREG_READ(ICC_RPR_EL1) != PRIORITY_IDLE) {", "SYSREG_READ(ICC_RPR_EL1) > 0xFFU) {"),
    "what ran stays (GICv2)": (2, "arch/aarch64/gic_v2.c", "#define ACTIVE_PRIORITY_WORDS 4U", "#define ACTIVE_PRIORITY_WORDS 0U"),
}


@pytest.mark.parametrize("mode", [0, OS_INITIATED])
@pytest.mark.parametrize(("clusters", "gic"), SETTINGS)
@pytest.mark.parametrize("seed", range(1, 31))
def test_nothing_sleeps_for_ever_wherever_its_cores_are_stopped(
    clusters: tuple[int, ...], gic: int, mode: int, seed: int, tmp_path: Path
) -> None:
    run(Schedule(clusters, gic, seed, DELAYS | mode), tmp_path)


@pytest.mark.parametrize("mend", MENDS)
def test_each_mend_taken_back_hangs(mend: str, tmp_path: Path) -> None:
    gic, file, now, then = MENDS[mend]
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    changed = tmp_path / "firmware" / "el3" / file
    text = changed.read_text()
    assert text.count(now) == 1
    changed.write_text(text.replace(now, then).replace("(word = 0; word < ACTIVE_PRIORITY_WORDS", "(word = 1; word < 1U"))
    for step in (("--preset", "qemu_virt-delays"), ("--build", "--preset", "qemu_virt-delays", "--target", "firmware")):
        subprocess.run(("cmake", *step), cwd=tmp_path, check=True, capture_output=True)
    for seed in range(1, MOST_RUNS + 1):
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            run(Schedule((4, 4), gic, seed, folder=tmp_path / "build" / "qemu_virt-delays"), folder)
        except AssertionError as found:
            assert "HANG core" in str(found)
            return
    raise AssertionError(f"{mend}: not found in {MOST_RUNS} runs")
