# SPDX-License-Identifier: BSD-3-Clause
"""The SPM interrupted at drawn instructions on QEMU, in every build and by many seeds; and that this finds what is planted."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from latlab.psa.targets import mps2
from support.forced_interrupts import forced_interrupts
from support.on_mps2 import WITH_A_TICKER
from support.taken_back import Change, changed_checkout

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

CALLS = 400
MOST_SEEDS = 8

PUBLISH = "    atomic_store(&partition->waiting, mask);\n\n"
LOOK = "    psa_signal_t asserted = atomic_load(&partition->asserted) & mask;\n"
MASKED = "    it      ne\n    movne   r2, #(ICSR_PENDSTSET | ICSR_PENDSVCLR)\n"

FAULTS = {
    "the gate looks once": ("ipc_l1", "arch/armv8m/gate_thread.S", "    cbnz    r3, again\n", ""),
    "the gate opens a critical section": (
        "ipc_l1",
        "arch/armv8m/gate_thread.S",
        MASKED,
        "    movs    r5, #0\n    msr     primask_ns, r5\n    msr     basepri_ns, r5\n",
    ),
    "a wait looks before it says that it waits": ("ipc_l2", "backend/ipc/ipc.c", PUBLISH + LOOK, LOOK + PUBLISH),
    "the loaded regions are not named": (
        "ipc_l2",
        "arch/armv8m/switch.S",
        "    str     r3, [r1]\n    orr     r12, r3\n",
        "    orr     r12, r3\n",
    ),
    "a message stays in the queue that it was taken from": ("ipc_l1", "backend/ipc/ipc.c", "        *place = connection->next;\n", ""),
}


@pytest.mark.parametrize("build", [*mps2.BUILDS, *WITH_A_TICKER])
@pytest.mark.parametrize("seed", range(101, 103))
def test_no_call_is_lost_wherever_the_spm_is_interrupted(build: str, seed: int, tmp_path: Path) -> None:
    """Which places a seed draws decides how often they are reached: in the smallest build, a seed forces 121 to 2,108 interrupts."""
    assert len(forced_interrupts(build, seed, CALLS, tmp_path)) > CALLS // 4


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_by_a_forced_interrupt(fault: str, tmp_path: Path) -> None:
    build, file, now, then = FAULTS[fault]
    changed_checkout(Change(f"firmware/spm/{file}", now, then), tmp_path)
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={tmp_path}/cmake/arm-none-eabi.cmake"
    for step in (
        ("-S", "firmware/spm", "-B", "build/spm", "-G", "Ninja", toolchain),
        ("--build", "build/spm", "--target", f"{build}_test_threads"),
    ):
        subprocess.run(("cmake", *step), cwd=tmp_path, check=True, capture_output=True)
    with pytest.raises(AssertionError, match=f"{build}, seed [0-9]+: ended with [^0]"):
        for seed in range(1, MOST_SEEDS + 1):
            folder = tmp_path / f"seed{seed}"
            folder.mkdir()
            forced_interrupts(build, seed, CALLS, folder, tmp_path / "build" / "spm")
