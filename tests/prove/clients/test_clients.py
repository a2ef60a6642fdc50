# SPDX-License-Identifier: BSD-3-Clause
"""Slow: normal worlds from Debian's packages live on the firmware. docs/results/clients.md has what came out."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from support.clients import ENTRY, INITRD, KERNEL_OF_XEN, Clients, add_dom0, fetch, follow, loader, tree

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

ARGUMENTS = "console=ttyAMA0 loglevel=4 panic=-1"
PATIENCE_S = 3600
# The machine has a clock of its own, and a real-time clock that goes by it: what the host does meanwhile makes no difference.
CLOCK = ("-icount", "shift=1,sleep=off", "-rtc", "base=2026-01-01,clock=vm")
# Each processor once; with kernel, level and cores, each value of one meets each of the others.
GUESTS = (
    ("cortex-a53", "stock", 1, 4),
    ("cortex-a57", "rt", 2, 4),
    ("cortex-a72", "stock", 2, 8),
    ("cortex-a76", "rt", 1, 8),
    ("neoverse-n1", "stock", 2, 4),
    ("neoverse-n2", "stock", 1, 8),
    ("max,pauth-impdef=on", "rt", 2, 8),
)


@pytest.fixture(scope="module")
def clients() -> Clients:
    return fetch()


def base(cpu: str, cores: int, build: str = "qemu_virt") -> tuple[str, ...]:
    firmware = find_images(Topology((1,)), "psci_bench").folder.with_name(build) / "firmware.bin"
    hardware = ("-cpu", cpu, "-smp", str(cores), "-m", "2048", "-bios", str(firmware))
    return ("qemu-system-aarch64", *hardware, "-nic", "none", "-display", "none", "-monitor", "none")


def machine(level: int) -> str:
    return f"virt,secure=on,gic-version=3,acpi=off{',virtualization=on' if level == 2 else ''}"


@pytest.mark.parametrize(("cpu", "kernel", "level", "cores"), GUESTS)
def test_debians_kernel_has_all_its_cores_and_two_seconds_are_two_seconds(
    cpu: str, kernel: str, level: int, cores: int, clients: Clients, tmp_path: Path
) -> None:
    lives(cpu, kernel, level, cores, clients, tmp_path)


@pytest.mark.parametrize(("build", "kernel"), [("qemu_virt-hostile", "rt"), ("qemu_virt-hardened", "stock")])
def test_debians_kernel_lives_on_the_other_builds_too(build: str, kernel: str, clients: Clients, tmp_path: Path) -> None:
    lives("cortex-a57", kernel, 1, 4, clients, tmp_path, build)


def lives(cpu: str, kernel: str, level: int, cores: int, clients: Clients, tmp_path: Path, build: str = "qemu_virt") -> None:
    described = tree(base(cpu, cores), tmp_path, machine(level), clients, ARGUMENTS)
    (tmp_path / "tree").write_bytes(described.to_dtb(17))
    images = (*loader(clients.kernels[kernel], ENTRY), *loader(clients.initrd, INITRD))
    command = (*base(cpu, cores, build), "-M", machine(level), "-dtb", str(tmp_path / "tree"), *images, *CLOCK)
    booted = follow(command, tmp_path, PATIENCE_S)
    assert "PANIC" not in booted.secure, booted.secure
    assert f"CLIENT cpus {cores}" in booted.text, booted.text[-3000:]
    assert "CLIENT idle psci_idle" in booted.text
    assert f"CLIENT online 0-{cores - 1}" in booted.text
    assert "CLIENT slept 2\n" in booted.text
    assert booted.status == 0


def test_u_boot_finds_the_firmware_and_resets_and_powers_off_the_machine(clients: Clients, tmp_path: Path) -> None:
    command = (*base("cortex-a57", 2), "-M", machine(1), *loader(clients.u_boot, ENTRY))
    off = follow(command, tmp_path, PATIENCE_S, typed=b"\npoweroff\n", once="Net:")
    assert "U-Boot" in off.text and off.status == 0, off.text[-2000:]
    again = follow((*command, "-no-reboot"), tmp_path, PATIENCE_S, typed=b"\nreset\n", once="Net:")
    assert "resetting" in again.text and again.status == 0, again.text[-2000:]


@pytest.mark.parametrize("cores", [1, 4])
def test_xen_starts_its_first_domain_on_all_cores(cores: int, clients: Clients, tmp_path: Path) -> None:
    described = tree(base("cortex-a57", cores), tmp_path, machine(2), clients, "xen")
    described.set_property("xen,xen-bootargs", "console=dtuart dtuart=/pl011@9000000 dom0_mem=512M", "/chosen")
    add_dom0(described, clients, "console=hvc0 earlycon=xenboot loglevel=6")
    (tmp_path / "tree").write_bytes(described.to_dtb(17))
    images = (*loader(clients.xen, ENTRY), *loader(clients.kernels["stock"], KERNEL_OF_XEN), *loader(clients.initrd, INITRD))
    command = (*base("cortex-a57", cores), "-M", machine(2), "-dtb", str(tmp_path / "tree"), *images)
    booted = follow(command, tmp_path, PATIENCE_S, enough="CLIENT cpus")
    assert f"Brought up {cores} CPUs" in booted.text, booted.text[-3000:]
    assert f"CLIENT cpus {cores}" in booted.text, booted.text[-3000:]
