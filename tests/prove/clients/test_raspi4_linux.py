# SPDX-License-Identifier: BSD-3-Clause
"""Slow: Debian's kernel and the board's own device tree on the armstub, in QEMU's raspi4b. docs/howto/raspi4.md has what came out."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.core.readers.device_tree import read_tree
from latlab.rt.targets.guest.cpio import archive, character_device, file, folder
from latlab.rt.targets.guest.guest import Chosen, patch
from support.clients import Boot, Clients, fetch, follow
from support.raspi4 import TREE, as_loaded, for_qemu, loader, machine

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

KERNEL, INITRD = 0x20_0000, 0x1000_0000
PATIENCE_S = 3600
ROUNDS = 3

INIT = b"""#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
cpus=/sys/devices/system/cpu
say() { /bin/busybox echo "CLIENT $1"; }
say "cpus $(/bin/busybox grep -c ^processor /proc/cpuinfo)"
for round in 1 2 3; do
    for cpu in 3 2 1; do /bin/busybox echo 0 >$cpus/cpu$cpu/online; done
    say "alone $(/bin/busybox cat $cpus/online)"
    for cpu in 1 2 3; do /bin/busybox echo 1 >$cpus/cpu$cpu/online; done
    say "online $(/bin/busybox cat $cpus/online)"
done
/bin/busybox echo 0 >$cpus/cpu0/online
say "without the boot core $(/bin/busybox cat $cpus/online)"
/bin/busybox echo 1 >$cpus/cpu0/online
say "again $(/bin/busybox cat $cpus/online)"
/bin/busybox dmesg | /bin/busybox grep -iE "warning|bug:|call trace|misaligned"
/bin/busybox grep -q client=reboot /proc/cmdline && /bin/busybox reboot -f
/bin/busybox poweroff -f
"""


@pytest.fixture(scope="module")
def clients() -> Clients:
    return fetch()


def board_tree(clients: Clients, kernel: Path, initrd: Path, arguments: str) -> bytes:
    version = kernel.name.removeprefix("vmlinuz-")
    tree = read_tree((clients.root / f"usr/lib/linux-image-{version}/broadcom/bcm2711-rpi-4-b.dtb").read_bytes())
    for_qemu(tree)
    return patch(bytes(tree.to_dtb(17)), Chosen(f"console=ttyAMA0 {arguments}", INITRD, initrd.stat().st_size))


def booted(tmp_path: Path, clients: Clients, kernel: Path, arguments: str, *options: str, enough: str = "", times: int = 1) -> Boot:
    entries = [folder("proc"), folder("sys"), folder("dev"), character_device("dev/console", 5, 1)]
    entries += [file("bin/busybox", clients.busybox.read_bytes(), executable=True), file("init", INIT, executable=True)]
    initrd = tmp_path / "initrd"
    initrd.write_bytes(archive(entries))
    tree = tmp_path / "tree"
    tree.write_bytes(board_tree(clients, kernel, initrd, arguments))
    images = (*loader(kernel, KERNEL), *loader(tree, TREE), *loader(initrd, INITRD))
    return follow((*machine(as_loaded(tmp_path, KERNEL)), *images, *options), tmp_path, PATIENCE_S, enough, times=times)


@pytest.mark.parametrize("kernel", ["stock", "rt"])
def test_debians_kernel_switches_all_four_cores_off_and_on_and_powers_off(kernel: str, clients: Clients, tmp_path: Path) -> None:
    boot = booted(tmp_path, clients, clients.kernels[kernel], "loglevel=4", enough="CLIENT cpus 4", times=2)
    assert "PANIC" not in boot.secure, boot.secure
    said = [line.removeprefix("CLIENT ") for line in boot.text.splitlines() if line.startswith("CLIENT ")]
    assert said == ["cpus 4", *["alone 0", "online 0-3"] * ROUNDS, "without the boot core 1-3", "again 0-3"], boot.text[-3000:]
    assert not [line for line in boot.text.splitlines() if any(word in line.lower() for word in ("bug:", "call trace", "stall"))]
    assert boot.status == 0


def test_a_reboot_starts_the_firmware_and_the_kernel_again(clients: Clients, tmp_path: Path) -> None:
    boot = booted(tmp_path, clients, clients.kernels["stock"], "loglevel=4 client=reboot", enough="CLIENT cpus 4", times=2)
    assert boot.text.count("CLIENT again 0-3") == 1, boot.text[-3000:]
    assert boot.secure.count("latlab EL3 firmware") == 2, boot.secure
