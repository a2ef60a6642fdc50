# SPDX-License-Identifier: BSD-3-Clause
"""What a measurement may be asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.campaigns.rt import run_power
from latlab.campaigns.workloads import seconds_of
from latlab.errors import UsageError
from latlab.store.store import open_store
from latlab.targets.guest.guest import GuestMachine
from latlab.targets.guest.guest_image import GuestImage
from latlab.targets.qemu.console import Limits
from latlab.targets.qemu.qemu import Qemu


@pytest.mark.parametrize(("text", "seconds"), [("7s", 7), ("2m", 120), ("3h", 10_800), ("1d", 86_400)])
def test_a_duration_has_its_unit(text: str, seconds: int) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "7", "0s", "1w", "-1s", "1.5h"])
def test_what_is_no_duration_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(UsageError, match=f"--duration {text!r}"):
        seconds_of(text)


@pytest.mark.parametrize(("cores", "cycles", "suspends"), [(1, 1, 0), (2, 0, 0), (2, 1, -1)])
def test_power_cycles_that_cannot_be_are_refused_before_a_run_begins(cores: int, cycles: int, suspends: int, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "runs.db"))
    qemu = Qemu(Path("qemu-system-aarch64"), (10, 0, 2))
    image = GuestImage(tmp_path, "6.1.0-rt", False)
    with pytest.raises(UsageError, match=f"--cores {cores} --cycles {cycles} --suspends {suspends}"):
        run_power(store, qemu, image, GuestMachine(cores=cores), cycles, suspends, Limits(1.0, 1.0))
    assert not store.runs()
