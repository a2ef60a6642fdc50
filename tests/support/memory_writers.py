# SPDX-License-Identifier: BSD-3-Clause
"""Protected memory that other cores write while the machine is reset."""

from __future__ import annotations

import re
from pathlib import Path

from latlab.model.run import Topology
from latlab.targets.qemu.images import find_images
from support.monitored import Monitored
from support.needs import found


def pages_left(folder: Path, cores: int, gic: int, resets: int) -> list[int]:
    """After each reset: how many of 28,672 pages were not zero when the next boot looked."""
    images = found(lambda: find_images(Topology((1,)), "memory_writers"))
    machine = ("-M", f"virt,secure=on,gic-version={gic}", "-cpu", "cortex-a57", "-smp", str(cores), "-m", "1024", "-nic", "none")
    program = ("-bios", str(images.firmware_bin), "-device", f"loader,file={images.payload('memory_writers')}")
    quiet = ("-display", "none", "-monitor", "none", "-accel", "tcg,thread=multi")
    with Monitored(folder, (*machine, *program, *quiet)) as qemu:
        said = qemu.wait_for(" of 28672", resets + 1, patience_s=60 + 20 * resets)
    boots = re.findall(r"protected=(\d) left=(\d+) of 28672", said)[: resets + 1]
    assert [was for was, _ in boots] == ["0"] + ["1"] * resets
    return [int(left) for _, left in boots[1:]]
