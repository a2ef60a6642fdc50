# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's events of a whole machine, and what they say of single threads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.rt.model.kernel_events import KernelStep, Thread

LIVE = "latlab"
"""The tool of a trace that latlab recorded itself, with all events that the kernel has."""


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One event on a CPU. `thread` is the thread that a waking, a migration, a fault, a lock or a system call concerns. `to_cpu` is the CPU
    to which the kernel assigns a woken or migrated thread; None if the event does not have it. `current` is the thread that the event says
    is on the CPU, None of a switch."""

    cpu: int
    step: KernelStep
    thread: Thread | None = None
    to_cpu: int | None = None
    current: Thread | None = None


@dataclass(frozen=True, slots=True)
class ThreadTrace:
    """`stretches` are the events in the order of their times, without lost events within a stretch. `recorded` has the names of all events
    of which the trace has at least one; of a trace that latlab recorded itself, all that it switched on. `tool` made the trace:
    `trace-cmd`, `perf`, `perfetto` or `latlab`."""

    stretches: tuple[tuple[TraceEvent, ...], ...]
    recorded: frozenset[str]
    tool: str
    resolution_ns: int = 1
    problems: tuple[str, ...] = ()


class ThreadState(StrEnum):
    RUNNING = "running"
    WOKEN = "woken"
    """It was woken and waits for a CPU."""
    PREEMPTED = "preempted"
    """It left the CPU without sleeping and waits for it."""
    ASLEEP = "asleep"
    BLOCKED = "blocked"
    """It waits in the kernel (state D), or a signal stopped it."""


@dataclass(frozen=True, slots=True)
class Queued:
    """From `begin_ns` on the thread is assigned to `cpu`. `is_known`: an event says so."""

    cpu: int
    begin_ns: int
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class ThreadSpan:
    """A thread in one state. `cpu` is the one on which it runs, or on which it will run next. `queues` are the CPUs to which it was
    assigned while it waited. `ended_by` is the thread whose code woke it, None if an interrupt did or if that is unknown."""

    state: ThreadState
    begin_ns: int
    end_ns: int
    cpu: int
    thread: Thread
    queues: tuple[Queued, ...] = ()
    ended_by: Thread | None = None
    is_by_interrupt: bool | None = None

    @property
    def ns(self) -> int:
        return self.end_ns - self.begin_ns


@dataclass(frozen=True, slots=True)
class ThreadSelection:
    """Which threads of a trace a run is about: names or numbers, or all with a real-time priority. `period_ns`: of their cycles, None if
    it is to be found. Wake-ups later than `threshold_ns` get a cause. `is_bare_metal`: the user states that no hypervisor is below."""

    names: tuple[str, ...] = ()
    all_rt: bool = False
    period_ns: int | None = None
    threshold_ns: int = 100_000
    is_bare_metal: bool = False
