# SPDX-License-Identifier: BSD-3-Clause
"""The psci campaign of a trace that was made elsewhere: the calls that `psci_calls` marks, in instructions and by the trace's own clock."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from latlab.calls.analysis.call_times import functions_of_ticks
from latlab.calls.analysis.calls import CallTime, WorldCall
from latlab.calls.analysis.marked import Marked, Marks, Stranded
from latlab.calls.analysis.span_functions import SpanReader
from latlab.calls.campaign.traces import (
    INTERRUPTED,
    BegunRun,
    Progress,
    TraceAccumulator,
    TraceRequest,
    analysed,
    described,
    planned_run,
    read_stream,
)
from latlab.calls.model.crossings import Absent
from latlab.core.errors import DataError, InterruptedByUser
from latlab.core.lifecycle.life import Interrupted, finish, run_lifecycle
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Problem, Run, Sample
from latlab.core.store.function_files import FUNCTIONS_LOG, render_functions
from latlab.core.store.store import Store
from latlab.psci.campaign.foreign import core_of, measured_spans, topology_of_cores
from latlab.psci.campaign.measure import CAMPAIGN
from latlab.psci.campaign.recording import Recorded
from latlab.psci.readers.calls_log import CallsLog

NO_MARK = (
    "the trace has no measured call of psci_calls; run the program of `latlab run psci --program-out FILE`, and trace its registers. "
    "`latlab import-trace` keeps the calls of other programs"
)


NO_REGISTERS = (
    "the trace has no registers, and the marks of psci_calls are in x0 to x3. Use `latlab import-trace`, which keeps calls without names"
)


class MarkedAccumulator(TraceAccumulator):
    """As of any trace, with the calls between marks."""

    def __init__(self) -> None:
        super().__init__(lambda samples: None)
        self.spans: list[Marked | Stranded] = []
        self._marks = Marks()

    def _take_call(self, call: WorldCall) -> None:
        self.spans += self._marks.feed((call,))
        super()._take_call(call)

    def all_spans(self) -> list[Marked | Stranded]:
        """With those of cores that never came back."""
        assert self._pairing is not None
        return [*self.spans, *self._marks.stranded(self._pairing.fallen())]


def run_psci_trace(
    store: Store, request: TraceRequest, log: CallsLog, progress: Progress, interrupted: Interrupted = lambda: False
) -> tuple[Recorded, str]:
    """Read the trace to its end and store it; the second is the run by the trace's clock, empty without one.

    Raises DataError for a trace without a measured call."""
    planned = replace(planned_run(request), campaign=CAMPAIGN)
    with ExitStack() as life:
        begun = BegunRun(store, planned, life)
        accumulator = MarkedAccumulator()
        summary, images, damage = read_stream(request, accumulator, bytearray(), progress, interrupted)
        read = analysed(accumulator, summary, images, (*damage, *((INTERRUPTED,) if interrupted() else ())))
        spans, cores = accumulator.all_spans(), {number: core_of_trace(core, log) for number, core in accumulator.cores.items()}
        if not spans:
            raise DataError(NO_REGISTERS if read.source.absent & Absent.REGISTERS else NO_MARK)
        samples, functions, reader = measured_spans(spans, cores, read.header.arch, accumulator.fragments, images)
        problems = (*read.problems, *log.problems, *_unmeasured(spans))
        metadata = _described(described(planned, accumulator, read), cores, log)
        store.update_metadata(begun.run_id, metadata)
        store.add(begun.run_id, samples, logs={FUNCTIONS_LOG: render_functions(functions)})
        status = finish(store, begun.run_id, problems)
    clock_run = ""
    if read.clock and not read.is_a_count:
        clock_run = _store_times(store, replace(metadata, tick=read.clock), _times_of(spans, cores), reader, problems)
    if interrupted():
        raise InterruptedByUser(f"interrupted; what was read so far is kept as the partial run {begun.run_id}")
    return Recorded(begun.run_id, status, len(samples), problems, True), clock_run


def core_of_trace(core: CoreId, log: CallsLog) -> CoreId:
    """As the program's console calls it; else as the trace does."""
    return core_of(core.cluster << 8 | core.core, log)


def _unmeasured(spans: Sequence[Marked | Stranded]) -> Iterator[Problem]:
    stranded = [span for span in spans if isinstance(span, Stranded)]
    if stranded:
        where = f"{stranded[0].test}, iteration {stranded[0].iteration}"
        yield Problem(0, f"{len(stranded)} measured calls did not return, the first in {where}")


def _described(run: Run, cores: Mapping[int, CoreId], log: CallsLog) -> Run:
    skipped = tuple((f"{test} left out", why) for test, why in log.skipped)
    conditions = log.conditions.completed(run.conditions)
    facts = (*run.facts, *log.facts.items(), *skipped)
    return replace(run, topology=topology_of_cores(cores.values()), lead=log.lead, conditions=conditions, facts=facts)


@dataclass(slots=True)
class _Ticks:
    """Of one span on one core."""

    calls: int = 0
    ticks: int = 0
    asleep: int = 0
    fragments: Counter[int] = field(default_factory=Counter)


@dataclass(slots=True)
class _Times:
    samples: list[Sample] = field(default_factory=list)
    spent: dict[tuple[str, Metric, CoreId], _Ticks] = field(default_factory=lambda: defaultdict(_Ticks))

    def add(self, marked: Marked, core: CoreId, metric: Metric, time: CallTime) -> None:
        self.samples.append(Sample(marked.test, metric, core, 0, marked.iteration, time.ticks))
        spent = self.spent[marked.test, metric, core]
        spent.calls += 1
        spent.ticks += time.ticks
        spent.asleep += time.asleep
        spent.fragments.update(dict(time.spent))


def _times_of(spans: Sequence[Marked | Stranded], cores: Mapping[int, CoreId]) -> _Times:
    times = _Times()
    for span in spans:
        if isinstance(span, Marked) and span.call.time is not None:
            for metric, time in _parts_by_clock(span, span.call.time):
                times.add(span, cores[span.core], metric, time)
    return times


def _parts_by_clock(marked: Marked, time: CallTime) -> Iterator[tuple[Metric, CallTime]]:
    """As `parts_of_call`, in ticks."""
    if time.down is None:
        yield marked.whole, time
        return
    spent = Counter(dict(time.spent))
    spent.subtract(dict(time.down.spent))
    yield Metric.POWERDOWN, time.down
    yield Metric.WAKEUP, CallTime(time.ticks - time.down.ticks, (), tuple(spent.items()), time.asleep - time.down.asleep, 0)


def _store_times(store: Store, planned: Run, times: _Times, reader: SpanReader, problems: Sequence[Problem]) -> str:
    functions = tuple(
        functions_of_ticks(span, spent.calls, spent.ticks, spent.fragments, spent.asleep, reader) for span, spent in times.spent.items()
    )
    with run_lifecycle(store, planned) as run_id:
        store.add(run_id, times.samples, logs={FUNCTIONS_LOG: render_functions(functions)})
        finish(store, run_id, problems)
    return run_id
