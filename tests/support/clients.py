# SPDX-License-Identifier: BSD-3-Clause
"""Normal worlds that nobody here wrote, from Debian's packages for arm64, and how the firmware starts them."""

from __future__ import annotations

import gzip
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import fdt

from latlab.core.readers.device_tree import read_tree
from latlab.core.targets.tools import run
from latlab.rt.targets.guest.cpio import archive, character_device, file, folder
from latlab.rt.targets.guest.debian import PrivateApt, unpack
from latlab.rt.targets.guest.guest import Chosen, patch
from latlab.rt.targets.recorder_binary import cache_folder

ENTRY = 0x6000_0000
KERNEL_OF_XEN = 0x6400_0000
INITRD = 0x6800_0000
KERNELS = {"linux-image-arm64": r"linux-image-\d.*[0-9]-arm64", "linux-image-rt-arm64": r"linux-image-\d.*-rt-arm64"}
PACKAGES = ("u-boot-qemu", "busybox-static")
XEN = "xen-hypervisor-4.17-arm64"

INIT = b"""#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox echo "CLIENT cpus $(/bin/busybox grep -c ^processor /proc/cpuinfo)"
/bin/busybox echo "CLIENT spectre $(/bin/busybox cat /sys/devices/system/cpu/vulnerabilities/spectre_v2)"
/bin/busybox echo "CLIENT idle $(/bin/busybox cat /sys/devices/system/cpu/cpuidle/current_driver)"
clock=/sys/class/rtc/rtc0/since_epoch
begun=$(/bin/busybox cat $clock)
while [ "$(/bin/busybox cat $clock)" = "$begun" ]; do :; done
begun=$(/bin/busybox cat $clock)
/bin/busybox sleep 2
/bin/busybox echo "CLIENT slept $(($(/bin/busybox cat $clock) - begun))"
/bin/busybox dmesg | /bin/busybox grep -iE "psci|warning|bug:|call trace"
/bin/busybox echo 0 >/sys/devices/system/cpu/cpu1/online
/bin/busybox echo 1 >/sys/devices/system/cpu/cpu1/online
/bin/busybox echo "CLIENT online $(/bin/busybox cat /sys/devices/system/cpu/online)"
/bin/busybox poweroff -f
"""


@dataclass(frozen=True)
class Clients:
    """`root` is where the packages are unpacked; `kernels` by name; the others as files."""

    root: Path
    busybox: Path
    kernels: dict[str, Path]
    initrd: Path
    u_boot: Path
    xen: Path


def are_here() -> bool:
    """Whether fetch() needs no network."""
    return (cache_folder() / "clients" / "fetched").is_file()


def fetch() -> Clients:
    """The packages, once; they lie in the user's cache."""
    place = cache_folder() / "clients"
    apt = PrivateApt(place / "apt", "arm64", run(("dpkg", "--print-architecture")).strip())
    root = place / "root"
    if not (place / "fetched").is_file():
        apt.update()
        names = [
            apt.dependency(meta, pattern)
            for meta, pattern in zip(("linux-image-arm64", "linux-image-rt-arm64"), KERNELS.values(), strict=True)
        ]
        apt.fetch([*names, *PACKAGES, XEN])
        for package in apt.archives():
            unpack(package, root)
        (place / "fetched").touch()
    busybox = next(path for path in (root / "bin/busybox", root / "usr/bin/busybox") if path.is_file())
    entries = [folder("proc"), folder("sys"), folder("dev"), character_device("dev/console", 5, 1)]
    entries += [file("bin/busybox", busybox.read_bytes(), executable=True), file("init", INIT, executable=True)]
    (place / "initrd").write_bytes(archive(entries))
    images = sorted((root / "boot").glob("vmlinuz-*"))
    kernels = {
        "rt": next(path for path in images if "-rt-" in path.name),
        "stock": next(path for path in images if "-rt-" not in path.name),
    }
    return Clients(
        root,
        busybox,
        kernels,
        place / "initrd",
        root / "usr/lib/u-boot/qemu_arm64/u-boot.bin",
        _unpacked(root / "boot/xen-4.17-arm64", place),
    )


def _unpacked(image: Path, place: Path) -> Path:
    data = image.read_bytes()
    target = place / image.name
    target.write_bytes(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    return target


def tree(base: Sequence[str], folder: Path, machine: str, clients: Clients, arguments: str) -> fdt.FDT:
    """QEMU's tree for these options, with Linux's arguments and initrd."""
    dumped = folder / "dumped"
    subprocess.run((*base, "-M", f"{machine},dumpdtb={dumped}"), check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return read_tree(patch(dumped.read_bytes(), Chosen(arguments, INITRD, clients.initrd.stat().st_size)))


def loader(path: Path, address: int) -> tuple[str, str]:
    return ("-device", f"loader,file={path},addr={address:#x},force-raw=on")


def add_dom0(described: fdt.FDT, clients: Clients, arguments: str) -> None:
    """Xen's multiboot modules: the kernel and the initrd of its first domain."""
    for name, kind, address, path in (
        ("kernel", "multiboot,kernel", KERNEL_OF_XEN, clients.kernels["stock"]),
        ("ramdisk", "multiboot,ramdisk", INITRD, clients.initrd),
    ):
        node = fdt.Node(f"module@{address:x}")
        node.append(fdt.PropStrings("compatible", kind, "multiboot,module"))
        node.append(fdt.PropWords("reg", 0, address, 0, path.stat().st_size))
        if name == "kernel":
            node.append(fdt.PropStrings("bootargs", arguments))
        described.add_item(node, "/chosen")


@dataclass(frozen=True)
class Boot:
    """What the normal world's console said, with the seconds after the start at which each line came; and how QEMU ended."""

    lines: list[tuple[float, str]]
    status: int | None
    secure: str

    @property
    def text(self) -> str:
        return "\n".join(line for _, line in self.lines)

    def when(self, words: str) -> float:
        return next(at for at, line in self.lines if words in line)


def follow(
    command: Sequence[str], folder: Path, patience_s: float, enough: str = "", typed: bytes = b"", once: str = "", times: int = 1
) -> Boot:
    """Run until QEMU ends, `times` lines of the console say `enough`, or patience is over.

    `typed` is typed when the console has said `once`, not before: where a byte comes before U-Boot has set up QEMU's UART, no later one
    reaches it; on a machine without EL3 neither.
    """
    secure = folder / "secure.log"
    process = subprocess.Popen((*command, "-serial", "stdio", "-serial", f"file:{secure}"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin and process.stdout
    begun = time.monotonic()
    end = threading.Timer(patience_s, process.kill)
    end.start()
    lines: list[tuple[float, str]] = []
    for raw in process.stdout:
        lines.append((time.monotonic() - begun, raw.decode(errors="replace").strip()))
        if typed and once in lines[-1][1]:
            process.stdin.write(typed)
            process.stdin.flush()
            typed = b""
        times -= bool(enough and enough in lines[-1][1])
        if times == 0:
            process.kill()
    status = process.wait()
    end.cancel()
    return Boot(lines, status, secure.read_text(errors="replace"))
