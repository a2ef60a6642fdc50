# SPDX-License-Identifier: BSD-3-Clause
"""What a trace says of each thread that is followed: its time by state, who kept it from a CPU, and its cycles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from latlab.core.model.blame import UNEXPLAINED, Blame
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.cycles import ThreadCycles, cycles_of
from latlab.rt.analysis.thread_causes import CauseFinder
from latlab.rt.analysis.thread_spans import FollowedThread
from latlab.rt.model.kernel_events import StepKind, Thread
from latlab.rt.model.thread_trace import ThreadState, ThreadTrace, TraceEvent

OWN_STEPS = frozenset({StepKind.FAULT, StepKind.LOCK_IN, StepKind.LOCK_OUT, StepKind.CALL_IN, StepKind.CALL_OUT})


@dataclass(frozen=True, slots=True)
class StateTime:
    """How often and for how long a thread was in a state, and the longest time."""

    count: int
    total_ns: int
    longest_ns: int


@dataclass(frozen=True, slots=True)
class ThreadReport:
    """`states` has each state of the thread. `preempted_by` are the causes of its time as *preempted*, the largest first. `late` are the
    wake-ups above the threshold with their causes."""

    thread: Thread
    states: dict[ThreadState, StateTime]
    preempted_by: tuple[tuple[Blame, int], ...]
    migrations: int
    late: tuple[Attributed, ...]
    cycles: ThreadCycles | None


class ThreadReporter:
    """The report on each thread of one trace. `is_virtual`: a hypervisor may take a CPU unseen. `in_quota`: the threads that the quota of
    a control group held."""

    def __init__(self, trace: ThreadTrace, is_virtual: bool, in_quota: Collection[int] = ()) -> None:
        self._trace, self._is_virtual = trace, is_virtual
        self._finders = [CauseFinder(stretch, is_virtual, in_quota) for stretch in trace.stretches]
        self._own_events = [_own_events(stretch) for stretch in trace.stretches]

    def report(self, followed: FollowedThread, threshold_ns: int, period_ns: int | None) -> ThreadReport:
        return ThreadReport(
            followed.thread,
            {state: _time(followed, state) for state in ThreadState},
            self._preempted_by(followed),
            followed.migrations,
            self._late(followed, threshold_ns),
            self._cycles(followed, period_ns),
        )

    def _preempted_by(self, followed: FollowedThread) -> tuple[tuple[Blame, int], ...]:
        sums: Counter[Blame] = Counter()
        for finder, spans in zip(self._finders, followed.stretches, strict=True):
            for span in spans:
                if span.state is ThreadState.PREEMPTED:
                    sums.update({part.blame: part.ns for part in finder.parts(span)})
        return tuple(sorted(sums.items(), key=lambda pair: (pair[0] == UNEXPLAINED, -pair[1])))

    def _late(self, followed: FollowedThread, threshold_ns: int) -> tuple[Attributed, ...]:
        waits = sorted(span.ns for span in followed.of(ThreadState.WOKEN))
        usual_ns = waits[len(waits) // 2] if waits else 0
        return tuple(
            finder.caused(span, usual_ns)
            for finder, spans in zip(self._finders, followed.stretches, strict=True)
            for span in spans
            if span.state is ThreadState.WOKEN and span.ns > threshold_ns
        )

    def _cycles(self, followed: FollowedThread, period_ns: int | None) -> ThreadCycles | None:
        own_events = (tuple(events.get(followed.thread.pid, ())) for events in self._own_events)
        stretches = zip(followed.stretches, own_events, self._finders, strict=True)
        return cycles_of(followed.thread, stretches, period_ns, self._is_virtual)


def _own_events(stretch: Sequence[TraceEvent]) -> dict[int, list[TraceEvent]]:
    """The system calls, page faults and locks of each thread, by its number."""
    events: dict[int, list[TraceEvent]] = {}
    for event in stretch:
        if event.thread is not None and event.step.step in OWN_STEPS:
            events.setdefault(event.thread.pid, []).append(event)
    return events


def _time(followed: FollowedThread, state: ThreadState) -> StateTime:
    ns: Sequence[int] = [span.ns for span in followed.of(state)]
    return StateTime(len(ns), sum(ns), max(ns, default=0))
