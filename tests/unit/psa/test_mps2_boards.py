# SPDX-License-Identifier: BSD-3-Clause
"""The MPS boards: where their images are, QEMU's command line, and what an image's symbols say."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from latlab.core.errors import DataError, UsageError
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock
from latlab.core.model.symbols import Symbols
from latlab.core.targets.qemu.qemu import Qemu
from latlab.psa.targets import mps2
from latlab.psa.targets.mps2 import (
    BOARDS,
    MACHINES,
    PsaImages,
    board_of,
    check_priority,
    code_bytes,
    command_line,
    conditions,
    find_psa_images,
    parse_symbols,
    symbols_of,
    symbols_text,
    tick_of,
)

QEMU = Qemu(Path("/usr/bin/qemu-system-arm"), (10, 0, 2))
SOURCE = """
int first(void) { return 1; }
static int hidden(void) { return 2; }
int (*kept)(void) = hidden;
__attribute__((section(".spm_code"))) int second(void) { return 3; }
__attribute__((section(".partition_code"))) int third(void) { return 4; }
__attribute__((section(".gnu.sgstubs"))) int fourth(void) { return 5; }
static int local_name(void) __attribute__((alias("first"), used));
int data = 6;
"""


@pytest.fixture(name="elf", scope="module")
def fixture_elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elf")
    (folder / "a.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-nostdlib", "-static", "-Wl,-e,first", str(folder / "a.c"), "-o", str(folder / "a.elf")], check=True)
    return folder / "a.elf"


def made(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()
    return folder


def after(command: tuple[str, ...], option: str) -> list[str]:
    return [value for name, value in pairwise(command) if name == option]


def test_a_machine_that_nothing_is_built_for_is_refused_with_those_that_are() -> None:
    assert MACHINES == ("mps2-an521", "mps2-an505")
    assert (board_of("mps3-an547").processor, board_of("mps2-an505").processor) == ("cortex-m55", "cortex-m33")
    with pytest.raises(UsageError, match=f"--machine mps2-an385 does not exist; use one of {', '.join(BOARDS)}"):
        board_of("mps2-an385")


def test_images_are_found_in_the_named_folder_or_in_the_build_s_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = made(tmp_path / "named", "secure.elf", "bench.elf")
    assert find_psa_images("ipc_l1", both).folder == both
    below = made(both / "ipc_l1", "secure.elf", "bench.elf")
    assert find_psa_images("ipc_l1", both) == PsaImages("ipc_l1", below)
    made(tmp_path / "a" / "spm" / "sfn_l1", "secure.elf")
    there = made(tmp_path / "b" / "spm" / "sfn_l1", "secure.elf", "bench.elf")
    m55 = made(tmp_path / "b" / "spm-mps3_an547" / "sfn_l1", "secure.elf", "bench.elf")
    monkeypatch.setattr(mps2, "search_folders", lambda: (tmp_path / "a", tmp_path / "b"))
    assert find_psa_images("sfn_l1").folder == there, "one without its bench is none"
    assert find_psa_images("sfn_l1", machine="mps3-an547").folder == m55
    with pytest.raises(
        UsageError, match=r"no secure.elf and bench.elf of the build ipc_l9 in .*a/spm/ipc_l9, .*b/spm/ipc_l9; build it with `make spm`"
    ):
        find_psa_images("ipc_l9")


def test_a_run_s_conditions_are_those_of_the_board() -> None:
    found = conditions(0x40, 0x20, "mps3-an547")
    assert (found.mode, found.processor, found.interrupt_priority, found.basepri) == (Mode.DETERMINISTIC, "cortex-m55", 0x40, 0x20)
    assert (conditions(0).processor, conditions(0).basepri) == ("cortex-m33", None)


def test_the_command_line_starts_the_secure_image_with_the_bench_beside_it(tmp_path: Path) -> None:
    command = command_line(QEMU, "mps2-an521", PsaImages("ipc_l1", tmp_path))
    assert command[0] == "/usr/bin/qemu-system-arm" and command[-1] == "-no-reboot"
    assert (after(command, "-M"), after(command, "-icount")) == (["mps2-an521"], ["shift=10"])
    assert (after(command, "-kernel"), after(command, "-serial")) == ([str(tmp_path / "secure.elf")], ["stdio"])
    assert after(command, "-device") == [f"loader,file={tmp_path / 'bench.elf'}"]
    assert (after(command, "-nic"), after(command, "-display"), after(command, "-monitor")) == (["none"], ["none"], ["none"])


@pytest.mark.parametrize(
    ("machine", "priority", "basepri", "said"),
    [
        ("mps2-an505", 0x40, 0, "loader,addr=0x28300000,data=0x40,data-len=4"),
        ("mps2-an521", 0, 0x20, "loader,addr=0x28300000,data=0x2000,data-len=4"),
        ("mps3-an547", 0xE0, 0xC0, "loader,addr=0x21300000,data=0xc0e0,data-len=4"),
    ],
)
def test_a_priority_is_left_in_memory_for_the_bench(tmp_path: Path, machine: str, priority: int, basepri: int, said: str) -> None:
    command = command_line(QEMU, machine, PsaImages("ipc_l1", tmp_path), priority, basepri)
    assert after(command, "-device")[1:] == [said]


@pytest.mark.parametrize("priority", [-0x20, 0x10, 0x1F, 0xE1, 0x100])
def test_a_priority_that_the_processor_does_not_have_is_refused(tmp_path: Path, priority: int) -> None:
    with pytest.raises(UsageError, match=f"--priority {priority:#x} does not exist; the processor has 0x00, 0x20 and so on to 0xE0"):
        command_line(QEMU, "mps2-an521", PsaImages("ipc_l1", tmp_path), priority)
    with pytest.raises(UsageError, match=f"--basepri {priority:#x} does not exist"):
        command_line(QEMU, "mps2-an521", PsaImages("ipc_l1", tmp_path), 0, priority)


def test_every_priority_that_the_processor_has_is_taken() -> None:
    for priority in range(0, 0x100, 0x20):
        check_priority(priority)


def test_a_tick_is_worth_the_instructions_that_the_emulator_runs_in_it() -> None:
    tick = tick_of(25_000_000)
    assert (tick.clock, tick.value) == (Clock.INSTRUCTIONS, 40 / 1024)


def test_of_two_functions_at_one_address_the_global_one_is_named(elf: Path) -> None:
    found = symbols_of(elf)
    named = dict(zip(found.names, found.places, strict=True))
    sections = {"hidden": ".text", "first": ".text", "second": ".spm_code", "third": ".partition_code", "fourth": ".gnu.sgstubs"}
    assert named == sections, "neither data nor the local name of the same place"
    assert list(found.addresses) == sorted(found.addresses) and all(address % 2 == 0 for address in found.addresses)


def test_the_code_is_what_lies_in_the_parts_of_the_image(elf: Path) -> None:
    said = subprocess.run(["size", "-A", str(elf)], capture_output=True, text=True, check=True).stdout
    sizes = {line.split()[0]: int(line.split()[1]) for line in said.splitlines() if line.startswith(".")}
    assert code_bytes(elf) == sizes[".spm_code"] + sizes[".partition_code"] + sizes[".gnu.sgstubs"] > 0


def test_what_is_no_image_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "no.elf").write_bytes(b"no")
    with pytest.raises(DataError, match=r"no.elf: not an ELF file that can be read .* build it again"):
        symbols_of(tmp_path / "no.elf")


def test_symbols_come_back_from_the_text_that_a_run_keeps() -> None:
    placed = Symbols((0x10000000, 0x10000100), ("a", "b"), (".spm_code", ""))
    assert symbols_text(placed) == b"10000000 a .spm_code\n10000100 b\n"
    assert parse_symbols(symbols_text(placed)) == placed
    bare = Symbols((0x10,), ("a",), ())
    assert symbols_text(bare) == b"00000010 a\n" and parse_symbols(symbols_text(bare)) == bare
