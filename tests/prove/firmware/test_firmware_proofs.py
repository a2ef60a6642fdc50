# SPDX-License-Identifier: BSD-3-Clause
"""Proofs that take minutes; `make prove` runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.core.model.conditions import Mode
from support.on_qemu import boot
from support.resets import check_resets

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

SMCS, TRANSITIONS, RESETS = 200_000, 20_000, 200


@pytest.mark.parametrize(("gic", "el"), [(3, 1), (2, 2)])
def test_random_calls_neither_crash_nor_leak(gic: int, el: int, tmp_path: Path) -> None:
    console = boot("smc_fuzz", tmp_path, gic=gic, el=el, seed=2026, count=SMCS)
    assert console.strip().splitlines()[-1] == f"smcs={SMCS} status=pass"


@pytest.mark.parametrize("seed", range(1, 6))
def test_transitions_on_eight_cores_lose_none(seed: int, tmp_path: Path) -> None:
    console = boot("psci_stress", tmp_path, (4, 4), Mode.MULTI_THREAD, seed=seed, count=TRANSITIONS)
    assert console.strip().splitlines()[-1].endswith("lost=0 status=pass")


def test_transitions_on_sixteen_cores_lose_none(tmp_path: Path) -> None:
    console = boot("psci_stress", tmp_path, (4, 4, 4, 4), Mode.MULTI_THREAD, count=TRANSITIONS)
    assert console.strip().splitlines()[-1].endswith("lost=0 status=pass")


@pytest.mark.parametrize("cpu", ["cortex-a57", "max"])
def test_random_calls_from_an_aarch32_el1_neither_crash_nor_leak(cpu: str, tmp_path: Path) -> None:
    console = boot("smc_fuzz", tmp_path, el=2, cpu=cpu, seed=2026, count=SMCS, flags=1)
    assert "called from AArch32" in console and console.strip().splitlines()[-1] == f"smcs={SMCS} status=pass"


@pytest.mark.parametrize("el", [1, 2])
def test_random_calls_on_the_newest_core_neither_crash_nor_leak(el: int, tmp_path: Path) -> None:
    console = boot("smc_fuzz", tmp_path, el=el, cpu="max", seed=2026, count=SMCS)
    assert console.strip().splitlines()[-1] == f"smcs={SMCS} status=pass"


@pytest.mark.parametrize("cores", [1, 6, 16])
def test_resets_at_random_moments_boot_again(cores: int, tmp_path: Path) -> None:
    check_resets(tmp_path, cores, RESETS)
