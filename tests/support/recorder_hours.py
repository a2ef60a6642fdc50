# SPDX-License-Identifier: BSD-3-Clause
"""The recorder's bookkeeping over hours that do not pass: built from its own sources, beside a generator of wake-ups."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from latlab.rt.analysis.wakeup import disagreement
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.recorder_binary import FLAGS, guest_sources, wire_sources

SOURCES = ("tests/hours.c", "recording.c", "record_file.c", "tally.c", "measure.c", "kernel_events.c", "pinned_thread.c", "smi_counter.c")
METER = ("calibrate.c", "counters.c", "firmware_call.c", "meter.c")
OUTLIERS_KEPT = 200_000
LIMIT_BYTES = 10_000_000


@dataclass(frozen=True)
class Hours:
    """What was put in, a tuple of wake-ups, missed periods and outliers a CPU, and what the file says."""

    put_in: tuple[tuple[int, int, int], ...]
    read: Wakeups
    size_bytes: int

    def check(self) -> None:
        assert [(cpu.got, cpu.missed) for cpu in self.read.cpus] == [(got, missed) for got, missed, _ in self.put_in]
        assert self.read.complete and all(disagreement(cpu) == "" for cpu in self.read.cpus)
        late, dropped = sum(outliers for _, _, outliers in self.put_in), sum(cpu.late_dropped for cpu in self.read.cpus)
        assert len(self.read.outliers) + dropped == late and (dropped == 0 or len(self.read.outliers) == OUTLIERS_KEPT)


def build(folder: Path) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler for this machine")
    recorder, steal, wire = guest_sources() / "recorder", guest_sources() / "steal", wire_sources()
    program = folder / "hours"
    sources = [*(recorder / source for source in SOURCES), *(steal / source for source in METER), wire / "crc32.c"]
    command = [compiler, *FLAGS, f"-I{recorder}", f"-I{steal}", f"-I{wire}", *map(str, sources), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def hours(program: Path, folder: Path, cpus: int, seconds: int, late: int) -> Hours:
    path = folder / f"hours-{cpus}-{late}.rec"
    said = subprocess.run([program, path, str(cpus), str(seconds), str(late)], check=True, capture_output=True, text=True).stdout
    put_in = tuple((int(got), int(missed), int(outliers)) for got, missed, outliers in (line.split() for line in said.splitlines()))
    data = path.read_bytes()
    path.unlink()
    return Hours(put_in, read_record(data, path.name), len(data))
