# SPDX-License-Identifier: BSD-3-Clause
"""What the probe costs: processor time of one benchmark without it, with it, and with functions, in turns."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from latlab.model.run import Topology
from latlab.targets.qemu.images import find_images
from latlab.targets.qemu.probe import find_probe, with_probe
from latlab.targets.qemu.qemu import Machine, command_line, find_qemu

ROUNDS = 5
GOALS = {"crossings": 1.3, "functions": 2.0}


def processor_s(command: tuple[str, ...]) -> float:
    before = os.times()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def measured(clusters: tuple[int, ...]) -> dict[str, float]:
    """Median seconds of each kind over the rounds."""
    machine = Machine(find_images(Topology(clusters), "psci_bench"), "psci_bench", iterations=20)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = command_line(find_qemu(), machine, folder / "secure.log")
        commands = {
            "plain": plain,
            "crossings": with_probe(plain, find_probe(), folder / "stream", False),
            "functions": with_probe(plain, find_probe(), folder / "stream", True),
        }
        seconds: dict[str, list[float]] = {kind: [] for kind in commands}
        for _ in range(ROUNDS):
            for kind, command in commands.items():
                seconds[kind].append(processor_s(command))
    return {kind: median(values) for kind, values in seconds.items()}


def main() -> int:
    missed = 0
    for clusters in ((1,), (2, 4)):
        found = measured(clusters)
        for kind, goal in GOALS.items():
            ratio = found[kind] / found["plain"]
            missed += ratio > goal
            print(
                f"psci_bench, {sum(clusters)} cores: {found['plain']:.2f} s of processor, {found[kind]:.2f} s with {kind}: "
                f"{ratio:.2f} times, goal {goal}{'' if ratio <= goal else ', MISSED'} (median of {ROUNDS}, in turns)"
            )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
