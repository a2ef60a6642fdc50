# SPDX-License-Identifier: BSD-3-Clause
"""The console of a board that labgrid manages: its lines as they come, until the payload has finished or falls silent."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any

from latlab.core.shown import significant
from latlab.core.targets.linux.labgrid_board import ask_labgrid, driver_of, said_by
from latlab.core.targets.process.console import LONGEST_LINE, PANIC, Limits, MachineEnd, MachineOutcome

CONSOLE = "ConsoleProtocol"
READ_BYTES = 4096
READ_S = 0.2
IDLE_S = 0.02


class LabgridConsole:
    """`open` it before the board is switched on: otherwise what it prints first is lost. There is no second console here."""

    def __init__(self, target: Any, limits: Limits, interrupted: Callable[[], bool] = lambda: False) -> None:
        self.target = target
        self.limits = limits
        self.interrupted = interrupted
        self.outcome = MachineOutcome(MachineEnd.STOPPED)
        self.secure_log = None
        self.stderr = b""
        self._raw = bytearray()
        self._ended: MachineOutcome | None = None

    def open(self) -> None:
        ask_labgrid(f"labgrid target {self.target.name!r}, its console", lambda: driver_of(self.target, CONSOLE))

    def lines(self) -> Generator[bytes, None, None]:
        """Raw lines with their line ends; the last may have none. `outcome` holds when the iterator is exhausted."""
        start = last = time.monotonic()
        pending = b""
        while (outcome := self._ended or self._verdict(start, last)) is None:
            chunk = self._read()
            if not chunk:
                time.sleep(IDLE_S)
                continue
            last = time.monotonic()
            self._raw += chunk
            *whole, pending = (pending + chunk).split(b"\n")
            for line in whole:
                self._look_for_panic(line)
                yield line + b"\n"
            if len(pending) > LONGEST_LINE:
                yield pending
                pending = b""
        self.outcome = outcome
        if pending:
            yield pending

    def take(self) -> bytes:
        """What has come since the last time, byte for byte."""
        output, self._raw = bytes(self._raw), bytearray()
        return output

    def expect_exit(self) -> None:
        """The payload has finished. The board stays as it is."""
        self._ended = MachineOutcome(MachineEnd.STOPPED)

    def stop(self, sentence: str) -> None:
        self._ended = MachineOutcome(MachineEnd.STOPPED, sentence)

    def _read(self) -> bytes:
        """Empty if nothing came. labgrid's drivers raise for that, each in its own way, as they do for a console that is gone."""
        from pexpect import TIMEOUT

        try:
            return bytes(driver_of(self.target, CONSOLE).read(size=READ_BYTES, timeout=READ_S) or b"")
        except TIMEOUT:
            return b""
        except Exception as error:
            self._ended = MachineOutcome(MachineEnd.DEATH, f"the console of {self.target.name} is closed: {said_by(error)}")
            return b""

    def _look_for_panic(self, line: bytes) -> None:
        if PANIC in line:
            self._ended = MachineOutcome(MachineEnd.PANIC, f"the firmware panicked: {line.strip().decode('utf-8', 'backslashreplace')!r}")

    def _verdict(self, start: float, last: float) -> MachineOutcome | None:
        now = time.monotonic()
        if self.interrupted():
            return MachineOutcome(MachineEnd.INTERRUPT, "interrupted by the user before the campaign ended")
        if now - start > self.limits.timeout_s:
            return MachineOutcome(
                MachineEnd.HANG,
                f"latlab stopped waiting for the board after {significant(self.limits.timeout_s)} s; give more time with --timeout",
            )
        if now - last > self.limits.silence_s:
            return MachineOutcome(
                MachineEnd.SILENCE,
                f"no output from the board for {significant(self.limits.silence_s)} s; "
                "the last lines of its console show where, and --power-cycle or "
                "--state restarts it",
            )
        return None
