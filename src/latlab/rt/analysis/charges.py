# SPDX-License-Identifier: BSD-3-Clause
"""What the kernel charges its threads for, as a clock of the hypervisor's steal time.

A kernel with the hypervisor's steal clock does not charge a thread for the time in which its CPU did not run. So from one charge to the
next, less was charged than went by. The reverse does not hold: a hypervisor that is itself preempted, or throttled by a quota, counts
nothing, and the thread is charged.

A charge at a switch of threads ends when the kernel last read its clock, at the wake-up that made it switch; the next thread is charged
from then on. So only charges that continue to a later reading of the clock divide time: at a tick, or when the measuring thread runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from latlab.rt.model.kernel_events import KernelEvents, KernelStep, LateSteps, StepKind

NOISE_NS = 3_000
"""The kernel reads the clock of a charge some time before it writes the event: 1.4 µs at most on a virtual machine."""


@dataclass(frozen=True, slots=True)
class ChargeWindow:
    """Between two readings of the clock: how much less was charged than went by, and how long interrupts and softirqs ran in it."""

    begin_ns: int
    end_ns: int
    missing_ns: int
    inside_ns: int


@dataclass(frozen=True, slots=True)
class ChargeClock:
    """`keeps_interrupts_out`: the kernel accounts the time of interrupts apart, so that no thread is charged for it."""

    keeps_interrupts_out: bool

    def stolen(self, late: LateSteps) -> Iterator[tuple[int, int, int]]:
        """Begin, end and steal time of each window."""
        for window in charge_windows(late):
            stolen_ns = window.missing_ns - (window.inside_ns if self.keeps_interrupts_out else 0)
            yield window.begin_ns, window.end_ns, stolen_ns if stolen_ns > NOISE_NS else 0


def charge_clock(events: KernelEvents) -> ChargeClock | None:
    """None if the recorder kept no charges, which it does only if the kernel has a steal clock."""
    windows = [window for late in events.late for window in charge_windows(late)]
    return ChargeClock(not any(window.missing_ns + NOISE_NS < window.inside_ns for window in windows)) if windows else None


@dataclass(slots=True)
class _Sum:
    """Since the clock was last read: what was charged, and how long interrupts and softirqs ran."""

    begin_ns: int
    charged_ns: int = 0
    inside_ns: int = 0

    def window(self, end_ns: int, charged_ns: int) -> ChargeWindow:
        missing_ns = end_ns - self.begin_ns - self.charged_ns - charged_ns
        return ChargeWindow(self.begin_ns, end_ns, max(0, missing_ns), self.inside_ns)


def charge_windows(late: LateSteps) -> Iterator[ChargeWindow]:
    """In order. A thread that left the CPU without a charge, the idle task, and a thread to which no switch was recorded end what can be
    summed. The late thread's own CPU time counts from shortly before its sleep. If it was woken from that before it left the CPU, no switch
    lies there, so no window ends with it."""
    since: _Sum | None = None
    running: int | None = None
    depth = 0
    slept_behind_switch = False
    for step, following in _with_next(_charged_here(late.steps)):
        if step.step is StepKind.SWITCH:
            slept_behind_switch = False
            is_charged = since is not None and step.leaves is not None and step.leaves.pid == running and since.charged_ns > 0
            since = since if is_charged else _Sum(step.ns)
            running = step.comes.pid if step.comes is not None and not step.comes.is_idle else None
        elif since is not None and step.charge is not None:
            if following is None or following.step is not StepKind.SWITCH:
                yield since.window(step.ns, step.charge.ns)
                since = _Sum(step.ns)
            else:
                since.charged_ns += step.charge.ns
        slept_behind_switch = slept_behind_switch or step.step is StepKind.WAKING
        depth = _depth(depth, step)
        if since is not None and depth and following is not None:
            since.inside_ns += following.ns - step.ns
    if since is not None and late.own_ns is not None and not slept_behind_switch:
        yield since.window(late.own_at_ns, late.own_ns)


def _charged_here(steps: Iterable[KernelStep]) -> Iterator[KernelStep]:
    """Without the charges of threads on other CPUs: who wakes a thread there charges the one that runs there."""
    running: int | None = None
    for step in steps:
        if step.step is StepKind.SWITCH and step.comes is not None:
            running = step.comes.pid
        if step.charge is None or step.charge.pid == running:
            yield step


def _depth(depth: int, step: KernelStep) -> int:
    """How many interrupts and softirqs are open behind a step."""
    if step.step in (StepKind.INTERRUPT_IN, StepKind.SOFTIRQ_IN):
        return depth + 1
    return max(0, depth - 1) if step.step in (StepKind.INTERRUPT_OUT, StepKind.SOFTIRQ_OUT) else depth


def _with_next(steps: Iterable[KernelStep]) -> Iterator[tuple[KernelStep, KernelStep | None]]:
    in_order = [*steps, None]
    return ((step, following) for step, following in pairwise(in_order) if step is not None)
