# SPDX-License-Identifier: BSD-3-Clause
"""When the scheduler kept a thread off its CPU that could run: it chose threads of a lower priority, or none.

Real-time threads have a limit to their CPU time: `sched_rt_runtime_us`, `cpu.rt_runtime_us` of a control group, the fair server of newer
kernels. A thread that continues after the waking of a more urgent one proves no such limit, because preemption may be disabled in it. One
of these does:

- the scheduler switches to a thread of a lower priority, or to the idle task
- a thread of a lower priority or the idle task runs, and no switch is due: the kernel's flag for it (need_resched) is clear

A thread can raise its own priority and lower it again without an event. So in a thread the flag counts only if an interrupt set it: before,
for then the scheduler has chosen the thread once more, or in the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from latlab.rt.model.kernel_events import KernelStep, LateSteps, Left, StepKind, Thread

Span = tuple[int, int]
IDLE = 140
OF_INTERRUPTS = (StepKind.INTERRUPT_IN, StepKind.INTERRUPT_OUT, StepKind.SOFTIRQ_IN, StepKind.SOFTIRQ_OUT)
CROSS_CALLS = ("reschedule", "call_function", "call_function_single", "IPI")
"""Interrupts by which another CPU may have woken the thread."""


def throttled(late: LateSteps, due_ns: int, thread: Thread, own_priority: int) -> tuple[Span, ...]:
    """Begin and end of each time. `own_priority` as the kernel has it. Some kernels trace nothing in the context of some threads, such as
    the idle task of one CPU, so that a switch may be missing. The switch from the measuring thread is in its own context and never is."""
    steps = _while_runnable(late, due_ns, thread)
    left = [step.leaves.priority for step in steps if step.leaves is not None and step.leaves.pid == thread.pid]
    weakest = max(own_priority, thread.priority, *left)
    spans: list[Span] = []
    for stay in _stays(steps):
        spans += _kept_off(stay, weakest, thread.pid)
    return tuple(spans)


def _while_runnable(late: LateSteps, due_ns: int, thread: Thread) -> Sequence[KernelStep]:
    """From the waking, or from the switch in which it left the CPU without sleeping, to the last switch to it."""
    last = max((at for at, step in enumerate(late.steps) if step.comes is not None and step.comes.pid == thread.pid), default=-1)
    first: int | None = None
    for at, step in enumerate(late.steps[: max(last, 0)]):
        if step.step is StepKind.MIGRATED or (step.comes is not None and step.comes.pid == thread.pid):
            first = None
        elif step.leaves is not None and step.leaves.pid == thread.pid:
            first = at if step.left is Left.RUNNABLE else None
        elif step.step is StepKind.WAKING:
            first = at if step.ns >= due_ns else None
    if first is None and _was_runnable_all_the_time(late.steps[: last + 1], due_ns, thread):
        first = 0
    return () if first is None else late.steps[first : last + 1]


def _was_runnable_all_the_time(steps: Sequence[KernelStep], due_ns: int, thread: Thread) -> bool:
    """Whether the records begin too late for the waking: the thread was not woken in them, and an interrupt of this CPU lets it run."""
    if not steps or steps[0].ns < due_ns:
        return False
    is_of_thread = [step for step in steps[:-1] for switched in (step.leaves, step.comes) if switched and switched.pid == thread.pid]
    if is_of_thread or any(step.step in (StepKind.WAKING, StepKind.MIGRATED) for step in steps):
        return False
    newest_first = [step for step in reversed(steps[:-1]) if step.is_switch_due is not None and step.comes is None]
    decided = next((step for step, before in pairwise(newest_first) if not before.is_switch_due), None)
    if decided is None or not decided.is_switch_due:
        return False
    return decided.step is StepKind.INTERRUPT_OUT and decided.name not in CROSS_CALLS


def _stays(steps: Sequence[KernelStep]) -> Iterator[Sequence[KernelStep]]:
    """The events of each thread in turn: with the switch to it, where there is one, and the switch from it."""
    begin = 0
    for at, step in enumerate(steps):
        if step.comes is not None and at > 0:
            yield steps[begin : at + 1]
            begin = at


def _kept_off(stay: Sequence[KernelStep], own_priority: int, own_pid: int) -> Iterator[Span]:
    """Yield the time from each event that proves it to the next one. Where the switch from a thread was not recorded, it ran until the last
    event that shows it, behind which the missing switch was put."""
    first, last = stay[0], stay[-1]
    running = last.leaves or first.comes
    if running is None or running.pid == own_pid or min(map(_weakness, (running, first.comes or running))) <= own_priority:
        return
    by_flag = running.is_idle or _is_set_by_interrupt(stay[1:-1])
    for step, following in pairwise(stay):
        if step.comes is not None or (by_flag and step.is_switch_due is False and step.step is not StepKind.WAKING):
            yield step.ns, following.ns


def _weakness(thread: Thread) -> int:
    """The kernel's priority. Its idle tasks have that of a usual thread, but give way to any."""
    return IDLE if thread.is_idle else thread.priority


def _is_set_by_interrupt(steps: Sequence[KernelStep]) -> bool:
    """Whether an interrupt made a switch due, either in the end or so that another event found that the scheduler had made none."""
    due = [(step.step in OF_INTERRUPTS, step.is_switch_due) for step in steps if step.is_switch_due is not None]
    first = next((at for at, (in_interrupt, is_due) in enumerate(due) if in_interrupt and is_due), len(due))
    last_clear = max((at for at, (_, is_due) in enumerate(due) if not is_due), default=-1)
    return first < last_clear or (last_clear + 1 < len(due) and due[last_clear + 1][0])
