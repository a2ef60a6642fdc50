# SPDX-License-Identifier: BSD-3-Clause
"""Stretches of masked interrupts as the probe says them are those of a recount that looks at each instruction by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.psa.targets.mps2 import board_of
from support.mask_programs import QUIET, a64, m_profile, riscv
from support.places import ROOT
from support.stepped_masks import both

LEAST = 200
CALLS = 50


def assert_recounted(command: tuple[str, ...], folder: Path, least: int = LEAST) -> None:
    """Without stretches of no instruction: whether a core had begun when the machine ended can differ in two runs of QEMU 11."""
    probe, recount = ({stretch: found for stretch, found in each.items() if found[1]} for each in both(command, folder))
    assert probe == recount
    assert sum(count for count, *_ in probe.values()) > least


@pytest.mark.qemu
@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_masks_of_each_exception_level_are_those_of_a_look_at_each_instruction(tmp_path: Path, seed: int, cores: int) -> None:
    assert_recounted(a64(tmp_path, seed, cores), tmp_path)


@pytest.mark.qemu
@pytest.mark.parametrize("seed", range(4))
def test_so_are_those_of_m_profile_with_interrupts_that_come_in_at_once(tmp_path: Path, seed: int) -> None:
    assert_recounted(m_profile(tmp_path, seed), tmp_path)


@pytest.mark.qemu
@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_so_are_those_of_each_mode_of_risc_v(tmp_path: Path, seed: int, cores: int) -> None:
    assert_recounted(riscv(tmp_path, seed, cores), tmp_path)


@pytest.mark.qemu
def test_so_are_those_of_calls_through_both_security_states(tmp_path: Path) -> None:
    folder = ROOT / "build" / "spm" / "ipc_l2_test"
    if not (folder / "threads.elf").is_file():
        pytest.skip("needs `make spm`")
    command = (
        *("qemu-system-arm", "-M", "mps2-an521", "-kernel", str(folder / "secure.elf")),
        *("-device", f"loader,file={folder / 'threads.elf'}", "-semihosting-config", "enable=on,target=native"),
        *("-device", f"loader,addr={board_of('mps2-an521').word:#x},data={CALLS},data-len=4", "-icount", "shift=10,sleep=off", *QUIET),
    )
    assert_recounted(command, tmp_path)
