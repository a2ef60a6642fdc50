# SPDX-License-Identifier: BSD-3-Clause
"""What the recorder keeps of the kernel and of the cycle counters until each late wake-up. Its layout is that of kernel_events_file.h;
the records in it are those of perf_event_open(2), each tracepoint's as its own description says.

`TracepointFormat` reads that description, tracefs' `format`.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from latlab.core.errors import DataError
from latlab.rt.model.kernel_events import Charge, CycleCounts, KernelEvents, KernelStep, LateSteps, Left, StepKind, Thread
from latlab.rt.model.stolen import Stolen
from latlab.rt.readers.event_names import CALLED, IDLE_LEFT, SOFTIRQS
from latlab.rt.readers.steal_meter import read_stolen

MAGIC, OLD_MAGIC = b"LLKEV2\r\n", b"LLKEV1\r\n"
BLOCK = struct.Struct("<III")
METER, FORMAT, CLOSED, LATE, END, NAMES, IDLE_STATES = range(1, 8)
CLOSED_CPU = struct.Struct("<II")
HEAD, OLD_HEAD = struct.Struct("<9Q4I"), struct.Struct("<6Q4I")
"""Of a late wake-up. The old one lacks the thread's own CPU time and the count of SMIs."""
UNKNOWN = (1 << 64) - 1
SUM = struct.Struct("<QQ")
RECORD = struct.Struct("<IHHQ")
SAMPLE = 9
MOST_COUNTERS = 8
WITH_A_PERIOD, PERIOD = "sched_stat_runtime", 8
"""The figure by which perf counts a record, before some of them."""
COUNTERS = 2
TIMES_OF_A_READING = 2
WORKS = {"workqueue_execute_start": StepKind.WORK_IN, "workqueue_execute_end": StepKind.WORK_OUT}
OF_THREAD = {"page_fault_user": StepKind.FAULT, "page_fault_kernel": StepKind.FAULT, "contention_end": StepKind.LOCK_OUT}
WITHOUT_AN_END = "irq_work"
"""An interrupt of x86 whose exit the kernel lets nobody sample: it would seem to last until the next one ends."""

NAME = re.compile(r"^name: (\w{1,100})$", re.MULTILINE | re.ASCII)
ID = re.compile(r"^ID: (\d{1,5})$", re.MULTILINE | re.ASCII)
FIELD = re.compile(r"^\tfield:([^;]{1,200});\toffset:(\d{1,5});\tsize:(\d{1,5});\tsigned:([01]);$", re.MULTILINE | re.ASCII)
DECLARED = re.compile(r"(\w+)(?:\[\w*\])?$", re.ASCII)
ELSEWHERE = "__data_loc "
FLAGS = "common_flags"
IRQS_OFF, NEED_RESCHED, HARDIRQ, SOFTIRQ = 1, 4, 8, 16
STATES, BLOCKING = 0xFF, 2 | 4 | 8
"""The bits of a thread's state at a switch; the one above says that it was preempted. Blocking: states D, T and t, which no timer ends."""
LOCK_FLAGS = ((1 << 5, "mutex"), (1 << 3, "rt_mutex"), (1 << 0, "spin lock"), (1 << 4, "percpu semaphore"), (1 << 1 | 1 << 2, "semaphore"))
MIGRATES = "sched_migrate_task"


@dataclass(frozen=True, slots=True)
class Field:
    offset: int
    size: int
    signed: bool
    is_elsewhere: bool


@dataclass(frozen=True, slots=True)
class TracepointFormat:
    name: str
    id: int
    fields: dict[str, Field]

    def number(self, record: bytes, name: str) -> int:
        """0 where the record has no such field."""
        field = self.fields.get(name)
        return 0 if field is None else int.from_bytes(record[field.offset : field.offset + field.size], "little", signed=field.signed)

    def text(self, record: bytes, name: str) -> str:
        """Empty where the record has no such field. Some stand elsewhere in the record, which then says where and how long."""
        field = self.fields.get(name)
        if field is None:
            return ""
        start, size = field.offset, field.size
        if field.is_elsewhere:
            place = int.from_bytes(record[start : start + size], "little")
            start, size = place & 0xFFFF, place >> 16
        return record[start : start + size].partition(b"\0")[0].decode("utf-8", "replace")

    def in_interrupt(self, record: bytes) -> bool | None:
        return bool(self.number(record, FLAGS) & (HARDIRQ | SOFTIRQ)) if FLAGS in self.fields else None

    def is_switch_due(self, record: bytes) -> bool | None:
        return bool(self.number(record, FLAGS) & NEED_RESCHED) if FLAGS in self.fields else None

    def interrupts_off(self, record: bytes) -> bool:
        return bool(self.number(record, FLAGS) & IRQS_OFF)


@dataclass(slots=True)
class _File:
    head: struct.Struct = HEAD
    meter: Stolen | None = None
    formats: dict[int, TracepointFormat] = field(default_factory=dict)
    sees_migrations: bool = False
    closed: list[tuple[int, int]] = field(default_factory=list)
    late: list[LateSteps] = field(default_factory=list)
    widths: dict[int, int] = field(default_factory=dict)
    torn: int = 0
    dropped: int | None = None
    names: dict[str, str] = field(default_factory=dict)
    idle_states: dict[tuple[int, int], str] = field(default_factory=dict)


def read_kernel_events(data: bytes, place: str) -> KernelEvents:
    """Every whole block. What was cut off or cannot be read is reported in `problems`."""
    if data[: len(MAGIC)] not in (MAGIC, OLD_MAGIC):
        raise DataError(
            f"begins with {data[:8]!r}, not with the mark of a recorder's kernel events", "name another file", value=data[:8], place=place
        )
    file = _File(HEAD if data[: len(MAGIC)] == MAGIC else OLD_HEAD)
    problems: list[str] = []
    at = len(MAGIC)
    for kind, start, end in _blocks(data):
        try:
            _take(file, kind, data[start:end], place)
        except (ValueError, struct.error, IndexError, DataError) as error:
            problems.append(f"{place}: the block that ends at byte {end} cannot be read: {error}")
        at = end
    if at != len(data):
        problems.append(f"{place}: cut off or damaged from byte {at} on; the data before it are kept")
    if file.dropped is None:
        problems.append(f"{place}: the recorder did not finish; the data before that are kept")
    if file.dropped:
        problems.append(f"{place}: what the kernel did until {file.dropped} late wake-ups is not kept; raise the threshold")
    meter = file.meter.cpus if file.meter else ()
    late = tuple(_named(entry, file.names) for entry in _one_skew(_in_turn(file.late)))
    traced = frozenset(point.name for point in file.formats.values())
    return KernelEvents(meter, late, tuple(file.closed), file.torn, file.dropped or 0, tuple(problems), traced)


def _in_turn(late: list[LateSteps]) -> list[LateSteps]:
    """Each with the time of the one before it on its CPU."""
    before: dict[int, int] = {}
    in_turn = []
    for entry in late:
        in_turn.append(replace(entry, kept_before_ns=before.get(entry.cpu, 0)))
        before[entry.cpu] = entry.wake_ns
    return in_turn


def _one_skew(late: list[LateSteps]) -> tuple[LateSteps, ...]:
    """A system call reads the two counters closer together than a tracepoint does, always by as much: the least by which they seem to have
    moved apart since the last switch is that and no theft."""
    leads = [_lead(entry) for entry in late]
    least: dict[int, int] = {}
    for late_steps, lead in zip(late, leads, strict=True):
        if lead is not None:
            least[late_steps.cpu] = min(lead, least.get(late_steps.cpu, lead))
    return tuple(
        entry
        if lead is None or entry.after is None
        else replace(entry, after=replace(entry.after, cycles=entry.after.cycles - least[entry.cpu]))
        for entry, lead in zip(late, leads, strict=True)
    )


def _named(late: LateSteps, names: dict[str, str]) -> LateSteps:
    """Functions by name where the kernel's symbols have one; the file has them behind all late wake-ups."""
    steps = (replace(step, name=names.get(step.name, step.name)) if step.step is StepKind.WORK_IN else step for step in late.steps)
    return replace(late, steps=tuple(steps))


def _lead(late: LateSteps) -> int | None:
    last = next((step.counts for step in reversed(late.steps) if step.counts is not None), None)
    if last is None or late.after is None:
        return None
    return (late.after.cycles - last.cycles) - (late.after.events - last.events)


def _blocks(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Kind, begin and end of each block up to the first that is not whole."""
    at = len(MAGIC)
    while at + BLOCK.size <= len(data):
        kind, size, crc = BLOCK.unpack_from(data, at)
        start = at + BLOCK.size
        body = data[start : start + size]
        if len(body) < size or zlib.crc32(body, zlib.crc32(data[at : at + 8])) != crc:
            return
        yield kind, start, start + size
        at = start + size


def _take(file: _File, kind: int, body: bytes, place: str) -> None:
    if kind == METER:
        file.meter = read_stolen(body, place)
    elif kind == FORMAT:
        described = read_format(body.decode("utf-8", "replace"))
        if described is None:
            raise ValueError("no description of a tracepoint")
        file.formats[described.id] = described
        file.sees_migrations = file.sees_migrations or described.name == MIGRATES
    elif kind == CLOSED:
        file.closed.append(CLOSED_CPU.unpack(body))
    elif kind == LATE:
        file.late.append(_late(file, body))
    elif kind == END:
        file.dropped = sum(count for _, count in SUM.iter_unpack(body))
    elif kind == NAMES:
        file.names = {f"{int(address, 16):#x}": name for address, _, name in (line.partition(" ") for line in body.decode().splitlines())}
    elif kind == IDLE_STATES:
        file.idle_states = dict(_idle_state(line) for line in body.decode("utf-8", "replace").splitlines())
    else:
        raise ValueError(f"{kind} is no kind of block")


def _idle_state(line: str) -> tuple[tuple[int, int], str]:
    cpu, state, latency_us, name = line.split(" ", 3)
    return (int(cpu), int(state)), f"state {name}, exit latency {int(latency_us)} µs"


def _late(file: _File, body: bytes) -> LateSteps:
    wake_ns, wake_ticks, before, after, cycles, events, *cpu_time, cpu, readable, is_whole, size = file.head.unpack_from(body)
    if file.head.size + size != len(body):
        raise ValueError(f"{size} bytes of records in a block of {len(body)}")
    own_ns, own_at_ns, smis = cpu_time or (0, 0, UNKNOWN)
    has_smis = smis != UNKNOWN
    steps = [step for step in (_step(file, cpu, *record, has_smis) for record in _records(file, body)) if step is not None]
    counts = None
    hz = file.meter.counter_hz if file.meter else 0
    if readable and hz:
        counts = CycleCounts(cycles, events) if _is_whole(file, cpu, after - before) else None
        file.torn += counts is None
    after_ns = wake_ns + (before - wake_ticks) * 1_000_000_000 // hz if counts else 0
    steps_in_order = tuple(sorted(steps, key=lambda step: step.ns))
    return LateSteps(cpu, wake_ns, bool(is_whole), steps_in_order, after_ns, counts, own_at_ns, own_ns or None, smis if has_smis else None)


def _is_whole(file: _File, cpu: int, width_ticks: int) -> bool:
    """A reading that took twice as long as the shortest before it was interrupted."""
    shortest = file.widths[cpu] = min(width_ticks, file.widths.get(cpu, width_ticks))
    return width_ticks <= TIMES_OF_A_READING * shortest


def _records(file: _File, body: bytes) -> Iterator[tuple[int, tuple[int, ...], bytes]]:
    """Time, counters and the tracepoint's own record of each, the newest first."""
    at = file.head.size
    while at + RECORD.size <= len(body):
        kind, _, size, ns = RECORD.unpack_from(body, at)
        if size < RECORD.size or at + size > len(body):
            raise ValueError(f"a record of {size} bytes at {at} of {len(body)}")
        record = body[at : at + size]
        at += size
        if kind == SAMPLE:
            yield ns, *_parts(file, record)


def _parts(file: _File, record: bytes) -> tuple[tuple[int, ...], bytes]:
    """The counters of a record and the tracepoint's own record, which fills the rest. The record itself does not say whether a period and
    counters stand before that, and a counter may look like a length: the one that is right begins with the number of a known tracepoint."""
    layouts = list(_layouts(record))
    for has_period, counts, raw in layouts:
        point = file.formats.get(int.from_bytes(raw[:2], "little"))
        if point is not None and (point.name == WITH_A_PERIOD) == has_period:
            return counts, raw
    if not layouts:
        raise ValueError(f"a record of {len(record)} bytes whose parts do not fill it")
    return layouts[0][1:]


def _layouts(record: bytes) -> Iterator[tuple[bool, tuple[int, ...], bytes]]:
    """For each layout that fills the record: whether it has a period, the counters, and the tracepoint's own record."""
    for has_period in (False, True):
        place = RECORD.size + PERIOD * has_period
        if place + 8 > len(record):
            return
        if (raw := _raw_at(record, place)) is not None:
            yield has_period, (), raw
        (values,) = struct.unpack_from("<Q", record, place)
        if COUNTERS <= values <= MOST_COUNTERS and (raw := _raw_at(record, place + 8 * (1 + values))) is not None:
            yield has_period, struct.unpack_from(f"<{values}Q", record, place + 8), raw


def _raw_at(record: bytes, place: int) -> bytes | None:
    """Behind its length, if that is the rest of the record."""
    raw = record[place + 4 :]
    return raw if place + 4 <= len(record) and int.from_bytes(record[place : place + 4], "little") == len(raw) else None


def _step(file: _File, cpu: int, ns: int, values: tuple[int, ...], record: bytes, has_smis: bool) -> KernelStep | None:
    step = _step_of(file, cpu, ns, None if has_smis or not values else CycleCounts(values[0], values[1]), record)
    if step is None:
        return None
    if has_smis and values:
        step = replace(step, smis=values[0])
    return _with_scheduler(step, file.formats[int.from_bytes(record[:2], "little")], record) if file.sees_migrations else step


def _with_scheduler(step: KernelStep, point: TracepointFormat, record: bytes) -> KernelStep:
    left = left_by(point.number(record, "prev_state") & STATES) if "prev_state" in point.fields else None
    return replace(step, left=left, is_switch_due=point.is_switch_due(record), in_interrupt=point.in_interrupt(record))


def left_by(state: int) -> Left:
    """How a thread left the CPU, by the bits of its state in a switch."""
    if not state:
        return Left.RUNNABLE
    return Left.BLOCKED if state & BLOCKING else Left.ASLEEP


def lock_of(flags: int) -> str:
    """Its kind; a spin lock may have the bits of readers and writers too."""
    return next((name for bits, name in LOCK_FLAGS if flags & bits), "lock")


def _step_of(file: _File, cpu: int, ns: int, counts: CycleCounts | None, record: bytes) -> KernelStep | None:
    point = file.formats.get(int.from_bytes(record[:2], "little"))
    if point is None:
        return None
    if counts is not None and not point.interrupts_off(record):
        file.torn += 1
        counts = None
    if point.name == "sched_switch":
        leaves, comes = (
            Thread(point.text(record, f"{side}_comm"), point.number(record, f"{side}_pid"), point.number(record, f"{side}_prio"))
            for side in ("prev", "next")
        )
        return KernelStep(ns, StepKind.SWITCH, "", leaves, comes, counts)
    if point.name == "sched_waking":
        return KernelStep(ns, StepKind.WAKING, point.text(record, "comm"), counts=counts)
    if point.name == MIGRATES:
        return KernelStep(ns, StepKind.MIGRATED, str(point.number(record, "dest_cpu")), counts=counts)
    if point.name == "cpu_idle":
        state = point.number(record, "state")
        if state == IDLE_LEFT:
            return KernelStep(ns, StepKind.IDLE_OUT, counts=counts)
        name = file.idle_states.get((cpu, state), f"state {state}")
        return KernelStep(ns, StepKind.IDLE_IN, name, counts=counts)
    if point.name == "cpu_frequency":
        is_here = point.number(record, "cpu_id") == cpu
        return KernelStep(ns, StepKind.FREQUENCY, str(point.number(record, "state")), counts=counts) if is_here else None
    if point.name == "contention_begin":
        return KernelStep(ns, StepKind.LOCK_IN, lock_of(point.number(record, "flags")), counts=counts)
    if point.name in OF_THREAD:
        return KernelStep(ns, OF_THREAD[point.name], counts=counts)
    if point.name == "sched_stat_runtime":
        charge = Charge(point.number(record, "pid"), point.number(record, "runtime"))
        return KernelStep(ns, StepKind.CHARGED, point.text(record, "comm"), counts=counts, charge=charge)
    if point.name in WORKS:
        return KernelStep(ns, WORKS[point.name], f"{point.number(record, 'function'):#x}", counts=counts)
    name, _, way = point.name.rpartition("_")
    if way not in ("entry", "exit") or name == WITHOUT_AN_END:
        return None
    if name == "softirq":
        vector = point.number(record, "vec")
        called = SOFTIRQS[vector] if 0 <= vector < len(SOFTIRQS) else str(vector)
        return KernelStep(ns, StepKind.SOFTIRQ_IN if way == "entry" else StepKind.SOFTIRQ_OUT, called, counts=counts)
    called = (point.text(record, "name") or f"interrupt {point.number(record, 'irq')}") if name == "irq_handler" else CALLED.get(name, name)
    return KernelStep(ns, StepKind.INTERRUPT_IN if way == "entry" else StepKind.INTERRUPT_OUT, called, counts=counts)


def read_format(text: str) -> TracepointFormat | None:
    """None where it is no such description."""
    name, number = NAME.search(text), ID.search(text)
    if name is None or number is None:
        return None
    fields = {}
    for declaration, offset, size, signed in FIELD.findall(text):
        declared = DECLARED.search(declaration)
        if declared is not None:
            is_elsewhere = declaration.startswith(ELSEWHERE)
            fields[declared[1]] = Field(int(offset), int(size), signed == "1", is_elsewhere)
    return TracepointFormat(name[1], int(number[1]), fields)
