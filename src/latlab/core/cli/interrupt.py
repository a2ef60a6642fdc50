# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C, SIGTERM and a closed terminal as a question that a loop asks, so that nothing is torn in the middle of a write."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType, TracebackType

from latlab.core.cli.work_shown import CLEAR

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


ACKNOWLEDGED = "latlab: interrupted; collecting what was measured. A second Ctrl-C ends at once"


def acknowledge() -> None:
    """Write to standard error, past its buffers: a signal may come while they are written."""
    with suppress(OSError):
        os.write(2, f"{CLEAR if os.isatty(2) else ''}{ACKNOWLEDGED}\n".encode())


class Interrupts:
    """While open, the first interrupt sets `came` and is acknowledged at once; the second ends at once."""

    def __init__(self) -> None:
        self.came = False
        self._before: dict[signal.Signals, signal.Handlers] = {}

    def __enter__(self) -> Interrupts:
        self._before = {number: signal.signal(number, self._note) for number in SIGNALS}  # type: ignore[misc]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def asked(self) -> bool:
        return self.came

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.came:
            raise KeyboardInterrupt
        self.came = True
        acknowledge()
