# SPDX-License-Identifier: BSD-3-Clause
"""`latlab watch` on the real firmware: what it prints, keeps and refuses, and that the machine does not notice."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from latlab.calls.analysis.paths import runs_of
from latlab.calls.model.crossings import Crossing, End, Fragment, Header, Profile, Record, Sleep, Stopped, Stretch, Wake
from latlab.calls.model.crossings import Path as RanPath
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Problem, Topology
from latlab.core.store.store import open_store
from latlab.core.targets.qemu.images import find_images
from latlab.core.targets.qemu.probe import complaints, with_probe
from latlab.core.targets.qemu.qemu import QemuMachine, command_line, find_qemu
from support import preloaded
from support.places import ROOT
from support.plugins import probe_here
from support.repeated import printed_steps

TIMEOUT_S = 900
CLUSTERS = (2, 4)
ENTRY = 0x6000_0000
CLOCK = ("-icount", "shift=4,sleep=off", "-no-reboot")
WFI, WFE, NOP, B_SELF = 0xD503207F, 0xD503205F, 0xD503201F, 0x14000000
SEV = 0xD503209F  # newer than 10, QEMU sleeps in WFE until an event comes
MOV_X1, SUBS_X1_1, B_NE = 0xD2800001, 0xF1000421, 0x54000001
# SPSR, ELR, SCR: secure EL1 behind these, AArch64.
TO_EL1 = (0xD28078A0, 0xD51E4000, 0x100000A0, 0xD51E4020, 0xD2808600, 0xD51E1100, 0xD69F03E0)
EXIT = (0xD2800300, 0xD2800001, 0xD45E0000)  # semihosting: x0 = SYS_EXIT, hlt #0xf000
SYSTEM_OFF = (0xD2B08000, 0xF2800100, 0xD4000003)  # x0 = 0x84000008, smc #0


def machine_command(folder: Path, clusters: tuple[int, ...] = CLUSTERS, mode: Mode = Mode.DETERMINISTIC) -> tuple[str, ...]:
    machine = QemuMachine(find_images(Topology(clusters), "psci_bench"), "psci_bench", mode, iterations=2)
    return command_line(find_qemu(), machine, folder / "secure.log")


def latlab(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    environment = dict(os.environ, LATLAB_STORE=str(folder / "store.db"))
    return subprocess.run(
        [preloaded.command(), *words], capture_output=True, timeout=TIMEOUT_S, check=False, env=environment, stdin=subprocess.DEVNULL
    )


def boot(command: tuple[str, ...]) -> bytes:
    return subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=True, stdin=subprocess.DEVNULL).stdout


@pytest.mark.parametrize("clusters", [(1,), (2, 4), (4, 4, 4, 4)])
def test_the_calls_are_the_same_with_the_probe_step_by_step_and_so_are_two_runs(tmp_path: Path, clusters: tuple[int, ...]) -> None:
    command = machine_command(tmp_path, clusters)
    plain = printed_steps(boot(command).decode())
    assert plain
    for name in ("first", "second"):
        stream = tmp_path / name
        assert printed_steps(boot(with_probe(command, probe_here(), stream, True)).decode()) == plain
        *_, last, _ = Decoder().feed(stream.read_bytes())
        assert isinstance(last, Crossing)


def test_functions_account_for_every_instruction_in_el3(tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    boot(with_probe(machine_command(tmp_path), probe_here(), stream, True))
    records = list(Decoder().feed(stream.read_bytes()))[1:]
    fragments = {record.number: record for record in records if isinstance(record, Fragment)}
    begun: dict[int, int] = {}
    paths: dict[int, tuple[int, ...]] = {}
    rest: dict[int, tuple[tuple[int, int], ...]] = {}
    stays = 0
    for record in records:
        match record:
            case RanPath():
                paths[record.core] = paths.get(record.core, ()) + record.steps
            case Profile():
                assert record.unlisted_instructions == 0
                rest[record.core] = rest.get(record.core, ()) + record.runs
            case Wake():
                begun[record.core] = record.instructions
            case Crossing() | Sleep():
                if record.core in paths:
                    runs = runs_of([Stretch(paths.pop(record.core), rest.pop(record.core, ()))])
                    ran = sum(fragments[number].instructions * times for number, times in runs.items())
                    assert ran == record.instructions - begun[record.core]
                    stays += 1
                begun[record.core] = record.instructions
    assert stays > 1000


def test_calls_are_counted_named_and_kept(tmp_path: Path) -> None:
    done = latlab(tmp_path, "watch", "--functions", "--format", "json", "--", *machine_command(tmp_path))
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    calls = {call["call"]: call for call in seen["calls"]}
    assert calls["PSCI_VERSION"]["count"] == 6 * 2
    assert calls["PSCI_VERSION"]["min"] == calls["PSCI_VERSION"]["max"]
    assert calls["CPU_SUSPEND (64)"]["slept"] == calls["CPU_SUSPEND (64)"]["count"] == 25 * 2
    assert b"status=pass" in done.stderr
    run = open_store(str(tmp_path / "store.db")).load(seen["run"])
    assert {sample.value_ticks for sample in run.samples if sample.test == "PSCI_VERSION"} == {calls["PSCI_VERSION"]["min"]}
    assert len({sample.core for sample in run.samples}) == 6


def test_functions_of_the_calls_of_each_core_add_up_to_what_these_took(tmp_path: Path) -> None:
    symbols = ROOT / "build" / "qemu_virt" / "firmware.elf"
    done = latlab(tmp_path, "watch", "--symbols", str(symbols), "--format", "json", "--", *machine_command(tmp_path))
    assert done.returncode == 0, done.stderr.decode()
    run = open_store(str(tmp_path / "store.db")).load("last")
    took: Counter[tuple[str, CoreId]] = Counter()
    calls: Counter[tuple[str, CoreId]] = Counter()
    for sample in run.samples:
        if sample.metric is Metric.CALL:
            took[sample.test, sample.core] += sample.value_ticks
            calls[sample.test, sample.core] += 1
    assert len(took) > 20
    of_calls = [one for one in run.functions if one.metric is Metric.CALL]
    assert {(one.test, one.core): one.calls for one in of_calls} == calls
    for one in of_calls:
        whole, ran = took[one.test, one.core], sum(share.instructions for share in one.functions)
        # What runs between two sleeps at one place, as at a lock, is in no path (docs/reference/probe-format.md).
        least = 0.99 * whole if "SUSPEND" in one.test else whole
        assert least <= ran <= whole
    named = {share.name: share.place for one in run.functions for share in one.functions}
    assert "/psci_on_off.c:" in named["psci_cpu_on"]
    stages = {sample.test: sample.value_ticks for sample in run.samples if sample.metric is Metric.BOOT}
    (booted,) = (one for one in run.functions if one.metric is Metric.BOOT)
    assert stages["firmware"] == sum(share.instructions for share in booted.functions)
    assert stages.pop("all") == sum(stages.values()) == json.loads(done.stdout)["boot"]["all"]


def test_without_symbols_a_boot_is_told_by_its_world(tmp_path: Path) -> None:
    seen = json.loads(latlab(tmp_path, "watch", "--format", "json", "--", *machine_command(tmp_path, (1,))).stdout)
    assert set(seen["boot"]) == {"all", "EL3"} and seen["boot"]["all"] == seen["boot"]["EL3"] > 1000


def test_calls_that_fail_are_counted_by_what_they_answered_and_those_that_did_not_return_named(tmp_path: Path) -> None:
    features = (0xD2B08000, 0xF2800140, 0xD29FFFE1, 0xD4000003)  # x0 = 0x8400000a, x1 = 0xffff, smc #0
    done = latlab(tmp_path, "watch", "--format", "json", "--", *program_command(tmp_path, (*features, *SYSTEM_OFF)))
    seen = json.loads(done.stdout)
    (asked,) = (call for call in seen["calls"] if call["call"] == "PSCI_FEATURES")
    assert asked["failed"] == {"NOT_SUPPORTED": 1}
    assert seen["not_returned"][0].startswith("SYSTEM_OFF from EL")


def test_the_count_is_proved_by_one_of_each_instruction(tmp_path: Path) -> None:
    done = latlab(tmp_path, "watch", "--prove", "--functions", "--format", "json", "--", *machine_command(tmp_path))
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    changes = sum(way["count"] for way in seen["crossings"])
    assert seen["proved_changes"] > changes > 1000
    assert seen["problems"] == []


def test_two_runs_of_a_machine_with_several_cores_are_the_same(tmp_path: Path) -> None:
    for _ in range(2):
        assert latlab(tmp_path, "watch", "--format", "json", "--", *machine_command(tmp_path)).returncode == 0
    first, second = open_store(str(tmp_path / "store.db")).runs()
    assert first.topology == second.topology == Topology((6,))
    done = latlab(tmp_path, "compare", first.id, second.id)
    assert done.returncode == 0, done.stderr.decode()
    assert b": unchanged (" in done.stdout.split(b"\n")[0]


def test_symbols_of_another_image_are_refused_and_the_run_is_kept(tmp_path: Path) -> None:
    other = ROOT / "build" / "qemu_virt-hold" / "firmware.elf"
    done = latlab(tmp_path, "watch", "--symbols", str(other), "--", *machine_command(tmp_path))
    assert done.returncode == 3
    assert b"firmware.elf is of another build" in done.stderr
    assert open_store(str(tmp_path / "store.db")).load("last").samples


def test_a_machine_that_does_not_start_is_one_sentence(tmp_path: Path) -> None:
    done = latlab(tmp_path, "watch", "--", "qemu-system-aarch64", "-M", "no-such-machine", "-display", "none")
    assert done.returncode == 2
    assert "latlab: QEMU did not start the machine; it printed: " in done.stderr.decode()


def test_a_core_without_trustzone_has_no_secure_world_wherever_its_code_lies(tmp_path: Path) -> None:
    image = tmp_path / "image"
    jump = bytes.fromhex("0148 0047 00000000 01000010")  # ldr r0, =0x10000001; bx r0
    image.write_bytes(struct.pack("<II", 0x20001000, 0x08000009) + jump)
    wait = "loader,addr=0x10000000,data=0xbf30,data-len=4"
    machine = ("qemu-system-arm", "-M", "olimex-stm32-h405", "-kernel", str(image), "-device", wait, "-icount", "shift=4,sleep=off")
    words = (*machine, "-display", "none", "-monitor", "none", "-serial", "null")
    latlab(tmp_path, "watch", "--timeout", "2", "--", *words)
    stream = open_store(str(tmp_path / "store.db")).log("last", "probe")
    (asleep,) = (record for record in Decoder().feed(stream) if isinstance(record, Sleep))
    assert (asleep.address, asleep.world) == (0x10000000, 0)


def test_a_processor_that_is_not_followed_is_named(tmp_path: Path) -> None:
    words = ("qemu-system-arm", "-M", "virt", "-cpu", "cortex-a15", "-nic", "none", "-display", "none")
    done = latlab(tmp_path, "watch", "--timeout", "2", "--", *words)
    assert done.returncode == 2
    assert b"processor (arm) knows AArch32 alone, which the probe does not follow" in done.stderr


@pytest.mark.parametrize("bits", [32, 64])
def test_a_call_of_a_hart_of_32_bits_is_told_like_one_of_64(tmp_path: Path, bits: int) -> None:
    """The status of a hart that is not there, then the end: li of a7, a6 and a0 in two instructions each, ecall, j to itself."""
    emulator, firmware = f"qemu-system-riscv{bits}", Path(f"/usr/lib/riscv{bits}-linux-gnu/opensbi/generic/fw_dynamic.bin")
    if not (shutil.which(emulator) and firmware.is_file()):
        pytest.skip("needs qemu-system-riscv and opensbi")
    status = (0x004858B7, 0x34D88893, 0x00000837, 0x00280813, 0x00000537, 0x00750513, 0x73)
    end = (0x535258B7, 0x35488893, 0x00000837, 0x00080813, 0x00000537, 0x00050513, 0x000005B7, 0x00058593, 0x73, 0x6F)
    (tmp_path / "program").write_bytes(struct.pack(f"<{len(status + end)}I", *status, *end))
    machine = ("-M", "virt", "-bios", str(firmware), "-kernel", str(tmp_path / "program"), "-display", "none", "-serial", "null", *CLOCK)
    seen = json.loads(latlab(tmp_path, "watch", "--format", "json", "--", emulator, *machine, "-monitor", "none", "-nic", "none").stdout)
    (call,) = seen["calls"]
    assert (call["call"], call["failed"]) == ("hsm.hart_get_status", {"INVALID_PARAM": 1})
    assert seen["not_returned"] == ["srst.system_reset from HS on 0.0"]


def test_the_probe_says_at_the_end_that_a_full_disk_did_not_take_its_stream(tmp_path: Path) -> None:
    command = with_probe(machine_command(tmp_path), probe_here(), Path("/dev/full"), False)
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=True, stdin=subprocess.DEVNULL)
    (problem,) = complaints(done.stderr.decode())
    assert problem.message.startswith("the probe: writing to /dev/full failed (No space left on device); ")
    assert done.stdout == boot(machine_command(tmp_path))


def test_what_comes_beyond_the_limit_is_told_and_what_came_is_kept(tmp_path: Path) -> None:
    done = latlab(tmp_path, "watch", "--stream-bytes", "100000", "--", *machine_command(tmp_path))
    assert done.returncode == 3
    assert b"the probe lost" in done.stderr
    assert b"PSCI_VERSION" not in done.stdout
    assert b"TRACE_STATUS" in done.stdout


def test_a_machine_that_never_ends_is_stopped_in_order(tmp_path: Path) -> None:
    command = ("qemu-system-aarch64", "-M", "virt,secure=on", "-cpu", "cortex-a57", "-display", "none")
    done = latlab(tmp_path, "watch", "--timeout", "3", "--", *command, "-m", "1024", "-nic", "none", "-icount", "shift=4,sleep=off")
    assert done.returncode == 3
    assert b"stopped after 3 s" in done.stderr
    assert b"cut off" not in done.stdout


def test_where_a_core_sleeps_when_the_machine_is_stopped_is_kept(tmp_path: Path) -> None:
    """A machine that ends by itself has nothing behind its last crossing; this one is stopped while its core waits."""
    firmware = find_images(Topology((1,)), "psci_bench").firmware_bin
    command = ("qemu-system-aarch64", "-M", "virt,secure=on", "-cpu", "cortex-a57", "-m", "1024", "-bios", str(firmware))
    waits = ("-device", f"loader,addr={ENTRY:#x},data={B_SELF << 32 | WFI:#x},data-len=8")
    done = latlab(tmp_path, "watch", "--timeout", "8", "--", *command, *waits, "-display", "none", "-nic", "none", "-icount", "shift=4")
    assert b"stopped after 8 s" in done.stderr
    stored = open_store(str(tmp_path / "store.db"))
    *_, before, asleep, stopped, end = Decoder().feed(stored.logs("last")["probe"])
    assert isinstance(before, Crossing) and isinstance(asleep, Sleep) and isinstance(stopped, Stopped) and isinstance(end, End)
    assert asleep.address == ENTRY and stopped.is_asleep and stopped.instructions == asleep.instructions


def program_command(folder: Path, words: tuple[int, ...], cores: int = 1) -> tuple[str, ...]:
    """Our firmware with these instructions as what it starts, at ENTRY."""
    (folder / "program").write_bytes(struct.pack(f"<{len(words)}I", *words))
    firmware = find_images(Topology((1,)), "psci_bench").firmware_bin
    machine = ("-M", "virt,secure=on", "-cpu", "cortex-a57", "-smp", str(cores), "-m", "1024", "-bios", str(firmware))
    program = ("-device", f"loader,file={folder / 'program'},addr={ENTRY:#x},force-raw=on")
    return ("qemu-system-aarch64", *machine, *program, "-display", "none", "-nic", "none", *CLOCK)


def of_the_normal_world(folder: Path, cores: int, loop: tuple[int, ...], times: int) -> list[Record]:
    """What the probe sees of a program whose loop stands at ENTRY + 4, and which then switches the machine off."""
    words = (MOV_X1 | times << 5, *loop, SUBS_X1_1, B_NE | (-(len(loop) + 1) & 0x7FFFF) << 5, *SYSTEM_OFF, B_SELF)
    boot(with_probe(program_command(folder, words, cores), probe_here(), folder / "stream", False))
    return [record for record in Decoder().feed((folder / "stream").read_bytes()) if not isinstance(record, Header | Problem)]


@pytest.mark.parametrize("cores", [1, 2])
def test_an_idle_loop_of_the_normal_world_leaves_one_pair_however_much_it_does_between_two_sleeps(tmp_path: Path, cores: int) -> None:
    records = of_the_normal_world(tmp_path, cores, (SEV, WFE, *(NOP,) * 100), 50)
    assert len([record for record in records if isinstance(record, Sleep) and record.address == ENTRY + 8]) == 1
    (wake,) = [record for record in records if isinstance(record, Wake) and record.address == ENTRY + 12]
    assert wake.sleeps == 50


@pytest.mark.parametrize("cores", [1, 2])
def test_sleeps_at_two_places_in_turn_have_a_pair_each(tmp_path: Path, cores: int) -> None:
    records = of_the_normal_world(tmp_path, cores, (SEV, WFE, SEV, WFE), 50)
    places = [record.address - ENTRY for record in records if isinstance(record, Sleep) and record.address >= ENTRY]
    assert places == [8, 16] * 50
    assert [record.sleeps for record in records if isinstance(record, Wake) and record.address >= ENTRY] == [1] * 100


@pytest.mark.parametrize(("between", "pairs"), [(10, 1), (100, 50)])
def test_in_el3_sleeps_at_one_place_are_one_only_if_next_to_nothing_runs_between_them(tmp_path: Path, between: int, pairs: int) -> None:
    loop = (SEV, WFE, *(NOP,) * (between - 1), SUBS_X1_1, B_NE | (-(between + 2) & 0x7FFFF) << 5)
    words = (MOV_X1 | 50 << 5, *loop, *TO_EL1, *EXIT)
    (tmp_path / "program").write_bytes(struct.pack(f"<{len(words)}I", *words))
    command = ("qemu-system-aarch64", "-M", "virt,secure=on", "-cpu", "cortex-a57", "-m", "128", "-bios", str(tmp_path / "program"))
    options = ("-display", "none", "-nic", "none", "-semihosting-config", "enable=on,target=native", *CLOCK)
    done = subprocess.run(
        with_probe((*command, *options), probe_here(), tmp_path / "stream", True), stdin=subprocess.DEVNULL, timeout=120, check=False
    )
    assert done.returncode in (0, 1)
    records = list(Decoder().feed((tmp_path / "stream").read_bytes()))
    wakes = [record for record in records if isinstance(record, Wake)]
    assert len([record for record in records if isinstance(record, Sleep)]) == len(wakes) == pairs
    assert sum(wake.sleeps for wake in wakes) == 50


def test_what_is_no_machine_emulator_is_refused(tmp_path: Path) -> None:
    done = latlab(tmp_path, "watch", "--", "true")
    assert done.returncode == 2
    assert b"true is no machine emulator" in done.stderr


def test_cores_that_run_at_the_same_time_are_told_apart(tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    boot(with_probe(machine_command(tmp_path, mode=Mode.MULTI_THREAD), probe_here(), stream, False))
    decoder = Decoder()
    records = list(decoder.feed(stream.read_bytes()))
    assert not list(decoder.finish())
    for core in range(6):
        counts = [record.instructions for record in records if isinstance(record, Crossing) and record.core == core]
        worlds = [(record.left_world, record.entered) for record in records if isinstance(record, Crossing) and record.core == core]
        assert counts == sorted(counts)
        assert all(before[1] == after[0] for before, after in pairwise(worlds))
