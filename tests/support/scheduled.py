# SPDX-License-Identifier: BSD-3-Clause
"""Threads on CPUs as a scheduler of a few lines runs them, with the trace that a kernel would print and the waits that were planned.

It knows nothing of latlab. On each CPU a real-time thread wakes periodically, and a thread of a higher priority sometimes has the CPU.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

STATES = {"R": 0, "R+": 256, "S": 1}
Task = tuple[str, int, int]
"""Name, number and the kernel's priority."""


@dataclass
class Event:
    """`fields` are those of the kernel's event in their order."""

    ns: int
    cpu: int
    name: str
    current: Task
    fields: tuple[tuple[str, Any], ...]
    flags: str


@dataclass
class Schedule:
    """`waits` are the planned wake-ups of each thread: when it was woken, when it ran, on which CPU. `behind` has the thread that had the
    CPU in a wait, by the thread and the time at which it ran."""

    events: list[Event] = field(default_factory=list)
    waits: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    behind: dict[tuple[int, int], str] = field(default_factory=dict)

    def add(self, ns: int, cpu: int, name: str, current: Task, fields: tuple[tuple[str, Any], ...], flags: str = "d..2.") -> None:
        self.events.append(Event(ns, cpu, name, current, fields, flags))

    def switch(self, ns: int, cpu: int, leaves: Task, comes: Task, state: str) -> None:
        of_leaving = (("prev_comm", leaves[0]), ("prev_pid", leaves[1]), ("prev_prio", leaves[2]), ("prev_state", state))
        of_coming = (("next_comm", comes[0]), ("next_pid", comes[1]), ("next_prio", comes[2]))
        self.add(ns, cpu, "sched_switch", leaves, (*of_leaving, *of_coming))


def schedule(seed: int, cpus: int = 2, rounds: int = 20) -> Schedule:
    """The real-time thread of a CPU has the number 100 + CPU, the one of a higher priority 200 + CPU."""
    planned = Schedule()
    for cpu in range(cpus):
        _on_cpu(planned, random.Random(seed + cpu), cpu, rounds)
    planned.events.sort(key=lambda event: event.ns)
    return planned


def _on_cpu(planned: Schedule, drawn: random.Random, cpu: int, rounds: int) -> None:
    loop, hog, idle = ("rt loop", 100 + cpu, 19), (f"hog/{cpu}", 200 + cpu, 4), (f"swapper/{cpu}", 0, 120)
    at = 1_000_000_000 + drawn.randrange(1000) * 1000 + cpu

    def later(least_us: int, most_us: int) -> int:
        return at + drawn.randrange(least_us, most_us) * 1000

    for _ in range(rounds):
        at = later(200, 900)
        running = idle
        if drawn.random() < 0.5:
            planned.switch(at, cpu, idle, hog, "R")
            running = hog
            at = later(10, 90)
        woken = at
        fields = (("comm", loop[0]), ("pid", loop[1]), ("prio", loop[2]), ("target_cpu", cpu))
        planned.add(woken, cpu, "sched_waking", running, fields, "dNh3.")
        at = later(200, 400) if running is hog else later(2, 9)
        planned.switch(at, cpu, running, loop, "S" if running is hog else "R")
        planned.waits.setdefault(loop[1], []).append((woken, at, cpu))
        planned.behind[loop[1], at] = running[0]
        at = later(5, 50)
        if drawn.random() < 0.3:
            planned.switch(at, cpu, loop, hog, "R+")
            at = later(5, 50)
            planned.switch(at, cpu, hog, loop, "S")
            at = later(5, 50)
        planned.switch(at, cpu, loop, idle, "S")


def as_ftrace(planned: Schedule) -> str:
    """As `trace-cmd report -t` prints it."""
    lines = [
        f"{event.current[0]:>16}-{event.current[1]:<5} [{event.cpu:03}] {event.flags} {_stamp(event)}: {event.name}:  {_fields(event)}\n"
        for event in planned.events
    ]
    return "cpus=2\n" + "".join(lines)


def as_perf(planned: Schedule) -> str:
    """As `perf script --ns` prints it."""
    return "".join(
        f"{event.current[0]:>16} {event.current[1]:>5} [{event.cpu:03}] {_stamp(event)}: {'sched:' + event.name:>30}: {_fields(event)}\n"
        for event in planned.events
    )


def _stamp(event: Event) -> str:
    return f"{event.ns // 1_000_000_000}.{event.ns % 1_000_000_000:09}"


def _fields(event: Event) -> str:
    text = " ".join(f"{name}={value}" for name, value in event.fields)
    return text.replace(" next_comm=", " ==> next_comm=")


def as_perfetto(planned: Schedule) -> bytes:
    """A bundle of events for each CPU, those of CPU 1 in Perfetto's compact form."""
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto

    trace = proto.Trace()
    for cpu in sorted({event.cpu for event in planned.events}):
        bundle = trace.packet.add().ftrace_events
        bundle.cpu = cpu
        for event in (event for event in planned.events if event.cpu == cpu):
            if cpu == 1:
                _add_compact(bundle.compact_sched, event)
                continue
            target = getattr(bundle.event.add(timestamp=event.ns, pid=event.current[1]), event.name)
            for name, value in event.fields:
                setattr(target, name, STATES[value] if name == "prev_state" else value)
    serialised: bytes = trace.SerializeToString()
    return serialised


def _add_compact(sched: Any, event: Event) -> None:
    """Times as differences to the event of the same kind before, names as numbers of the table."""
    fields = dict(event.fields)
    is_switch = event.name == "sched_switch"
    name = fields["next_comm" if is_switch else "comm"]
    if name not in sched.intern_table:
        sched.intern_table.append(name)
    number = list(sched.intern_table).index(name)
    times = sched.switch_timestamp if is_switch else sched.waking_timestamp
    times.append(event.ns - sum(times))
    if is_switch:
        sched.switch_prev_state.append(STATES[fields["prev_state"]])
        sched.switch_next_pid.append(fields["next_pid"])
        sched.switch_next_prio.append(fields["next_prio"])
        sched.switch_next_comm_index.append(number)
    else:
        sched.waking_pid.append(fields["pid"])
        sched.waking_target_cpu.append(fields["target_cpu"])
        sched.waking_prio.append(fields["prio"])
        sched.waking_comm_index.append(number)
