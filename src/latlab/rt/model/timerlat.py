# SPDX-License-Identifier: BSD-3-Clause
"""A late wake-up as rtla's automatic analysis of the kernel's timerlat tracer names it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.rt.model.wakeups import Wakeups


class TimerlatPart(StrEnum):
    """What rtla divides a latency into."""

    PREVIOUS_IRQ = "previous IRQ interference"
    IRQ_DELAY = "IRQ handler delay"
    IDLE_EXIT = "IRQ handler delay (exit from idle)"
    TIMER_IRQ = "timerlat IRQ duration"
    BLOCKING = "blocking thread"
    NMI = "NMI interference"
    IRQ = "IRQ interference"
    SOFTIRQ = "softirq interference"
    THREAD = "thread interference"


@dataclass(frozen=True, slots=True)
class NamedPart:
    """One part; `name` is who took it, empty where rtla names nobody. Of several of one kind it is the one that took most."""

    part: TimerlatPart
    ns: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Spike:
    """A latency that stopped the tracer. `end_ns` is CLOCK_MONOTONIC when the thread ran, None where the tracer's clock is not known.
    `parts` are the largest first. `interrupted` is the task that ran when the timer's interrupt came, `function` where in the kernel it
    was; empty if unknown. `thread`: it is the thread's latency, and not that of the interrupt, of which rtla knows no parts."""

    cpu: int
    late_ns: int
    end_ns: int | None
    parts: tuple[NamedPart, ...]
    interrupted: str = ""
    function: str = ""
    thread: bool = True


@dataclass(frozen=True, slots=True)
class TimerlatRuns:
    """What rtla measured in runs that follow one another, each until a latency above the threshold or the end of the time."""

    wakeups: Wakeups
    spikes: tuple[Spike, ...]
