# SPDX-License-Identifier: BSD-3-Clause
"""Interrupts and switches between any two accesses of the SPM's core, backend and gate, on the development machine; and what that finds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.taken_back import ROOT, Change, changed_checkout

pytestmark = pytest.mark.slow

RUNS = 10_000
RUNS_OF_A_FAULT = 2_000
PROGRAM = "firmware/spm/tests/spm_schedules"

IPC, SIGNAL, GATE = "backend/ipc/ipc.c", "core/signal.c", "arch/host_threads/gate.c"
SET_READY = "    atomic_fetch_or(&spm_kernel.ready, partition->rank_bit);"
CLEAR_READY = "    atomic_fetch_and(&spm_kernel.ready, ~partition->rank_bit);"
CLEAR_SIGNAL = "    atomic_fetch_and(&partition->asserted, ~signal);"
SET_SIGNAL = "atomic_fetch_or(&partition->asserted, signal) | signal;"
SECOND_LOOK = "    psa_signal_t asserted = atomic_load(&partition->asserted) & mask;\n"
PUBLISH = "    atomic_store(&partition->waiting, mask);\n\n"
WISH = "    if (spm_kernel.active == 0U) {\n        spm_arch_request_switch();"
ENABLE = "    spm_arch_irq_enable(irq->line);\n    return 0;"
CLEAR = "    spm_signal_clear(irq->owner, irq->signal);\n    spm_arch_irq_clear_pending(irq->line);\n"

FAULTS = {
    "a wait looks before it says that it waits": (IPC, PUBLISH + SECOND_LOOK, SECOND_LOOK + PUBLISH),
    "ready is set in two steps": (
        IPC,
        SET_READY,
        "    atomic_store(&spm_kernel.ready, atomic_load(&spm_kernel.ready) | partition->rank_bit);",
    ),
    "ready is cleared in two steps": (
        IPC,
        CLEAR_READY,
        "    atomic_store(&spm_kernel.ready, atomic_load(&spm_kernel.ready) & ~partition->rank_bit);",
    ),
    "a signal is cleared in two steps": (
        "core/spm_api.h",
        CLEAR_SIGNAL,
        "    atomic_store(&partition->asserted, atomic_load(&partition->asserted) & ~signal);",
    ),
    "a signal is set in two steps": (
        SIGNAL,
        SET_SIGNAL,
        "atomic_load(&partition->asserted) | signal;\n    atomic_store(&partition->asserted, asserted);",
    ),
    "the gate looks before it is out": (
        GATE,
        "    spm_kernel.active = 0;\n    while (",
        "    bool wanted = spm_kernel.switch_wanted != 0U;\n\n    spm_kernel.active = 0;\n    while (wanted && ",
    ),
    "the gate looks once": (GATE, "    while (spm_kernel.switch_wanted", "    if (spm_kernel.switch_wanted"),
    "a wish is written down and not asked for": (IPC, WISH, WISH.replace("== 0U", "> 1U")),
    "a wish is asked for and not written down": (IPC, "    spm_kernel.switch_wanted = 1;\n" + WISH, WISH),
    "the end of an interrupt enables its line first": (
        "core/interrupt.c",
        CLEAR + ENABLE,
        ENABLE.replace("return 0;", CLEAR + "    return 0;"),
    ),
    "a message stays in the queue that it was taken from": (IPC, "        *place = connection->next;\n", ""),
    "idle does not look for a switch": ("backend/ipc/idle.c", "spm_kernel.switch_wanted != 0U", "spm_kernel.switch_wanted > 1U"),
}


def schedules(checkout: Path, first: int, runs: int) -> subprocess.CompletedProcess[str]:
    for step in (("--preset", "host"), ("--build", "--preset", "host", "--target", "spm_schedules")):
        subprocess.run(("cmake", *step), cwd=checkout, check=True, capture_output=True)
    program = checkout / "build" / "host" / PROGRAM
    return subprocess.run((program, str(first), str(runs)), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("first", range(1_000_000, 1_000_000 + 20 * RUNS, RUNS))
def test_no_call_or_interrupt_of_the_spm_is_lost_wherever_it_is_interrupted(first: int) -> None:
    ran = schedules(ROOT, first, RUNS)
    assert ran.returncode == 0, ran.stdout
    assert f"runs={RUNS} " in ran.stdout


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_between_two_stores_is_found_and_its_seed_finds_it_again(fault: str, tmp_path: Path) -> None:
    file, now, then = FAULTS[fault]
    changed_checkout(Change(f"firmware/spm/{file}", now, then), tmp_path)
    found = schedules(tmp_path, 1, RUNS_OF_A_FAULT)
    assert found.returncode == 1 and found.stdout.startswith("seed ")
    seed = int(found.stdout.split()[1].rstrip(":"))
    assert schedules(tmp_path, seed, 1).stdout == found.stdout
