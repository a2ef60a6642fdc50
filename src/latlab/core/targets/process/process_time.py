# SPDX-License-Identifier: BSD-3-Clause
"""The clock of a process: limits that are read on it mean the same on an idle machine and on a loaded one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
RUNNABLE = "R"
STATE, USER_TICKS, SYSTEM_TICKS = 0, 11, 12
"""Fields of /proc/PID/stat, counted from behind the program's name, which may hold anything."""


@dataclass(frozen=True, slots=True)
class ProcessState:
    """`used_s` is the processor time of all its threads. `wants_cpu`: one of them runs, or waits for a CPU that others have."""

    used_s: float
    wants_cpu: bool


class ProcessClock:
    """Seconds in which a process could get on: its processor time while a thread of it is runnable, else the time that goes by. What it
    waits for a CPU does not count. Where the system does not tell, it is the time that goes by."""

    def __init__(self, look: Callable[[], ProcessState | None], clock: Callable[[], float] = time.monotonic) -> None:
        self._look, self._clock = look, clock
        self._wall_s, self._last = clock(), look()
        self.now_s = self.waited_s = 0.0

    def read(self) -> float:
        """Seconds since it was made. Look at it several times in a second: whether a thread is runnable is asked only here."""
        wall_s, state = self._clock(), self._look()
        passed_s = wall_s - self._wall_s
        counted_s = passed_s
        if state is not None and self._last is not None and state.wants_cpu:
            counted_s = min(passed_s, state.used_s - self._last.used_s)
        self.now_s += counted_s
        self.waited_s += passed_s - counted_s
        self._wall_s, self._last = wall_s, state
        return self.now_s


def state_of(pid: int) -> ProcessState | None:
    """None for a process that is gone, and where there is no /proc."""
    try:
        whole = _fields(PROC / str(pid) / "stat")
        states = [_state(path) for path in (PROC / str(pid) / "task").iterdir()]
        ticks = int(whole[USER_TICKS]) + int(whole[SYSTEM_TICKS])
    except (OSError, IndexError, ValueError):
        return None
    return ProcessState(ticks / os.sysconf("SC_CLK_TCK"), RUNNABLE in states)


def _state(task: Path) -> str:
    try:
        return _fields(task / "stat")[STATE]
    except OSError:  # a thread that has just ended
        return ""


def _fields(path: Path) -> list[str]:
    return path.read_text("utf-8", "replace").rpartition(")")[2].split()
