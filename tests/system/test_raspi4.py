# SPDX-License-Identifier: BSD-3-Clause
"""The firmware as the armstub of QEMU's raspi4b: what it does with what a board hands over, and the campaign on it."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import time
from pathlib import Path

import fdt
import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from latlab.calls.model.crossings import Crossing
from latlab.calls.readers.decoder import Decoder
from latlab.calls.targets.subject import find_program, own_subject
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.readers.device_tree import read_tree
from latlab.core.store.store import open_store
from latlab.core.targets.qemu.probe import with_probe
from support import preloaded
from support.monitored import Monitored
from support.plugins import probe_here
from support.raspi4 import KERNEL_AT, MAGIC, MAGIC_AT, MEMORY_BYTES, TREE, TREE_AT, armstub, as_loaded, loader, machine
from support.repeated import one_by_one

pytestmark = [pytest.mark.firmware, pytest.mark.qemu]

TIMEOUT_S = 300
KERNEL = 0x80000
FIRMWARE_BYTES = 0x80000
PAGE_BYTES = 4096
PATIENCE_S = 300
NON_SECURE_EL2 = 2
INVALID_PARAMETERS = -2


def run(folder: Path, image: Path, *options: str) -> tuple[str, str]:
    """The two consoles, the normal world's first, of a machine that is switched off: one that is reset goes on until time is up."""
    logs = folder / "normal", folder / "firmware"
    serial = tuple(part for log in logs for part in ("-serial", f"file:{log}"))
    command = (*machine(image), *options, *serial, "-icount", "shift=4,sleep=off")
    subprocess.run(command, check=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, capture_output=True)
    normal, firmware = (log.read_text(errors="replace") for log in logs)
    return normal, firmware


def program(name: str = "psci_calls") -> tuple[str, str]:
    return ("-device", f"loader,file={find_program(own_subject('raspi4b').board).with_name(f'{name}_raspi4b.elf')}")


def board_tree(folder: Path, memory: tuple[int, ...] = (0, 0, MEMORY_BYTES)) -> Path:
    """As the board's kernel brings it: addresses of two cells, sizes of one, cores that spin."""
    tree = fdt.FDT()
    tree.set_property("#address-cells", 2)
    tree.set_property("#size-cells", 1)
    for core in range(4):
        node = f"/cpus/cpu@{core}"
        tree.set_property("device_type", "cpu", node)
        tree.set_property("reg", core, node)
        tree.set_property("enable-method", "spin-table", node)
        tree.set_property("cpu-release-addr", [0, 0xD8 + 8 * core], node)
    tree.set_property("device_type", "memory", "/memory@0")
    tree.set_property("reg", list(memory), "/memory@0")
    path = folder / "board.dtb"
    path.write_bytes(tree.to_dtb(17))
    return path


def test_the_image_has_the_header_that_the_boards_firmware_looks_for() -> None:
    image = armstub().read_bytes()
    assert struct.unpack_from("<II", image, MAGIC_AT) == (MAGIC, 0)
    assert struct.unpack_from("<II", image, TREE_AT) == (TREE, KERNEL)
    assert KERNEL_AT == TREE_AT + 4
    assert len(image) < FIRMWARE_BYTES


def test_every_call_that_the_board_has_is_as_specified_and_the_others_are_refused(tmp_path: Path) -> None:
    normal, _ = run(tmp_path, armstub(), *program("psci_conformance"))
    assert not [line for line in normal.splitlines() if line.startswith("FAIL")]
    passed = re.fullmatch(r"(\d+) passed, 0 failed", normal.strip().splitlines()[-1])
    assert passed and int(passed[1]) > 300
    resets = ("SYSTEM_RESET", "SYSTEM_RESET2 (warm reset)")
    assert all(f"PASS {call} boots the payload again" in normal for call in resets)


def test_the_campaign_gives_the_same_figures_twice_on_four_cores_in_one_cluster(tmp_path: Path) -> None:
    environment = dict(os.environ, LATLAB_STORE=str(tmp_path / "store.db"))
    runs = []
    for _ in range(2):
        words = (preloaded.command(), "run", "psci", "--machine", "raspi4b", "--iterations", "2")
        done = subprocess.run(words, capture_output=True, timeout=TIMEOUT_S, check=False, env=environment, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr.decode()
        runs.append(open_store(str(tmp_path / "store.db")).load("last"))
    first, second = runs
    assert one_by_one(first.samples) == one_by_one(second.samples) != []
    assert (first.status, first.tick.clock, first.platform) == (RunStatus.COMPLETE, Clock.INSTRUCTIONS, "raspi4b")
    assert first.topology.clusters == (4,)
    assert len(first.samples) == 2 * (5 * 4 * 3 + 4)
    assert {sample.metric for sample in first.samples} == {Metric.POWERDOWN, Metric.CACHE_FLUSH, Metric.WAKEUP, Metric.PSCI_CALL}
    # The cluster stays on: asked for the deepest state or not, a core flushes its own cache and no other.
    assert dict(first.facts)["power_state_deep"] == dict(first.facts)["power_state_level_0"] == "0x00010002"


def test_the_tree_tells_the_kernel_of_psci_and_not_of_spinning_cores_and_keeps_it_out_of_the_firmware(tmp_path: Path) -> None:
    image = as_loaded(tmp_path, KERNEL)
    options = (*machine(image)[1:], *program(), *loader(board_tree(tmp_path), TREE), "-icount", "shift=4,sleep=off", "-no-shutdown")
    with Monitored(tmp_path, options) as monitored:
        assert "device tree at 0x0000000008000000" in said_by_firmware(monitored)
        monitored.wait_for("LLC1:END")
        monitored.tell("pmemsave", val=TREE, size=0x10000, filename=str(tmp_path / "after"))
    after = read_tree((tmp_path / "after").read_bytes())
    assert after.get_property("compatible", "/psci").data == ["arm,psci-1.0", "arm,psci-0.2"]
    assert after.get_property("method", "/psci").value == "smc"
    for core in range(4):
        assert after.get_property("enable-method", f"/cpus/cpu@{core}").value == "psci"
        assert not after.exist_property("cpu-release-addr", f"/cpus/cpu@{core}")
    assert not after.exist_node("/cpus/idle-states")
    assert [(entry["address"], entry["size"]) for entry in after.entries] == [(0, FIRMWARE_BYTES)]


def said_by_firmware(monitored: Monitored) -> str:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        said = monitored.secure.read_text(errors="replace") if monitored.secure.exists() else ""
        if said.count("\n") >= 2:
            return said
        time.sleep(0.05)
    raise AssertionError("the firmware said nothing")


def test_the_kernel_is_where_the_boards_firmware_says(tmp_path: Path) -> None:
    normal, firmware = run(tmp_path, as_loaded(tmp_path, 0x200000), *program())
    assert normal == ""
    assert "PANIC: there is no program for the normal world (at): 0x0000000000200000" in firmware


@pytest.mark.parametrize(
    ("memory", "why"),
    [((0, 0, 0), "the device tree names no memory"), ((0, 0, FIRMWARE_BYTES), "the device tree names no memory")],
)
def test_a_tree_that_the_board_cannot_be_used_with_is_refused_in_one_sentence(tmp_path: Path, memory: tuple[int, ...], why: str) -> None:
    tree = board_tree(tmp_path, memory)
    normal, firmware = run(tmp_path, as_loaded(tmp_path, KERNEL), *program(), *loader(tree, TREE))
    assert normal == ""
    assert f"PANIC: {why}" in firmware


def test_a_kernel_outside_of_memory_is_not_started(tmp_path: Path) -> None:
    """Whatever lies there."""
    tree = board_tree(tmp_path, (0, 0, 0x81000, 0, 0x100000, 0x100000))
    branch_to_itself = ("-device", "loader,addr=0x90000,data=0x14000000,data-len=4")
    normal, firmware = run(tmp_path, as_loaded(tmp_path, 0x90000), *branch_to_itself, *program(), *loader(tree, TREE))
    assert normal == ""
    assert "there is no program" in firmware


def test_its_own_memory_is_no_place_for_a_kernel(tmp_path: Path) -> None:
    normal, firmware = run(tmp_path, as_loaded(tmp_path, 0x1000), *program(), *loader(board_tree(tmp_path), TREE))
    assert normal == ""
    assert "there is no program for the normal world (at): 0x0000000000001000" in firmware


def test_memory_may_be_in_several_ranges_and_hold_anything_before(tmp_path: Path) -> None:
    """Behind the image is what the board's power-up left there. Of EL3's map, nobody writes the entries that map nothing."""
    image = as_loaded(tmp_path, KERNEL)
    end = image.stat().st_size
    (tmp_path / "left").write_bytes(b"\xa5" * (FIRMWARE_BYTES - end))
    tree = board_tree(tmp_path, (0, 0x2000_0000, 0x1000, 0, 0, 0x1800_0000))
    loaded = (*loader(tmp_path / "left", end), *program(), *loader(tree, TREE))
    with Monitored(tmp_path, (*machine(image)[1:], *loaded, "-icount", "shift=4,sleep=off", "-no-shutdown")) as monitored:
        assert "status=pass" in monitored.wait_for("LLC1:END")
        of_second_gib = address_of("level2") + PAGE_BYTES
        monitored.tell("pmemsave", val=of_second_gib, size=PAGE_BYTES, filename=str(tmp_path / "table"))
    assert (tmp_path / "table").read_bytes() == bytes(PAGE_BYTES)


def address_of(name: str) -> int:
    with own_subject("raspi4b").symbols[0].open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        symbols = table.get_symbol_by_name(name)
        assert symbols
        return int(symbols[0]["st_value"])


@pytest.mark.parametrize("has_tree", [True, False])
def test_the_kernel_is_told_where_the_tree_is_and_begins_at_its_first_instruction(tmp_path: Path, has_tree: bool) -> None:
    options = loader(board_tree(tmp_path), TREE) if has_tree else ()
    plugin = with_probe((), probe_here(), tmp_path / "stream", False)
    run(tmp_path, as_loaded(tmp_path, KERNEL), *options, *program(), *plugin)
    crossings = (record for record in Decoder().feed((tmp_path / "stream").read_bytes()) if isinstance(record, Crossing))
    first = next(record for record in crossings if record.entered == NON_SECURE_EL2)
    assert (first.core, first.address, first.registers[:8]) == (0, KERNEL, (TREE if has_tree else 0, *[0] * 7))


def test_the_first_core_that_the_board_does_not_have_cannot_be_switched_on(tmp_path: Path) -> None:
    """The kernel asks for CPU_ON of core 4 of 0 to 3, and for SYSTEM_OFF."""
    asks = (0x52800060, 0x72B08000, 0xD2800081, 0xD2A00102, 0xD2800003, 0xD4000003)
    ends = (0x52800100, 0x72B08000, 0xD4000003)
    (tmp_path / "kernel").write_bytes(struct.pack("<9I", *asks, *ends))
    plugin = with_probe((), probe_here(), tmp_path / "stream", False)
    run(tmp_path, as_loaded(tmp_path, KERNEL), *loader(tmp_path / "kernel", KERNEL), *plugin)
    crossings = (record for record in Decoder().feed((tmp_path / "stream").read_bytes()) if isinstance(record, Crossing))
    _, answered = [record for record in crossings if record.entered == NON_SECURE_EL2]
    assert answered.registers[0] & 0xFFFFFFFF == INVALID_PARAMETERS & 0xFFFFFFFF


def test_the_counter_goes_at_the_speed_that_the_microsecond_timer_shows(tmp_path: Path) -> None:
    """QEMU's counter is not the board's: the register after a reset, which agrees with the timer, is kept, and 54 MHz would be wrong."""
    _, firmware = run(tmp_path, armstub(), *program())
    assert "counter at 62500000 Hz" in firmware
