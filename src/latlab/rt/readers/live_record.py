# SPDX-License-Identifier: BSD-3-Clause
"""A recorder's file while it is still being written: how far it is, and what it has seen."""

from __future__ import annotations

from latlab.core.errors import DataError
from latlab.rt.model.wakeups import LiveSnapshot
from latlab.rt.readers.recorder import read_record


def glance_of(data: bytes) -> LiveSnapshot | None:
    """None before its first checkpoint, and where it cannot be read."""
    try:
        read = read_record(data, "the recorder's file")
    except DataError:
        return None
    measured_ns = (read.end_ns or 0) - (read.start_ns or 0)
    cpus = tuple((cpu.cpu, cpu.got, cpu.max_ns) for cpu in read.cpus)
    return LiveSnapshot(measured_ns / 1e9, cpus, tuple((late.wake_ns, late.cpu, late.late_ns) for late in read.outliers))
