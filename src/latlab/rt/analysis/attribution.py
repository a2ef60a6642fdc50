# SPDX-License-Identifier: BSD-3-Clause
"""Who stole the time: outliers matched with what the firmware and the kernel did on the same CPU at the same time.

An outlier is the stretch from the moment a wake-up was due to the moment the thread ran. A call is its cause where the calls of one
kind fill at least half of what the outlier is later than the median; otherwise the outlier is unexplained. Nothing is guessed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from latlab.calls.model.calls import Call, KernelSpan
from latlab.calls.readers.call_names import call_name
from latlab.core.model.blame import UNEXPLAINED, UNTRACED, Blame, BlameKind, Caller, CallerKind
from latlab.rt.analysis.charges import charge_clock
from latlab.rt.analysis.lateness_parts import (
    HANDLERS,
    MEASURING_TASK,
    SMI,
    LatenessPart,
    as_kernel_code,
    beyond_ordinary,
    calibrations,
    in_doubt,
    in_doubt_of,
    is_handler_doubtful,
    parts_of,
    smis_in,
    steps_by_wake_up,
    usual_handler,
    usual_waking,
    waker,
)
from latlab.rt.analysis.wakeup import percentile_ns
from latlab.rt.model.kernel_events import KernelEvents, LateSteps
from latlab.rt.model.wakeups import Outlier, Wakeups

CAUSE_SHARE = 0.5
LEAST_BEYOND = 0.25
"""The share of a wake-up's lateness beyond the usual one, up to which it is late as most are."""
TICK_NS = 1_000
"""A tick of no system counter is longer."""


@dataclass(frozen=True, slots=True)
class Attributed:
    """An outlier, what is to blame, and how many calls of it took how much of the time; none where nothing is blamed. `parts` are all that
    it is made of, the largest first; none where the kernel's events were not kept."""

    outlier: Outlier
    blame: Blame
    calls: int = 0
    stolen_ns: int = 0
    parts: tuple[LatenessPart, ...] = ()

    @property
    def explained(self) -> bool:
        """That a CPU was not available is no cause: nothing tells who had it."""
        return self.blame not in (UNEXPLAINED, UNTRACED) and self.blame.kind is not BlameKind.AWAY


@dataclass(frozen=True, slots=True)
class Exposure:
    """How often a run met a cause, on a CPU: without events of a kind its absence among the outliers proves nothing."""

    cpu: int
    name: str
    events: int
    total_ns: int
    longest_ns: int


def attribute(
    wakeups: Wakeups,
    outliers: Iterable[Outlier],
    calls: Sequence[Call],
    kernel: Sequence[KernelSpan] = (),
    gaps: Mapping[int, Sequence[tuple[int, int]]] | None = None,
) -> tuple[Attributed, ...]:
    """Each outlier with its cause. Calls and outliers are joined on the system counter and the CPU. `gaps` are the ticks
    of each CPU whose records were overwritten before they were read."""
    medians = _medians(wakeups)
    by_cpu = _by_cpu(calls)
    spans = {cpu: _Spans([span for span in kernel if span.cpu == cpu]) for cpu in dict.fromkeys(span.cpu for span in kernel)}
    attributed = []
    for outlier in outliers:
        cpu = outlier.cpu
        blamed = _blamed(wakeups, outlier, medians.get(cpu, 0), by_cpu.get(cpu, _NO_CALLS), spans.get(cpu, _NO_SPANS))
        traced = _is_traced(wakeups, outlier, (gaps or {}).get(outlier.cpu, ()))
        attributed.append(blamed or Attributed(outlier, UNEXPLAINED if traced else UNTRACED))
    return tuple(attributed)


def _medians(wakeups: Wakeups) -> dict[int, int]:
    return {cpu.number: percentile_ns(cpu, 50) or 0 for cpu in wakeups.cpus}


def with_parts(
    wakeups: Wakeups,
    attributed: Iterable[Attributed],
    events: KernelEvents,
    priority: int,
    is_alone: bool = False,
    is_virtual: bool = False,
    is_kernel_preemptible: bool = True,
) -> tuple[Attributed, ...]:
    """The same with what each outlier is made of, by the kernel's events and the cycle counters. The part that takes most beyond what is
    ordinary is its cause where nothing else explains it, under the same condition as a call. `is_alone`: no hypervisor can take a CPU, and
    SMIs are counted. `is_virtual`: a hypervisor can, and only a clock of steal time tells when. `is_kernel_preemptible`: not of the
    preemption models `none` and `voluntary`."""
    medians, steps, seeing, clock = _medians(wakeups), steps_by_wake_up(events), calibrations(events), charge_clock(events)
    entries, blamed = tuple(attributed), []
    counting = [late.cpu for late in events.late if late.smis is not None]
    wakings = {cpu: usual_waking(_of_cpu(entries, steps, cpu), medians.get(cpu, 0)) for cpu in dict.fromkeys((*seeing, *counting))}
    late_cpus = dict.fromkeys(late.cpu for late in events.late)
    handlers = {cpu: usual_handler(_of_cpu(entries, steps, cpu), medians.get(cpu, 0)) for cpu in late_cpus}
    for entry in entries:
        outlier, usual_ns = entry.outlier, medians.get(entry.outlier.cpu, 0)
        late = steps.get((outlier.cpu, outlier.wake_ns))
        if late is not None:
            calibration, waking_ns = seeing.get(outlier.cpu), wakings.get(outlier.cpu, 0)
            parts = parts_of(late, outlier, priority, calibration, waking_ns, clock, is_alone, is_virtual)
            if not is_kernel_preemptible:
                parts = tuple(replace(part, blame=as_kernel_code(part.blame)) for part in parts)
            wakes = waker(late, outlier)
            if is_virtual and calibration is None and (clock is None or is_handler_doubtful(parts, usual_ns)):
                parts, wakes = in_doubt_of(parts, HANDLERS), wakes and in_doubt(wakes)
            beyond = beyond_ordinary(parts, wakes, usual_ns, handlers[outlier.cpu])
            entry = replace(blaming(entry, beyond, usual_ns), parts=parts)
            if entry.blame == SMI:
                entry = replace(entry, calls=smis_in(late, outlier))
        blamed.append(entry)
    return tuple(blamed)


def _of_cpu(entries: Sequence[Attributed], steps: Mapping[tuple[int, int], LateSteps], cpu: int) -> tuple[tuple[LateSteps, Outlier], ...]:
    of_cpu = [entry.outlier for entry in entries if entry.outlier.cpu == cpu]
    return tuple((steps[cpu, outlier.wake_ns], outlier) for outlier in of_cpu if (cpu, outlier.wake_ns) in steps)


def enough_of(outlier: Outlier, usual_ns: int) -> float:
    """What a cause takes at least: half of what the wake-up is later than usual. If that is little of the whole, most wake-ups are late, by
    something that the median holds: half of the whole."""
    beyond_ns = outlier.late_ns - usual_ns
    return CAUSE_SHARE * (beyond_ns if beyond_ns > LEAST_BEYOND * outlier.late_ns else outlier.late_ns)


def blaming(entry: Attributed, beyond: Sequence[LatenessPart], usual_ns: int) -> Attributed:
    """The entry with the largest part as its cause, if that takes enough."""
    if entry.explained:
        return entry
    if beyond and beyond[0].ns >= enough_of(entry.outlier, usual_ns):
        return replace(entry, blame=beyond[0].blame, stolen_ns=beyond[0].ns)
    return replace(entry, blame=UNEXPLAINED)


@dataclass(frozen=True, slots=True)
class _Calls:
    """The calls of one CPU in their order; none begins before the one ahead of it has ended."""

    calls: tuple[Call, ...]
    in_ticks: tuple[int, ...]

    def overlapping(self, start: int, end: int) -> list[Call]:
        first = max(bisect_left(self.in_ticks, start) - 1, 0)
        return [call for call in self.calls[first : bisect_left(self.in_ticks, end)] if call.out_ticks > start]


_NO_CALLS = _Calls((), ())


class _Spans:
    """The kernel's spans of one CPU, of several tasks, so that they may lie across each other."""

    def __init__(self, spans: Iterable[KernelSpan]) -> None:
        self._spans = sorted(spans, key=lambda span: span.in_ns)
        self._latest_ns = list(accumulate((span.out_ns for span in self._spans), max))

    def near(self, begin_ns: float, end_ns: float) -> list[KernelSpan]:
        """All that overlap, and some that had ended before."""
        last = first = bisect_left(self._spans, end_ns, key=lambda span: span.in_ns)
        while first and self._latest_ns[first - 1] > begin_ns:
            first -= 1
        return self._spans[first:last]


_NO_SPANS = _Spans(())


def _by_cpu(calls: Iterable[Call]) -> dict[int, _Calls]:
    groups: dict[int, list[Call]] = defaultdict(list)
    for call in sorted(calls, key=lambda call: call.in_ticks):
        groups[call.cpu].append(call)
    return {cpu: _Calls(tuple(cpu_calls), tuple(call.in_ticks for call in cpu_calls)) for cpu, cpu_calls in groups.items()}


def _is_traced(wakeups: Wakeups, outlier: Outlier, gaps: Sequence[tuple[int, int]]) -> bool:
    start, end = _start_ticks(wakeups, outlier), _end_ticks(wakeups, outlier)
    return end is not None and not any(start < until and end > since for since, until in gaps) if gaps else True


def _end_ticks(wakeups: Wakeups, outlier: Outlier) -> int | None:
    return outlier.wake_ticks if outlier.wake_ticks is not None else wakeups.ticks_of(outlier.wake_ns)


def _start_ticks(wakeups: Wakeups, outlier: Outlier) -> int:
    """When the wake-up was due; 0 where the counter is unknown."""
    end = _end_ticks(wakeups, outlier)
    return 0 if end is None or wakeups.counter_hz is None else end - outlier.late_ns * wakeups.counter_hz // 1_000_000_000


def _blamed(wakeups: Wakeups, outlier: Outlier, median_ns: int, calls: _Calls, kernel: _Spans) -> Attributed | None:
    enough_ns = enough_of(outlier, median_ns)
    return _blamed_firmware(wakeups, outlier, enough_ns, calls, kernel) or _blamed_kernel(outlier, enough_ns, kernel)


def _blamed_firmware(wakeups: Wakeups, outlier: Outlier, enough_ns: float, calls: _Calls, kernel: _Spans) -> Attributed | None:
    hz, end = wakeups.counter_hz, _end_ticks(wakeups, outlier)
    if hz is None or end is None:
        return None
    start = _start_ticks(wakeups, outlier)
    inside = calls.overlapping(start, end)
    stolen: Counter[str] = Counter()
    for call in inside:
        stolen[call_name(call.function)] += (min(call.out_ticks, end) - max(call.in_ticks, start)) * 1_000_000_000 // hz
    name, stolen_ns = stolen.most_common(1)[0] if stolen else ("", 0)
    if not name or stolen_ns < enough_ns:
        return None
    blamed = [call for call in inside if call_name(call.function) == name]
    blame = Blame(BlameKind.FIRMWARE, name, _caller(wakeups, blamed, kernel))
    return Attributed(outlier, blame, len(blamed), stolen_ns)


def _blamed_kernel(outlier: Outlier, enough_ns: float, kernel: _Spans) -> Attributed | None:
    """The kernel's work in the measuring thread's own system call, where the firmware took too little of it to be the cause. What another
    task was doing in the kernel may have been preempted at once, so it explains nothing."""
    start, end = outlier.wake_ns - outlier.late_ns, outlier.wake_ns
    for span in kernel.near(start, end):
        stolen_ns = min(span.out_ns, end) - max(span.in_ns, start)
        if span.task == MEASURING_TASK and stolen_ns >= enough_ns:
            return Attributed(outlier, Blame(BlameKind.KERNEL, span.name, caller_of(span)), 1, stolen_ns)
    return None


def _caller(wakeups: Wakeups, calls: Sequence[Call], kernel: _Spans) -> Caller | None:
    """The innermost kernel span that each call lies in; the one that most of the stolen time went through."""
    through: Counter[Caller] = Counter()
    for call in calls:
        at_ns = wakeups.ns_of(call.in_ticks)
        near = kernel.near(at_ns - TICK_NS, at_ns + TICK_NS) if at_ns is not None else ()
        around = [span for span in near if _holds(wakeups, span, call.in_ticks)]
        if around:
            innermost = min(around, key=lambda span: span.out_ns - span.in_ns)
            through[caller_of(innermost)] += call.out_ticks - call.in_ticks
    return through.most_common(1)[0][0] if through else None


def _holds(wakeups: Wakeups, span: KernelSpan, ticks: int) -> bool:
    into, out = wakeups.ticks_of(span.in_ns), wakeups.ticks_of(span.out_ns)
    return into is not None and out is not None and into <= ticks < out


def caller_of(span: KernelSpan) -> Caller:
    """A kernel span as a caller to blame. get_random_u16 straight from the system-call entry is kernel-stack randomisation."""
    pairs = zip(span.callers, span.callers[1:], strict=False)
    if any(inner.startswith("get_random_u16") and outer.startswith("invoke_syscall") for inner, outer in pairs):
        return Caller(CallerKind.KSTACK, span.task)
    if span.name == "hwrng":
        return Caller(CallerKind.HWRNG_THREAD if span.task == "hwrng" else CallerKind.HWRNG_DRIVER, span.task)
    return Caller(CallerKind.FUNCTION, span.task, span.callers[0] if span.callers else span.name)


def exposure(wakeups: Wakeups, calls: Iterable[Call]) -> tuple[Exposure, ...]:
    """The calls of each kind between the start and the end of the measurement."""
    hz = wakeups.counter_hz
    if hz is None or wakeups.start_ns is None or wakeups.end_ns is None:
        return ()
    start, end = wakeups.ticks_of(wakeups.start_ns), wakeups.ticks_of(wakeups.end_ns)
    if start is None or end is None:
        return ()
    groups: dict[tuple[int, str], list[int]] = {}
    for call in calls:
        if start <= call.in_ticks < end:
            groups.setdefault((call.cpu, call_name(call.function)), []).append((call.out_ticks - call.in_ticks) * 1_000_000_000 // hz)
    return tuple(Exposure(cpu, name, len(spans), sum(spans), max(spans)) for (cpu, name), spans in sorted(groups.items()))
