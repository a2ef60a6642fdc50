# SPDX-License-Identifier: BSD-3-Clause
"""What the firmware reads in the trees of the machines that QEMU can be asked for, and what it hands over, as another reader sees it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import fdt
import pytest

from latlab.core.readers.device_tree import read_tree
from support.places import ROOT

pytestmark = pytest.mark.qemu

PROGRAM = ROOT / "build" / "host" / "firmware" / "el3" / "tests" / "platform" / "tree_told"
SECOND = {2: "8010000", 3: "80a0000"}
NODES = (*("-object", "memory-backend-ram,id=a,size=768M", "-object", "memory-backend-ram,id=b,size=512M"),
         *("-numa", "node,memdev=a", "-numa", "node,memdev=b"))  # fmt: skip


@dataclass(frozen=True)
class Told:
    lines: list[str]
    tree: bytes

    def all(self, word: str) -> list[str]:
        return [line.partition(" ")[2] for line in self.lines if line.startswith(f"{word} ")]


def dumped(folder: Path, smp: str, gic: int = 3, more: str = "", memory: int = 1024, options: tuple[str, ...] = ()) -> bytes:
    machine = f"virt,secure=on,gic-version={gic}{more},dumpdtb={folder / 'tree'}"
    command = ("qemu-system-aarch64", "-M", machine, "-cpu", "cortex-a57", "-smp", smp, "-m", str(memory), *options)
    done = subprocess.run((*command, "-nic", "none", "-display", "none"), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return (folder / "tree").read_bytes()


def told(tree: bytes) -> Told:
    if not PROGRAM.is_file():
        pytest.skip("tree_told is not built; `cmake --preset host && cmake --build --preset host` builds it")
    done = subprocess.run([PROGRAM], input=tree, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, (done.stdout, done.stderr[:2000])
    return Told(done.stdout.decode().splitlines(), done.stderr)


@pytest.mark.parametrize("cores", range(1, 17))
def test_any_number_of_cores_is_one_cluster_where_none_are_asked_for(cores: int, tmp_path: Path) -> None:
    gic = 2 if cores <= 8 and cores % 2 else 3
    found = told(dumped(tmp_path, str(cores), gic))
    assert (found.all("cores"), found.all("cluster")) == ([str(cores)], [str(cores)])
    assert (found.all("gic"), found.all("gicd"), found.all("second")) == ([str(gic)], ["8000000"], [SECOND[gic]])
    assert (found.all("memory"), found.all("secure")) == (["40000000+40000000"], ["e000000+1000000"])


@pytest.mark.parametrize(
    ("smp", "clusters"),
    [
        ("6,sockets=1,clusters=3,cores=2,threads=1", ["2", "2", "2"]),
        ("8,sockets=2,clusters=2,cores=2,threads=1", ["2"] * 4),
        ("16,sockets=1,clusters=16,cores=1,threads=1", ["1"] * 16),
        ("12,sockets=1,clusters=12,cores=1,threads=1", ["1"] * 12),
        ("4,sockets=2,clusters=1,cores=2,threads=1", ["2", "2"]),
        ("8,sockets=1,clusters=2,cores=2,threads=2", ["8"]),
    ],
)
def test_clusters_are_those_that_qemu_was_asked_for(smp: str, clusters: list[str], tmp_path: Path) -> None:
    assert told(dumped(tmp_path, smp)).all("cluster") == clusters


@pytest.mark.parametrize("gic", [2, 3])
def test_an_interrupt_controller_of_a_machine_with_a_hypervisor_has_more_ranges(gic: int, tmp_path: Path) -> None:
    found = told(dumped(tmp_path, "2", gic, ",virtualization=on"))
    assert (found.all("gic"), found.all("second")) == ([str(gic)], [SECOND[gic]])


@pytest.mark.parametrize("memory", [16, 512, 3072, 8192])
def test_memory_is_what_the_machine_has(memory: int, tmp_path: Path) -> None:
    assert told(dumped(tmp_path, "1", memory=memory)).all("memory") == [f"40000000+{memory << 20:x}"]


def test_two_nodes_of_memory_are_one_range(tmp_path: Path) -> None:
    assert told(dumped(tmp_path, "2", memory=1280, options=NODES)).all("memory") == [f"40000000+{1280 << 20:x}"]


def names_of(node: fdt.Node, path: str = "") -> set[str]:
    below = (names_of(each, f"{path}/{each.name}") for each in node.nodes)
    return {f"{path}/{each.name}" for each in (*node.nodes, *node.props)}.union(*below)


def test_what_is_handed_over_has_all_that_was_there_but_the_secure_world_s(tmp_path: Path) -> None:
    tree = dumped(tmp_path, "3")
    before, after = names_of(read_tree(tree).root), names_of(read_tree(told(tree).tree).root)
    gone = {name.split("/")[1] for name in before - after if not name.startswith("/aliases")}
    assert gone == {"secram@e000000", "secflash@0", "pl011@9040000", "pl061@90b0000", "gpio-restart", "gpio-poweroff", "secure-chosen"}
    new = {name for name in after - before if not name.startswith(("/cpus/cpu@", "/cpus/idle-states/"))}
    assert new == {"/psci", "/psci/compatible", "/psci/method", "/cpus/idle-states"}
