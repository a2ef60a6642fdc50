# SPDX-License-Identifier: BSD-3-Clause
"""What the recorder and rtla name as the cause of the same late wake-up, and which events decide where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from latlab.core.model.blame import Blame, BlameKind
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.model.timerlat import NamedPart, Spike, TimerlatPart

BELOW_LINUX = frozenset({BlameKind.STOLEN, BlameKind.HYPERVISOR, BlameKind.SMI, BlameKind.FIRMWARE})
HOLDERS = frozenset({BlameKind.UNPREEMPTED, BlameKind.KERNEL_CODE, BlameKind.THREAD, BlameKind.AWAY, BlameKind.OWN, BlameKind.KERNEL})
SAME = {
    TimerlatPart.PREVIOUS_IRQ: frozenset({BlameKind.INTERRUPT}),
    TimerlatPart.IRQ_DELAY: frozenset({BlameKind.MASKED}),
    TimerlatPart.IDLE_EXIT: frozenset({BlameKind.IDLE_EXIT}),
    TimerlatPart.TIMER_IRQ: frozenset({BlameKind.INTERRUPT, BlameKind.PATH}),
    TimerlatPart.BLOCKING: HOLDERS,
    TimerlatPart.NMI: frozenset({BlameKind.INTERRUPT}),
    TimerlatPart.IRQ: frozenset({BlameKind.INTERRUPT, BlameKind.AWAY}),
    TimerlatPart.SOFTIRQ: frozenset({BlameKind.SOFTIRQ, BlameKind.AWAY}),
    TimerlatPart.THREAD: frozenset({BlameKind.THREAD}),
}
"""The causes of the recorder that are what rtla means by a part."""
TASKS = frozenset({BlameKind.MASKED, BlameKind.UNPREEMPTED, BlameKind.KERNEL_CODE, BlameKind.THREAD, BlameKind.AWAY})
"""Causes whose name begins with a task's."""
EVIDENCE = {
    BlameKind.FIRMWARE: "the firmware's trace: the call's entry and exit",
    BlameKind.KERNEL: "kernel probes at the function's entry and return",
    BlameKind.STOLEN: "cycle counters: time passed in which they counted no cycle of Linux",
    BlameKind.HYPERVISOR: "the kernel's steal clock",
    BlameKind.SMI: "the CPU's count of SMIs",
    BlameKind.INTERRUPT: "entry and exit of the interrupt's handler",
    BlameKind.SOFTIRQ: "softirq_entry, softirq_exit",
    BlameKind.THREAD: "sched_switch to a thread of higher priority",
    BlameKind.THROTTLED: "the flag of the scheduler in each record, sched_switch",
    BlameKind.QUOTA: "cpu.stat of the control group, sched_switch",
    BlameKind.MASKED: "sched_switch, and cycle counters that counted on",
    BlameKind.UNPREEMPTED: "sched_waking before sched_switch, cycle counters",
    BlameKind.KERNEL_CODE: "sched_waking before sched_switch, cycle counters, the preemption model",
    BlameKind.AWAY: "sched_switch alone: no counter could be read",
    BlameKind.IDLE_EXIT: "cpu_idle",
    BlameKind.MIGRATED: "sched_migrate_task",
    BlameKind.PAGE_FAULT: "the tracepoints of page faults",
    BlameKind.LOCK: "contention_begin, contention_end",
    BlameKind.BLOCKED: "the state of the thread in sched_switch",
    BlameKind.OWN: "sched_switch of the measuring thread",
    BlameKind.PATH: "sched_switch",
    BlameKind.UNEXPLAINED: "rtla's: the recorder's events do not cover half of the lateness",
    BlameKind.UNTRACED: "rtla's: the recorder kept no event",
}


class Agreement(StrEnum):
    """How the two names of one late wake-up relate."""

    SAME = "same"
    NARROWER = "recorder is narrower"
    DIFFERENT = "different"
    RTLA_ONLY = "rtla only"


@dataclass(frozen=True, slots=True)
class Naming:
    """A latency that stopped rtla; `recorder` is the recorder's wake-up that was late at the same time on the same CPU, None if there is
    none."""

    spike: Spike
    recorder: Attributed | None = None

    @property
    def largest(self) -> NamedPart:
        return self.spike.parts[0]

    @property
    def agreement(self) -> Agreement | None:
        return None if self.recorder is None else _agreement(self.recorder.blame, self.spike)

    @property
    def evidence(self) -> str:
        """The events that decide; empty where both name the same, and where only one saw it."""
        if self.recorder is None or self.agreement is Agreement.SAME:
            return ""
        return EVIDENCE.get(self.recorder.blame.kind, "the kernel's events")


def namings(spikes: Sequence[Spike], attributed: Sequence[Attributed]) -> tuple[Naming, ...]:
    """Each spike of rtla with the recorder's wake-up that overlaps it most."""
    return tuple(Naming(spike, _overlapping(spike, attributed)) for spike in spikes)


def _overlapping(spike: Spike, attributed: Sequence[Attributed]) -> Attributed | None:
    if spike.end_ns is None:
        return None
    shared = [(overlap_ns, entry) for overlap_ns, entry in _overlaps(spike.end_ns, spike, attributed) if overlap_ns > 0]
    return max(shared, key=lambda pair: pair[0])[1] if shared else None


def _overlaps(end_ns: int, spike: Spike, attributed: Sequence[Attributed]) -> Iterator[tuple[int, Attributed]]:
    for entry in attributed:
        outlier = entry.outlier
        if outlier.cpu == spike.cpu:
            yield min(end_ns, outlier.wake_ns) - max(end_ns - spike.late_ns, outlier.wake_ns - outlier.late_ns), entry


def _agreement(blame: Blame, spike: Spike) -> Agreement:
    largest = spike.parts[0]
    if blame.kind in (BlameKind.UNEXPLAINED, BlameKind.UNTRACED):
        return Agreement.RTLA_ONLY
    if not spike.thread:
        # Of a latency of the interrupt rtla names only the thread that ran.
        same = blame.kind is BlameKind.MASKED and _is_same(blame, spike.interrupted)
        return Agreement.SAME if same else Agreement.NARROWER
    if blame.kind in SAME[largest.part]:
        name = spike.interrupted if largest.part is TimerlatPart.IRQ_DELAY else largest.name
        return Agreement.SAME if _is_same(blame, name) else Agreement.DIFFERENT
    may_be_below = largest.part in (TimerlatPart.IRQ_DELAY, TimerlatPart.IDLE_EXIT, TimerlatPart.BLOCKING)
    return Agreement.NARROWER if may_be_below and blame.kind in BELOW_LINUX | {BlameKind.KERNEL} else Agreement.DIFFERENT


def _is_same(blame: Blame, name: str) -> bool:
    """A name that one of the two does not have contradicts nothing."""
    if not name or not blame.name or blame.kind not in TASKS | {BlameKind.SOFTIRQ}:
        return True
    recorded = blame.name.removeprefix("interrupt ").removeprefix("softirq ")
    return recorded.startswith(name) or name.startswith(recorded)
