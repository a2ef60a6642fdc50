# SPDX-License-Identifier: BSD-3-Clause
"""The cycles of a periodic thread: when each was due, when it ended, and what its time went to.

A cycle ends where the thread enters the call in which it waits for its next period, and begins where it leaves that call. Without events of
such calls it is a sleep (state S) that an interrupt ended. Other sleeps are waits inside of a cycle.

The starts of a loop with absolute times lie on a grid: each is due at a multiple of the period behind the earliest start. A loop without
such a grid sleeps for a relative time, so its cycle is due when it is woken.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from math import floor
from statistics import mean, median

import numpy as np

from latlab.core.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.core.model.work_progress import WorkUnit, each
from latlab.core.statistics.sample_matrix import Floats
from latlab.rt.analysis.attribution import CAUSE_SHARE, LEAST_BEYOND, Attributed
from latlab.rt.analysis.lateness_parts import LatenessPart, in_doubt
from latlab.rt.analysis.own_waits import NEAR_NS, said_priority
from latlab.rt.analysis.thread_causes import CauseFinder
from latlab.rt.analysis.thread_spans import WAITS
from latlab.rt.model.kernel_events import KernelStep, StepKind, Thread
from latlab.rt.model.thread_trace import ThreadSpan, ThreadState, TraceEvent
from latlab.rt.model.wakeups import Outlier

TIMER_CALLS = frozenset({"clock_nanosleep", "nanosleep", "clock_nanosleep_time32", "clock_nanosleep_time64"})
"""In these a loop waits for its next period. A read of a timer descriptor or a poll may wait for something else too."""
SPLIT_BY_STATE = {
    ThreadState.WOKEN: "waiting_ns",
    ThreadState.PREEMPTED: "preempted_ns",
    ThreadState.ASLEEP: "asleep_ns",
    ThreadState.BLOCKED: "asleep_ns",
}
FEWEST_CYCLES = 3
SAMPLED = 1000
"""Cycles of a stretch, at least, that show what a usual cycle is made of. They are evenly spaced."""
ON_GRID, LEAST_ON_GRID = 0.1, 0.9
"""The largest distance from the grid, in periods, of nine of ten starts of a loop with absolute times."""
STEPS_TRIED = (0.1, 0.25, 0.5, 0.75)
"""Quantiles of the distances of activations."""
PHASE_STARTS = 50
"""Starts that show a phase together, while the trace's clock and the timers' hardly part."""
EARLIEST = 0.02
"""The share of starts that may be earlier than the grid: a thread may be woken for something else."""
COMPUTING = Blame(BlameKind.COMPUTING)
CYCLE_BEFORE = Blame(BlameKind.CYCLE_BEFORE)
PAGE_FAULT = Blame(BlameKind.PAGE_FAULT)
OWN = Blame(BlameKind.OWN)
BLOCKED = Blame(BlameKind.BLOCKED)


@dataclass(frozen=True, slots=True)
class Work:
    """The thread's work between two waits for a period. `woken_ns` is when it was woken for it; None if it did not sleep."""

    woken_ns: int | None
    begin_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class CycleSplit:
    """The time of a cycle from its due time to its end, in ns. `before_run_ns`: until the thread was woken; the others follow that.
    Together they are the cycle, except for a time of which the trace has no state."""

    before_run_ns: int = 0
    waiting_ns: int = 0
    computing_ns: int = 0
    interrupted_ns: int = 0
    preempted_ns: int = 0
    asleep_ns: int = 0


@dataclass(frozen=True, slots=True)
class ThreadCycle:
    """`parts` are what the time from `due_ns` to `end_ns` went to, the largest first; if there are many cycles, overruns and sampled cycles
    alone have them. `missed`: how many periods passed behind it without a cycle. `is_woken`: the thread slept before it, which is unknown
    of the first cycle of a stretch."""

    due_ns: int
    begin_ns: int
    end_ns: int
    cpu: int
    parts: tuple[LatenessPart, ...]
    split: CycleSplit = CycleSplit()
    missed: int = 0
    is_woken: bool = True
    is_sampled: bool = True

    @property
    def jitter_ns(self) -> int:
        """How late it began to run."""
        return self.begin_ns - self.due_ns

    @property
    def ns(self) -> int:
        return self.end_ns - self.due_ns


@dataclass(frozen=True, slots=True)
class ThreadCycles:
    """Of one thread. `is_on_grid`: the loop has absolute times. `by_calls`: the events of its calls say where a cycle ends."""

    thread: Thread
    period_ns: int
    is_given: bool
    is_on_grid: bool
    by_calls: bool
    cycles: tuple[ThreadCycle, ...]

    @property
    def overruns(self) -> tuple[ThreadCycle, ...]:
        return tuple(cycle for cycle in self.cycles if cycle.ns > self.period_ns)


def works_of(spans: Sequence[ThreadSpan], calls: Sequence[TraceEvent]) -> tuple[tuple[Work, ...], bool]:
    """The works of one stretch in order, and whether calls divide them. `calls` are the thread's own events of system calls."""
    timer_calls = [event.step for event in calls if event.step.name in TIMER_CALLS]
    if timer_calls:
        return tuple(_by_calls(spans, timer_calls)), True
    return tuple(_by_sleeps(spans)), False


def _by_calls(spans: Sequence[ThreadSpan], steps: Sequence[KernelStep]) -> Iterator[Work]:
    sleeps = [span for span in spans if span.state is ThreadState.ASLEEP]
    ends = [span.end_ns for span in sleeps]
    begin_ns: int | None = None
    entered_ns: int | None = None
    woken_ns: int | None = None
    for step in steps:
        if step.step is StepKind.CALL_OUT:
            begin_ns, woken_ns = step.ns, None
            at = bisect_right(ends, begin_ns) - 1
            if entered_ns is not None and at >= 0 and ends[at] >= entered_ns:
                woken_ns = ends[at]
        else:
            entered_ns = step.ns
            if begin_ns is not None:
                yield Work(woken_ns, begin_ns, entered_ns)
            begin_ns = None


def _by_sleeps(spans: Sequence[ThreadSpan]) -> Iterator[Work]:
    timers = [span for span in spans if span.state is ThreadState.ASLEEP and span.is_by_interrupt is not False]
    running = [span.begin_ns for span in spans if span.state is ThreadState.RUNNING]
    for before, after in pairwise(timers):
        at = bisect_left(running, before.end_ns)
        if at < len(running) and running[at] < after.begin_ns:
            yield Work(before.end_ns, running[at], after.begin_ns)


def found_period_ns(works: Sequence[Work]) -> int | None:
    """The step of the grid on which most activations lie; without one their mean distance, without those that are no single period. None if
    there are too few. Late activations make a mean distance longer, so several of the distances are tried as the step."""
    woken = [work.woken_ns for work in works if work.woken_ns is not None]
    if len(woken) < FEWEST_CYCLES:
        return None
    distances = [after - before for before, after in pairwise(woken)]
    usual = median(distances)
    single = [distance for distance in distances if abs(distance - usual) <= ON_GRID * usual]
    if not single or (mean_ns := round(mean(single))) <= 0:
        return None
    tried = (mean_ns, *(round(ns) for ns in np.quantile(single, STEPS_TRIED) if ns >= 1))
    grid = max((_grid(works, ns) for ns in tried), key=lambda grid: grid.share)
    return round(grid.step_ns) if grid.is_on_grid else mean_ns


@dataclass(frozen=True, slots=True)
class _Grid:
    """The dues of a stretch: `at_ns` + k * `step_ns`, for works with a waking, of which a `share` lies near them."""

    at_ns: float
    step_ns: float
    share: float

    @property
    def is_on_grid(self) -> bool:
        return self.share >= LEAST_ON_GRID

    def due_of(self, woken_ns: int) -> int:
        if not self.is_on_grid:
            return woken_ns
        return min(woken_ns, round(self.at_ns + self.step_ns * floor((woken_ns - self.at_ns) / self.step_ns + ON_GRID)))


def _grid(works: Sequence[Work], period_ns: int) -> _Grid:
    """The trace's clock may run a little faster or slower than the timers', so the step is fitted to the starts. A start far ahead of the
    others is of no cycle, such as that behind a sleep before the loop."""
    woken = np.array([work.woken_ns for work in works if work.woken_ns is not None], dtype=np.float64)
    if len(woken) < FEWEST_CYCLES:
        return _Grid(0.0, float(period_ns), 0.0)
    numbers = _numbers(woken, period_ns)
    step_ns = float(period_ns)
    if numbers[-1] > 0:
        half = len(woken) // 2
        early, late = np.median((woken - numbers * period_ns)[: half or 1]), np.median((woken - numbers * period_ns)[half:])
        step_ns += float(late - early) / max(1.0, float(np.median(numbers[half:]) - np.median(numbers[: half or 1])))
    rests = woken - numbers * step_ns
    above = rests >= np.median(rests) - ON_GRID * period_ns
    near = above & (rests <= np.median(rests) + ON_GRID * period_ns)
    at_ns = float(np.quantile(rests[above], EARLIEST, method="lower"))
    return _Grid(at_ns, step_ns, float(near.mean()))


def _numbers(woken_ns: Floats, period_ns: int) -> Floats:
    """The number of the period in which each start was due. Starts that are late by periods do not move those behind them: each is counted
    from the usual phase of the starts around it, the circular mean of their window."""
    turns = (woken_ns - woken_ns[0]) / period_ns
    windows = np.array_split(turns, max(1, len(turns) // PHASE_STARTS))
    phases = np.unwrap([float(np.angle(np.exp(2j * np.pi * window).mean())) for window in windows]) / (2 * np.pi)
    numbers = np.round(turns - np.interp(turns, [float(np.median(window)) for window in windows], phases))
    return np.asarray(numbers - numbers[0])


def _caught_up_after(works: Sequence[Work]) -> list[int]:
    """How many works without a waking follow each."""
    counts = [0] * len(works)
    for i in range(len(works) - 2, -1, -1):
        counts[i] = counts[i + 1] + 1 if works[i + 1].woken_ns is None else 0
    return counts


class _OneStretch:
    """The cycles of one thread in one stretch."""

    def __init__(self, spans: Sequence[ThreadSpan], events: Sequence[TraceEvent], finder: CauseFinder, is_virtual: bool) -> None:
        self._spans = spans
        self._begins = [span.begin_ns for span in spans]
        self._events = events
        self._event_ns = [event.step.ns for event in events]
        self._calls_in_order = [event.step for event in events if event.step.step in (StepKind.CALL_IN, StepKind.CALL_OUT)]
        self._call_ns = [step.ns for step in self._calls_in_order]
        self._finder, self._is_virtual = finder, is_virtual

    def cycles(self, works: Sequence[Work], grid: _Grid, period_ns: int) -> Iterator[ThreadCycle]:
        before: ThreadCycle | None = None
        with_progress = each(works, self._spans[0].thread.name if self._spans else "", WorkUnit.CYCLES)
        step = max(1, len(works) // SAMPLED)
        for number, (work, caught_up) in enumerate(zip(with_progress, _caught_up_after(works), strict=True)):
            due_ns = self._due(work, grid, before, period_ns, caught_up)
            is_sampled = number % step == 0
            parts = self._parts(due_ns, work, before) if is_sampled or work.end_ns - due_ns > period_ns else ()
            cpu = next((span.cpu for span in self._between(work.begin_ns, work.end_ns)), 0)
            missed = max(0, -(-(work.end_ns - due_ns) // period_ns) - 1)
            split, is_woken = self._split(due_ns, work), before is None or work.woken_ns is not None
            before = ThreadCycle(due_ns, work.begin_ns, work.end_ns, cpu, parts, split, missed, is_woken, is_sampled)
            yield before

    @staticmethod
    def _due(work: Work, grid: _Grid, before: ThreadCycle | None, period_ns: int, caught_up: int) -> int:
        """A waking that is late by periods belongs to the first, where the loop then works for each of the others without a sleep."""
        if work.woken_ns is not None:
            due_ns = grid.due_of(work.woken_ns)
            late = round((due_ns - before.due_ns) / period_ns) - 1 if before is not None and grid.is_on_grid else 0
            return before.due_ns + period_ns if before is not None and 0 < late <= caught_up else due_ns
        return work.begin_ns if before is None else min(work.begin_ns, before.due_ns + period_ns)

    def _between(self, begin_ns: int, end_ns: int) -> Iterator[ThreadSpan]:
        first = max(0, bisect_right(self._begins, begin_ns) - 1)
        for at in range(first, bisect_left(self._begins, end_ns)):
            if self._spans[at].end_ns > begin_ns:
                yield self._spans[at]

    def _parts(self, due_ns: int, work: Work, before: ThreadCycle | None) -> tuple[LatenessPart, ...]:
        sums: Counter[Blame] = Counter()
        begin_ns = due_ns
        if before is not None and before.end_ns > due_ns:
            begin_ns = min(before.end_ns, work.begin_ns)
            sums[CYCLE_BEFORE] += begin_ns - due_ns
        for span in self._between(begin_ns, work.end_ns):
            low, high = max(span.begin_ns, begin_ns), min(span.end_ns, work.end_ns)
            for blame, ns in self._of_span(span, low, high, work):
                sums[blame] += ns
        sums[UNEXPLAINED] += work.end_ns - due_ns - sums.total()
        return tuple(LatenessPart(blame, ns) for blame, ns in sums.most_common() if ns > 0)

    def _split(self, due_ns: int, work: Work) -> CycleSplit:
        sums: Counter[str] = Counter()
        for span in self._between(due_ns, work.end_ns):
            low, high = max(span.begin_ns, due_ns), min(span.end_ns, work.end_ns)
            if span.state is ThreadState.RUNNING:
                inside_ns = sum(ns for _, ns in self._finder.interrupts(span.cpu, low, high))
                sums["interrupted_ns"] += inside_ns
                sums["computing_ns"] += high - low - inside_ns
            elif span.end_ns <= (work.woken_ns or work.begin_ns):
                sums["before_run_ns"] += high - low
            else:
                sums[SPLIT_BY_STATE[span.state]] += high - low
        return CycleSplit(**sums)

    def _of_span(self, span: ThreadSpan, low: int, high: int, work: Work) -> Iterator[tuple[Blame, int]]:
        if span.state in WAITS:
            whole = span if (low, high) == (span.begin_ns, span.end_ns) else None
            yield from ((part.blame, part.ns) for part in self._finder.parts(whole)) if whole else ((UNEXPLAINED, high - low),)
        elif span.state is ThreadState.RUNNING:
            yield from self._running(span.cpu, low, high)
        elif span.end_ns == work.woken_ns or span.end_ns <= work.begin_ns:
            # It waits for its timer: interrupts of its CPU may keep the timer's own waiting.
            yield from self._interrupts(span.cpu, low, high)
        else:
            yield self._asleep(span), high - low

    def _running(self, cpu: int, low: int, high: int) -> Iterator[tuple[Blame, int]]:
        within = [*self._interrupts(cpu, low, high), *self._calls(cpu, low, high)]
        yield from within
        yield self._sure(COMPUTING), high - low - sum(ns for _, ns in within)

    def _sure(self, blame: Blame) -> Blame:
        return in_doubt(blame) if self._is_virtual else blame

    def _interrupts(self, cpu: int, low: int, high: int) -> Iterator[tuple[Blame, int]]:
        for name, ns in self._finder.interrupts(cpu, low, high):
            kind, _, of = name.partition(" ")
            yield self._sure(Blame(BlameKind.INTERRUPT if kind == "interrupt" else BlameKind.SOFTIRQ, of)), ns

    def _calls(self, cpu: int, low: int, high: int) -> Iterator[tuple[Blame, int]]:
        """The time in system calls, less the interrupts in it."""
        at = bisect_left(self._call_ns, low)
        entered = (low, self._calls_in_order[at - 1].name) if at and self._calls_in_order[at - 1].step is StepKind.CALL_IN else None
        for step in self._calls_in_order[at : bisect_left(self._call_ns, high)]:
            if step.step is StepKind.CALL_IN:
                entered = step.ns, step.name
            elif entered is not None:
                yield from self._call(cpu, entered, step.ns)
                entered = None
        if entered is not None:
            yield from self._call(cpu, entered, high)

    def _call(self, cpu: int, entered: tuple[int, str], end_ns: int) -> Iterator[tuple[Blame, int]]:
        begin_ns, name = entered
        if name not in TIMER_CALLS:
            inside = sum(ns for _, ns in self._finder.interrupts(cpu, begin_ns, end_ns))
            yield self._sure(Blame(BlameKind.CALL, name)), end_ns - begin_ns - inside

    def _asleep(self, span: ThreadSpan) -> Blame:
        """What it waited for, by its own events shortly before and by who woke it."""
        near = [event.step for event in self._near(span.begin_ns)]
        last = next((step for step in reversed(near) if step.step in (StepKind.FAULT, StepKind.LOCK_IN, StepKind.LOCK_OUT)), None)
        by = f"{span.ended_by.name} ({said_priority(span.ended_by.priority)})" if span.ended_by else ""
        if last is not None and last.step is StepKind.LOCK_IN:
            return Blame(BlameKind.LOCK, f"{last.name}, released by {by}" if by else last.name)
        if last is not None and last.step is StepKind.FAULT and span.state is ThreadState.BLOCKED:
            return PAGE_FAULT
        if span.state is ThreadState.BLOCKED:
            return BLOCKED
        return Blame(BlameKind.WAITED, by) if by else OWN

    def _near(self, ns: int) -> Sequence[TraceEvent]:
        return self._events[bisect_left(self._event_ns, ns - NEAR_NS) : bisect_right(self._event_ns, ns)]


def cycles_of(
    thread: Thread,
    stretches: Iterable[tuple[Sequence[ThreadSpan], Sequence[TraceEvent], CauseFinder]],
    period_ns: int | None,
    is_virtual: bool,
) -> ThreadCycles | None:
    """Of each stretch the thread's spans, its own events and the causes. None if no period is given and none can be found. Those in the
    midst of which events were lost are left out."""
    parts = [(spans, events, finder, *works_of(spans, events)) for spans, events, finder in stretches]
    longest = max((works for *_, works, _ in parts), key=len, default=())
    period = period_ns or found_period_ns(longest)
    if period is None or not longest:
        return None
    cycles: list[ThreadCycle] = []
    grids = []
    for spans, events, finder, works, _ in parts:
        grid = _grid(works, period)
        grids.append(grid.is_on_grid)
        of_stretch = list(_OneStretch(spans, events, finder, is_virtual).cycles(works, grid, period))
        cycles += _without_caught_up(of_stretch, period) if grid.is_on_grid else of_stretch
    return ThreadCycles(thread, period, period_ns is not None, any(grids), any(by_calls for *_, by_calls in parts), tuple(cycles))


def _without_caught_up(cycles: Sequence[ThreadCycle], period_ns: int) -> Iterator[ThreadCycle]:
    """A loop with absolute times may catch up: a period that passed is missed only if no later cycle was due in it."""
    for cycle, due_ns in zip_longest(cycles, (after.due_ns for after in cycles[1:])):
        yield replace(cycle, missed=0 if due_ns is None else max(0, round((due_ns - cycle.due_ns) / period_ns) - 1))


def explained_overruns(cycles: ThreadCycles) -> tuple[Attributed, ...]:
    """Each overrun with its cause: the part that is longer than in the median cycle by at least half of what the cycle is longer. Time
    until the cycle before ended counts whole, and only if the rest of the cycle fits in the period. Where the median cycle overruns by
    itself and this one is hardly longer, that is the part which makes half of it."""
    usual: dict[Blame, list[int]] = defaultdict(list)
    sample = [cycle for cycle in cycles.cycles if cycle.is_sampled]
    for cycle in sample:
        for part in cycle.parts:
            usual[part.blame].append(part.ns)
    count = len(sample)
    medians = {blame: _median_of(values, count) for blame, values in usual.items() if blame != CYCLE_BEFORE}
    usual_ns = int(median(_own_ns(cycle) for cycle in sample)) if sample else 0
    return tuple(_explained(cycle, medians, usual_ns, cycles.period_ns) for cycle in cycles.overruns)


def _own_ns(cycle: ThreadCycle) -> int:
    """The length of a cycle behind the end of the one before."""
    return cycle.ns - sum(part.ns for part in cycle.parts if part.blame == CYCLE_BEFORE)


def _median_of(values: Sequence[int], count: int) -> float:
    """Of all cycles; those without the part have 0 of it."""
    return float(median([*values, *([0] * (count - len(values)))]))


def _explained(cycle: ThreadCycle, medians: dict[Blame, float], usual_ns: int, period_ns: int) -> Attributed:
    entry = Attributed(Outlier(cycle.cpu, cycle.end_ns, cycle.ns, cycle.missed), UNEXPLAINED, parts=cycle.parts)
    is_late_alone = _own_ns(cycle) > period_ns
    whole_ns = _own_ns(cycle) if is_late_alone else cycle.ns
    unnamed = (UNEXPLAINED, CYCLE_BEFORE) if is_late_alone else (UNEXPLAINED,)
    beyond = [(part.ns - medians.get(part.blame, 0.0), part) for part in cycle.parts if part.blame not in unnamed]
    if not beyond:
        return entry
    beyond_ns = whole_ns - usual_ns
    if usual_ns > period_ns and beyond_ns <= LEAST_BEYOND * whole_ns:
        beyond, beyond_ns = [(part.ns, part) for _, part in beyond], whole_ns
    excess_ns, part = max(beyond, key=lambda pair: pair[0])
    if excess_ns < CAUSE_SHARE * beyond_ns or excess_ns <= 0:
        return entry
    return replace(entry, blame=part.blame, stolen_ns=part.ns)
