# SPDX-License-Identifier: BSD-3-Clause
"""A process whose output is a console: its lines as they come, its end in one sentence; it never leaves a process behind."""

from __future__ import annotations

import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Protocol

from latlab.core.errors import UsageError
from latlab.core.shown import significant
from latlab.core.targets.process.children import dies_with_parent, stop
from latlab.core.targets.process.exit_diagnostics import death, exit_message
from latlab.core.targets.process.process_time import ProcessClock, state_of

POLL_S = 0.2
STOP_S = 3.0
EXIT_GRACE_S = 5.0
LONGEST_LINE = 64 * 1024
PANIC = b"PANIC"


class MachineEnd(StrEnum):
    """Why a console ended."""

    EXIT = "exit"
    HANG = "hang"
    SILENCE = "silence"
    DEATH = "death"
    PANIC = "panic"
    STOPPED = "stopped"
    INTERRUPT = "interrupt"


@dataclass(frozen=True, slots=True)
class MachineOutcome:
    """`sentence` is empty if nothing went wrong."""

    end: MachineEnd
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """In seconds: of a board as they go by, of a process on its own clock, so that a loaded machine stops nothing that gets on."""

    timeout_s: float
    silence_s: float


class Lines(Protocol):
    """A console to follow: that of a process or of a board."""

    stderr: bytes

    @property
    def secure_log(self) -> Path | None: ...

    @property
    def outcome(self) -> MachineOutcome: ...

    def lines(self) -> Generator[bytes, None, None]: ...

    def take(self) -> bytes: ...

    def expect_exit(self) -> None: ...

    def stop(self, sentence: str) -> None: ...


class Console:
    """Runs `command`; its standard output is the console, `secure_log` a file that it writes a second console to."""

    def __init__(self, command: Sequence[str], secure_log: Path, limits: Limits, interrupted: Callable[[], bool] = lambda: False) -> None:
        self.command = tuple(command)
        self.secure_log = secure_log
        self.limits = limits
        self.interrupted = interrupted
        self.outcome = MachineOutcome(MachineEnd.STOPPED)
        self.stderr = b""
        self._exit_by: float | None = None
        self._stopped = ""
        self._secure_size = 0
        self._raw = bytearray()

    def lines(self) -> Generator[bytes, None, None]:
        """Raw lines with their line ends; the last may have none. `outcome` holds when the iterator is exhausted or closed."""
        with tempfile.TemporaryFile() as errors:
            process = self._start(errors)
            try:
                yield from self._read(process)
            finally:
                stop(process, STOP_S)
                errors.seek(0)
                self.stderr = errors.read()
            if self.outcome.end is MachineEnd.EXIT and process.returncode != 0:
                self.outcome = MachineOutcome(MachineEnd.DEATH, death(self.command[0], process.returncode, exit_message(self.stderr)))

    def take(self) -> bytes:
        """What has come since the last time, byte for byte."""
        output, self._raw = bytes(self._raw), bytearray()
        return output

    def expect_exit(self) -> None:
        """The output is complete: the process may end now and is stopped if it does not. Firmware that panics where its power-off returns
        too late, as TF-A does, has done what it was asked to."""
        self._exit_by = time.monotonic() + EXIT_GRACE_S

    def stop(self, sentence: str) -> None:
        """End it before the next line, for the reason given in the sentence."""
        self._stopped = sentence

    def _start(self, errors: IO[bytes]) -> subprocess.Popen[bytes]:
        """Starts in a session of its own: a Ctrl-C at the terminal is for latlab, which ends the process properly. It does not outlive
        latlab."""
        try:
            return subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                preexec_fn=dies_with_parent(),
            )
        except OSError as error:
            raise UsageError(f"{self.command[0]} does not start ({error.strerror})", "`latlab doctor` checks the installation") from error

    def _read(self, process: subprocess.Popen[bytes]) -> Iterator[bytes]:
        assert process.stdout is not None
        clock = ProcessClock(lambda: state_of(process.pid))
        last_s = 0.0
        pending = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                if selector.select(POLL_S):
                    chunk = os.read(process.stdout.fileno(), LONGEST_LINE)
                    if not chunk:
                        self.outcome = (self._panic() if self._exit_by is None else None) or MachineOutcome(MachineEnd.EXIT)
                        break
                    last_s = clock.read()
                    self._raw += chunk
                    *whole, pending = (pending + chunk).split(b"\n")
                    yield from (line + b"\n" for line in whole)
                    if len(pending) > LONGEST_LINE:
                        yield pending
                        pending = b""
                verdict = self._verdict(clock, last_s)
                if verdict:
                    self.outcome = verdict
                    if verdict.end is MachineEnd.PANIC:
                        time.sleep(POLL_S)
                    break
        if pending:
            yield pending

    def _verdict(self, clock: ProcessClock, last_s: float) -> MachineOutcome | None:
        if self.interrupted():
            if self._exit_by is not None:  # all was said: what the user ends is the wait for the power-off
                return MachineOutcome(MachineEnd.STOPPED)
            return MachineOutcome(MachineEnd.INTERRUPT, "interrupted by the user before the campaign ended")
        if self._stopped:
            return MachineOutcome(MachineEnd.STOPPED, self._stopped)
        if self._exit_by is not None:
            return MachineOutcome(MachineEnd.STOPPED) if time.monotonic() > self._exit_by else None
        now_s = clock.read()
        beside = f" of its own time, beside {clock.waited_s:.0f} s in which it waited for a CPU" if clock.waited_s >= 1 else ""
        if now_s > self.limits.timeout_s:
            return self._panic() or MachineOutcome(
                MachineEnd.HANG,
                f"the target was stopped after {significant(self.limits.timeout_s)} s{beside} without an end; "
                "give more time with --timeout",
            )
        if now_s - last_s > self.limits.silence_s:
            return self._panic() or MachineOutcome(
                MachineEnd.SILENCE,
                f"the target hangs: no output for {significant(self.limits.silence_s)} s{beside}; the last lines of its console show where",
            )
        return self._panic()

    def _panic(self) -> MachineOutcome | None:
        """What the firmware's console says since the last look, if it is a panic."""
        try:
            if self.secure_log.stat().st_size == self._secure_size:
                return None
            text = self.secure_log.read_bytes()
        except OSError:
            return None
        self._secure_size = len(text)
        for number, line in enumerate(text.split(b"\n"), 1):
            if PANIC in line:
                quoted = line.strip().decode("utf-8", "backslashreplace")
                return MachineOutcome(MachineEnd.PANIC, f"the firmware panicked, line {number} of its console: {quoted!r}")
        return None


class ColdBoots:
    """Consoles one after the other as one: each boots its target anew. The first that does not end well is the last."""

    def __init__(self, boot: Callable[[int], Console], count: int, secure_log: Path) -> None:
        self.boot, self.count, self.secure_log = boot, count, secure_log
        self.current = boot(0)
        self.stderr = b""
        self._taken = b""

    @property
    def outcome(self) -> MachineOutcome:
        return self.current.outcome

    def lines(self) -> Generator[bytes, None, None]:
        for number in range(self.count):
            if number:
                self._taken = self.take()
                self.current = self.boot(number)
            try:
                yield from self.current.lines()
            finally:
                self.stderr += self.current.stderr
                self._keep_secure()
            if self.current.outcome.sentence:
                return

    def take(self) -> bytes:
        output, self._taken = self._taken + self.current.take(), b""
        return output

    def expect_exit(self) -> None:
        self.current.expect_exit()

    def stop(self, sentence: str) -> None:
        self.current.stop(sentence)

    def _keep_secure(self) -> None:
        if self.current.secure_log.exists():
            with self.secure_log.open("ab") as all_boots:
                all_boots.write(self.current.secure_log.read_bytes())
