# SPDX-License-Identifier: BSD-3-Clause
"""`latlab watch --masked`: stretches of known length in which interrupts are masked are found, with their callers and worlds."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from latlab.calls.campaign.sbi import DEBIAN_FIRMWARE, PARAMS, PROGRAM, QEMU
from latlab.core.targets.qemu.images import search_folders
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.psa.targets.mps2 import board_of
from support.places import ROOT
from system.test_watch import latlab

COMPILER = "aarch64-linux-gnu-gcc"
COMPILER_M = "arm-none-eabi-gcc"
SOURCE = Path(__file__).parents[1] / "support" / "masks.S"
BEHIND = SOURCE.with_name("masks_behind.S")
CLOCK = ("-icount", "shift=4,sleep=off")
CALLS = 50
QUIET = ("-display", "none", "-monitor", "none", "-serial", "null", "-nic", "none", "-no-reboot")


def planted(folder: Path, source: Path = SOURCE, *options: str) -> Path:
    program = folder / "masks.elf"
    if not shutil.which(COMPILER):
        pytest.skip(f"needs {COMPILER}")
    words = (COMPILER, "-nostdlib", "-static", "-Wl,-Ttext=0x40100000,--build-id=none", *options, "-o", str(program), str(source))
    subprocess.run(words, check=True, capture_output=True)
    return program


def watched(folder: Path, command: tuple[str, ...], *options: str) -> dict[str, Any]:
    done = latlab(folder, "watch", "--masked", "--format", "json", "--timeout", "60", *options, "--", *command)
    assert done.returncode == 0, done.stderr.decode()
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


@pytest.mark.qemu
@pytest.mark.parametrize("machine", [("-smp", "1", *CLOCK), ("-smp", "2", *CLOCK), ("-smp", "2")], ids=["inline", "turns", "threads"])
def test_a_planted_mask_is_found_to_the_instruction_with_its_caller(tmp_path: Path, machine: tuple[str, ...]) -> None:
    program = planted(tmp_path)
    command = ("qemu-system-aarch64", "-M", "virt,gic-version=2", "-cpu", "cortex-a57", *machine, *QUIET, "-kernel", str(program))
    rows = watched(tmp_path, command, "--symbols", str(program))["masked"]
    irq = [row for row in rows if row["line"] == "IRQ"]
    assert [(row["begin"], row["caller"], row["end"], row["count"], row["longest"]) for row in irq if not row["from_start"]] == [
        ("planted", "caller", "planted", 2, 500),
        ("interrupted", "_start", "interrupted", 1, 102),
        ("on_svc", "_start", "on_svc", 1, 21),
        ("on_irq", "_start", "on_irq", 1, 13),
    ]
    assert [row["opened_for"] for row in irq if row["begin"] == "planted"] == [["caller", "_start"]]
    assert [row["to_end"] for row in rows if row["line"] == "FIQ"] == [True]
    assert {row["world"] for row in rows} == {"EL1"}
    passed = latlab(tmp_path, "gate", "last", "--max-masked", "500")
    assert (passed.returncode, passed.stdout.decode().splitlines()[1]) == (
        0, "  not judged: FIQ, which a core masked from its start to the end of the run"
    )  # fmt: skip
    failed = latlab(tmp_path, "gate", "last", "--max-masked", "499")
    assert (failed.returncode, failed.stdout.decode().splitlines()[1]) == (
        1, "  500 instructions (IRQ): EL1, planted, called from caller, to planted"
    )  # fmt: skip


@pytest.mark.qemu
@pytest.mark.parametrize("machine", [("-smp", "1", *CLOCK), ("-smp", "2", *CLOCK)], ids=["inline", "turns"])
def test_a_mask_that_an_exception_follows_at_once_has_its_caller(tmp_path: Path, machine: tuple[str, ...]) -> None:
    program = planted(tmp_path, BEHIND, "-Wl,--section-start=.end=0x47fffffc")
    command = ("qemu-system-aarch64", "-M", "virt,gic-version=2", "-cpu", "cortex-a57", *machine, *QUIET, "-kernel", str(program))
    rows = watched(tmp_path, command, "--symbols", str(program))["masked"]
    irq = [row for row in rows if row["line"] == "IRQ" and not row["from_start"]]
    assert [(row["begin"], row["caller"], row["end"], row["longest"]) for row in irq] == [("masks_at_the_end", "caller", "caller", 11)]


@pytest.mark.qemu
def test_a_critical_section_that_a_switch_of_tasks_follows_is_named_by_who_entered_it(tmp_path: Path) -> None:
    program = tmp_path / "masks.elf"
    if not shutil.which(COMPILER_M) or not shutil.which("qemu-system-arm"):
        pytest.skip(f"needs {COMPILER_M} and qemu-system-arm")
    words = (COMPILER_M, "-mcpu=cortex-m3", "-mthumb", "-nostdlib", "-Wl,-Ttext=0,-Tbss=0x20000000,-e,start", "-o", str(program))
    subprocess.run((*words, str(SOURCE.with_name("masks_m.S"))), check=True, capture_output=True)
    board = ("qemu-system-arm", "-M", "mps2-an385", "-kernel", str(program), "-semihosting-config", "enable=on,target=native")
    command = (*board, *CLOCK, *QUIET)
    rows = watched(tmp_path, command, "--symbols", str(program))["masked"]
    assert [(row["line"], row["begin"], row["caller"], row["end"], row["opened_for"], row["count"], row["longest"]) for row in rows] == [
        ("low priority", "mask", "section", "unmask", ["section", "task", "start"], 2, 500),
        ("all", "on_pendsv", "", "on_pendsv", [], 2, 20),
        ("low priority", "on_pendsv", "", "on_pendsv", [], 2, 20),
    ]


@pytest.mark.qemu
def test_machine_mode_keeps_interrupts_of_s_waiting_and_that_is_its_own_time(tmp_path: Path) -> None:
    program = next((folder / PROGRAM for folder in search_folders() if (folder / PROGRAM).is_file()), None)
    if not (shutil.which(QEMU) and DEBIAN_FIRMWARE.is_file() and program):
        pytest.skip("needs qemu-system-misc, opensbi and `make sbi`")
    command = (
        *(QEMU, "-M", "virt", "-smp", "2", "-bios", str(DEBIAN_FIRMWARE), "-kernel", str(program), *CLOCK, *QUIET),
        *("-device", f"loader,addr={PARAMS:#x},data={2 | 2 << 32:#x},data-len=8"),
    )
    seen = watched(tmp_path, command)
    lines = {line: [row for row in seen["masked"] if row["line"] == line] for line in ("of M", "of S")}
    calls = max(call["max"] for call in seen["calls"] if call["call"] == "base.get_spec_version")
    ended = [row for row in lines["of M"] if not row["from_start"] and not row["to_end"]]
    assert {row["world"] for row in lines["of M"]} == {"M"}
    assert min(row["longest"] for row in ended) >= calls // 2
    assert all(row["from_start"] for row in lines["of S"])
    if find_qemu(Path(QEMU)).version < (11, 0, 0):  # later ones give several cores their turns in another order in another run
        assert watched(tmp_path, command)["masked"] == seen["masked"]
    assert {world for row in lines["of S"] for world, *_ in row["worlds"]} == {"M", "HS"}


@pytest.mark.qemu
def test_a_critical_section_of_the_non_secure_side_includes_the_secure_calls_in_it(tmp_path: Path) -> None:
    folder = ROOT / "build" / "spm" / "ipc_l2_test"
    if not (folder / "threads.elf").is_file() or not shutil.which("qemu-system-arm"):
        pytest.skip("needs `make spm` and qemu-system-arm")
    command = (
        *("qemu-system-arm", "-M", "mps2-an521", "-kernel", str(folder / "secure.elf"), "-device", f"loader,file={folder / 'threads.elf'}"),
        *("-semihosting-config", "enable=on,target=native", "-icount", "shift=10,sleep=off"),
        *("-device", f"loader,addr={board_of('mps2-an521').word:#x},data={CALLS},data-len=4", *QUIET),
    )
    rows = watched(tmp_path, command, "--symbols", str(folder / "threads.elf"), "--symbols", str(folder / "secure.elf"))["masked"]
    calls = [row for row in rows if row["begin"] == "work_call"]
    worlds = {world: longest for world, _, longest in calls[0]["worlds"]}
    assert set(worlds) == {"non-secure thread", "secure thread", "secure handler"}
    assert sum(worlds.values()) == calls[0]["longest"]
    assert all(row["begin"] != "0x" and row["longest"] < 5000 for row in rows)
