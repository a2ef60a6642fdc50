# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's events in their binary form, each with the format of its tracepoint, as what they say of threads and CPUs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from latlab.rt.model.kernel_events import UNKNOWN_PRIORITY, KernelStep, StepKind, Thread
from latlab.rt.model.thread_trace import TraceEvent
from latlab.rt.readers.event_names import CALLED, IDLE_LEFT, SOFTIRQS, VECTORS
from latlab.rt.readers.kernel_events import FLAGS, STATES, TracepointFormat, left_by, lock_of

DUE, INTERRUPTED = 0x02 | 0x04 | 0x20, 0x08 | 0x10 | 0x40
"""Bits of the flags of every event: a switch is due (also a lazy one); in an interrupt, a softirq or an NMI."""
CURRENT = "common_pid"
Make = Callable[[int, int, bytes], TraceEvent | None]
"""Of the CPU, the time in ns and the record."""


class RawEvents:
    """Makes events of one trace. `formats` and `calls` are by the number with which a record begins; `calls` has names such as
    `sys_enter_read`."""

    def __init__(self, formats: Mapping[int, TracepointFormat], calls: Mapping[int, str]) -> None:
        self._threads: dict[tuple[str, int, int], Thread] = {}
        self._common = next(iter(formats.values()), None)
        self._makers: dict[int, Make] = {}
        for number, point in formats.items():
            if (maker := self._maker(point)) is not None:
                self._makers[number] = maker
        if self._common is not None:
            for number, name in calls.items():
                kind = StepKind.CALL_IN if name.startswith("sys_enter_") else StepKind.CALL_OUT
                self._makers[number] = partial(self._current, self._common, kind, partial(_always, name.split("_", 2)[2]))

    def event(self, cpu: int, ns: int, record: bytes) -> TraceEvent | None:
        """None if the event says nothing of threads or CPUs."""
        maker = self._makers.get(int.from_bytes(record[:2], "little"))
        return maker(cpu, ns, record) if maker is not None else None

    def _maker(self, point: TracepointFormat) -> Make | None:
        if point.name == "sched_switch":
            return partial(self._switch, point)
        if point.name in WOKEN:
            return partial(self._assigned, point, WOKEN[point.name], "target_cpu")
        if point.name == "sched_migrate_task":
            return partial(self._assigned, point, StepKind.MIGRATED, "dest_cpu")
        if point.name in OF_ITS_CPU:
            return partial(self._of_its_cpu, point)
        if point.name in NAMED:
            kind, name = NAMED[point.name]
            return partial(self._current, point, kind, partial(name, point))
        vector, _, way = point.name.rpartition("_")
        if vector not in VECTORS or way not in ("entry", "exit"):
            return None
        kind = StepKind.INTERRUPT_IN if way == "entry" else StepKind.INTERRUPT_OUT
        return partial(self._current, point, kind, partial(_always, CALLED.get(vector, vector)))

    def _thread(self, name: str, pid: int, priority: int) -> Thread:
        key = name, pid, priority
        if (thread := self._threads.get(key)) is None:
            thread = self._threads[key] = Thread(*key)
        return thread

    def _running(self, point: TracepointFormat, record: bytes) -> Thread:
        return self._thread("", point.number(record, CURRENT), UNKNOWN_PRIORITY)

    def _switch(self, point: TracepointFormat, cpu: int, ns: int, record: bytes) -> TraceEvent:
        leaves, comes = (
            self._thread(point.text(record, f"{side}_comm"), point.number(record, f"{side}_pid"), point.number(record, f"{side}_prio"))
            for side in ("prev", "next")
        )
        left = left_by(point.number(record, "prev_state") & STATES)
        return TraceEvent(cpu, _step(point, record, ns, StepKind.SWITCH, leaves=leaves, comes=comes, left=left))

    def _assigned(self, point: TracepointFormat, kind: StepKind, cpu_field: str, cpu: int, ns: int, record: bytes) -> TraceEvent:
        thread = self._thread(point.text(record, "comm"), point.number(record, "pid"), point.number(record, "prio"))
        to_cpu = point.number(record, cpu_field)
        name = str(to_cpu) if kind is StepKind.MIGRATED else thread.name
        return TraceEvent(cpu, _step(point, record, ns, kind, name), thread, to_cpu, self._running(point, record))

    def _current(
        self, point: TracepointFormat, kind: StepKind, name: Callable[[bytes], str], cpu: int, ns: int, record: bytes
    ) -> TraceEvent:
        current = self._running(point, record)
        return TraceEvent(cpu, _step(point, record, ns, kind, name(record)), current, current=current)

    def _of_its_cpu(self, point: TracepointFormat, cpu: int, ns: int, record: bytes) -> TraceEvent | None:
        """Such an event may be about another CPU than the one on which it was recorded."""
        if point.number(record, "cpu_id") != cpu:
            return None
        state = point.number(record, "state")
        if point.name == "cpu_frequency":
            return self._current(point, StepKind.FREQUENCY, partial(_always, str(state)), cpu, ns, record)
        if state == IDLE_LEFT:
            return self._current(point, StepKind.IDLE_OUT, _no_name, cpu, ns, record)
        return self._current(point, StepKind.IDLE_IN, partial(_always, f"state {state}"), cpu, ns, record)


def _step(point: TracepointFormat, record: bytes, ns: int, kind: StepKind, name: str = "", **more: object) -> KernelStep:
    flags = point.number(record, FLAGS)
    return KernelStep(ns, kind, name, is_switch_due=bool(flags & DUE), in_interrupt=bool(flags & INTERRUPTED), **more)  # type: ignore[arg-type]


def _no_name(*_: object) -> str:
    return ""


def _always(name: str, record: bytes) -> str:
    return name


def _interrupt(point: TracepointFormat, record: bytes) -> str:
    return point.text(record, "name") or f"interrupt {point.number(record, 'irq')}"


def _softirq(point: TracepointFormat, record: bytes) -> str:
    vector = point.number(record, "vec")
    return SOFTIRQS[vector] if vector < len(SOFTIRQS) else str(vector)


def _lock(point: TracepointFormat, record: bytes) -> str:
    return lock_of(point.number(record, "flags"))


WOKEN = {"sched_waking": StepKind.WAKING, "sched_wakeup": StepKind.QUEUED, "sched_wakeup_new": StepKind.QUEUED}
OF_ITS_CPU = ("cpu_idle", "cpu_frequency")
NAMED: dict[str, tuple[StepKind, Callable[[TracepointFormat, bytes], str]]] = {
    "irq_handler_entry": (StepKind.INTERRUPT_IN, _interrupt),
    "irq_handler_exit": (StepKind.INTERRUPT_OUT, _no_name),
    "softirq_entry": (StepKind.SOFTIRQ_IN, _softirq),
    "softirq_exit": (StepKind.SOFTIRQ_OUT, _softirq),
    "page_fault_user": (StepKind.FAULT, _no_name),
    "page_fault_kernel": (StepKind.FAULT, _no_name),
    "contention_begin": (StepKind.LOCK_IN, _lock),
    "contention_end": (StepKind.LOCK_OUT, _no_name),
}
"""What a CPU does with the thread that is on it, and the name of it."""
