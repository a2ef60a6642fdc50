# SPDX-License-Identifier: BSD-3-Clause
"""When the measuring thread itself was held up in the kernel: in a page fault, by a lock, or blocked for another reason.

The records have the begin of a fault and none of its end. While the thread waits in it (state D), the wait is the fault's. A busy fault
counts from its begin until the thread runs, if the thread did nothing else in that time: it had been switched to after it was due, or had
not kept another late wake-up since.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from latlab.core.model.blame import Blame, BlameKind
from latlab.rt.model.kernel_events import UNKNOWN_PRIORITY, KernelStep, LateSteps, Left, StepKind, Thread

PAGE_FAULT = Blame(BlameKind.PAGE_FAULT)
OWN = Blame(BlameKind.OWN)
NEAR_NS = 50_000
"""A thread that sleeps so soon behind the begin of a fault sleeps in it."""
BLOCKED = Blame(BlameKind.BLOCKED)
INTO, OUT_OF = (StepKind.INTERRUPT_IN, StepKind.SOFTIRQ_IN), (StepKind.INTERRUPT_OUT, StepKind.SOFTIRQ_OUT)


class OwnWait(NamedTuple):
    begin_ns: int
    end_ns: int
    blame: Blame


@dataclass(slots=True)
class _Walk:
    """What the thread is in while the steps are walked through."""

    thread: Thread
    running: Thread | None = None
    came_ns: int = 0
    depth: int = 0
    fault_ns: int | None = None
    lock: tuple[int, str] | None = None

    @property
    def is_on(self) -> bool:
        return self.running is not None and self.running.pid == self.thread.pid


def own_waits(late: LateSteps, due_ns: int, thread: Thread) -> tuple[OwnWait, ...]:
    """In order of their begins; a lock may lie in a fault."""
    first = next((step.leaves for step in late.steps if step.leaves is not None), None)
    walk, waits = _Walk(thread, first), list[OwnWait]()
    for at, step in enumerate(late.steps):
        if step.leaves is not None and step.leaves.pid == thread.pid and step.left is not None:
            waits += _leaving(walk, late.steps, at)
            waits += _without_timer(walk, late.steps, at, due_ns)
        waits += _passing(walk, step)
    if walk.is_on and walk.fault_ns is not None and (walk.came_ns >= due_ns or late.kept_before_ns < walk.came_ns):
        waits.append(OwnWait(walk.fault_ns, late.wake_ns, PAGE_FAULT))
    return tuple(sorted(waits))


def _passing(walk: _Walk, step: KernelStep) -> Iterator[OwnWait]:
    if step.comes is not None:
        walk.running, walk.depth, walk.fault_ns = step.comes, 0, None
        walk.came_ns = step.ns if walk.is_on else walk.came_ns
    elif step.step in INTO:
        walk.depth += 1
    elif step.step in OUT_OF:
        walk.depth = max(0, walk.depth - 1)
    elif step.step is StepKind.FAULT and walk.is_on and not walk.depth:
        walk.fault_ns = step.ns
    elif step.step is StepKind.LOCK_IN and walk.is_on and not walk.depth:
        walk.lock = step.ns, step.name
    elif step.step is StepKind.LOCK_OUT and walk.lock is not None:
        begin_ns, name = walk.lock
        walk.lock = None
        if begin_ns >= walk.came_ns:
            yield OwnWait(begin_ns, step.ns, Blame(BlameKind.LOCK, name))


def _leaving(walk: _Walk, steps: Sequence[KernelStep], at: int) -> Iterator[OwnWait]:
    """It waits from here to its waking; what it was busy with until here is the same thing."""
    step = steps[at]
    if step.left is Left.RUNNABLE or (step.left is Left.ASLEEP and walk.lock is None):
        return
    woken_ns, waker = _woken(steps[at:], walk.thread)
    if walk.lock is not None:
        begin_ns, name = walk.lock
        yield OwnWait(begin_ns, woken_ns, Blame(BlameKind.LOCK, f"{name}, released by {waker}" if waker else name))
    elif walk.fault_ns is not None:
        yield OwnWait(walk.fault_ns, woken_ns, PAGE_FAULT)
    else:
        yield OwnWait(step.ns, woken_ns, BLOCKED)


def _without_timer(walk: _Walk, steps: Sequence[KernelStep], at: int, due_ns: int) -> Iterator[OwnWait]:
    """A sleep past the time at which the thread was due, which its timer did not end. It waited for another thread, as for a lock of its
    own program."""
    back = next((place for place in range(at + 1, len(steps)) if _is_to(steps[place], walk)), None)
    if steps[at].left is not Left.ASLEEP or walk.lock is not None or back is None or steps[back].ns <= due_ns:
        return
    end_ns = _woken_by_a_thread(steps[at + 1 : back])
    if end_ns is None and _came_before_its_timer(steps[back + 1 :]):
        end_ns = steps[back].ns
    if end_ns is not None:
        is_in_fault = walk.fault_ns is not None and steps[at].ns - walk.fault_ns < NEAR_NS
        begin_ns = walk.fault_ns if is_in_fault and walk.fault_ns is not None else steps[at].ns
        yield OwnWait(begin_ns, end_ns, PAGE_FAULT if is_in_fault else OWN)


def _woken_by_a_thread(steps: Sequence[KernelStep]) -> int | None:
    """When, if the kernel says that no interrupt did: the timer of a real-time thread wakes it in one."""
    waking = next((step for step in steps if step.step is StepKind.WAKING), None)
    return waking.ns if waking is not None and waking.in_interrupt is False else None


def _came_before_its_timer(behind: Sequence[KernelStep]) -> bool:
    """Whether the timer's waking finds the thread on the CPU already."""
    step = next((step for step in behind if step.comes is not None or step.step is StepKind.WAKING), None)
    return step is not None and step.step is StepKind.WAKING


def _is_to(step: KernelStep, walk: _Walk) -> bool:
    return step.comes is not None and step.comes.pid == walk.thread.pid


def _woken(steps: Sequence[KernelStep], thread: Thread) -> tuple[int, str]:
    """When, and by which thread. Another CPU's waking is not in these records: it comes before a switch is due on this one."""
    running, depth, decided_ns = steps[0].comes, 0, steps[0].ns
    was_clear = True
    for step in steps[1:]:
        if was_clear:
            decided_ns = step.ns
        if step.step is StepKind.WAKING:
            by = running if running is not None and not depth and not running.is_idle else None
            return step.ns, f"{by.name} ({said_priority(by.priority)})" if by else ""
        if step.comes is not None and step.comes.pid == thread.pid:
            return decided_ns, ""
        if step.comes is not None:
            running, depth = step.comes, 0
        depth = depth + 1 if step.step in INTO else max(0, depth - 1) if step.step in OUT_OF else depth
        was_clear = step.comes is not None or not step.is_switch_due
    return decided_ns, ""


def said_priority(priority: int) -> str:
    if priority == UNKNOWN_PRIORITY:
        return "priority unknown"
    if priority < 0:
        return "deadline"
    return f"priority {99 - priority}" if priority < 100 else "not real-time"
