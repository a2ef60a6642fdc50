# SPDX-License-Identifier: BSD-3-Clause
"""One firmware on many machines: what it finds out about them, what it grants, and what it says where it cannot run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import fdt
import pytest

from latlab.core.errors import LatlabError
from latlab.core.model.run import Topology
from latlab.core.readers.device_tree import read_tree
from latlab.core.targets.qemu.images import find_images
from support.entry_probe import probe
from support.memory_writers import pages_left
from support.monitored import Monitored
from support.on_qemu import boot
from support.resets import check_resets
from support.slow_but import slow_but

pytestmark = pytest.mark.firmware

try:
    IMAGES = find_images(Topology((1,)), "entry_probe")
except LatlabError as error:
    pytest.skip(str(error), allow_module_level=True)
MEMORY = ("-m", "1024")
CLOCK = ("-icount", "shift=4,sleep=off")
BASE = ("-nic", "none", "-display", "none", "-monitor", "none", "-bios", str(IMAGES.firmware_bin))
LISTENS = ("-semihosting-config", "enable=on,target=native")


def loaded(payload: str) -> tuple[str, str]:
    return ("-device", f"loader,file={IMAGES.payload(payload)}")


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = ("qemu-system-aarch64", *BASE, *options)
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(("cpu", "hz"), [("cortex-a57", 62_500_000), ("max", 1_000_000_000)])
def test_the_counter_runs_as_fast_as_the_machine_says(cpu: str, hz: int, tmp_path: Path) -> None:
    assert probe(tmp_path, cpu=cpu)["hz"] == hz


MODELS = ("cortex-a35", "cortex-a53", "cortex-a55", "cortex-a72", "cortex-a76", "cortex-a710",
          "neoverse-n1", "neoverse-v1", "neoverse-n2", "max")  # fmt: skip


@pytest.mark.parametrize("cpu", slow_but(MODELS, "cortex-a53", "neoverse-n2", "max"))
def test_conformance_does_not_depend_on_the_model_of_the_core(cpu: str, tmp_path: Path) -> None:
    assert boot("psci_conformance", tmp_path, (2,), cpu=cpu).strip().endswith(" passed, 0 failed")


SIZES = ((2, 1), (2, 5), (2, 8), (3, 1), (3, 3), (3, 7), (3, 11), (3, 16))


@pytest.mark.parametrize("size", slow_but(SIZES, (2, 5), (3, 1), (3, 16)), ids=str)
def test_one_image_runs_on_any_number_of_cores(size: tuple[int, int], tmp_path: Path) -> None:
    gic, cores = size
    console = boot("psci_bench", tmp_path, (cores,), gic=gic, iterations=1)
    assert f" topology={cores} " in console and " status=pass " in console


def test_clusters_are_those_of_the_machine_where_nobody_wants_others(tmp_path: Path) -> None:
    consoles = ("-serial", "stdio", "-serial", "null")
    machine = ("-M", "virt,secure=on,gic-version=3", "-cpu", "cortex-a57", "-smp", "6,sockets=1,clusters=3,cores=2,threads=1", "-m", "1024")
    assert " topology=2,2,2 " in run(*machine, *loaded("psci_bench"), *CLOCK, *consoles).stdout


@pytest.mark.parametrize("wanted", ["2,5", "6,0", "7", "x", "2,,4", "2,4,"])
def test_clusters_that_the_machine_cannot_have_are_refused(wanted: str) -> None:
    option = f"name=opt/latlab/clusters,string={wanted.replace(',', ',,')}"
    machine = ("-M", "virt,secure=on,gic-version=3", "-cpu", "cortex-a57", "-smp", "6", "-m", "1024", "-fw_cfg", option)
    done = run(*machine, *loaded("psci_bench"), *LISTENS, "-serial", "stdio", "-serial", "null")
    assert "PANIC: the wanted clusters" in done.stdout and done.returncode == 1


def raw(payload: str, folder: Path) -> Path:
    """A position-independent program as it lies in memory."""
    target = folder / f"{payload}.bin"
    subprocess.run(["aarch64-linux-gnu-objcopy", "-O", "binary", IMAGES.payload(payload), target], check=True)
    return target


def test_a_machine_that_ends_before_the_usual_entry_is_entered_lower(tmp_path: Path) -> None:
    program = ("-device", f"loader,file={raw('entry_probe', tmp_path)},addr=0x40200000,force-raw=on")
    done = run(
        "-M", "virt,secure=on,gic-version=3", "-cpu", "cortex-a57", "-m", "512", *program, *CLOCK, "-serial", "stdio", "-serial", "null"
    )
    assert "resume=0000000000000000" in done.stdout


def handed_tree(folder: Path, *options: str) -> fdt.FDT:
    """The device tree in memory, once the normal world runs."""
    with Monitored(folder, (*BASE, *options, *loaded("psci_bench"))) as qemu:
        qemu.wait_for("<LLT1:BOOT")
        qemu.tell("pmemsave", val=0x4000_0000, size=0x12_0000, filename=str(folder / "tree"))
        return read_tree((folder / "tree").read_bytes())


def test_the_tree_that_is_handed_over_names_psci_and_idle_states_and_nothing_that_is_secure(tmp_path: Path) -> None:
    tree = handed_tree(tmp_path, "-M", "virt,secure=on,gic-version=3", "-cpu", "cortex-a57", "-smp", "3", "-m", "1024")
    assert tree.get_property("method", "/psci").value == "smc"
    assert tree.get_property("compatible", "/psci").data == ["arm,psci-1.0", "arm,psci-0.2"]
    states = tree.get_node("/cpus/idle-states").nodes
    handles = [state.get_property("phandle").value for state in states]
    assert [state.get_property("arm,psci-suspend-param").value for state in states] == [0x1, 0x10002, 0x1010022]
    for core in range(3):
        assert tree.get_property("enable-method", f"/cpus/cpu@{core}").value == "psci"
        assert tree.get_property("cpu-idle-states", f"/cpus/cpu@{core}").data == handles
    names = [node.name for node in tree.root.nodes]
    assert "pl011@9000000" in names
    assert not {"secram@e000000", "pl011@9040000", "pl061@90b0000", "secflash@0", "gpio-restart", "gpio-poweroff", "secure-chosen"} & set(
        names
    )
    assert not tree.get_node("/aliases").exist_property("serial1")


NODES = (
    *("-object", "memory-backend-ram,id=a,size=768M", "-object", "memory-backend-ram,id=b,size=512M"),
    *("-numa", "node,memdev=a", "-numa", "node,memdev=b", "-m", "1280"),
)
MEMORIES = (
    pytest.param(("-m", "1024"), id="1 GiB"),
    pytest.param(("-m", "8192"), id="8 GiB", marks=pytest.mark.slow),
    pytest.param(NODES, id="two nodes"),
)


@pytest.mark.parametrize("memory", MEMORIES)
def test_conformance_does_not_depend_on_the_memory(memory: tuple[str, ...], tmp_path: Path) -> None:
    machine = ("-M", "virt,secure=on,gic-version=3", "-cpu", "cortex-a57", "-smp", "2", *memory)
    done = run(*machine, *loaded("psci_conformance"), *CLOCK, "-serial", "stdio", "-serial", "null")
    assert done.stdout.strip().endswith(" passed, 0 failed")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-M", "virt"), "this machine has no EL3; start QEMU with -M virt,secure=on"),
        (("-M", "virt,virtualization=on"), "this machine has no EL3; start QEMU with -M virt,secure=on"),
        (("-M", "virt,secure=on", "-m", "1024"), "PANIC: there is no program for the normal world"),
        (("-M", "virt,secure=on,gic-version=3", "-smp", "17"), "PANIC: the machine has more cores than the firmware keeps"),
    ],
    ids=["no EL3", "no EL3 below EL2", "no payload", "17 cores"],
)
@pytest.mark.parametrize("consoles", [("-serial", "stdio"), ("-serial", "null", "-serial", "stdio")], ids=["normal", "secure"])
def test_a_machine_that_cannot_be_used_is_told_so_and_fails(options: tuple[str, ...], words: str, consoles: tuple[str, ...]) -> None:
    if "no EL3" in words and len(consoles) > 2:
        pytest.skip("a machine without EL3 has no secure console")
    done = run("-cpu", "cortex-a57", *options, *consoles, *LISTENS)
    assert words in done.stdout
    assert done.returncode == 1
    silent = run("-cpu", "cortex-a57", *options, *consoles)
    assert words in silent.stdout, "also where nobody listens to semihosting, and it ends"


def test_a_tree_that_contradicts_the_counter_is_refused(tmp_path: Path) -> None:
    run("-M", f"virt,secure=on,gic-version=3,dumpdtb={tmp_path / 'tree'}", "-cpu", "cortex-a57", "-m", "1024")
    tree = read_tree((tmp_path / "tree").read_bytes())
    tree.set_property("clock-frequency", 24_000_000, "/timer")
    (tmp_path / "tree").write_bytes(tree.to_dtb(17))
    machine = ("-M", "virt,secure=on,gic-version=3", "-dtb", str(tmp_path / "tree"), "-cpu", "cortex-a57", "-m", "1024")
    done = run(*machine, *loaded("entry_probe"), *LISTENS, "-serial", "stdio", "-serial", "null")
    assert "PANIC: CNTFRQ_EL0 and the device tree say different counter frequencies: 0x0000000003b9aca0, 0x00000000016e3600" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize("cpu", ["cortex-a57", "max"])
def test_random_calls_from_an_aarch32_el1_neither_crash_nor_leak(cpu: str, tmp_path: Path) -> None:
    console = boot("smc_fuzz", tmp_path, (2,), el=2, cpu=cpu, count=20_000, flags=1)
    assert "called from AArch32" in console and console.strip().endswith("smcs=20000 status=pass")


@pytest.mark.parametrize("cores", [1, 6, 16])
def test_a_reset_at_any_moment_boots_again(cores: int, tmp_path: Path) -> None:
    check_resets(tmp_path, cores, 15)


MARK = (0x0123456789ABCDEF).to_bytes(8, "little")


def word_at(qemu: Monitored, folder: Path, address: int) -> bytes:
    qemu.tell("pmemsave", val=address, size=8, filename=str(folder / "word"))
    return (folder / "word").read_bytes()


def dimm(folder: Path) -> tuple[str, ...]:
    """Memory with a hole in it, which the nodes of a machine cannot have: the rest is in a module that only the tree tells of."""
    memory = ("-object", "memory-backend-ram,id=d,size=256M", "-device", "pc-dimm,memdev=d", "-m", "768,slots=1,maxmem=2G")
    run("-M", f"virt,secure=on,gic-version=3,dumpdtb={folder / 'tree'}", "-cpu", "cortex-a57", "-smp", "2", *memory)
    tree = read_tree((folder / "tree").read_bytes())
    node = fdt.Node("module@80000000")
    node.append(fdt.PropStrings("device_type", "memory"))
    node.append(fdt.PropWords("reg", 0, 0x8000_0000, 0, 256 << 20))
    tree.add_item(node, "/")
    (folder / "tree").write_bytes(tree.to_dtb(17))
    return (*memory, "-dtb", str(folder / "tree"))


@pytest.mark.parametrize("has_hole", [False, True])
def test_a_second_node_runs_code_and_is_wiped_after_a_reset_that_nobody_announced(has_hole: bool, tmp_path: Path) -> None:
    memory = dimm(tmp_path) if has_hole else NODES
    machine = ("-M", "virt,secure=on,gic-version=3", "-cpu", "cortex-a57", "-smp", "2", *memory)
    with Monitored(tmp_path, (*BASE, *machine, *loaded("memory_probe"))) as qemu:
        before = dict(line.split("=") for line in qemu.wait_for("protected=").split())
        assert (before["started"], before["came_from"], before["protected"]) == ("0" * 16, f"{0x80001000:016x}", "0" * 16)
        assert [word_at(qemu, tmp_path, address) for address in (0x5FFE_0000, 0x8000_0000)] == [MARK, MARK]
        qemu.tell("system_reset")
        after = qemu.wait_for("protected=", 2).split("protected=", 1)[1].split()[1:]
        said = dict(line.split("=") for line in after)
    assert (said["near"], said["far"]) == ("0" * 16, "0" * 16)
    assert said["protected"] == f"{1:016x}", "the protection itself outlives the reset"


@pytest.mark.parametrize(("cores", "gic"), [(1, 3), (4, 2), (4, 3)])
def test_a_reset_leaves_no_page_that_other_cores_wrote_meanwhile(cores: int, gic: int, tmp_path: Path) -> None:
    assert pages_left(tmp_path, cores, gic, resets=2) == [0, 0]
