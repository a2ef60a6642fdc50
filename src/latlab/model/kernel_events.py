# SPDX-License-Identifier: BSD-3-Clause
"""What the kernel did on a CPU until a late wake-up, step by step, with the CPU's two cycle counters at each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.model.stolen import CpuStolen


class StepKind(StrEnum):
    SWITCH = "switch"
    """Another thread runs from here on."""
    WAKING = "waking"
    """The measuring thread may run again."""
    INTERRUPT_IN = "interrupt in"
    INTERRUPT_OUT = "interrupt out"
    SOFTIRQ_IN = "softirq in"
    SOFTIRQ_OUT = "softirq out"
    WORK_IN = "work in"
    """A thread of a work queue begins with a function."""
    WORK_OUT = "work out"


@dataclass(frozen=True, slots=True)
class CycleCounts:
    """The cycle counter, and the event counter that counts cycles, at one moment: nothing came between the two."""

    cycles: int
    events: int


@dataclass(frozen=True, slots=True)
class Thread:
    """`priority` as the kernel counts it: below 0 deadline, 0 to 98 real-time, the lower the sooner; from 100 on the rest."""

    name: str
    pid: int
    priority: int

    @property
    def is_idle(self) -> bool:
        return self.pid == 0


@dataclass(frozen=True, slots=True)
class KernelStep:
    """One event on CLOCK_MONOTONIC. `name` is of the interrupt, softirq or work; a switch has the threads that leave and come. `counts` is
    None where they were not read, or where an interrupt may have come between them and the time."""

    ns: int
    step: StepKind
    name: str = ""
    leaves: Thread | None = None
    comes: Thread | None = None
    counts: CycleCounts | None = None


@dataclass(frozen=True, slots=True)
class LateSteps:
    """The steps that led to a late wake-up, in their order. `is_whole`: from before it was due. `after` are the counters at `after_ns`,
    when the thread ran again, None where they could not be read or the reading was torn."""

    cpu: int
    wake_ns: int
    is_whole: bool
    steps: tuple[KernelStep, ...]
    after_ns: int = 0
    after: CycleCounts | None = None


@dataclass(frozen=True, slots=True)
class KernelEvents:
    """One measurement. `meter` says of each CPU what its counters show; `closed` why the events of a CPU could not be opened, by the
    kernel's error number; `torn` how many readings did not count; `dropped` how many late wake-ups are not in here."""

    meter: tuple[CpuStolen, ...]
    late: tuple[LateSteps, ...]
    closed: tuple[tuple[int, int], ...] = ()
    torn: int = 0
    dropped: int = 0
    problems: tuple[str, ...] = ()
