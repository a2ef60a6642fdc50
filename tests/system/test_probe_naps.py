# SPDX-License-Identifier: BSD-3-Clause
"""Functions of measured code add up to its count between any two changes, also where a core sleeps at one place again and again."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from latlab.calls.model.crossings import Naps, Sleep, Wake
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from latlab.core.targets.qemu.probe import with_probe
from latlab.core.targets.qemu.qemu import QemuMachine, command_line, find_qemu
from latlab.psa.targets import mps2
from support.adversaries import JUMP
from support.needs import found
from support.plugins import probe_here
from support.summed import sums

COMPILER = "aarch64-linux-gnu-gcc"
SOURCE = Path(__file__).parents[1] / "support" / "naps.S"
CLOCK = ("-icount", "shift=4,sleep=off")
SETTINGS = [("-smp", "1", *CLOCK), ("-smp", "2", *CLOCK), ("-smp", "2")]
TIMEOUT_S = 300
# Of naps.S: how often it is called, sleeps at each place, and the instructions between two of the parked kind.
CALLS, PARKED_SLEEPS, TAKEN_TWICE, NAP = 4, 9, 3, 22


def stream_of(command: tuple[str, ...], folder: Path, *more: str) -> bytes:
    stream = folder / "stream"
    watched = with_probe(command, probe_here(), stream, True)
    done = subprocess.run(
        (*watched[:-1], ",".join((watched[-1], *more))), capture_output=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stderr
    return stream.read_bytes()


def napping(folder: Path, machine: tuple[str, ...]) -> tuple[str, ...]:
    if not shutil.which(COMPILER):
        pytest.skip(f"needs {COMPILER}")
    program, jump = folder / "naps.elf", folder / "jump.bin"
    jump.write_bytes(JUMP)
    words = (COMPILER, "-nostdlib", "-static", "-Wl,-Ttext=0x60400000,--build-id=none", "-o", str(program), str(SOURCE))
    subprocess.run(words, check=True, capture_output=True)
    return (
        *("qemu-system-aarch64", "-M", "virt,secure=on,gic-version=3", "-cpu", "cortex-a57", "-m", "1024", *machine),
        *("-bios", str(jump), "-device", f"loader,file={program}", "-semihosting-config", "enable=on,target=native"),
        *("-display", "none", "-monitor", "none", "-serial", "null", "-nic", "none", "-no-reboot"),
    )


@pytest.mark.qemu
@pytest.mark.parametrize("contexts", [(), ("contexts=on",)], ids=["", "contexts"])
@pytest.mark.parametrize("machine", SETTINGS, ids=["inline", "turns", "threads"])
def test_what_runs_between_two_sleeps_at_one_place_is_told_by_function(
    tmp_path: Path, machine: tuple[str, ...], contexts: tuple[str, ...]
) -> None:
    stream = stream_of(napping(tmp_path, machine), tmp_path, *contexts)
    all_sums = sums(stream)
    assert [one for one in all_sums if one.counted != one.ran] == []
    naps = [one.counted for one in all_sums if isinstance(one.before, Wake) and one.counted]
    assert naps == CALLS * [(PARKED_SLEEPS - 1) * NAP]
    records = list(Decoder().feed(stream))
    assert sum(isinstance(record, Naps) for record in records) == CALLS
    (caller,) = {record.core for record in records if isinstance(record, Naps)}
    slept = [record for record in records if isinstance(record, Sleep) and record.core == caller]
    assert len(slept) == CALLS * (1 + TAKEN_TWICE)


@pytest.mark.qemu
@pytest.mark.parametrize("clusters", [(1,), (2, 2)])
def test_functions_of_el3_add_up_to_its_count_between_any_two_changes(tmp_path: Path, clusters: tuple[int, ...]) -> None:
    machine = QemuMachine(find_images(Topology(clusters), "psci_bench"), "psci_bench", iterations=2)
    all_sums = sums(stream_of(command_line(find_qemu(), machine, tmp_path / "secure.log"), tmp_path))
    assert len(all_sums) > 20
    assert [one for one in all_sums if one.counted != one.ran] == []


@pytest.mark.qemu
def test_functions_of_the_secure_side_add_up_to_its_count_between_any_two_changes(tmp_path: Path) -> None:
    images = found(lambda: mps2.find_psa_images("ipc_l1"))
    command = mps2.command_line(find_qemu(Path(mps2.PROGRAM)), "mps2-an521", images)
    all_sums = sums(stream_of(command, tmp_path))
    assert len(all_sums) > 20
    assert [one for one in all_sums if one.counted != one.ran] == []
