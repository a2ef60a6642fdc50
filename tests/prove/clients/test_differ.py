# SPDX-License-Identifier: BSD-3-Clause
"""A generated client sees the same of our firmware as of upstream's, but for what bench/differ.py has a reason for."""

from pathlib import Path

import pytest

import differ
from support.taken_back import LATE_WAKE_V2, built_without

MOST_SEEDS = 80


@pytest.mark.parametrize("delays", [(), ("--delays",)], ids=["undisturbed", "delayed"])
@pytest.mark.parametrize("gic", ["2", "3"])
def test_a_client_cannot_tell_our_firmware_from_upstreams(gic: str, delays: tuple[str, ...]) -> None:
    assert differ.main(["--gic", gic, "--seeds", "5", *delays]) == 0


def test_a_client_tells_a_firmware_whose_late_wake_up_hides_the_timer(tmp_path: Path) -> None:
    faulty = built_without(LATE_WAKE_V2, "qemu_virt", tmp_path) / "firmware.bin"
    ours = differ.built("qemu_virt/firmware.bin")
    command = ("--firmware", str(faulty), "--against", str(ours), "--gic", "2", "--delays", "--seeds", "4")
    assert any(differ.main([*command, "--first", str(first)]) == 1 for first in range(1, MOST_SEEDS, 4))
