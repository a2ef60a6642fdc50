# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's events in a trace of Perfetto: bundles of events by CPU, the scheduler's also in Perfetto's compact form.

The compact form has the columns of the events: times as differences, names as numbers of a table, and of a switch only the thread that
comes. The thread that leaves is the one that came before on that CPU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

from latlab.core.errors import needs_packages
from latlab.core.model.work_progress import WorkUnit, each
from latlab.rt.model.kernel_events import UNKNOWN_PRIORITY, KernelStep, StepKind, Thread
from latlab.rt.model.thread_trace import ThreadTrace, TraceEvent
from latlab.rt.readers.event_names import CALLED, IDLE_LEFT, SOFTIRQS, VECTORS
from latlab.rt.readers.kernel_events import left_by
from latlab.rt.readers.trace_lines import check_events

PACKET = 0x0A
"""The tag of a packet: field 1 of the trace, with a length."""
MOST_LENGTH_BYTES = 5
STATES = 0xFF


def is_perfetto(data: bytes) -> bool:
    """Whether the file is a chain of whole packets, which no text is."""
    at = packets = 0
    while at < len(data):
        size, begin = _length(data, at + 1) if data[at] == PACKET else (0, 0)
        if not begin or begin + size > len(data):
            return False
        at, packets = begin + size, packets + 1
    return packets > 0


def _length(data: bytes, at: int) -> tuple[int, int]:
    """A number in base 128, and the place behind it; 0 for the place if there is none."""
    value = 0
    for place in range(at, min(at + MOST_LENGTH_BYTES, len(data))):
        value |= (data[place] & 0x7F) << 7 * (place - at)
        if data[place] < 0x80:
            return value, place + 1
    return 0, 0


def read_perfetto_ftrace(data: bytes, place: str) -> ThreadTrace:
    """Raises DataError if the trace has no events of the scheduler, the error of needs_packages if Perfetto's package is not installed."""
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto
    except ModuleNotFoundError:
        raise needs_packages("a trace of Perfetto", "perfetto") from None
    trace = proto.Trace()
    trace.ParseFromString(data)
    events: list[TraceEvent] = []
    recorded: set[str] = set()
    problems = []
    for packet in each(trace.packet, f"reading {place}", WorkUnit.PACKETS, every=1):
        if not packet.HasField("ftrace_events"):
            continue
        bundle = packet.ftrace_events
        if bundle.lost_events:
            problems.append(f"{place}: the kernel's buffer of CPU {bundle.cpu} was too small; events are missing")
        events += _of_bundle(bundle, recorded)
        events += _compact(bundle.cpu, bundle.compact_sched, recorded)
    check_events(recorded, place)
    in_order = _with_leaving(sorted(events, key=lambda event: event.step.ns))
    return ThreadTrace((tuple(in_order),), frozenset(recorded), "perfetto", 1, tuple(dict.fromkeys(problems)))


def _of_bundle(bundle: Any, recorded: set[str]) -> Iterator[TraceEvent]:
    for event in bundle.event:
        name = event.WhichOneof("event")
        if name is None:
            continue
        flags = event.common_flags or None
        in_interrupt = bool(flags & 0x18) if flags else None
        current = Thread("", event.pid, UNKNOWN_PRIORITY)
        step_of_event = _step(name, getattr(event, name), event.timestamp, current, in_interrupt)
        if step_of_event is not None:
            recorded.add(name)
            yield TraceEvent(bundle.cpu, *step_of_event, None if name == "sched_switch" else current)


StepOfEvent = tuple[KernelStep, Thread | None, int | None]


def _step(name: str, fields: Any, ns: int, current: Thread, in_interrupt: bool | None) -> StepOfEvent | None:
    def step(kind: StepKind, text: str = "", **more: object) -> KernelStep:
        return KernelStep(ns, kind, text, in_interrupt=in_interrupt, **more)  # type: ignore[arg-type]

    if name == "sched_switch":
        leaves = Thread(fields.prev_comm, fields.prev_pid, fields.prev_prio)
        comes = Thread(fields.next_comm, fields.next_pid, fields.next_prio)
        return step(StepKind.SWITCH, leaves=leaves, comes=comes, left=left_by(fields.prev_state & STATES)), None, None
    if name in WAKINGS:
        return step(WAKINGS[name], fields.comm), Thread(fields.comm, fields.pid, fields.prio), fields.target_cpu
    if name == "sched_migrate_task":
        return (step(StepKind.MIGRATED, str(fields.dest_cpu)), Thread(fields.comm, fields.pid, fields.prio), fields.dest_cpu)
    kind_name = BY_CURRENT[name](fields) if name in BY_CURRENT else _vector(name)
    return None if kind_name is None else (step(*kind_name), current, None)


WAKINGS = {"sched_waking": StepKind.WAKING, "sched_wakeup": StepKind.QUEUED, "sched_wakeup_new": StepKind.QUEUED}
BY_CURRENT: dict[str, Callable[[Any], tuple[StepKind, str]]] = {
    "irq_handler_entry": lambda fields: (StepKind.INTERRUPT_IN, fields.name or f"interrupt {fields.irq}"),
    "irq_handler_exit": lambda fields: (StepKind.INTERRUPT_OUT, ""),
    "softirq_entry": lambda fields: (StepKind.SOFTIRQ_IN, SOFTIRQS[fields.vec] if fields.vec < len(SOFTIRQS) else str(fields.vec)),
    "softirq_exit": lambda fields: (StepKind.SOFTIRQ_OUT, ""),
    "workqueue_execute_start": lambda fields: (StepKind.WORK_IN, f"{fields.function:#x}"),
    "workqueue_execute_end": lambda fields: (StepKind.WORK_OUT, ""),
    "cpu_idle": lambda fields: (StepKind.IDLE_OUT, "") if fields.state == IDLE_LEFT else (StepKind.IDLE_IN, f"state {fields.state}"),
}


def _vector(event: str) -> tuple[StepKind, str] | None:
    name, _, way = event.rpartition("_")
    if name not in VECTORS or way not in ("entry", "exit"):
        return None
    return (StepKind.INTERRUPT_IN if way == "entry" else StepKind.INTERRUPT_OUT), CALLED.get(name, name)


def _compact(cpu: int, sched: Any, recorded: set[str]) -> Iterator[TraceEvent]:
    """A switch has no thread that leaves yet."""
    names = sched.intern_table
    columns = sched.switch_prev_state, sched.switch_next_pid, sched.switch_next_prio, sched.switch_next_comm_index
    for ns, state, pid, prio, name in zip(accumulate(sched.switch_timestamp), *columns, strict=True):
        recorded.add("sched_switch")
        step = KernelStep(ns, StepKind.SWITCH, comes=Thread(names[name], pid, prio), left=left_by(state & STATES))
        yield TraceEvent(cpu, step)
    woken = sched.waking_pid, sched.waking_target_cpu, sched.waking_prio, sched.waking_comm_index
    for ns, pid, to_cpu, prio, name in zip(accumulate(sched.waking_timestamp), *woken, strict=True):
        recorded.add("sched_waking")
        yield TraceEvent(cpu, KernelStep(ns, StepKind.WAKING, names[name]), Thread(names[name], pid, prio), to_cpu)


def _with_leaving(events: list[TraceEvent]) -> Iterator[TraceEvent]:
    """Of a compact switch the thread that came before on its CPU; none for the first switch of a CPU."""
    running: dict[int, Thread] = {}
    for event in events:
        step = event.step
        if step.step is not StepKind.SWITCH or step.comes is None:
            yield event
            continue
        leaves = step.leaves or running.get(event.cpu)
        running[event.cpu] = step.comes
        full = KernelStep(step.ns, step.step, leaves=leaves, comes=step.comes, left=step.left, in_interrupt=step.in_interrupt)
        yield TraceEvent(event.cpu, full)
