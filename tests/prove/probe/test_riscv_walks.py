# SPDX-License-Identifier: BSD-3-Clause
"""300 walks through the worlds of RISC-V in each of ten settings: every crossing is where the program makes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.adversaries_riscv import faults
from support.riscv_walks import SETTINGS, Setting

FIRST, SEEDS, A_BOOT = 20_000_000, 300, 60


@pytest.mark.slow
@pytest.mark.qemu
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_hundreds_of_walks_are_told_to_the_instruction(tmp_path: Path, setting: Setting) -> None:
    for first in range(FIRST, FIRST + SEEDS, A_BOOT):
        folder = tmp_path / str(first)
        folder.mkdir()
        assert faults(folder, range(first, first + A_BOOT), setting) == [], f"seeds {first} to {first + A_BOOT - 1}"
