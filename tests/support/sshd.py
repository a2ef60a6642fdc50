# SPDX-License-Identifier: BSD-3-Clause
"""An unprivileged sshd of the tests' own on localhost: another machine, as far as ssh and labgrid are concerned.

Its shell reads start files of the tests' own, which print on both streams: no user's start files may decide a test."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from latlab.core.targets.linux.machine import OverSsh

SSHD = shutil.which("sshd") or ("/usr/sbin/sshd" if Path("/usr/sbin/sshd").exists() else None)
CONFIG = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
PidFile {folder}/sshd.pid
AuthorizedKeysFile {folder}/key.pub
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
Subsystem sftp internal-sftp
SetEnv HOME={folder}
"""
NOISY_START = "echo Welcome to the board\necho cannot rehash >&2\n"
ENVIRONMENT = """\
targets:
  main:
    resources:
      NetworkService: {{address: 127.0.0.1, port: {port}, username: {user}}}
    drivers:
      SSHDriver: {{keyfile: {key}, connection_timeout: 2.0}}
"""


@dataclass
class Sshd:
    folder: Path
    port: int
    process: subprocess.Popen[bytes]

    @property
    def key(self) -> Path:
        return self.folder / "key"

    @property
    def machine(self) -> OverSsh:
        options = ("-p", str(self.port), "-i", str(self.key), "-o", "UserKnownHostsFile=/dev/null", "-o", "StrictHostKeyChecking=no")
        return OverSsh("127.0.0.1", ("ssh", "-F", "none", "-q", "-o", "BatchMode=yes", *options))

    def environment(self, folder: Path, more: str = "") -> Path:
        """Of labgrid, with this server as its target `main`."""
        path = folder / "env.yaml"
        path.write_text(ENVIRONMENT.format(port=self.port, key=self.key, user=getpass.getuser()) + more)
        return path

    def stop(self) -> None:
        """The server and the connections that it serves: as a board that goes away."""
        children = subprocess.run(("pgrep", "-P", str(self.process.pid)), capture_output=True, text=True, check=False).stdout.split()
        for pid in children:
            subprocess.run(("kill", pid), check=False, capture_output=True)
        self.process.terminate()
        self.process.wait(10)

    def start(self) -> None:
        self.process = _started(self.folder, self.port)


@contextmanager
def sshd(folder: Path) -> Iterator[Sshd]:
    for name in ("host_key", "key"):
        subprocess.run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)), check=True)
    port = _free_port()
    (folder / ".bashrc").write_text(NOISY_START)
    (folder / "sshd_config").write_text(CONFIG.format(port=port, folder=folder))
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    server = Sshd(folder, port, _started(folder, port))
    try:
        yield server
    finally:
        server.stop()


def _started(folder: Path, port: int) -> subprocess.Popen[bytes]:
    command = (str(SSHD), "-D", "-e", "-f", str(folder / "sshd_config"))
    with (folder / "sshd.log").open("ab") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    while process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.05)
    raise RuntimeError((folder / "sshd.log").read_text())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
