# SPDX-License-Identifier: BSD-3-Clause
"""A Linux machine: run a command there, put a file, get a file. Here, over SSH, and in `labgrid_board` through labgrid."""

from __future__ import annotations

import shlex
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from latlab.core.errors import LatlabError, UsageError
from latlab.core.model.life import Address
from latlab.core.targets.process.children import dies_with_parent

SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3")
SSH_FAILED = 255
COPY_S = 600
START_S = 60
UP_EVERY_S = 1.0
REACH_AGAIN_S = 180
LEFT_ALONE_S = 300
MARK = "latlab-begins"
_JOBS: list[subprocess.Popen[bytes]] = []


class Unreachable(LatlabError):
    """The machine did not answer, or not in time."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """A command that has ended. If the connection has only one stream, errors are in `out`."""

    status: int
    out: bytes
    err: bytes = b""

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "replace")

    @property
    def complaint(self) -> str:
        return last_line(self.err) or last_line(self.out) or "it printed nothing"


class Machine(Protocol):
    """`kind` begins what a run calls its target, `address` is how a later process finds it again. `scratch` survives a restart.
    `patience_s` is how long one that does not answer is waited for; if nobody looks after its job for `left_alone_s`, the job ends itself
    (None: it cannot lose its maker unnoticed). `look_every_s` is None where looking at the job's files is too slow to be done often."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def scratch(self) -> str: ...

    @property
    def patience_s(self) -> float: ...

    @property
    def left_alone_s(self) -> float | None: ...

    @property
    def look_every_s(self) -> float | None: ...

    @property
    def address(self) -> Address: ...

    def spawn(self, text: str) -> int:
        """Start shell that goes on without its connection, in a session of its own, and say its process id. Raises LatlabError."""
        ...

    def run(self, text: str, timeout_s: float) -> CommandResult:
        """One line of shell, without input. Raises Unreachable."""
        ...

    def put(self, local: Path, remote: str) -> None:
        """Copy a file there, executable. Raises LatlabError if it cannot be written."""
        ...

    def get(self, remote: str) -> bytes:
        """The bytes of a file there. Raises LatlabError."""
        ...

    def restart(self) -> bool:
        """Switch it off and on, whatever it does, and wait until it answers. False where latlab may not or where that did not help."""
        ...


@dataclass(frozen=True, slots=True)
class Here:
    """This machine."""

    name: str = "this machine"
    kind: str = "linux"
    scratch: str = "/var/tmp"
    patience_s: float = 0
    left_alone_s: float | None = None
    look_every_s: float | None = 5

    @property
    def address(self) -> Address:
        return Address(self.kind)

    def spawn(self, text: str) -> int:
        """The kernel ends it with SIGTERM when this process has ended, however that was."""
        command = ["sh", "-c", text]
        null = subprocess.DEVNULL
        process = subprocess.Popen(
            command, stdin=null, stdout=null, stderr=null, start_new_session=True, preexec_fn=dies_with_parent(signal.SIGTERM)
        )
        _JOBS.append(process)
        return process.pid

    def run(self, text: str, timeout_s: float) -> CommandResult:
        for job in _JOBS:
            job.poll()
        try:
            return _finished(["sh", "-c", text], timeout_s)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unreachable(f"{self.name} does not answer ({error})") from error

    def put(self, local: Path, remote: str) -> None:
        Path(remote).write_bytes(local.read_bytes())
        Path(remote).chmod(0o755)

    def get(self, remote: str) -> bytes:
        return Path(remote).read_bytes()

    def restart(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class OverSsh:
    """A machine that `ssh HOST` reaches without asking for a password. `program` is ssh with its options."""

    host: str
    program: tuple[str, ...] = SSH
    kind: str = "ssh"
    scratch: str = "/var/tmp"
    patience_s: float = REACH_AGAIN_S
    left_alone_s: float | None = LEFT_ALONE_S
    look_every_s: float | None = 30

    @property
    def name(self) -> str:
        return self.host

    @property
    def address(self) -> Address:
        return Address(self.kind, host=self.host)

    def spawn(self, text: str) -> int:
        return spawned(self, text)

    def run(self, text: str, timeout_s: float) -> CommandResult:
        return self._finished(text, timeout_s)

    def put(self, local: Path, remote: str) -> None:
        done = self._finished(f"cat >{shlex.quote(remote)} && chmod 755 {shlex.quote(remote)}", COPY_S, local)
        if done.status != 0:
            raise LatlabError(f"cannot write {remote}: {done.complaint}", place=self.host)

    def get(self, remote: str) -> bytes:
        done = self._finished(f"cat {shlex.quote(remote)}", COPY_S)
        if done.status != 0:
            raise LatlabError(f"cannot read {remote}: {done.complaint}", place=self.host)
        return done.out

    def restart(self) -> bool:
        return False

    def _finished(self, text: str, timeout_s: float, stdin_file: Path | None = None) -> CommandResult:
        try:
            whole = _finished([*self.program, self.host, "sh -c " + shlex.quote(marked(text))], timeout_s, stdin_file)
        except FileNotFoundError as error:
            raise UsageError(
                f"{error.filename} is not installed on this machine; --target {self.kind} needs it (Debian: openssh-client)"
            ) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unreachable(f"{self.host} does not answer ({error}); {self._advice()}") from error
        done = CommandResult(whole.status, after_mark(whole.out), after_mark(whole.err))
        if done.status == SSH_FAILED:
            raise Unreachable(f"{self.host} does not answer: {done.complaint}; {self._advice()}")
        return done

    def _advice(self) -> str:
        return f"check that `ssh {shlex.quote(self.host)}` works without a password prompt"


def wait_until_up(machine: Machine, limit_s: float) -> None:
    """After it was switched on. Raises Unreachable with what it said last."""
    end = time.monotonic() + limit_s
    while True:
        try:
            machine.run("true", START_S)
            return
        except Unreachable:
            if time.monotonic() > end:
                raise
        time.sleep(UP_EVERY_S)


def marked(text: str) -> str:
    """Make a command print a mark on both streams first: what the shell's start files print stands before it."""
    return f"echo {MARK}; echo {MARK} >&2; {text}"


def after_mark(stream: bytes) -> bytes:
    """Return what a marked command printed. A connection with one stream has two marks; one that failed has none."""
    return stream.rpartition(f"{MARK}\n".encode())[2]


def spawned(machine: Machine, text: str) -> int:
    """`spawn` for a machine that is reached by a connection."""
    done = machine.run(f"setsid sh -c {shlex.quote(text)} >/dev/null 2>&1 </dev/null & echo $!", START_S)
    if not done.text.strip().isdecimal():
        raise LatlabError(f"the job could not be started: {done.complaint}", place=machine.name)
    return int(done.text)


def _finished(command: list[str], timeout_s: float, stdin_file: Path | None = None) -> CommandResult:
    with open(stdin_file or "/dev/null", "rb") as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True, timeout=timeout_s, check=False, preexec_fn=dies_with_parent())
    return CommandResult(done.returncode, done.stdout, done.stderr)


def last_line(data: bytes) -> str:
    lines = data.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""
