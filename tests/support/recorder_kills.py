# SPDX-License-Identifier: BSD-3-Clause
"""The real recorder, killed in the middle: what its file must still hold.

How late a checkpoint may be is the machine's doing, not the recorder's: SLACK_S stands for the scheduler and the disk. Every checkpoint
that was due so long before the kill must be in the file, and nothing else about time is asserted.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from latlab.core.errors import DataError
from latlab.rt.analysis.wakeup import disagreement
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.recorder import read_record

SECOND_NS = 1_000_000_000
INTERVAL_NS = 200_000
SLACK_NS = 500_000_000
CHECKPOINT = re.compile(r"after its checkpoint (\d+) is lost")


@dataclass(frozen=True)
class Killed:
    """`kill_ns` is CLOCK_MONOTONIC right before SIGKILL, the clock of the file."""

    read: Wakeups
    kill_ns: int

    @property
    def checkpoint(self) -> int:
        return int(next(match[1] for problem in self.read.problems if (match := CHECKPOINT.search(problem))))

    @property
    def due_checkpoints(self) -> int:
        """Whole seconds from the recorder's start to SLACK_NS before the kill."""
        assert self.read.start_ns is not None
        return (self.kill_ns - SLACK_NS - self.read.start_ns) // SECOND_NS

    def check(self) -> None:
        assert not self.read.complete and self.read.start_ns is not None and self.read.end_ns is not None
        assert self.checkpoint >= self.due_checkpoints
        assert self.read.start_ns + self.checkpoint * SECOND_NS <= self.read.end_ns <= self.kill_ns
        for cpu in self.read.cpus:
            assert disagreement(cpu) == ""
            covered_ns = (cpu.got + (cpu.missed or 0)) * INTERVAL_NS
            assert self.read.end_ns - self.read.start_ns - covered_ns <= SLACK_NS + INTERVAL_NS
        assert {outlier.cpu for outlier in self.read.outliers} <= {cpu.number for cpu in self.read.cpus}


def kill_at(program: Path, path: Path, after_s: float) -> Killed:
    """Starts the recorder and kills it so long after its first checkpoint is there."""
    process = subprocess.Popen([program, "-o", path, "-i", str(INTERVAL_NS // 1000), "-t", "20", "-I"])
    # A checkpoint is due each second. The thread that writes it is an ordinary one, which a load would keep waiting.
    os.sched_setscheduler(process.pid, os.SCHED_RR, os.sched_param(1))
    try:
        _wait_for_first_checkpoint(process, path)
        time.sleep(after_s)
        kill_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return Killed(read_record(path.read_bytes(), path.name), kill_ns)


def kill_times(seed: int, count: int) -> list[float]:
    rng = random.Random(seed)
    return [rng.uniform(0.0, 2.5) for _ in range(count)]


def _wait_for_first_checkpoint(process: subprocess.Popen[bytes], path: Path) -> None:
    while process.poll() is None:
        try:
            read_record(path.read_bytes(), path.name)
            return
        except (DataError, OSError):
            time.sleep(0.02)
    raise AssertionError(f"the recorder ended with status {process.returncode}")
