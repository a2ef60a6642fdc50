# SPDX-License-Identifier: BSD-3-Clause
"""Exact findings from traces: which part of a span took how long, who held the lock that was waited for.

Each finding has its sentence. Amounts are in the run's unit, which `sentence` takes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from latlab.core.comparison import findings as f
from latlab.core.comparison.wording import amount
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, CoreTrace, Frame, Run, SpanFunctions, TraceRecord
from latlab.core.shown import significant
from latlab.psci.analysis.decompose import DOMAIN_WAIT, LOCK_WAIT, POWER_MESSAGE, PartName, decompose, segments
from latlab.psci.analysis.holds import holds
from latlab.psci.analysis.typical import call_of

LEAST_SHARE = 0.05
_WAITS = (LOCK_WAIT, DOMAIN_WAIT, POWER_MESSAGE.kind)

Calls = dict[CoreId, tuple[TraceRecord, ...]]


@dataclass(frozen=True, slots=True)
class LongestSpan:
    """`is_alike`: every other core has as long a one. `is_median`: of the core's samples, else their mean."""

    core: CoreId
    metric: Metric
    total: float
    parts: tuple[tuple[str, float], ...]
    is_alike: bool = False
    is_median: bool = False

    def sentence(self, unit: str) -> str:
        listing = ", ".join(f"{name} {amount(value, unit)}" for name, value in self.parts)
        cores = f"each core has the same {self.metric}" if self.is_alike else f"core {self.core} has the longest {self.metric}"
        return f"{cores} {'by median' if self.is_median else 'on average'}, {amount(self.total, unit)}: {listing}"


@dataclass(frozen=True, slots=True)
class SpentIn:
    """The innermost function that, with its callees, has more than half of a core's span. `caller` calls it `times` times in one span."""

    core: CoreId
    metric: Metric
    function: str
    caller: str
    times: float
    spent: float
    share: float

    def sentence(self, unit: str) -> str:
        times = f" {significant(self.times)} times" if self.times != 1 else ""
        by = f", called{times} by {self.caller}" if self.caller else ""
        part = f"{100 * self.share:.0f} % of that {self.metric} of core {self.core}"
        return f"{part} is {self.function} and its callees, {amount(self.spent, unit)}{by}"


@dataclass(frozen=True, slots=True)
class WaitedFor:
    """A wait in the trace: the lock holders and how long each held it, or the event that ended the wait."""

    core: CoreId
    waited: float
    part: str
    holders: tuple[tuple[CoreId, float], ...]
    ended_by: tuple[CoreId, str] | None

    def sentence(self, unit: str) -> str:
        why = "".join(f", {amount(value, unit)} of it behind {holder}" for holder, value in self.holders)
        why += f"; it continued right after {self.ended_by[1]} of {self.ended_by[0]}" if self.ended_by else ""
        return f"core {self.core} waited {amount(self.waited, unit)} ({self.part}){why}"


@dataclass(frozen=True, slots=True)
class TracedWait:
    core: CoreId
    part: PartName
    start_ticks: int
    end_ticks: int
    holders: tuple[tuple[CoreId, int], ...]
    ended_by: tuple[CoreId, str] | None

    @property
    def ticks(self) -> int:
        return self.end_ticks - self.start_ticks


def explain_traces(run: Run) -> dict[str, list[f.Finding]]:
    """For each test with traces: what the slowest core's span is made of, and the longest wait."""
    by_test: dict[str, dict[tuple[int, int], list[CoreTrace]]] = defaultdict(lambda: defaultdict(list))
    for trace in run.traces:
        by_test[trace.test][trace.boot, trace.iteration].append(trace)
    out: dict[str, list[f.Finding]] = {}
    for test, iterations in by_test.items():
        calls = {key: _calls(traces) for key, traces in iterations.items()}
        findings: list[f.Finding] = [*_longest_spans(run, calls), *_longest_wait(run, calls)]
        if findings:
            out[test] = findings
    return out


def explain_code(run: Run) -> dict[str, list[f.Finding]]:
    """For each test in which the probe counted what instructions are for: what the slowest core's span is made of, mean of its calls."""
    by_test: dict[tuple[str, Metric], list[SpanFunctions]] = defaultdict(list)
    for span in run.functions:
        if span.parts and span.metric in (Metric.POWERDOWN, Metric.WAKEUP):
            by_test[span.test, span.metric].append(span)
    out: dict[str, list[f.Finding]] = {}
    for (test, metric), spans in by_test.items():
        span = max(spans, key=_mean_of_call)
        total = _mean_of_call(span)
        parts = [(part.value, count / span.calls) for part, count in span.parts if count / span.calls >= LEAST_SHARE * total]
        parts.sort(key=lambda part: -part[1])
        out.setdefault(test, []).append(LongestSpan(span.core, metric, total, tuple(parts), _is_alike(map(_mean_of_call, spans))))
        out[test] += _spent_in(span)
    return out


def _is_alike(figures: Iterable[float]) -> bool:
    """Whether there are several, all equal."""
    ordered = sorted(figures)
    return len(ordered) > 1 and ordered[0] == ordered[-1]


def _spent_in(span: SpanFunctions) -> Iterator[SpentIn]:
    """From the outermost function down, as long as one that is called there has more than half of all."""
    total, caller, frames = sum(frame.instructions for frame in span.frames), "", span.frames
    deepest_call: tuple[Frame, int, str] | None = None
    while largest := max(_subtrees(frames), key=lambda tree: sum(frame.instructions for frame in tree), default=()):
        spent = sum(frame.instructions for frame in largest)
        if 2 * spent <= total:
            break
        deepest_call = largest[0], spent, caller
        caller, frames = largest[0].name, largest[1:]
    if deepest_call is not None:
        frame, spent, caller = deepest_call
        yield SpentIn(span.core, span.metric, frame.name, caller, frame.calls / span.calls, spent / span.calls, spent / total)


def _subtrees(frames: Sequence[Frame]) -> Iterator[tuple[Frame, ...]]:
    """Each of the outermost frames with what is below it."""
    starts = [at for at, frame in enumerate(frames) if frame.depth <= frames[0].depth]
    for start, end in pairwise((*starts, len(frames))):
        yield tuple(frames[start:end])


def _mean_of_call(span: SpanFunctions) -> float:
    return sum(count for _, count in span.parts) / span.calls


def part_medians(run: Run, metric: Metric) -> dict[tuple[str, CoreId], dict[PartName, float]]:
    """Medians over iterations of each part of a span, in ns or instructions, by test and core; by the probe, means."""
    if not run.traces:
        return {
            (span.test, span.core): {PartName(part.value): count / span.calls for part, count in span.parts}
            for span in run.functions
            if span.metric is metric and span.parts
        }
    ticks_of: dict[tuple[str, CoreId], dict[PartName, list[int]]] = defaultdict(lambda: defaultdict(list))
    for trace in run.traces:
        call = call_of(trace)
        if call is None or not _has(call, metric):
            continue
        for part in decompose(call, metric):
            ticks_of[trace.test, trace.core][part.name].append(part.ticks)
    return {key: {name: median(ticks) * run.tick.value for name, ticks in parts.items()} for key, parts in ticks_of.items()}


def _longest_spans(run: Run, calls: dict[tuple[int, int], Calls]) -> Iterator[LongestSpan]:
    worth = run.tick.value
    for metric in (Metric.POWERDOWN, Metric.WAKEUP):
        spans: dict[CoreId, list[dict[PartName, int]]] = defaultdict(list)
        for iteration in calls.values():
            for core, call in iteration.items():
                if _has(call, metric):
                    spans[core].append({part.name: part.ticks for part in decompose(call, metric)})
        if not spans:
            continue
        medians = {core: median(sum(parts.values()) for parts in of_core) for core, of_core in spans.items()}
        slowest = max(medians, key=lambda core: medians[core])
        parts = {name: median(p.get(name, 0) for p in spans[slowest]) for name in dict.fromkeys(n for p in spans[slowest] for n in p)}
        total = medians[slowest]
        largest = sorted(((ticks, name) for name, ticks in parts.items() if ticks >= LEAST_SHARE * total), key=_by_size)
        if total:
            parts_shown = tuple((str(name), ticks * worth) for ticks, name in largest)
            yield LongestSpan(slowest, metric, total * worth, parts_shown, _is_alike(medians.values()), is_median=True)


def _by_size(part: tuple[float, PartName]) -> tuple[float, str]:
    return -part[0], str(part[1])


def _longest_wait(run: Run, calls: dict[tuple[int, int], Calls]) -> Iterator[WaitedFor]:
    if run.tick.clock is Clock.INSTRUCTIONS and len(run.topology.cores) > 1:
        return
    longest = max((wait for iteration in calls.values() for wait in _waits(iteration)), key=lambda wait: wait.ticks, default=None)
    if longest is None:
        return
    holders, ended_by = _cause(longest)
    scaled = tuple((core, ticks * run.tick.value) for core, ticks in holders)
    yield WaitedFor(longest.core, longest.ticks * run.tick.value, str(longest.part), scaled, ended_by)


def _waits(calls: Calls) -> Iterator[TracedWait]:
    held = list(holds(calls))
    for core, call in calls.items():
        for record, segment in zip(call, segments(call), strict=False):
            if segment.part.kind not in _WAITS or not segment.ticks:
                continue
            start, end = segment.start_ticks, segment.end_ticks
            holders = [
                (hold.core, overlap)
                for hold in held
                if segment.part.kind == LOCK_WAIT
                and hold.core != core
                and hold.lock == record.arg
                and (overlap := min(end, hold.end_ticks) - max(start, hold.start_ticks)) > 0
            ]
            yield TracedWait(core, segment.part, start, end, tuple(holders), _ended_by(calls, core, end, segment.ticks))


def _cause(wait: TracedWait) -> tuple[tuple[tuple[CoreId, int], ...], tuple[CoreId, str] | None]:
    """Who held the lock for most of the wait; where nobody did, whose step let the core go on."""
    if 2 * sum(ticks for _, ticks in wait.holders) >= wait.ticks:
        return wait.holders, None
    return (), wait.ended_by


def _ended_by(calls: Calls, core: CoreId, end: int, ticks: int) -> tuple[CoreId, str] | None:
    """The last event of another core before the wait ended, if it is within a fiftieth of the wait."""
    events = [(r.time_ticks, other, r.event) for other, call in calls.items() if other != core for r in call if r.time_ticks <= end]
    time, other, event = max(events, default=(0, core, ""))
    return (other, event) if event and 50 * (end - time) <= ticks else None


def _calls(traces: list[CoreTrace]) -> Calls:
    calls = ((trace.core, call_of(trace)) for trace in traces)
    return {core: call for core, call in calls if call is not None}


def _has(call: tuple[TraceRecord, ...], metric: Metric) -> bool:
    if metric is Metric.PSCI_CALL:
        return True
    return any(record.event == "ENTER_HW_LOW_PWR" for record in call)
