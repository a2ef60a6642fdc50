# SPDX-License-Identifier: BSD-3-Clause
"""The firmware itself, on QEMU: what it promises to the normal world."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from latlab.core.model.conditions import Mode
from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from support.on_qemu import boot
from support.repeated import printed_steps
from support.slow_but import slow_but

pytestmark = pytest.mark.qemu


def closing_line(console: str) -> str:
    return console.strip().splitlines()[-1]


@pytest.mark.parametrize(("gic", "el"), [(2, 1), (2, 2), (3, 1), (3, 2)])
def test_every_call_and_every_error_of_psci_smccc_and_trng_is_as_specified(gic: int, el: int, tmp_path: Path) -> None:
    console = boot("psci_conformance", tmp_path, gic=gic, el=el)
    failures = [line for line in console.splitlines() if line.startswith("FAIL")]
    assert not failures
    passed = re.fullmatch(r"(\d+) passed, 0 failed", closing_line(console))
    assert passed and int(passed[1]) > 300


@pytest.mark.parametrize("clusters", [(1,), (4,), (4, 4, 4, 4)])
def test_conformance_does_not_depend_on_the_number_of_cores(clusters: tuple[int, ...], tmp_path: Path) -> None:
    assert closing_line(boot("psci_conformance", tmp_path, clusters)).endswith(" passed, 0 failed")


@pytest.mark.parametrize("gic", slow_but([2, 3], 3))
def test_no_transition_is_lost_among_eight_cores_that_really_run_at_once(gic: int, tmp_path: Path) -> None:
    console = boot("psci_stress", tmp_path, (4, 4), Mode.MULTI_THREAD, gic=gic, count=10_000)
    assert re.fullmatch(r"transitions=\d{5,} lost=0 status=pass", closing_line(console)), console[-2000:]


def test_no_transition_is_lost_on_the_instruction_clock(tmp_path: Path) -> None:
    assert closing_line(boot("psci_stress", tmp_path, count=5_000)).endswith("lost=0 status=pass")


@pytest.mark.parametrize("seed", [1, 2])
def test_random_calls_neither_crash_nor_leak(seed: int, tmp_path: Path) -> None:
    assert closing_line(boot("smc_fuzz", tmp_path, seed=seed, count=50_000)) == "smcs=50000 status=pass"


@pytest.mark.parametrize("clusters", [(1,), (2, 4), (4, 4, 4, 4)])
def test_two_runs_print_the_same_calls_step_by_step(clusters: tuple[int, ...], tmp_path: Path) -> None:
    first, second = (boot("psci_bench", tmp_path, clusters, iterations=5) for _ in range(2))
    assert "<LLT1:END tests=6 iterations=5 status=pass " in first
    assert printed_steps(first) == printed_steps(second) != []


def test_a_capture_costs_at_most_eight_instructions(tmp_path: Path) -> None:
    boot_line = re.search(r" capture_mticks=(\d+) ", boot("psci_bench", tmp_path, (1,), iterations=1))
    assert boot_line and 0 < int(boot_line[1]) <= 8000


def test_the_image_stays_within_40_kib() -> None:
    assert find_images(Topology((2, 4)), "psci_bench").firmware_bin.stat().st_size <= 40 * 1024


def test_no_load_segment_of_the_firmware_is_both_writable_and_executable() -> None:
    writable, executable = 2, 1
    with find_images(Topology((2, 4)), "psci_bench").firmware_elf.open("rb") as stream:
        flags = [segment["p_flags"] for segment in ELFFile(stream).iter_segments() if segment["p_type"] == "PT_LOAD"]
    assert flags
    assert not [flag for flag in flags if flag & writable and flag & executable]
