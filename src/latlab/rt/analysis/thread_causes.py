# SPDX-License-Identifier: BSD-3-Clause
"""Why a thread waited for its CPU: the time is cut by the events of the CPUs to which the thread was assigned, as for the recorder's own.

Before the thread was woken nothing is known of when it was due, so the time of a wait begins at its waking, or at the switch that took the
CPU from it. A thread that moves between CPUs while it waits has the causes of each of them. Nothing is named for a time in which no event
says to which CPU it was assigned.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from latlab.core.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.core.model.work_progress import WorkUnit, each
from latlab.rt.analysis.attribution import Attributed, blaming
from latlab.rt.analysis.lateness_parts import LatenessPart, beyond_ordinary, in_doubt, parts_of
from latlab.rt.analysis.thread_spans import INTO, REAL_TIME, with_whole_interrupts, without_leaving
from latlab.rt.model.kernel_events import KernelStep, LateSteps, Left, StepKind, Thread
from latlab.rt.model.thread_trace import ThreadSpan, ThreadState, TraceEvent
from latlab.rt.model.wakeups import Outlier

QUOTA = Blame(BlameKind.QUOTA)
WEAKEST = 139
"""The largest of the kernel's priorities. Threads without a real-time priority share a CPU, so no rule of priority keeps one off."""
OF_A_CPU = frozenset(
    {
        StepKind.SWITCH, StepKind.INTERRUPT_IN, StepKind.INTERRUPT_OUT, StepKind.SOFTIRQ_IN, StepKind.SOFTIRQ_OUT, StepKind.WORK_IN,
        StepKind.WORK_OUT, StepKind.IDLE_IN, StepKind.IDLE_OUT, StepKind.FREQUENCY,
    }
)  # fmt: skip
"""What says who has the CPU. The thread's own waking is put in where it was, on whichever CPU."""


@dataclass(frozen=True, slots=True)
class _CpuSteps:
    """The steps of one CPU in order. `switches` are the places of its switches, `calm` those behind which no interrupt is open."""

    steps: tuple[KernelStep, ...]
    ns: tuple[int, ...]
    switches: tuple[int, ...]
    calm: tuple[int, ...]

    def running_at(self, ns: int) -> Thread | None:
        """By the last switch until then, or else by the next one."""
        at = bisect_right(self.switches, bisect_right(self.ns, ns) - 1) - 1
        if at >= 0:
            return self.steps[self.switches[at]].comes
        return self.steps[self.switches[0]].leaves if self.switches else None

    def between(self, begin_ns: int, end_ns: int) -> tuple[tuple[KernelStep, ...], bool]:
        """The steps from the last switch before `begin_ns` to those at `end_ns`, without what had ended by then, and whether there was such
        a switch."""
        first, last = bisect_left(self.ns, begin_ns), bisect_right(self.ns, end_ns)
        at = bisect_left(self.switches, first) - 1
        switch = self.steps[self.switches[at]] if at >= 0 else None
        calm = bisect_left(self.calm, first) - 1
        start = min(first, max(self.calm[calm] + 1 if calm >= 0 else 0, self.switches[at] + 1 if at >= 0 else 0))
        return ((switch,) if switch is not None else ()) + self.steps[start:last], switch is not None


class CauseFinder:
    """The causes of waits in one stretch of a trace. `is_virtual`: a hypervisor may take a CPU, which nothing in such a trace shows.
    `in_quota` are the numbers of threads whose control group a quota kept off meanwhile: no event says when."""

    def __init__(self, stretch: Sequence[TraceEvent], is_virtual: bool, in_quota: Collection[int] = ()) -> None:
        self._is_virtual, self._in_quota = is_virtual, in_quota
        by_cpu: dict[int, list[TraceEvent]] = defaultdict(list)
        threads: dict[int, Thread] = {}
        for event in without_leaving(each(stretch, "what each CPU did", WorkUnit.EVENTS)):
            by_cpu[event.cpu].append(event)
            threads |= {thread.pid: thread for thread in (event.step.leaves, event.step.comes) if thread is not None}
        self._cpus: Mapping[int, _CpuSteps] = {
            cpu: _cpu_steps(with_whole_interrupts(_with_missing_switches(events, threads))) for cpu, events in by_cpu.items()
        }

    def parts(self, span: ThreadSpan) -> tuple[LatenessPart, ...]:
        """What a wait is made of, the largest first; together the parts are the wait."""
        sums: Counter[Blame] = Counter()
        for part in self._parts(span):
            sums[part.blame] += part.ns
        sums[UNEXPLAINED] += span.ns - sums.total()
        return tuple(LatenessPart(blame, ns) for blame, ns in sums.most_common() if ns > 0)

    def caused(self, span: ThreadSpan, usual_ns: int) -> Attributed:
        """The wait with its cause: the part that takes at least half of what is beyond the usual wait."""
        parts = self.parts(span)
        entry = Attributed(Outlier(span.cpu, span.end_ns, span.ns), UNEXPLAINED, parts=parts)
        return blaming(entry, beyond_ordinary(parts, None, usual_ns), usual_ns)

    def interrupts(self, cpu: int, begin_ns: int, end_ns: int) -> Iterator[tuple[str, int]]:
        """The name and the ns of each interrupt and softirq between two times, the inner ones taken out of the outer ones."""
        steps = self._cpus[cpu].between(begin_ns, end_ns)[0] if cpu in self._cpus else ()
        open_names: list[str] = []
        at_ns = begin_ns
        for step in steps:
            if open_names and step.ns > begin_ns:
                yield open_names[-1], min(step.ns, end_ns) - max(at_ns, begin_ns)
            at_ns = step.ns
            if step.step in INTO:
                kind = "interrupt" if step.step is StepKind.INTERRUPT_IN else "softirq"
                open_names.append(f"{kind} {step.name}")
            elif step.step in INTO.values() and open_names:
                open_names.pop()
        if open_names:
            yield open_names[-1], end_ns - max(at_ns, begin_ns)

    def running_at(self, cpu: int, ns: int) -> Thread | None:
        return self._cpus[cpu].running_at(ns) if cpu in self._cpus else None

    def _parts(self, span: ThreadSpan) -> Iterator[LatenessPart]:
        begins = [queued.begin_ns for queued in span.queues]
        for queued, end_ns in zip(span.queues, (*begins[1:], span.end_ns), strict=True):
            if queued.is_known and queued.cpu in self._cpus and end_ns > queued.begin_ns:
                yield from self._on_one_cpu(span, queued.cpu, queued.begin_ns, end_ns)

    def _on_one_cpu(self, span: ThreadSpan, cpu: int, begin_ns: int, end_ns: int) -> Iterator[LatenessPart]:
        """A CPU that goes idle while a preempted thread could run does not come late out of it."""
        steps, is_whole = self._cpus[cpu].between(begin_ns, end_ns)
        if not is_whole and not _says_who_ran(steps):
            return
        woken = KernelStep(begin_ns, StepKind.WAKING, span.thread.name)
        ahead = sum(step.ns < begin_ns or _sleeps(step, span, begin_ns) for step in steps)
        in_order = (*steps[:ahead], woken, *steps[ahead:])
        if end_ns < span.end_ns or not _ends_with(in_order, span.thread):
            running = self._cpus[cpu].running_at(end_ns - 1)
            in_order = (*in_order, KernelStep(end_ns, StepKind.SWITCH, leaves=running, comes=span.thread))
        late = LateSteps(cpu, end_ns, is_whole, in_order)
        outlier = Outlier(cpu, end_ns, end_ns - begin_ns)
        priority = span.thread.priority if span.thread.priority < REAL_TIME else WEAKEST
        for part in parts_of(late, outlier, 99 - priority, None, is_virtual=self._is_virtual, thread_name=span.thread.name):
            stays_idle = part.blame.kind is BlameKind.IDLE_EXIT and span.state is ThreadState.PREEMPTED
            blame = UNEXPLAINED if stays_idle else in_doubt(part.blame) if self._is_virtual else part.blame
            yield LatenessPart(QUOTA if self._is_held_by_quota(span.thread, blame) else blame, part.ns)

    def _is_held_by_quota(self, thread: Thread, blame: Blame) -> bool:
        """Whether a quota may have held the thread while another ran. It holds no real-time threads."""
        return blame.kind is BlameKind.THREAD and thread.pid in self._in_quota and thread.priority >= REAL_TIME


def _with_missing_switches(events: Iterable[TraceEvent], threads: Mapping[int, Thread]) -> list[KernelStep]:
    """The steps of one CPU. Where an event shows another thread on it than the switch before, a switch was not recorded, as some kernels
    record none from their idle task: from the last event that fits to this one nobody is known to run. `threads` are by their numbers."""
    steps: list[KernelStep] = []
    running: Thread | None = None
    fits, fits_ns = 0, 0
    for event in events:
        is_switch = event.step.step is StepKind.SWITCH
        shown = event.step.leaves if is_switch else event.current
        if shown is not None and running is not None and shown.pid != running.pid:
            steps.insert(fits, KernelStep(fits_ns, StepKind.SWITCH))
            if not is_switch:
                running = threads.get(shown.pid, shown)
                steps.append(KernelStep(event.step.ns, StepKind.SWITCH, comes=running))
        if event.step.step in OF_A_CPU:
            steps.append(event.step)
        if is_switch:
            running = event.step.comes
        if shown is not None:
            fits, fits_ns = len(steps), event.step.ns
    return steps


def _says_who_ran(steps: Sequence[KernelStep]) -> bool:
    """Whether the first switch has the thread that left: it ran until then."""
    first = next((step for step in steps if step.step is StepKind.SWITCH), None)
    return first is not None and first.leaves is not None


def _sleeps(step: KernelStep, span: ThreadSpan, begin_ns: int) -> bool:
    """The switch in which the thread left for a sleep out of which it had been woken already."""
    is_from = step.ns == begin_ns and step.leaves is not None and step.leaves.pid == span.thread.pid
    return is_from and step.left is not Left.RUNNABLE


def _ends_with(steps: Sequence[KernelStep], thread: Thread) -> bool:
    last = next((step.comes for step in reversed(steps) if step.comes is not None), None)
    return last is not None and last.pid == thread.pid


def _cpu_steps(steps: Sequence[KernelStep]) -> _CpuSteps:
    switches, calm, depth = [], [], 0
    for at, step in enumerate(steps):
        if step.step is StepKind.SWITCH:
            switches.append(at)
            depth = 0
        depth += (step.step in INTO) - (step.step in INTO.values())
        if depth <= 0:
            calm.append(at)
    return _CpuSteps(tuple(steps), tuple(step.ns for step in steps), tuple(switches), tuple(calm))
