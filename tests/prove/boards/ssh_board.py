# SPDX-License-Identifier: BSD-3-Clause
"""The guest as a board: its kernel on our firmware, with a network card and an SSH server from Debian, reached as any board is."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from latlab.core.model.conditions import Mode
from latlab.core.targets.linux.machine import OverSsh
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.core.targets.tools import run
from latlab.rt.targets.guest.cpio import ArchiveEntry, archive, file, folder
from latlab.rt.targets.guest.debian import PrivateApt, unpack
from latlab.rt.targets.guest.guest import GuestMachine, GuestRun, run_guest
from latlab.rt.targets.guest.guest_image import FETCHED, GuestImage, guest_image, libraries_of
from latlab.rt.targets.recorder_binary import cache_folder

PACKAGES = ("dropbear-bin", "openssh-sftp-server")
PROGRAMS = ("usr/sbin/dropbear", "usr/lib/openssh/sftp-server")
NETWORK = ("drivers/virtio/virtio_mmio.ko", "net/core/failover.ko", "drivers/net/net_failover.ko", "drivers/net/virtio_net.ko")
LIMITS = Limits(1800, 1800)
UP_S = 3600
JOB = f"""\
for module in {" ".join(Path(name).stem for name in NETWORK)}; do insmod /modules/$module.ko || exit 3; done
ip link set lo up
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
mkdir -p /dev/pts /var/tmp
mount -t devpts devpts /dev/pts
chmod 700 /root /root/.ssh
insmod /modules/latlab_el3.ko || exit 3
echo {{hold_ns}} >/proc/latlab_el3/trng_hold_ns || exit 3
insmod /modules/arm_smccc_trng.ko
exec /usr/sbin/dropbear -F -E -s -R -p 22
"""
WRAPPER = """\
#!/bin/sh
# The same machine with a network card in place of none.
for argument in "$@"; do
    shift
    case "$argument" in
    -nic) set -- "$@" -netdev user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22 ;;
    none) if [ "$last" = -nic ]; then set -- "$@" -device virtio-net-device,netdev=net; else set -- "$@" none; fi ;;
    *) set -- "$@" "$argument" ;;
    esac
    last=$argument
done
echo $$ >{pid}
exec {qemu} "$@"
"""


class SshBoard:
    """It can be switched on and off, and stand still; what labgrid exports of it is its address."""

    def __init__(self, work: Path, hold_ns: int = 0, name: str = "guest", cores: int = 1) -> None:
        self.name, self.port, self.key, self.cores = name, _free_port(), work / "key", cores
        self.ended: GuestRun | None = None
        self._work, self._job = work, JOB.format(hold_ns=hold_ns)
        self._thread: threading.Thread | None = None
        self._is_off = threading.Event()
        subprocess.run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.key)), check=True)
        qemu = find_qemu()
        wrapper = work / "qemu-system-aarch64"
        wrapper.write_text(WRAPPER.format(port=self.port, qemu=qemu.path, pid=work / "pid"))
        wrapper.chmod(0o755)
        self._qemu = replace(qemu, path=wrapper)
        self._image = _image(work, self.key.with_suffix(".pub"))

    @property
    def machine(self) -> OverSsh:
        options = ("-p", str(self.port), "-i", str(self.key), "-o", "UserKnownHostsFile=/dev/null", "-o", "StrictHostKeyChecking=no")
        return OverSsh("root@127.0.0.1", ("ssh", "-F", "none", "-q", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", *options))

    @property
    def resources(self) -> Mapping[str, Mapping[str, object]]:
        return {"NetworkService": {"address": "127.0.0.1", "port": self.port, "username": "root"}}

    def on(self) -> None:
        if self._thread is None:
            self._is_off.clear()
            self._thread = threading.Thread(target=self._boot)
            self._thread.start()

    def off(self) -> None:
        """As the power goes."""
        self._is_off.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def hang(self) -> None:
        os.kill(int((self._work / "pid").read_text()), signal.SIGSTOP)

    def wait_until_up(self) -> None:
        assert self._thread is not None
        end = time.monotonic() + UP_S
        while self._thread.is_alive() and time.monotonic() < end:
            if subprocess.run((*self.machine.program, "root@127.0.0.1", "true"), check=False).returncode == 0:
                return
            time.sleep(1)
        said = self.ended.output.files.get("job.log", self.ended.console[-2000:]) if self.ended else b"it is still running"
        raise AssertionError(f"the guest does not answer by ssh: {said.decode('utf-8', 'replace')}")

    def _boot(self) -> None:
        machine = GuestMachine(self.cores, Mode.MULTI_THREAD, hold_firmware=True)
        self.ended = run_guest(self._qemu, machine, self._image, self._job, LIMITS, poll=self._is_off.is_set)


@contextmanager
def ssh_board(work: Path, hold_ns: int = 0, cores: int = 1) -> Iterator[SshBoard]:
    """Up as soon as it answers; ended by its own poweroff."""
    board = SshBoard(work, hold_ns, cores=cores)
    board.on()
    try:
        board.wait_until_up()
        yield board
        subprocess.run((*board.machine.program, "root@127.0.0.1", "poweroff -f"), check=False, timeout=3600)
    finally:
        board.off()


def _image(work: Path, public_key: Path) -> GuestImage:
    """The guest's image with the server and the network drivers behind it."""
    base = guest_image()
    made = work / "image"
    made.mkdir()
    (made / "Image").symlink_to(base.kernel)
    initrd = base.initrd.read_bytes()
    extra = gzip.compress(archive(_entries(_root(), base.kernel_release, public_key)), 6, mtime=0)
    (made / "initrd.gz").write_bytes(initrd + bytes(-len(initrd) % 512) + extra)
    return replace(base, folder=made)


def _root() -> Path:
    """Server, libraries and kernel, fetched once and unpacked in the cache."""
    place = cache_folder() / "guest" / "ssh-board"
    if (place / FETCHED).is_file():
        return place / "root"
    shutil.rmtree(place, ignore_errors=True)
    apt = PrivateApt(place / "apt", "arm64", run(("dpkg", "--print-architecture")).strip())
    apt.update()
    apt.fetch_with_dependencies(PACKAGES)
    kernels = sorted((cache_folder() / "guest" / "apt" / "archives").glob("linux-image-*.deb"))
    for package in (*apt.archives(), *kernels):
        unpack(package, place / "root")
    (place / FETCHED).touch()
    return place / "root"


def _entries(root: Path, release: str, public_key: Path) -> Iterator[ArchiveEntry]:
    for name in ("etc", "etc/dropbear", "root", "root/.ssh", "var", "var/tmp", "var/log", "usr/lib"):
        yield folder(name)
    yield file("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n")
    yield file("etc/group", b"root:x:0:\n")
    yield file("etc/shells", b"/bin/sh\n")
    yield file("root/.ssh/authorized_keys", public_key.read_bytes())
    for name in NETWORK:
        yield file(f"modules/{Path(name).name}", (root / "lib/modules" / release / "kernel" / name).read_bytes())
    yield file("usr/sbin/dropbear", (root / PROGRAMS[0]).read_bytes(), executable=True)
    yield file("usr/lib/sftp-server", (root / PROGRAMS[1]).read_bytes(), executable=True)
    for name, library in sorted(libraries_of(root, PROGRAMS).items()):
        yield file(f"lib/{name}", library.read_bytes(), executable=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
