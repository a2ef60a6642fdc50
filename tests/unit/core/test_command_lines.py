# SPDX-License-Identifier: BSD-3-Clause
"""Whole command lines: each machine with its own firmware and the program, each word where QEMU wants it."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from latlab.calls.targets import subject
from latlab.calls.targets.boards import BOARDS, board_of
from latlab.calls.targets.subject import own_subject
from latlab.core.errors import UsageError
from latlab.core.model.conditions import Mode
from latlab.core.model.run import Topology
from latlab.core.targets.qemu import qemu
from latlab.core.targets.qemu.images import ImageSet
from latlab.core.targets.qemu.qemu import Qemu, QemuMachine
from latlab.psa.targets import psa_subject
from latlab.psa.targets.psa_subject import CallKind, PsaCall, PsaSubject, attack_command_line

QEMU = Qemu(Path("/bin/qemu"), (10, 0, 2))
TAKES_TURNS = "-icount shift=4,sleep=off"
THREADS = "-accel tcg,thread=multi"


def words_at(base: int, *values: int) -> str:
    return " ".join(f"-device loader,addr={base + 8 * at:#x},data={value:#x},data-len=8" for at, value in enumerate(values))


MAGIC = 0x4C41544C41420001
OWN = {
    "virt": (
        "-M virt,secure=on,gic-version=2 -cpu cortex-a57 -smp 4 -m 1024 -device loader,file={build}/qemu_virt/psci_calls.elf "
        + words_at(0x5FFF0000, MAGIC, 7, 1, 4, 0, 0)
        + f" -display none -monitor none -serial stdio -serial file:{{folder}}/secure.log {TAKES_TURNS} -bios {{folder}}/flash.bin "
        "-nic none -no-reboot"
    ),
    "raspi4b": (
        "-M raspi4b -smp 4 -device loader,file={build}/raspi4/firmware.bin,addr=0x0,force-raw=on "
        "-device loader,file={build}/raspi4/psci_calls_raspi4b.elf "
        + words_at(0x1FFF0000, MAGIC, 7, 1, 4, 0, 0)
        + f" -display none -monitor none -serial stdio -serial file:{{folder}}/secure.log {TAKES_TURNS} -no-reboot"
    ),
    "sbsa-ref": (
        "-M sbsa-ref -cpu neoverse-n1 -smp 4 -m 1024 -device loader,file={build}/sbsa_ref/psci_calls_sbsa-ref.elf "
        "-device loader,file={folder}/jump.bin,addr=0x10000000,force-raw=on "
        + words_at(0x1001FFF0000, MAGIC, 7, 1, 4, 0, 0)
        + f" -display none -monitor none -serial stdio -serial file:{{folder}}/secure.log {TAKES_TURNS} -bios {{folder}}/flash.bin "
        "-nic none -global bochs-display.romfile= -no-reboot"
    ),
}


@pytest.mark.parametrize("board", BOARDS)
def test_our_own_firmware_is_started_with_the_program_on_each_machine(board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "search_folders", lambda: (tmp_path / "build",))
    monkeypatch.setattr(subject, "_entry_of", lambda program: 0x1_0000_8000)
    own, program = board_of(board).own_build, f"psci_calls{board_of(board).suffix}.elf"
    (tmp_path / "build" / own).mkdir(parents=True)
    for name in ("firmware.bin", "firmware.elf", program):
        (tmp_path / "build" / own / name).write_bytes(name.encode())
    found = own_subject(board)
    line = subject.command_line(QEMU, found, subject.find_program(found.board), 7, tmp_path)
    assert " ".join(line) == "/bin/qemu " + OWN[board].format(build=tmp_path / "build", folder=tmp_path)
    if "-bios" in line:
        assert (tmp_path / "flash.bin").read_bytes() == b"firmware.bin"
    assert found.symbols == (tmp_path / "build" / own / "firmware.elf",)


def test_a_jump_into_the_program_stands_where_its_machine_enters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "_entry_of", lambda program: 0x1_0000_8000)
    subject._loaded(board_of("sbsa-ref"), Path("p.elf"), tmp_path)
    # ldr x4, .+8; br x4; .quad entry
    assert (tmp_path / "jump.bin").read_bytes() == bytes.fromhex("44000058 80001fd6 0080000001000000")


@pytest.mark.parametrize(
    ("board", "cores", "most", "stays", "turns"),
    [("virt", 4, 16, False, True), ("raspi4b", 4, 4, True, False), ("sbsa-ref", 4, 16, False, True)],
)
def test_each_machine_has_its_cores_and_its_habits(board: str, cores: int, most: int, stays: bool, turns: bool) -> None:
    found = board_of(board)
    assert (found.name, found.cores, found.most_cores, found.cores_stay_on, found.is_deterministic) == (board, cores, most, stays, turns)
    with pytest.raises(UsageError, match="there are virt, raspi4b, sbsa-ref"):
        board_of("versatilepb")


@pytest.mark.parametrize("mode", [Mode.DETERMINISTIC, Mode.MULTI_THREAD])
@pytest.mark.parametrize(("el", "virtualization"), [(1, ""), (2, ",virtualization=on")])
def test_the_release_is_started_as_it_is_asked_for(mode: Mode, el: int, virtualization: str, tmp_path: Path) -> None:
    images = ImageSet(tmp_path / "qemu_virt", Topology((2, 4)))
    machine = QemuMachine(images, "bench", mode, 2, el, 9, 8, 7, 6, 5, "cortex-a72", 2048)
    clock = TAKES_TURNS if mode is Mode.DETERMINISTIC else THREADS
    assert " ".join(qemu.command_line(QEMU, machine, tmp_path / "secure.log")) == (
        f"/bin/qemu -M virt,secure=on{virtualization},gic-version=2 -cpu cortex-a72 -smp 6 -m 2048 -bios {tmp_path}/qemu_virt/firmware.bin "
        f"-device loader,file={tmp_path}/qemu_virt/bench.elf -fw_cfg name=opt/latlab/clusters,string=2,,4 "
        f"-semihosting-config enable=on,target=native {words_at(0x5FFF0000, MAGIC, 9, 8, 7, 6, 5)} -nic none -display none -monitor none "
        f"-serial stdio -serial file:{tmp_path}/secure.log {clock} -no-reboot"
    )


def test_what_is_not_asked_for_is_as_usual(tmp_path: Path) -> None:
    usual = QemuMachine(ImageSet(tmp_path, Topology((1,))), "bench")
    assert (usual.mode, usual.gic, usual.el, usual.iterations, usual.seed) == (Mode.DETERMINISTIC, 3, 1, 20, 1)
    assert (usual.count, usual.duration_ms, usual.flags, usual.cpu, usual.memory_mib) == (0, 0, 0, "cortex-a57", 1024)
    qemu.check_machine(QEMU, usual)


def psa(folder: Path) -> PsaSubject:
    images = ((folder / "secure.elf", None), (folder / "more.elf", None), (folder / "flat.bin", 0x1000_0000))
    calls = (PsaCall("nothing", CallKind.NOTHING),)
    return PsaSubject(
        "made", "mps2-an505", images, (0x1001, 0, 0, 0x1009, 0), 24, 16, 0x10_0000, 0x2810_0000, 0x10_0000, 0x4020_0000, calls
    )


def test_a_secure_partition_manager_of_somebody_else_is_started_with_the_program(tmp_path: Path) -> None:
    line = psa_subject.command_line(QEMU, psa(tmp_path), tmp_path, 0x20, 0x40)
    assert " ".join(line) == (
        f"/bin/qemu -M mps2-an505 -icount shift=10,sleep=off -kernel {tmp_path}/secure.elf -device loader,file={tmp_path}/more.elf "
        f"-device loader,file={tmp_path}/flat.bin,addr=0x10000000,force-raw=on "
        f"-device loader,file={tmp_path}/program.bin,addr=0x100000,force-raw=on "
        f"-device loader,file={tmp_path}/parameters.bin,addr=0x28100040,force-raw=on -display none -monitor none -serial stdio "
        f"-serial file:{tmp_path}/secure.log -semihosting-config enable=on,target=native -nic none -no-reboot"
    )
    with pytest.raises(UsageError, match="--priority 0x21 does not exist"):
        psa_subject.command_line(QEMU, psa(tmp_path), tmp_path, 0x21)


def test_for_attacks_both_serial_ports_are_one_and_the_machine_starts_again_after_a_reset(tmp_path: Path) -> None:
    line = attack_command_line(QEMU, psa(tmp_path), tmp_path, 0x8000)
    assert [value for option, value in itertools.pairwise(line) if option == "-serial"] == ["chardev:consoles"] * 2
    assert line[-2:] == ("-chardev", "stdio,id=consoles,mux=on,signal=off") and "-no-reboot" not in line
    assert f"loader,file={tmp_path}/parameters.bin,addr=0x28108000,force-raw=on" in line
    assert len(line) == len(psa_subject.command_line(QEMU, psa(tmp_path), tmp_path, 0)) + 1


def test_a_call_is_seen_to_begin_behind_the_gateway_of_the_first_veneer(tmp_path: Path) -> None:
    assert psa(tmp_path).mark_address == 0x1004
