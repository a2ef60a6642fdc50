# SPDX-License-Identifier: BSD-3-Clause
"""A machine that is reset at moments of nobody's choice."""

from __future__ import annotations

import random
import time
from pathlib import Path

from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from support.monitored import Monitored


def check_resets(folder: Path, cores: int, resets: int) -> None:
    """Resets at random moments; after the last one the machine boots as if nothing had been."""
    chance = random.Random(cores)
    images = find_images(Topology((1,)), "psci_bench")
    program = ("-bios", str(images.firmware_bin), "-device", f"loader,file={images.payload('psci_bench')}")
    machine = (
        "-nic",
        "none",
        "-display",
        "none",
        "-monitor",
        "none",
        "-M",
        "virt,secure=on,gic-version=3",
        "-cpu",
        "cortex-a57",
        "-smp",
        str(cores),
        "-m",
        "1024",
    )
    with Monitored(folder, (*machine, *program)) as qemu:
        boots = 0
        for _ in range(resets):
            if chance.random() < 0.2:
                boots = qemu.wait_for("<LLT1:BOOT", boots + 1).count("<LLT1:BOOT")
            time.sleep(chance.random() * chance.choice((0.01, 0.1, 0.4)))
            qemu.tell("stop")  # what is counted is of the boot that ends
            boots = qemu.normal.read_text(errors="replace").count("<LLT1:BOOT")
            qemu.tell("system_reset")
            qemu.tell("cont")
            assert qemu.process.poll() is None
        qemu.wait_for("<LLT1:BOOT", boots + 1)
        assert "PANIC" not in qemu.secure.read_text(errors="replace") + qemu.normal.read_text(errors="replace")
