# SPDX-License-Identifier: BSD-3-Clause
"""Hostile schedules, many of them; and that each mend is needed: what was taken back is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.delays import BUILD, DELAYS, OS_INITIATED, SBSA_REF, Schedule, run
from support.taken_back import LATE_WAKE_V2, Mend, built_without

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

SETTINGS = [((2, 2), 2), ((2, 2), 3), ((4, 4), 2), ((4, 4), 3), ((4, 4, 4, 4), 3)]
MOST_RUNS = 15

MENDS = {
    "a late wake-up hides others": Mend(
        3, "arch/aarch64/gic_v3.c", "disable_private(core, 1U << GIC_WAKE_SGI);", "disable_private(core, 0U);"
    ),
    "a late wake-up hides others (GICv2)": LATE_WAKE_V2,
    "the normal world has the wake-up's priority": Mend(
        3, "arch/aarch64/include/gic.h", "#define GIC_WAKE_PRIORITY 0x00U", "#define GIC_WAKE_PRIORITY 0x80U"
    ),
    "what ran stays": Mend(
        3, "arch/aarch64/gic_v3.c", "SYSREG_READ(ICC_RPR_EL1) != PRIORITY_IDLE) {", "SYSREG_READ(ICC_RPR_EL1) > 0xFFU) {"
    ),
    "what ran stays (GICv2)": Mend(
        2, "arch/aarch64/gic_v2.c", "    forget_running_priorities();\n", "    (void)forget_running_priorities;\n"
    ),
}


@pytest.mark.parametrize("mode", [0, OS_INITIATED])
@pytest.mark.parametrize(("clusters", "gic"), SETTINGS)
@pytest.mark.parametrize("seed", range(1, 4))
def test_nothing_sleeps_for_ever_wherever_its_cores_are_stopped(
    clusters: tuple[int, ...], gic: int, mode: int, seed: int, tmp_path: Path
) -> None:
    run(Schedule(clusters, gic, seed, DELAYS | mode), tmp_path)


@pytest.mark.parametrize("mode", [0, OS_INITIATED])
@pytest.mark.parametrize("clusters", [(4,), (4, 4), (8, 8)])
@pytest.mark.parametrize("seed", range(1, 2))
def test_nothing_sleeps_for_ever_on_sbsa_ref_either(clusters: tuple[int, ...], mode: int, seed: int, tmp_path: Path) -> None:
    run(Schedule(clusters, 3, seed, DELAYS | mode, build=SBSA_REF), tmp_path)


@pytest.mark.parametrize("mend", MENDS)
def test_each_mend_taken_back_hangs(mend: str, tmp_path: Path) -> None:
    images = built_without(MENDS[mend], BUILD, tmp_path)
    for seed in range(1, MOST_RUNS + 1):
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            run(Schedule((4, 4), MENDS[mend].gic, seed, folder=images), folder)
        except AssertionError as found:
            assert "HANG core" in str(found)
            return
    raise AssertionError(f"{mend}: not found in {MOST_RUNS} runs")
