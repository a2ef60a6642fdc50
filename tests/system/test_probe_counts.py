# SPDX-License-Identifier: BSD-3-Clause
"""The probe counts in three ways. Beside a probe that counts each stretch of code by a call of its own, it writes the same."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from latlab.calls.campaign.sbi import DEBIAN_FIRMWARE, PARAMS, PROGRAM, QEMU
from latlab.calls.model.crossings import Sleep
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images, search_folders
from latlab.core.targets.qemu.probe import with_probe
from latlab.core.targets.qemu.qemu import QemuMachine, command_line, find_qemu
from latlab.psa.targets import mps2
from support.needs import found
from support.plugins import probe_here

TIMEOUT_S = 900
LEAST_BYTES = 2000


def both_ways(command: tuple[str, ...], folder: Path, functions: bool) -> list[bytes]:
    """The streams of two probes that watch one machine. A copy of the plugin is one of its own."""
    copy = folder / "copy.so"
    shutil.copy(probe_here(), copy)
    streams = [folder / "usual", folder / "apart"]
    one = with_probe(command, probe_here(), streams[0], functions)
    two = with_probe(one, copy, streams[1], functions)
    done = subprocess.run((*two[:-1], two[-1] + ",apart=on"), capture_output=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return [stream.read_bytes() for stream in streams]


@pytest.mark.parametrize("functions", [False, True])
@pytest.mark.parametrize("clusters", [(1,), (4,), (2, 4), (4, 4, 4, 4)])
def test_blocks_counted_whole_give_what_stretches_counted_apart_give(tmp_path: Path, clusters: tuple[int, ...], functions: bool) -> None:
    machine = QemuMachine(find_images(Topology(clusters), "psci_bench"), "psci_bench", iterations=2)
    usual, apart = both_ways(command_line(find_qemu(), machine, tmp_path / "secure.log"), tmp_path, functions)
    assert usual == apart
    assert len(usual) > LEAST_BYTES


@pytest.mark.parametrize("harts", [1, 4])
def test_so_they_do_on_risc_v_where_every_instruction_may_leave_its_block(tmp_path: Path, harts: int) -> None:
    program = next((folder / PROGRAM for folder in search_folders() if (folder / PROGRAM).is_file()), None)
    if not (shutil.which(QEMU) and DEBIAN_FIRMWARE.is_file() and program):
        pytest.skip("needs qemu-system-misc, opensbi and `make sbi`")
    command = (
        *(QEMU, "-M", "virt", "-smp", str(harts), "-bios", str(DEBIAN_FIRMWARE), "-kernel", str(program)),
        *("-device", f"loader,addr={PARAMS:#x},data={harts | 2 << 32:#x},data-len=8"),
        *("-display", "none", "-monitor", "none", "-serial", "null", "-nic", "none", "-icount", "shift=4,sleep=off", "-no-reboot"),
    )
    usual, apart = both_ways(command, tmp_path, functions=False)
    assert usual == apart
    slept = {record.core for record in Decoder().feed(usual) if isinstance(record, Sleep)}
    assert slept == set(range(harts))


def test_so_they_do_on_an_m_profile_core(tmp_path: Path) -> None:
    images = found(lambda: mps2.find_psa_images("ipc_l1"))
    command = mps2.command_line(find_qemu(Path(mps2.PROGRAM)), "mps2-an521", images)
    usual, apart = both_ways(command, tmp_path, functions=True)
    assert usual == apart
    assert len(usual) > LEAST_BYTES
