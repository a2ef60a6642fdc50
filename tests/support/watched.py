# SPDX-License-Identifier: BSD-3-Clause
"""Whole boots of other people's normal worlds, as `latlab watch` sees them."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latlab.calls.readers.fip import with_bl33
from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from support import preloaded
from support.clients import ENTRY, INITRD, KERNEL_OF_XEN, Clients, add_dom0, loader, tree

PATIENCE_S = 3600
CORES = 4
ARGUMENTS = "console=ttyAMA0 loglevel=4 panic=-1"
CLOCK = ("-icount", "shift=1,sleep=off", "-rtc", "base=2026-01-01,clock=vm")
FIP_AT = 0x40000
# x0 is the tree at the start of memory, to which TF-A has added its PSCI node; x1 to x3 are 0.
LINUX_CALL = (0xD2A80000, 0xD2800001, 0xD2800002, 0xD2800003)
LDR_X4_LITERAL, BR_X4 = 0x58000044, 0xD61F0080


@dataclass(frozen=True)
class Boot:
    """What the machine's console said and what `watch` printed."""

    console: str
    status: int
    calls: list[dict[str, Any]]
    not_returned: list[str]
    problems: list[str]

    def table(self) -> list[str]:
        """Lines of a table in Markdown, the calls with the most instructions first."""
        return [
            f"| {one['call']} | {one['caller']} | {one['count']:,} | {one['min']:,} | {one['median']:,.0f} | {one['max']:,} |"
            for one in self.calls
            if one["kind"] == "call"
        ]


def base(firmware: Path, level: int, gic: int = 3) -> tuple[tuple[str, ...], str]:
    """The command without its machine, and the machine."""
    hardware = ("-cpu", "cortex-a57", "-smp", str(CORES), "-m", "2048", "-bios", str(firmware))
    machine = f"virt,secure=on,gic-version={gic},acpi=off{',virtualization=on' if level == 2 else ''}"
    return ("qemu-system-aarch64", *hardware, "-nic", "none", "-display", "none", "-monitor", "none"), machine


def ours() -> Path:
    return find_images(Topology((1,)), "psci_bench").folder.with_name("qemu_virt") / "firmware.bin"


def tfa_flash(release: Path, folder: Path, target: int) -> Path:
    """TF-A's flash whose BL33 jumps to `target`, a Linux."""
    jump = struct.pack("<6IQ", *LINUX_CALL, LDR_X4_LITERAL, BR_X4, target)
    flash = (release / "bl1.bin").read_bytes().ljust(FIP_AT, b"\xff")
    path = folder / "flash.bin"
    path.write_bytes(flash + with_bl33((release / "fip.bin").read_bytes(), jump, "fip.bin"))
    return path


def linux(firmware: Path, clients: Clients, folder: Path, level: int = 1, gic: int = 3, at: int = ENTRY) -> tuple[str, ...]:
    words, machine = base(firmware, level, gic)
    (folder / "tree").write_bytes(tree(words, folder, machine, clients, ARGUMENTS).to_dtb(17))
    images = (*loader(clients.kernels["stock"], at), *loader(clients.initrd, INITRD))
    return (*words, "-M", machine, "-dtb", str(folder / "tree"), *images, *CLOCK)


def xen(clients: Clients, folder: Path) -> tuple[str, ...]:
    words, machine = base(ours(), 2)
    described = tree(words, folder, machine, clients, "xen")
    described.set_property("xen,xen-bootargs", "console=dtuart dtuart=/pl011@9000000 dom0_mem=512M", "/chosen")
    add_dom0(described, clients, "console=hvc0 earlycon=xenboot loglevel=6")
    (folder / "tree").write_bytes(described.to_dtb(17))
    images = (*loader(clients.xen, ENTRY), *loader(clients.kernels["stock"], KERNEL_OF_XEN), *loader(clients.initrd, INITRD))
    return (*words, "-M", machine, "-dtb", str(folder / "tree"), *images)


def u_boot(clients: Clients) -> tuple[str, ...]:
    words, machine = base(ours(), 1)
    return (*words, "-M", machine, *loader(clients.u_boot, ENTRY))


def watched(command: tuple[str, ...], folder: Path, *options: str, typed: bytes = b"", once: str = "never", enough: str = "never") -> Boot:
    """Run to the machine's end, or until the console has said `enough`; `typed` is typed when it has said `once`."""
    words = (preloaded.command(), "watch", "--format", "json", "--timeout", str(PATIENCE_S), *options, "--")
    serial = ("-serial", "stdio", "-serial", f"file:{folder / 'secure.log'}")
    environment = dict(os.environ, LATLAB_STORE=str(folder / "store.db"))
    process = subprocess.Popen(
        (*words, *command, *serial), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert process.stdin and process.stdout and process.stderr
    output, said = process.stdout, list[bytes]()
    reader = threading.Thread(target=lambda: said.append(output.read()))
    reader.start()
    console = []
    for raw in process.stderr:
        console.append(raw.decode(errors="replace"))
        if once in console[-1]:
            process.stdin.write(typed)
            process.stdin.flush()
        if enough in console[-1]:
            process.send_signal(signal.SIGINT)
    status = process.wait()
    reader.join()
    data = json.loads(said[0])
    return Boot("".join(console), status, data["calls"], data["not_returned"], data["problems"])
