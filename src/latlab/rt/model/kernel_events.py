# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's steps on a CPU before a late wake-up, with the CPU's two cycle counters at each step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.rt.model.stolen import CpuStolen


class Left(StrEnum):
    """How a thread left the CPU."""

    RUNNABLE = "runnable"
    ASLEEP = "asleep"
    BLOCKED = "blocked"
    """It waits in the kernel for a lock, a page or a device (state D), or a signal stopped it (T)."""


class StepKind(StrEnum):
    SWITCH = "switch"
    """Another thread runs from here on."""
    WAKING = "waking"
    """The measuring thread may run again."""
    QUEUED = "queued"
    """A woken thread is in the queue of a CPU."""
    CALL_IN = "call in"
    """A thread enters a system call, which is the name."""
    CALL_OUT = "call out"
    INTERRUPT_IN = "interrupt in"
    INTERRUPT_OUT = "interrupt out"
    SOFTIRQ_IN = "softirq in"
    SOFTIRQ_OUT = "softirq out"
    WORK_IN = "work in"
    """A thread of a work queue begins with a function."""
    WORK_OUT = "work out"
    MIGRATED = "migrated"
    """The measuring thread belongs to another CPU from here on."""
    FAULT = "fault"
    """The measuring thread touched a page that was not there."""
    LOCK_IN = "lock in"
    """The measuring thread waits for a lock of the kernel, whose kind is the name."""
    LOCK_OUT = "lock out"
    IDLE_IN = "idle in"
    """The CPU enters an idle state, which is the name."""
    IDLE_OUT = "idle out"
    FREQUENCY = "frequency"
    """This CPU changes its frequency to so many kHz, which is the name."""
    CHARGED = "charged"
    """The kernel charges the running thread for its CPU time, less what its hypervisor kept from it."""


@dataclass(frozen=True, slots=True)
class CycleCounts:
    """The cycle counter, and the event counter that counts cycles, read together without an interruption."""

    cycles: int
    events: int


UNKNOWN_PRIORITY = 1 << 30
"""The priority of a thread that is seen before any event says it."""


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread. `priority` is the number of the kernel: below 0 deadline, 0 to 98 real-time (lower runs first), 100 and above all
    others."""

    name: str
    pid: int
    priority: int

    @property
    def is_idle(self) -> bool:
        return self.pid == 0


@dataclass(frozen=True, slots=True)
class Charge:
    """The CPU time of the thread `pid` since the kernel charged it before, or since it was switched to."""

    pid: int
    ns: int


@dataclass(frozen=True, slots=True)
class KernelStep:
    """One event on CLOCK_MONOTONIC. `name` is the interrupt, softirq or work item. A switch has the previous and the next thread.
    `left`: how the thread went that a switch takes the CPU from. `is_switch_due`: the scheduler has decided to switch threads as soon as it
    may. `in_interrupt`: an interrupt or a softirq did it, or might have. All are None if the records do not have it, or do not have the
    thread's migrations.
    `counts` is None if the counters were not read, or if an interrupt may have come between them and the time. `smis` is the CPU's number
    of system management interrupts until then, None if nothing counts them."""

    ns: int
    step: StepKind
    name: str = ""
    leaves: Thread | None = None
    comes: Thread | None = None
    counts: CycleCounts | None = None
    charge: Charge | None = None
    smis: int | None = None
    left: Left | None = None
    is_switch_due: bool | None = None
    in_interrupt: bool | None = None


@dataclass(frozen=True, slots=True)
class LateSteps:
    """The steps before a late wake-up, in order. `is_whole`: they begin before the wake-up was due. `after` are the counters at
    `after_ns`, when the thread ran again; None if they could not be read or the reading was interrupted. `own_ns` is the CPU time of the
    thread from shortly before it slept to `own_at_ns`; None without a clock of steal time. `smis` is the count then. `kept_before_ns`: when
    the thread ran in the late wake-up before, behind which it kept that one's records."""

    cpu: int
    wake_ns: int
    is_whole: bool
    steps: tuple[KernelStep, ...]
    after_ns: int = 0
    after: CycleCounts | None = None
    own_at_ns: int = 0
    own_ns: int | None = None
    smis: int | None = None
    kept_before_ns: int = 0


@dataclass(frozen=True, slots=True)
class KernelEvents:
    """The events of one measurement. `meter` describes the counters of each CPU. `closed` lists the CPUs whose events could not be
    opened, with the kernel's error number. `torn` is the number of discarded readings, `dropped` the number of late wake-ups that are
    not in here. `traced` are the kernel's tracepoints that were open."""

    meter: tuple[CpuStolen, ...]
    late: tuple[LateSteps, ...]
    closed: tuple[tuple[int, int], ...] = ()
    torn: int = 0
    dropped: int = 0
    problems: tuple[str, ...] = ()
    traced: frozenset[str] = frozenset()
