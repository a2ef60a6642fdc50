# SPDX-License-Identifier: BSD-3-Clause
"""Our firmware on QEMU's raspi4b, with what the board's own firmware would have put into memory."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import fdt

from latlab.calls.targets.subject import own_subject

MAGIC_AT, TREE_AT, KERNEL_AT = 0xF0, 0xF8, 0xFC
MAGIC = 0x5AFE570B
TREE = 0x0800_0000
MEMORY_BYTES = 0x3B40_0000
# Devices of the board's tree that Linux needs to come up and that QEMU 10.0 models; it hangs or faults at some of the others.
MODELLED = ("brcm,bcm2711-cprman", "brcm,bcm2711-gpio", "arm,pl011", "arm,gic-400", "brcm,bcm2835-system-timer")
BUSES = ("/soc", "/scb", "/emmc2bus")


def armstub() -> Path:
    return own_subject("raspi4b").images[0].file


def as_loaded(folder: Path, kernel: int, tree: int = TREE) -> Path:
    """The image once the board's firmware has found its magic word."""
    image = bytearray(armstub().read_bytes())
    struct.pack_into("<I", image, MAGIC_AT, 0)
    struct.pack_into("<II", image, TREE_AT, tree, kernel)
    path = folder / "armstub.bin"
    path.write_bytes(image)
    return path


def loader(path: Path, address: int) -> tuple[str, str]:
    return ("-device", f"loader,file={path},addr={address:#x},force-raw=on")


def machine(image: Path) -> tuple[str, ...]:
    return ("qemu-system-aarch64", "-M", "raspi4b", "-smp", "4", *loader(image, 0), "-display", "none", "-monitor", "none")


def nodes_under(node: fdt.Node) -> Iterator[fdt.Node]:
    for each in node.nodes:
        yield each
        yield from nodes_under(each)


def for_qemu(tree: fdt.FDT) -> None:
    """The tree of the board's kernel, with memory as the board's firmware fills it in, and without what QEMU does not model."""
    tree.set_property("reg", [0, 0, MEMORY_BYTES], "/memory@0")
    for bus in BUSES:
        for node in tree.get_node(bus).nodes:
            compatible = node.get_property("compatible")
            if compatible is not None and not set(compatible).intersection(MODELLED):
                node.set_property("status", "disabled")
