# SPDX-License-Identifier: BSD-3-Clause
"""What the sbi campaign starts, and what it refuses to start. The machine itself is in tests/system."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.calls.campaign import sbi
from latlab.calls.campaign.sbi import planned
from latlab.calls.campaign.watching import Watch
from latlab.core.errors import UsageError
from support.fakes import fake_qemu


@pytest.fixture(name="firmware")
def fixture_firmware(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An image, with the program that makes the calls where it is looked for."""
    (tmp_path / "build" / "sbi").mkdir(parents=True)
    (tmp_path / "build" / "sbi" / "sbi_calls.elf").write_bytes(b"")
    monkeypatch.setattr(sbi, "search_folders", lambda: (tmp_path / "nowhere", tmp_path / "build"))
    (tmp_path / "fw.bin").write_bytes(b"")
    return tmp_path / "fw.bin"


def plan(firmware: Path, harts: int = 2, iterations: int = 3) -> Watch:
    return planned(firmware, harts, iterations, Path("probe.so"), fake_qemu(firmware.parent, []), timeout_s=7.0)


def test_the_firmware_the_program_the_harts_and_the_iterations_are_on_the_command_line(firmware: Path) -> None:
    watch = plan(firmware)
    folder = firmware.parent
    words = " ".join(watch.command)
    assert f"-M virt -smp 2 -bios {firmware} -kernel {folder / 'build/sbi/sbi_calls.elf'} " in words
    assert "-device loader,addr=0x80400000,data=0x300000002,data-len=8 " in words
    assert "-serial stdio" in words and "-icount shift=4,sleep=off -no-reboot" in words
    assert (watch.campaign, watch.firmware, watch.timeout_s, watch.probe) == ("sbi", "fw.bin", 7.0, Path("probe.so"))


@pytest.mark.parametrize(("harts", "iterations"), [(1, 1), (8, 1_000_000)])
def test_harts_and_iterations_go_to_their_bounds(firmware: Path, harts: int, iterations: int) -> None:
    assert f"data={harts | iterations << 32:#x}," in " ".join(plan(firmware, harts, iterations).command)


@pytest.mark.parametrize(
    ("harts", "iterations", "said"),
    [
        (0, 1, "--harts 0: the machine has 1 to 8"),
        (9, 1, "--harts 9"),
        (1, 0, "--iterations 0: use 1 to"),
        (1, 1_000_001, "--iterations 1000001"),
    ],
)
def test_what_is_out_of_range_is_refused(firmware: Path, harts: int, iterations: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        plan(firmware, harts, iterations)


def test_what_is_missing_is_named_with_where_it_comes_from(firmware: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"gone\.bin: no such firmware; install Debian's package opensbi"):
        plan(firmware.with_name("gone.bin"))
    monkeypatch.setattr(sbi, "search_folders", lambda: ())
    with pytest.raises(UsageError, match=r"sbi_calls\.elf does not exist; build it with `make sbi`"):
        plan(firmware)
