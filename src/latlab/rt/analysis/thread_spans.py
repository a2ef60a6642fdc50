# SPDX-License-Identifier: BSD-3-Clause
"""The states of single threads over time, by the scheduler's events of all CPUs.

A thread waits for a CPU from its `sched_waking` to the `sched_switch` to it, or from the switch in which it left the CPU without sleeping.
A trace without `sched_waking` has `sched_wakeup`, which comes later by the way to the queue. A waking of a thread that still runs counts
only if the thread then sleeps without another waking: another CPU woke it on its way into the sleep.

Some kernels record no switch of an idle task. A thread that an event says is on a CPU is there, then, without a switch. The kernel traces a
switch before it makes it, so events of the thread that leaves may stand behind its switch: they say nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from latlab.core.model.work_progress import WorkUnit, each
from latlab.rt.model.kernel_events import KernelStep, Left, StepKind, Thread
from latlab.rt.model.thread_trace import Queued, ThreadSpan, ThreadState, ThreadTrace, TraceEvent

WAITS = frozenset({ThreadState.WOKEN, ThreadState.PREEMPTED})
SLEEPS = frozenset({ThreadState.ASLEEP, ThreadState.BLOCKED})
LEFT = {Left.RUNNABLE: ThreadState.PREEMPTED, Left.ASLEEP: ThreadState.ASLEEP, Left.BLOCKED: ThreadState.BLOCKED}
INTO = {StepKind.INTERRUPT_IN: StepKind.INTERRUPT_OUT, StepKind.SOFTIRQ_IN: StepKind.SOFTIRQ_OUT}
REAL_TIME = 100
"""The kernel's priorities below this are real-time ones."""
LEAVES_WITHIN_NS = 50_000
"""A thread has events behind its switch for no longer, if no hypervisor takes the CPU."""


@dataclass(frozen=True, slots=True)
class FollowedThread:
    """A thread by its last name, with its spans of each stretch of the trace and the number of its migrations. `unseen_starts` counts its
    waits whose end no event shows: it left the CPU before one showed it there."""

    thread: Thread
    stretches: tuple[tuple[ThreadSpan, ...], ...]
    migrations: int
    unseen_starts: int = 0

    @property
    def spans(self) -> tuple[ThreadSpan, ...]:
        return tuple(span for stretch in self.stretches for span in stretch)

    def of(self, state: ThreadState) -> tuple[ThreadSpan, ...]:
        return tuple(span for span in self.spans if span.state is state)


@dataclass(slots=True)
class _Open:
    """The state that a thread is in."""

    state: ThreadState
    begin_ns: int
    queues: list[Queued] = field(default_factory=list)
    pending: TraceEvent | None = None
    """A waking while it ran."""


def without_leaving(stretch: Iterable[TraceEvent]) -> Iterator[TraceEvent]:
    """The events, without their thread where it is the one that leaves: nothing woke it since its switch, and that was just now or a sleep
    behind which another thread came."""
    last: dict[int, KernelStep] = {}
    woken_ns: dict[int, int] = {}
    for event in stretch:
        step = event.step
        if step.step is StepKind.SWITCH:
            last[event.cpu] = step
        elif step.step in (StepKind.WAKING, StepKind.QUEUED) and event.thread is not None:
            woken_ns[event.thread.pid] = step.ns
        switch = last.get(event.cpu)
        if event.current is None or switch is None or switch.leaves is None or switch.leaves.pid != event.current.pid:
            yield event
            continue
        is_woken = woken_ns.get(event.current.pid, -1) >= switch.ns
        is_asleep = switch.left is not Left.RUNNABLE and switch.comes is not None and not switch.comes.is_idle
        is_leaving = not is_woken and (is_asleep or step.ns - switch.ns < LEAVES_WITHIN_NS)
        yield replace(event, current=None) if is_leaving else event


@dataclass(slots=True)
class _Cpus:
    """What each CPU does while the events are walked through."""

    running: dict[int, Thread] = field(default_factory=dict)
    depth: dict[int, int] = field(default_factory=dict)
    sees_interrupts: bool = False

    def waker(self, event: TraceEvent) -> tuple[Thread | None, bool | None]:
        """The thread whose code wakes, and whether an interrupt does."""
        inside: bool | None = event.step.in_interrupt
        if inside is None and self.sees_interrupts:
            inside = self.depth.get(event.cpu, 0) > 0
        running = self.running.get(event.cpu)
        is_named = running is not None and running.name and not running.is_idle
        return (running if inside is False and is_named else None), inside


def matching(names: Iterable[str], all_rt: bool = False) -> Callable[[Thread], bool]:
    """Whether a thread has one of the names or numbers. The kernel keeps 15 characters of a name."""
    first_15 = {name[:15] for name in names}
    return lambda thread: (
        thread.pid != 0 and (thread.name in first_15 or str(thread.pid) in first_15 or (all_rt and -1 <= thread.priority < REAL_TIME))
    )


def follow(trace: ThreadTrace, is_wanted: Callable[[Thread], bool]) -> tuple[FollowedThread, ...]:
    """Each wanted thread that ran, by its number. A thread is wanted if it matches in one of its switches or wakings."""
    pids = {thread.pid for stretch in trace.stretches for event in stretch for thread in _threads(event) if is_wanted(thread)}
    walks = [_Walk(trace, pids) for _ in trace.stretches]
    for walk, stretch in zip(walks, trace.stretches, strict=True):
        walk.through(stretch)
    followed = []
    for pid in sorted(pids):
        names = [walk.names[pid] for walk in walks if pid in walk.names]
        if names:
            spans = tuple(tuple(walk.spans.get(pid, ())) for walk in walks)
            migrations, unseen = sum(walk.migrations[pid] for walk in walks), sum(walk.unseen_starts[pid] for walk in walks)
            followed.append(FollowedThread(names[-1], spans, migrations, unseen))
    return tuple(followed)


def _threads(event: TraceEvent) -> Iterable[Thread]:
    of_event = event.step.leaves, event.step.comes, event.thread if event.step.step in (StepKind.WAKING, StepKind.QUEUED) else None
    return (thread for thread in of_event if thread is not None)


class _Walk:
    """Through one stretch."""

    def __init__(self, trace: ThreadTrace, pids: set[int]) -> None:
        self._pids = pids
        self._has_waking = "sched_waking" in trace.recorded
        self._open: dict[int, _Open] = {}
        self._known: dict[int, Thread] = {}
        self._cpus = _Cpus(sees_interrupts=any(name.endswith("_exit") and name != "softirq_exit" for name in trace.recorded))
        self.spans: dict[int, list[ThreadSpan]] = {}
        self.names: dict[int, Thread] = {}
        self.migrations: Counter[int] = Counter()
        self.unseen_starts: Counter[int] = Counter()

    def through(self, stretch: Sequence[TraceEvent]) -> None:
        for event in without_leaving(each(stretch, "following the threads", WorkUnit.EVENTS)):
            kind = event.step.step
            if event.current is not None:
                self._seen(event, event.current)
            if kind is StepKind.SWITCH:
                self._switch(event)
            elif kind in (StepKind.WAKING, StepKind.QUEUED) and event.thread is not None:
                self._known[event.thread.pid] = event.thread
                if event.thread.pid in self._pids:
                    self._woken(event, event.thread)
            elif kind is StepKind.MIGRATED:
                if event.thread is not None and event.thread.pid in self._pids:
                    self._migrated(event, event.thread)
            elif kind in INTO:
                self._cpus.depth[event.cpu] = self._cpus.depth.get(event.cpu, 0) + 1
            elif kind in INTO.values():
                self._cpus.depth[event.cpu] = max(0, self._cpus.depth.get(event.cpu, 0) - 1)

    def _seen(self, event: TraceEvent, current: Thread) -> None:
        """Note the thread that an event shows on its CPU. The event says no priority, and may say no name: an earlier one knows them."""
        running = self._cpus.running.get(event.cpu)
        if running is not None and running.pid == current.pid:
            return
        current = self._known.get(current.pid, current)
        self._cpus.running[event.cpu] = current
        before = self._open.get(current.pid)
        if before is not None and before.state is not ThreadState.RUNNING:
            self._come(event, current)

    def _switch(self, event: TraceEvent) -> None:
        step = event.step
        self._known |= {thread.pid: thread for thread in (step.leaves, step.comes) if thread is not None}
        self._cpus.depth[event.cpu] = 0
        if step.leaves is not None and step.leaves.pid in self._pids:
            self._leave(event, step.leaves)
        if step.comes is not None:
            self._cpus.running[event.cpu] = step.comes
            if step.comes.pid in self._pids:
                self._come(event, step.comes)

    def _leave(self, event: TraceEvent, thread: Thread) -> None:
        before = self._open.get(thread.pid)
        if before is not None and before.state is ThreadState.RUNNING:
            self._close(before, event.step.ns, event.cpu, thread)
        self.unseen_starts[thread.pid] += before is not None and before.state in WAITS
        state = LEFT[event.step.left or Left.ASLEEP]
        pending = before.pending if before is not None and state in SLEEPS else None
        self._open[thread.pid] = _Open(state, event.step.ns, [Queued(event.cpu, event.step.ns)], pending)

    def _come(self, event: TraceEvent, thread: Thread) -> None:
        before = self._open.get(thread.pid)
        if before is not None and before.state in SLEEPS and before.pending is not None:
            self._woken_on_its_way(before, event)
        if before is not None and before.state is not ThreadState.RUNNING:
            self._close(before, event.step.ns, event.cpu, thread)
        self.names[thread.pid] = thread
        self._open[thread.pid] = _Open(ThreadState.RUNNING, event.step.ns)

    def _woken(self, event: TraceEvent, thread: Thread) -> None:
        before = self._open.get(thread.pid)
        is_waking = event.step.step is StepKind.WAKING or not self._has_waking
        if before is None:
            if is_waking and not self._is_on_a_cpu(thread):
                self._open[thread.pid] = _Open(ThreadState.WOKEN, event.step.ns, _queue(event))
        elif before.state in SLEEPS and event.step.step is StepKind.QUEUED and before.pending is not None:
            self._woken_on_its_way(before, event)
        elif before.state in SLEEPS:
            self._close(before, event.step.ns, before.queues[0].cpu, thread, self._cpus.waker(event))
            self._open[thread.pid] = _Open(ThreadState.WOKEN, event.step.ns, _queue(event))
        elif before.state is ThreadState.RUNNING:
            before.pending = event if is_waking else before.pending
        elif before.state is ThreadState.WOKEN and event.step.step is StepKind.QUEUED:
            self._assign(before, event)

    def _woken_on_its_way(self, before: _Open, event: TraceEvent) -> None:
        """It did not sleep at all: it waits for a CPU since it left one."""
        before.state = ThreadState.WOKEN
        before.queues = [Queued(before.queues[0].cpu, before.begin_ns)]
        if event.step.step is StepKind.QUEUED:
            self._assign(before, event)

    def _is_on_a_cpu(self, thread: Thread) -> bool:
        return any(running.pid == thread.pid for running in self._cpus.running.values())

    def _migrated(self, event: TraceEvent, thread: Thread) -> None:
        self.migrations[thread.pid] += 1
        before = self._open.get(thread.pid)
        if before is not None and before.state in WAITS:
            self._assign(before, event)

    @staticmethod
    def _assign(before: _Open, event: TraceEvent) -> None:
        if event.to_cpu is not None and (not before.queues or before.queues[-1].cpu != event.to_cpu):
            before.queues.append(Queued(event.to_cpu, event.step.ns))

    def _close(self, before: _Open, end_ns: int, cpu: int, thread: Thread, waker: tuple[Thread | None, bool | None] = (None, None)) -> None:
        queues = _known(before.queues, cpu, before.begin_ns) if before.state in WAITS else ()
        span = ThreadSpan(before.state, before.begin_ns, end_ns, cpu, thread, queues, *waker)
        self.spans.setdefault(thread.pid, []).append(span)


def _queue(event: TraceEvent) -> list[Queued]:
    return [] if event.to_cpu is None else [Queued(event.to_cpu, event.step.ns)]


def _known(queues: Sequence[Queued], ran_on: int, begin_ns: int) -> tuple[Queued, ...]:
    """If the last CPU is not the one on which it ran, no event says when it moved."""
    if not queues:
        return (Queued(ran_on, begin_ns, is_known=False),)
    if queues[-1].cpu != ran_on:
        return (*queues[:-1], replace(queues[-1], is_known=False))
    return tuple(queues)


def with_whole_interrupts(steps: Sequence[KernelStep]) -> list[KernelStep]:
    """The steps of one CPU without interrupts and softirqs of which the begin or the end is missing: a switch ends all that are open. An
    interrupt whose end was not recorded would seem to last for ever."""
    open_at: list[int] = []
    dropped: set[int] = set()
    for at, step in enumerate(steps):
        if step.step in INTO:
            open_at.append(at)
        elif step.step in INTO.values():
            if open_at and INTO[steps[open_at[-1]].step] is step.step:
                open_at.pop()
            else:
                dropped.add(at)
        elif step.step is StepKind.SWITCH:
            dropped.update(open_at)
            open_at.clear()
    dropped.update(open_at)
    return [step for at, step in enumerate(steps) if at not in dropped]


def by_name(followed: Iterable[FollowedThread]) -> Mapping[str, tuple[FollowedThread, ...]]:
    """Threads of one name together."""
    groups: dict[str, list[FollowedThread]] = {}
    for thread in followed:
        groups.setdefault(thread.thread.name, []).append(thread)
    return {name: tuple(threads) for name, threads in groups.items()}
