# SPDX-License-Identifier: BSD-3-Clause
"""How much of a processor QEMU asks for, by the kernel's books."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from support.delays import ALL_OFF, Schedule
from support.monitored import Monitored

LOOK_S = 5


def _asked_for_s(pid: int) -> float:
    """Of all its threads: what they ran, and what they waited for a CPU that others had, so that a load makes no difference."""
    stats = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return sum(int(ran_ns) + int(waited_ns) for ran_ns, waited_ns, _ in stats) / 1e9


def asked_for_s(pid: int) -> float:
    before = _asked_for_s(pid)
    time.sleep(LOOK_S)
    return _asked_for_s(pid) - before


def busy_and_off(schedule: Schedule, folder: Path) -> tuple[float, float]:
    """Seconds that threads ask for in LOOK_S: while the cores make transitions, and when every one of them has gone off."""
    long = replace(schedule, transitions=1_000_000)
    short = replace(schedule, flags=schedule.flags | ALL_OFF)
    for part in ("busy", "off"):
        (folder / part).mkdir()
    with Monitored(folder / "busy", long.options(folder)) as qemu:
        qemu.wait_for("transitions=")
        busy = asked_for_s(qemu.process.pid)
    with Monitored(folder / "off", short.options(folder)) as qemu:
        qemu.wait_for("the last core goes off")
        time.sleep(1)
        return busy, asked_for_s(qemu.process.pid)
