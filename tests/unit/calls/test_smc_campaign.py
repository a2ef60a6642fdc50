# SPDX-License-Identifier: BSD-3-Clause
"""What the smc campaign starts, and what it refuses to start. The machine itself is in tests/system."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from latlab.calls.campaign.smc import planned
from latlab.calls.campaign.watching import Watch
from latlab.calls.targets import subject as subjects
from latlab.calls.targets.boards import BOARDS, SMC_PROGRAM
from latlab.calls.targets.subject import Subject, find_program, subject_of_file
from latlab.core.errors import UsageError
from latlab.core.model.enums import Taker
from latlab.core.model.symbols import Image
from latlab.core.targets.qemu.qemu import Qemu
from support.refusals import refused

QEMU = Qemu(Path("/usr/bin/qemu-system-aarch64"), (10, 0, 2))
HOW = Watch((), Path("probe.so"), has_functions=True, timeout_s=7.0)


@pytest.fixture(name="subject")
def fixture_subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Subject:
    """An image, with the programs that make the calls where they are looked for."""
    for board in BOARDS.values():
        place = tmp_path / "build" / board.own_build
        place.mkdir(parents=True)
        (place / f"smc_calls{board.suffix}.elf").write_bytes(b"\x7fELF")
    monkeypatch.setattr(subjects, "search_folders", lambda: (tmp_path / "build",))
    (tmp_path / "fw.bin").write_bytes(b"firmware")
    return subject_of_file(tmp_path / "fw.bin", "virt")


def test_the_program_runs_on_the_subjects_machine_with_its_iterations(subject: Subject, tmp_path: Path) -> None:
    watch = planned(subject, 3, QEMU, tmp_path, HOW)
    words = " ".join(watch.command)
    assert "-M virt,secure=on,gic-version=2 -cpu cortex-a57 -smp 4 " in words
    assert f"loader,file={tmp_path}/build/qemu_virt/smc_calls.elf" in words
    assert "addr=0x5fff0008,data=0x3," in words and "addr=0x5fff0028,data=0x0," in words
    assert (watch.campaign, watch.firmware, watch.timeout_s, watch.sweep) == ("smc", "fw.bin", 7.0, None)
    assert watch.has_functions and watch.probe == Path("probe.so")


def test_a_sweep_has_one_core_and_el2_and_then_repeats_what_waited_longest(subject: Subject, tmp_path: Path) -> None:
    watch = planned(subject, 3, QEMU, tmp_path, HOW, sweep=9)
    assert watch.sweep and "virtualization" not in " ".join(watch.command)
    whole, again = " ".join(watch.sweep.whole), " ".join(watch.sweep.one_each([17, 33]))
    for words in (whole, again):
        assert "-M virt,secure=on,gic-version=2,virtualization=on -cpu cortex-a57 -smp 1 " in words
        assert "addr=0x5fff0008,data=0x9," in words
    assert "addr=0x5fff0028,data=0x20," in whole and "addr=0x5fff0030" not in whole
    assert "addr=0x5fff0028,data=0x60," in again
    assert again.endswith("-device loader,addr=0x5fff0030,data=0x11,data-len=8 -device loader,addr=0x5fff0038,data=0x21,data-len=8")


def test_an_interrupt_of_another_world_is_told_to_the_program_and_its_handler_looked_for(subject: Subject, tmp_path: Path) -> None:
    images = (Image("bl31", (0x100, 0x200), (16, 16), ("serve", "thief_interrupt"), ()),)
    watch = planned(subject, 3, QEMU, tmp_path, replace(HOW, images=images), sweep=9, taker=Taker.EL3)
    assert watch.sweep and (watch.sweep.handler, watch.sweep.taker) == (0x200, Taker.EL3)
    assert "addr=0x5fff0028,data=0x120," in " ".join(watch.sweep.whole)
    assert "addr=0x5fff0028,data=0x160," in " ".join(watch.sweep.one_each([17]))
    with pytest.raises(UsageError, check=refused(value="secure")):
        planned(subject, 3, QEMU, tmp_path, replace(HOW, images=images), sweep=9, taker=Taker.SECURE)
    with pytest.raises(UsageError, check=refused(value="el3")):
        planned(subject, 3, QEMU, tmp_path, replace(HOW, images=images), taker=Taker.EL3)


@pytest.mark.parametrize(
    ("iterations", "sweep", "said"),
    [
        (0, 0, "--iterations 0: use 1 to"),
        (1_000_001, 0, "--iterations 1000001"),
        (1, -1, "--sweep -1: these are millions of instructions for each call; use 1 to"),
        (1, 1_000_001, "--sweep 1000001"),
    ],
)
def test_what_is_out_of_range_is_refused(subject: Subject, tmp_path: Path, iterations: int, sweep: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        planned(subject, iterations, QEMU, tmp_path, HOW, sweep)


def test_a_timeout_is_more_than_nothing(subject: Subject, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--timeout 0"):
        planned(subject, 1, QEMU, tmp_path, replace(HOW, timeout_s=0.0))


@pytest.mark.parametrize("machine", ["raspi4b", "sbsa-ref"])
def test_other_machines_have_the_program_and_no_sweep(subject: Subject, tmp_path: Path, machine: str) -> None:
    other = subject_of_file(tmp_path / "fw.bin", machine)
    assert find_program(other.board, SMC_PROGRAM).name == f"smc_calls{other.board.suffix}.elf"
    with pytest.raises(UsageError, match=f"EL2's timer of the machine virt, fw.bin is for {machine}"):
        planned(other, 1, QEMU, tmp_path, HOW, sweep=1)


def test_a_program_that_is_not_built_is_named(subject: Subject, tmp_path: Path) -> None:
    (tmp_path / "build/qemu_virt/smc_calls.elf").unlink()
    with pytest.raises(UsageError, match=r"qemu_virt/smc_calls\.elf is in none of .*; build it with `make qemu_virt`"):
        planned(subject, 1, QEMU, tmp_path, HOW)
