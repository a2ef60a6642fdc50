# SPDX-License-Identifier: BSD-3-Clause
"""The file of latlab's recorder, complete or still being written.

Its layout is guest/recorder/record_file.h's; docs/reference/recorder.md describes it.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latlab.core.errors import DataError
from latlab.core.model.conditions import Conditions
from latlab.core.model.distributions import Counts, Distribution
from latlab.core.shown import significant
from latlab.rt.model.wakeups import LiveSnapshot, Outlier, Wakeups, cpu_row, intervals

MAGIC = b"LLREC2\r\n"
MAX_CPUS = 64
MAX_SUB_BITS = 32
HEADER = struct.Struct(f"<8s6I7QI{MAX_CPUS}II")
SLOT = struct.Struct("<6Q4I")
TALLY = struct.Struct("<10Q")
BATCH = struct.Struct("<II")
OUTLIER = struct.Struct("<QQQII")
UNMEASURED = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class _Header:
    slot_bytes: int
    cpus: tuple[int, ...]
    buckets: int
    sub_bits: int
    priority: int
    interval_ns: int
    outlier_ns: int
    duration_ns: int
    start_realtime_ns: int
    start_ns: int
    counter_hz: int
    loop_cost_ps: int
    idle_states_allowed: bool


@dataclass(frozen=True, slots=True)
class _Slot:
    sequence: int
    now_ns: int
    now_ticks: int
    outliers: int
    continued_ns: int
    stopped_by: int
    write_error: int
    final: bool
    tallies: bytes


def glance_of(data: bytes) -> LiveSnapshot | None:
    """None before its first checkpoint, and where it cannot be read."""
    try:
        read = read_record(data, "the recorder's file")
    except DataError:
        return None
    measured_ns = (read.end_ns or 0) - (read.start_ns or 0)
    cpus = tuple((cpu.number, cpu.got, cpu.maximum_ticks) for cpu in read.cpus)
    return LiveSnapshot(measured_ns / 1e9, cpus, tuple((late.wake_ns, late.cpu, late.late_ns) for late in read.outliers))


def read_record(data: bytes, place: str) -> Wakeups:
    """The last whole checkpoint and every whole batch of outliers. What was cut off is reported in `problems`."""
    header = _header(data, place)
    slots = [slot for slot in (_slot(data, header, index) for index in (0, 1)) if slot]
    if not slots:
        raise DataError("no whole checkpoint, so the recorder ran for less than a second", "measure for longer", place=place)
    slot = max(slots, key=lambda slot_read: slot_read.sequence)
    outliers, problem = _outliers(data, HEADER.size + 2 * header.slot_bytes, place)
    if not problem and len(outliers) < slot.outliers:
        problem = f"{place}: {slot.outliers - len(outliers)} of {slot.outliers} outliers are cut off; the rest is kept"
    problems = [problem] if problem else []
    if not slot.final:
        problems.append(f"{place}: the recorder was killed; the data after its checkpoint {slot.sequence} is lost, at most one second")
    problems += _interruptions(header, slot, outliers, place)
    problems += [sentence for index in range(len(header.cpus)) if (sentence := _departure(slot, header, index, place))]
    cpus = tuple(_cpu(slot, header, index) for index in range(len(header.cpus)))
    dropped = sum(cpu.late_dropped for cpu in cpus)
    if dropped:
        problems.append(f"{place}: {dropped} outliers are counted but not kept; raise the threshold")
    return Wakeups(
        tool="recorder",
        interval_ns=header.interval_ns,
        resolution_ns=1,
        cpus=cpus,
        outliers=tuple(sorted(outliers, key=lambda outlier: outlier.wake_ns)),
        start_ns=header.start_ns,
        end_ns=slot.now_ns,
        counter_hz=header.counter_hz or None,
        sync=(slot.now_ns, slot.now_ticks) if slot.now_ticks else None,
        complete=slot.final and not problem,
        conditions=Conditions(interval_ns=header.interval_ns, priority=header.priority, idle_states=header.idle_states_allowed),
        facts=(
            ("interval", f"{significant(header.interval_ns / 1000)} us"),
            ("priority", str(header.priority)),
            ("outlier threshold", f"{significant(header.outlier_ns / 1000)} us"),
            ("recorder's own cost", f"{header.loop_cost_ps / 1000:.0f} ns per wake-up"),
            ("idle states", "allowed" if header.idle_states_allowed else "forbidden by /dev/cpu_dma_latency"),
        ),
        problems=tuple(problems),
        implied=tuple(_implied(slot, header, index) for index in range(len(header.cpus))),
    )


def _header(data: bytes, place: str) -> _Header:
    if data[: len(MAGIC)] != MAGIC:
        raise DataError(
            f"begins with {data[:8]!r}, not with the mark of a recorder's file", "name another file", value=data[:8], place=place
        )
    if len(data) < HEADER.size:
        raise DataError(f"{len(data)} bytes, less than the header of a recorder's file; nothing can be read", place=place)
    fields = HEADER.unpack_from(data)
    if zlib.crc32(data[: HEADER.size - 4]) != fields[-1]:
        raise DataError("the header's checksum is wrong; nothing can be read", place=place)
    _, header_bytes, slot_bytes, cpus, buckets, sub_bits, priority, interval = fields[:8]
    fits = header_bytes == HEADER.size and slot_bytes == SLOT.size + cpus * (TALLY.size + 16 * buckets)
    if not fits or cpus > MAX_CPUS or sub_bits > MAX_SUB_BITS or interval == 0:
        raise DataError("a recorder's file of another version", "use the latlab that made it", place=place)
    idle, numbers = fields[14], fields[15 : 15 + cpus]
    outlier, duration, realtime, start, hz, cost = fields[8:14]
    return _Header(
        slot_bytes, tuple(numbers), buckets, sub_bits, priority, interval, outlier, duration, realtime, start, hz, cost, bool(idle)
    )


def _slot(data: bytes, header: _Header, index: int) -> _Slot | None:
    start = HEADER.size + index * header.slot_bytes
    raw = data[start : start + header.slot_bytes]
    if len(raw) < header.slot_bytes:
        return None
    sequence, now_ns, now_ticks, outliers, continued_ns, _, stopped_by, write_error, final, crc = SLOT.unpack_from(raw)
    if sequence == 0 or zlib.crc32(raw[SLOT.size :], zlib.crc32(raw[: SLOT.size - 4])) != crc:
        return None
    return _Slot(sequence, now_ns, now_ticks, outliers, continued_ns, stopped_by, write_error, bool(final), raw[SLOT.size :])


def _interruptions(header: _Header, slot: _Slot, outliers: Sequence[Outlier], place: str) -> Iterator[str]:
    """What ended the measurement before its time, and that a signal stopped it: then all threads were late when SIGCONT came. The thread
    that notes SIGCONT has the lowest priority of all and runs last."""
    whole = f" of {significant(header.duration_ns / 1e9)} s" if header.duration_ns else ""
    after = f"after {(slot.now_ns - header.start_ns) / 1e9:.1f} s{whole}"
    if slot.stopped_by:
        yield f"{place}: signal {slot.stopped_by} ended the recorder {after}"
    if slot.write_error:
        yield f"{place}: the recorder ended {after}, because it could not write: {os.strerror(slot.write_error)}"
    over = [late for late in outliers if late.wake_ns - late.late_ns < slot.continued_ns < late.wake_ns + late.late_ns // 2]
    if slot.continued_ns and {late.cpu for late in over} == set(header.cpus):
        at_s, due_ns = (slot.continued_ns - header.start_ns) / 1e9, min(late.wake_ns - late.late_ns for late in over)
        stopped_us = (slot.continued_ns - due_ns) / 1000
        yield f"{place}: a signal stopped the recorder for about {stopped_us:,.0f} µs, until {at_s:.3f} s after its start (SIGCONT)"


def _departure(slot: _Slot, header: _Header, index: int, place: str) -> str:
    """That a thread left its CPU, and when; empty if it did not."""
    left_ns, to_cpu = _left(slot, header, index)
    if not left_ns:
        return ""
    at_s, cpu = (left_ns - header.start_ns) / 1e9, header.cpus[index]
    return (
        f"{place}: CPU hotplug or another affinity moved the thread of CPU {cpu} to CPU {to_cpu}, {at_s:.3f} s after the start. "
        f"From then on CPU {cpu} was not measured"
    )


def _left(slot: _Slot, header: _Header, index: int) -> tuple[int, int]:
    """When the thread was first on another CPU, and on which; 0 for never."""
    fields = TALLY.unpack_from(slot.tallies, index * (TALLY.size + 16 * header.buckets))
    return fields[-2], fields[-1]


def _cpu(slot: _Slot, header: _Header, index: int) -> Distribution:
    start = index * (TALLY.size + 16 * header.buckets)
    got, missed, low, high, total, digest, _, dropped, *_ = TALLY.unpack_from(slot.tallies, start)
    measured = np.frombuffer(slot.tallies, "<u8", header.buckets, start + TALLY.size)
    return cpu_row(
        number=header.cpus[index],
        counts=_counts(measured, header.sub_bits),
        got=got,
        expected=got + missed if _left(slot, header, index)[0] else _expected(slot, header, got + missed),
        missed=missed,
        min_ns=0 if low == UNMEASURED else low,
        max_ns=high,
        average_ns=total / got if got else 0.0,
        digest=f"{digest:016x}",
        late_dropped=dropped,
    )


def _implied(slot: _Slot, header: _Header, index: int) -> Counts:
    start = index * (TALLY.size + 16 * header.buckets) + TALLY.size + 8 * header.buckets
    return _counts(np.frombuffer(slot.tallies, "<u8", header.buckets, start), header.sub_bits)


def _expected(slot: _Slot, header: _Header, scheduled: int) -> int:
    """Whole periods until the requested end, or until the moment when the recorder was stopped before it."""
    if slot.final and header.duration_ns and slot.now_ns >= header.start_ns + header.duration_ns:
        return -(-header.duration_ns // header.interval_ns)
    return scheduled


def _counts(counts: NDArray[np.uint64], sub_bits: int) -> Counts:
    buckets = np.nonzero(counts)[0].astype(np.int64)
    sub = 1 << sub_bits
    shift = np.maximum(buckets // sub - 1, 0)
    low = np.where(buckets < 2 * sub, buckets, (buckets - shift * sub) << shift)
    return intervals(low, low + (np.int64(1) << shift), counts[buckets].astype(np.int64))


def _outliers(data: bytes, start: int, place: str) -> tuple[list[Outlier], str]:
    outliers: list[Outlier] = []
    while start < len(data):
        body = start + BATCH.size
        count, crc = BATCH.unpack_from(data, start) if body <= len(data) else (0, 0)
        raw = data[body : body + count * OUTLIER.size]
        if count == 0 or len(raw) < count * OUTLIER.size or zlib.crc32(raw) != crc:
            return outliers, f"{place}: the outliers from byte {start} on are cut off or damaged; {len(outliers)} before them are kept"
        for wake_ns, wake_ticks, late_ns, cpu, missed in OUTLIER.iter_unpack(raw):
            outliers.append(Outlier(cpu, wake_ns, late_ns, missed, wake_ticks or None))
        start = body + len(raw)
    return outliers, ""
