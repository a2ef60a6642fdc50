# SPDX-License-Identifier: BSD-3-Clause
"""How much of a processor QEMU uses, by the kernel's books."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

from support.delays import ALL_OFF, Schedule
from support.monitored import Monitored

LOOK_S = 5


def _used_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def used_s(pid: int) -> float:
    before = _used_s(pid)
    time.sleep(LOOK_S)
    return _used_s(pid) - before


def busy_and_off(schedule: Schedule, folder: Path) -> tuple[float, float]:
    """Seconds of processor time in LOOK_S: while the cores make transitions, and when every one of them has gone off."""
    long = replace(schedule, transitions=1_000_000)
    short = replace(schedule, flags=schedule.flags | ALL_OFF)
    for part in ("busy", "off"):
        (folder / part).mkdir()
    with Monitored(folder / "busy", long.options(folder)) as qemu:
        qemu.wait_for("transitions=")
        busy = used_s(qemu.process.pid)
    with Monitored(folder / "off", short.options(folder)) as qemu:
        qemu.wait_for("the last core goes off")
        time.sleep(1)
        return busy, used_s(qemu.process.pid)
