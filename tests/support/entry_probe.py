# SPDX-License-Identifier: BSD-3-Clause
"""What entry_probe finds where EL3 enters the normal world."""

from __future__ import annotations

import subprocess
from pathlib import Path

from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from support.needs import found


def probe(folder: Path, *options: str, machine: str = "", cpu: str = "cortex-a57", build: str = "qemu_virt") -> dict[str, int]:
    """The last value of each name that entry_probe says. The first one is at `first_NAME`."""
    images = found(lambda: find_images(Topology((1,)), "entry_probe"))
    firmware = images.folder.with_name(build) / "firmware.bin"
    secure = folder / "secure.log"
    command = [
        *("qemu-system-aarch64", "-nic", "none", "-display", "none", "-monitor", "none", "-bios", str(firmware)),
        *("-M", f"virt,secure=on,gic-version=3{machine}", "-cpu", cpu, "-m", "1024"),
        *("-device", f"loader,file={images.payload('entry_probe')}", "-icount", "shift=4,sleep=off"),
        *("-serial", "stdio", "-serial", f"file:{secure}", *options),
    ]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=3600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PANIC" not in secure.read_text()
    said: dict[str, int] = {}
    for line in done.stdout.split():
        name, value = line.split("=")
        said.setdefault(f"first_{name}", int(value, 16))
        said[name] = int(value, 16)
    assert "resume" in said
    return said
