# SPDX-License-Identifier: BSD-3-Clause
"""What the probe costs: user time of one benchmark without it, with it, with functions, their classes and masked time, in turns."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from latlab.core.targets.qemu.probe import with_probe
from latlab.core.targets.qemu.qemu import QemuMachine, command_line, find_qemu
from support import clients, watched
from support.plugins import probe_here

ROUNDS = 5
GOALS = {"crossings": 1.3, "functions": 2.0, "classes": 2.0, "masked": 1.5}


def user_s(command: tuple[str, ...]) -> float:
    """Without the kernel's: what it clears for the machine's memory is a matter of what ran before, a quarter of a second of a boot."""
    before = os.times()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user - before.children_user


def measured(plain: tuple[str, ...], folder: Path) -> dict[str, list[float]]:
    """Seconds of each kind, of which those at one place were measured one after the other."""
    commands = {
        "plain": plain,
        "crossings": with_probe(plain, probe_here(), folder / "stream", False),
        "functions": with_probe(plain, probe_here(), folder / "stream", True),
        "classes": with_probe(plain, probe_here(), folder / "stream", True, has_classes=True),
        "masked": with_probe(plain, probe_here(), folder / "stream", False, has_masked=True),
    }
    seconds: dict[str, list[float]] = {kind: [] for kind in commands}
    for _ in range(ROUNDS):
        for kind, command in commands.items():
            seconds[kind].append(user_s(command))
    return seconds


def of_psci_bench(clusters: tuple[int, ...], folder: Path) -> tuple[str, ...]:
    machine = QemuMachine(find_images(Topology(clusters), "psci_bench"), "psci_bench", iterations=20)
    return command_line(find_qemu(), machine, folder / "secure.log")


def of_linux(folder: Path) -> tuple[str, ...]:
    """Debian's kernel on four cores, from its start to the power-off that its first program asks for."""
    return (*watched.linux(watched.ours(), clients.fetch(), folder), "-serial", "null", "-serial", "null")


def said(name: str, command: tuple[str, ...], folder: Path) -> int:
    """Print the ratios; how many goals are missed."""
    found = measured(command, folder)
    missed = 0
    for kind, goal in GOALS.items():
        ratio = median(one / plain for one, plain in zip(found[kind], found["plain"], strict=True))
        missed += ratio > goal
        print(
            f"{name}: {median(found['plain']):.2f} s of user time, {median(found[kind]):.2f} s with {kind}: {ratio:.2f} times, "
            f"goal {goal}{'' if ratio <= goal else ', MISSED'} (medians of {ROUNDS} pairs, in turns)"
        )
    return missed


def main() -> int:
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for clusters in ((1,), (2, 4)):
            missed += said(f"psci_bench, cores: {sum(clusters)}", of_psci_bench(clusters, folder), folder)
        if clients.are_here():
            missed += said(f"boot of Debian's kernel, cores: {watched.CORES}", of_linux(folder), folder)
        else:
            print("boot of Debian's kernel: left out, its packages are not in the cache; tests/prove/clients/test_clients.py fetches them")
    print(f"load of the host at the end: {os.getloadavg()[0]:.1f}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
