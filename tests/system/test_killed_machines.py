# SPDX-License-Identifier: BSD-3-Clause
"""latlab is killed while QEMU measures: the machine goes with it, and what its stream holds is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Topology
from latlab.core.store.store import open_store
from latlab.core.targets.qemu.images import find_images
from latlab.core.targets.qemu.qemu import QemuMachine, command_line, find_qemu
from support.processes import is_running, wait_until
from support.repositories import commit, new_repository

TIMEOUT_S = 900
LATLAB = Path(sys.executable).with_name("latlab")
LONG = 1000  # iterations, some minutes
ENOUGH_BYTES = 2_000_000  # the boot takes 0.4 MB of them, a sample 2 kB


def watching(folder: Path) -> list[str]:
    machine = QemuMachine(find_images(Topology((2, 4)), "psci_bench"), "psci_bench", iterations=LONG)
    return ["watch", "--", *command_line(find_qemu(), machine, folder / "secure.log")]


def measuring(folder: Path) -> list[str]:
    firmware = find_images(Topology((4,)), "psci_calls").firmware_bin
    return ["run", "psci", "--firmware", str(firmware), "--machine", "virt", "--iterations", str(LONG)]


def bisecting(folder: Path) -> list[str]:
    firmware = find_images(Topology((4,)), "psci_calls").firmware_bin
    repository = new_repository(folder / "theirs")
    for number in range(3):
        commit(repository, f"change {number}", {"build.sh": f"cp {firmware} firmware.bin # {number}\n"})
    words = ("--repo", str(repository), "--build", "sh build.sh", "--firmware", "firmware.bin", "--machine", "virt")
    return ["bisect", "HEAD~2..HEAD", *words, "--figure", "cpu_off_serial/powerdown", "--iterations", str(LONG)]


def machine_of(places: Path) -> int | None:
    """The QEMU that writes a stream below this folder."""
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if b"qemu-system" in words.split(b"\0")[0] and f"out={places}".encode() in words:
            return int(entry.name)
    return None


@pytest.mark.parametrize("words_of", [watching, measuring, bisecting])
def test_killed_while_the_machine_measures_it_leaves_no_machine_and_keeps_its_calls(tmp_path: Path, words_of) -> None:
    places = tmp_path / "scratch"
    places.mkdir()
    environment = dict(os.environ, LATLAB_STORE=str(tmp_path / "store.db"), TMPDIR=str(places))
    nothing = subprocess.DEVNULL
    process = subprocess.Popen((LATLAB, *words_of(tmp_path)), stdin=nothing, stdout=nothing, stderr=nothing, env=environment)
    try:
        wait_until(lambda: any(path.stat().st_size > ENOUGH_BYTES for path in places.glob("*/probe")))
        machine = machine_of(places)
        assert machine is not None
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    wait_until(lambda: not is_running(machine))
    recovered = subprocess.run(
        (LATLAB, "runs", "recover"), stdin=nothing, capture_output=True, env=environment, timeout=TIMEOUT_S, check=False
    )
    assert recovered.returncode == 0, recovered.stderr
    run = open_store(str(tmp_path / "store.db")).load("last")
    assert run.status is RunStatus.PARTIAL
    assert "latlab was killed" in run.problems[0].message
    assert len(run.samples) > 100
    wait_until(lambda: not list(places.iterdir()))
