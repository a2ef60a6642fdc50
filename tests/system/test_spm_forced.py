# SPDX-License-Identifier: BSD-3-Clause
"""Interrupts and switches of threads at drawn instructions of the SPM's gate, scheduler and core on QEMU; a few, of two builds."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.forced_interrupts import forced_interrupts

CALLS = 60

pytestmark = pytest.mark.qemu


@pytest.mark.parametrize(("build", "seed"), [("ipc_l1", 1), ("ipc_l2", 2)])
def test_no_call_is_lost_wherever_the_spm_is_interrupted_and_a_seed_is_a_run(build: str, seed: int, tmp_path: Path) -> None:
    places = forced_interrupts(build, seed, CALLS, tmp_path)
    assert len(places) > CALLS
    again = tmp_path / "again"
    again.mkdir()
    assert forced_interrupts(build, seed, CALLS, again) == places
