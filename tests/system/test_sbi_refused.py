# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run calls --abi sbi` on a firmware of a few lines that answers all calls alike: what a hart is that does not come."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from latlab.calls.campaign.sbi import PROGRAM, QEMU
from latlab.core.targets.qemu.images import search_folders
from support import preloaded

TIMEOUT_S = 120
COMPILER = "riscv64-linux-gnu-gcc"
is_there = shutil.which(QEMU) and shutil.which(COMPILER) and any((folder / PROGRAM).is_file() for folder in search_folders())
pytestmark = pytest.mark.skipif(not is_there, reason="needs qemu-system-misc, gcc-riscv64-linux-gnu and `make sbi`")

# The supervisor's own timer; set_timer and system_reset are served, every other call gets ANSWER.
FIRMWARE = """
    .globl _start
_start:
    csrr t0, mhartid
    bnez t0, asleep
    la t0, trap
    csrw mtvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    csrw mcounteren, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    li t0, 0x222
    csrw mideleg, t0
    li t0, 1 << 63
    csrs 0x30a, t0
    li t0, 0x1800
    csrc mstatus, t0
    li t0, 0x800
    csrs mstatus, t0
    li t0, 0x80200000
    csrw mepc, t0
    li a0, 0
    mret
asleep:
    wfi
    j asleep
    .align 2
trap:
    csrw mscratch, t0
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    li t0, 0x54494d45
    bne a7, t0, 1f
    csrw 0x14d, a0
    j 2f
1:  li t0, 0x53525354
    bne a7, t0, 2f
    bnez a0, 2f
    li t0, 0x100000
    li a0, 0x5555
    sw a0, 0(t0)
2:  li a0, ANSWER
    li a1, 0
    csrr t0, mscratch
    mret
"""


def measured(folder: Path, answer: int, harts: int) -> dict[str, Any]:
    source, image = folder / "firmware.S", folder / "firmware.elf"
    source.write_text(FIRMWARE)
    words = [
        "-march=rv64imac_zicsr",
        "-mabi=lp64",
        "-nostdlib",
        "-static",
        "-no-pie",
        "-Wl,--build-id=none,-Ttext=0x80000000",
        f"-DANSWER={answer}",
    ]
    subprocess.run([COMPILER, *words, "-o", str(image), str(source)], check=True)
    command = [
        preloaded.command(),
        "run",
        "calls",
        "--abi",
        "sbi",
        "--format",
        "json",
        "--harts",
        str(harts),
        "--iterations",
        "2",
        "--firmware",
        str(image),
    ]
    environment = dict(os.environ, LATLAB_STORE=str(folder / "store.db"))
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False, env=environment, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr.decode()
    said: dict[str, Any] = json.loads(done.stdout)
    return {call["call"]: call for call in said["calls"]}


def test_a_firmware_that_starts_no_other_hart_is_measured_to_its_end(tmp_path: Path) -> None:
    calls = measured(tmp_path, -2, harts=3)
    assert calls["hsm.hart_start"]["failed"] == {"NOT_SUPPORTED": 2 * 2 * 2}
    assert calls["rfence.remote_fence_i"]["count"] == 2 and "ipi.send_ipi" not in calls


def test_a_hart_that_is_said_to_start_and_does_not_come_is_given_up(tmp_path: Path) -> None:
    calls = measured(tmp_path, 0, harts=2)
    assert calls["hsm.hart_start"]["count"] == 2 * 2 and not calls["hsm.hart_start"]["failed"]
    assert not any(name.startswith("rfence") for name in calls)
    assert calls["ipi.send_ipi"]["count"] == 2 * 2
