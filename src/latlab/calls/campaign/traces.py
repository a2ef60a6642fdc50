# SPDX-License-Identifier: BSD-3-Clause
"""A trace that was made elsewhere, read by a native program, kept as runs: one in instructions, one by the trace's own clock."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from latlab.calls.analysis.boot import Stages, stages_of
from latlab.calls.analysis.call_times import CallTimes, functions_of_ticks
from latlab.calls.analysis.calls import NOT_RECORDED, WorldCall
from latlab.calls.analysis.extent import Extent, gap_sentences, number_of
from latlab.calls.analysis.load_address import placed
from latlab.calls.analysis.paths import runs_of
from latlab.calls.analysis.span_functions import SpanReader, functions_of_calls, kinds_of
from latlab.calls.analysis.tally import CallKey, TallyRow
from latlab.calls.campaign.watching import StreamAccumulator
from latlab.calls.model.calls import TRACE_CAMPAIGN, TRACED_PART, WHOLE_TRACE
from latlab.calls.model.crossings import (
    NO_WORLD,
    REALM,
    SECURE,
    Absent,
    Arch,
    Context,
    Fragment,
    GapKind,
    Header,
    Record,
    Source,
    world_name,
)
from latlab.calls.readers.decoder import Decoder
from latlab.calls.targets.traces import Refused, TraceSummary, read_summary, why_not_started
from latlab.core.errors import DataError, InterruptedByUser, UsageError
from latlab.core.lifecycle.life import EVERY_INSTRUCTION, Interrupted, finish, run_lifecycle
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Clock, Metric, ProblemKind, RunStatus
from latlab.core.model.run import UNNAMED, Build, CoreId, Problem, Run, Sample, SpanFunctions, Tick
from latlab.core.model.symbols import Image
from latlab.core.store.function_files import FUNCTIONS_LOG, KINDS_LOG, render_functions
from latlab.core.store.rows import now_utc
from latlab.core.store.store import Store
from latlab.core.targets.process.children import dies_with_parent, stop
from latlab.core.targets.scratch import scratch

CHUNK = 1 << 20
STOP_S = 10
A64_BYTES = 4
KEPT_STREAM_BYTES = 16 << 20
FEMTOSECONDS_PER_NS = 1e6
NO_INSTRUCTION, NOT_STARTED = 3, 127
TICKS = "ticks"
STRANGE = "a line of unknown form"
"""A simulator may print messages between: a missing instruction shows by its number or in the flow of control."""
INTERRUPTED = Problem(0, "interrupted before the end of the trace", ProblemKind.UNFINISHED)
NO_SOURCE = Source("", "", 0, Absent(0))


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """What to read. `limit_bytes` is how much of each trace; None: all. `has_all_code`: code of the normal world is kept as well."""

    traces: tuple[Path, ...]
    reader: Path
    images: tuple[Image, ...] = ()
    has_all_code: bool = False
    limit_bytes: int | None = None
    platform: str = UNNAMED
    firmware: str = "unknown"


@dataclass(frozen=True, slots=True)
class TraceRead:
    """A trace as it was read. `clock` is what a tick of the source is, None without a clock; `is_a_count` says that the clock only counts
    instructions. `whole` are the functions of a trace without a world switch, for each core, in instructions and in ticks."""

    header: Header
    source: Source
    summary: TraceSummary
    cores: dict[int, CoreId]
    rows: tuple[TallyRow, ...]
    time_rows: tuple[TallyRow, ...]
    functions: dict[CallKey, Counter[str]]
    time_functions: dict[str, Counter[str]]
    whole: tuple[SpanFunctions, ...]
    crossings: Counter[tuple[int, int]]
    extent: Extent
    gaps: tuple[str, ...]
    notes: tuple[str, ...]
    unreturned: tuple[str, ...]
    problems: tuple[Problem, ...]
    clock: Tick | None
    is_a_count: bool
    run_id: str = ""
    clock_run_id: str = ""
    status: RunStatus = RunStatus.COMPLETE


class TraceAccumulator(StreamAccumulator):
    """As of the probe's stream, with what only a trace has."""

    def __init__(self, add: Callable[[list[Sample]], None]) -> None:
        super().__init__(add)
        self.source = NO_SOURCE
        self.extent = Extent()
        self.times = CallTimes()
        self.time_samples: list[Sample] = []
        self._time_numbers: Counter[tuple[str, int]] = Counter()

    def _record(self, record: Record) -> None:
        self.extent.feed(record)
        if isinstance(record, Source):
            self.source = record
        super()._record(record)

    def _take_call(self, call: WorldCall) -> None:
        super()._take_call(call)
        timed = self.times.add(call)
        if timed is None or call.depth or call.error:
            return
        key = call.entry.name, call.core
        number = self._time_numbers[key]
        self._time_numbers[key] += 1
        core = self.cores.get(call.core, CoreId(0, call.core))
        self.time_samples.append(Sample(call.entry.name, Metric.CALL, core, 0, number, timed.instructions))


Progress = Callable[[TraceAccumulator, float], None]


def import_trace(store: Store, request: TraceRequest, progress: Progress, interrupted: Interrupted = lambda: False) -> TraceRead:
    """Read it to its end and keep it. What came is kept whatever happens.

    Raises UsageError for a file that cannot be read, DataError for one without an instruction or with symbols of another build."""
    planned = planned_run(request)
    with ExitStack() as life:
        begun = BegunRun(store, planned, life)
        accumulator = TraceAccumulator(lambda samples: store.add(begun.run_id, samples))
        stream = bytearray()
        summary, images, problems = read_stream(request, accumulator, stream, beginning(begun, progress), interrupted)
        accumulator.flush()
        run_id = begun.run_id
        read = analysed(accumulator, summary, images, (*problems, *((INTERRUPTED,) if interrupted() else ())))
        metadata = described(planned, accumulator, read)
        store.update_metadata(run_id, metadata)
        reader = reader_of(accumulator, images)
        stages = _stages(accumulator, images, reader)
        store.add(run_id, (*(stages.samples if stages else ()), *_whole_samples(read.whole)))
        by_function = (
            *(stages.functions if stages else ()),
            *functions_of_calls(accumulator.tally, accumulator.cores, reader),
            *read.whole,
        )
        kinds = kinds_of(accumulator.tally, read.header, accumulator.cores, reader)
        logs = {KINDS_LOG: render_functions(kinds), FUNCTIONS_LOG: render_functions(by_function)}
        store.add(run_id, logs=logs | ({"probe": bytes(stream)} if stream else {}))
        status = finish(store, run_id, read.problems)
    clock_run_id = ""
    if read.clock and not read.is_a_count:
        clock_run_id = _store_times(store, replace(metadata, tick=read.clock), accumulator, read, reader)
    if interrupted():
        raise InterruptedByUser(f"interrupted; what was read so far is kept as the partial run {run_id}")
    return replace(read, run_id=run_id, clock_run_id=clock_run_id, status=status)


class BegunRun:
    """The run of an import, from the first instruction of the trace on: a file that is no trace leaves none."""

    def __init__(self, store: Store, planned: Run, life: ExitStack) -> None:
        self._store, self._planned, self._life, self._run_id = store, planned, life, ""

    @property
    def run_id(self) -> str:
        self._run_id = self._run_id or self._life.enter_context(run_lifecycle(self._store, self._planned))
        return self._run_id


def beginning(begun: BegunRun, progress: Progress) -> Progress:
    def advance(accumulator: TraceAccumulator, elapsed_s: float) -> None:
        if accumulator.crossings:
            assert begun.run_id
        progress(accumulator, elapsed_s)

    return advance


def read_trace(request: TraceRequest, progress: Progress, interrupted: Interrupted = lambda: False) -> TraceRead:
    """The same, and nothing is kept."""
    accumulator = TraceAccumulator(lambda samples: None)
    summary, images, problems = read_stream(request, accumulator, bytearray(), progress, interrupted)
    if interrupted():
        raise InterruptedByUser("interrupted before the end of the trace; nothing is kept")
    return analysed(accumulator, summary, images, problems)


def read_stream(
    request: TraceRequest, accumulator: TraceAccumulator, stream: bytearray, progress: Progress, interrupted: Interrupted
) -> tuple[TraceSummary, tuple[Image, ...], tuple[Problem, ...]]:
    decoder = Decoder()
    with scratch() as folder, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        pipe = folder / "stream"
        os.mkfifo(pipe)
        with _reader_of(request, pipe, out, errors) as process:
            _follow(process, pipe, decoder, accumulator, stream, progress, interrupted)
        accumulator.take(iter(list(decoder.finish())) if accumulator.header else iter(()))
        text, error_text = _text(out), _text(errors)
    if interrupted() and (process.returncode or not accumulator.crossings):
        raise InterruptedByUser("interrupted before the first instruction of the trace; nothing is kept")
    if process.returncode == NO_INSTRUCTION:
        raise DataError(_without_instruction(request, read_summary(text)))
    if process.returncode == NOT_STARTED:
        raise UsageError(why_not_started(request.reader, error_text))
    if process.returncode:
        raise UsageError(
            error_text.strip().removeprefix(f"{request.reader.name}: ") or f"{request.reader.name} ended with {process.returncode}"
        )
    assert accumulator.header is not None
    images = placed(accumulator.fragments.values(), request.images, accumulator.header.arch)
    return read_summary(text), images, tuple(accumulator.problems)


@contextmanager
def _reader_of(request: TraceRequest, pipe: Path, out: object, errors: object) -> Iterator[subprocess.Popen[bytes]]:
    options = [f"out={pipe}", *(["worlds=all"] if request.has_all_code else [])]
    if request.limit_bytes is not None:
        options.append(f"bytes={request.limit_bytes}")
    command = (str(request.reader), *options, *map(str, request.traces))
    process = subprocess.Popen(command, stdin=None, stdout=out, stderr=errors, preexec_fn=dies_with_parent())  # type: ignore[call-overload]
    try:
        yield process
    finally:
        stop(process, STOP_S)


def _follow(
    process: subprocess.Popen[bytes],
    pipe: Path,
    decoder: Decoder,
    accumulator: TraceAccumulator,
    stream: bytearray,
    progress: Progress,
    interrupted: Interrupted,
) -> None:
    """Takes the stream as fast as it comes: the reader waits where this is slower."""
    start = time.monotonic()
    descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    is_kept = True
    try:
        while True:
            data = _chunk(descriptor, process, interrupted)
            if not data:
                break
            accumulator.take(decoder.feed(data))
            is_kept = is_kept and len(stream) + len(data) <= KEPT_STREAM_BYTES
            if is_kept:
                stream += data
            progress(accumulator, time.monotonic() - start)
    finally:
        os.close(descriptor)
    if not is_kept:
        stream.clear()
    process.wait()


def _chunk(descriptor: int, process: subprocess.Popen[bytes], interrupted: Interrupted) -> bytes:
    """The next bytes; none where the reader has ended. An interrupted reader ends with what it has read."""
    import select

    while True:
        if interrupted():
            process.terminate()
        has_ended = process.poll() is not None
        select.select([descriptor], [], [], 0.1)
        try:
            data = os.read(descriptor, CHUNK)
        except BlockingIOError:
            continue
        if data or has_ended:
            return data
        time.sleep(0.01)  # the reader has not opened its end yet


def _text(file: object) -> str:
    file.seek(0)  # type: ignore[attr-defined]
    return str(file.read().decode("utf-8", "replace"))  # type: ignore[attr-defined]


def _without_instruction(request: TraceRequest, summary: TraceSummary) -> str:
    names = ", ".join(path.name for path in request.traces)
    if summary.refused:
        first = summary.refused[0]
        return f"{names} has no instruction that can be counted; {summary.place_unit} {first.line}: {first.reason}: {first.text!r}"
    if summary.place_unit == "byte":
        reason = next((trace.error for trace in summary.inputs if trace.error), "") or next(iter(summary.problems), "its cores ran nothing")
        return f"{names} has no instruction in {sum(trace.bytes for trace in summary.inputs):,} bytes of trace: {reason}"
    lines = sum(trace.lines for trace in summary.inputs)
    return f"{names} has no instruction in {lines:,} lines; is it a Tarmac trace (IT or ES lines)?"


def analysed(accumulator: TraceAccumulator, summary: TraceSummary, images: tuple[Image, ...], problems: tuple[Problem, ...]) -> TraceRead:
    assert accumulator.header is not None
    header, source, extent = accumulator.header, accumulator.source, accumulator.extent
    reader = reader_of(accumulator, images)
    gaps = gap_sentences(extent, header.arch, source.unit, summary.place_unit)
    ran = accumulator.tally.ran()
    lost = ", ".join(f"{count} {name}" for name, count in accumulator.across_gaps.most_common())
    all_problems = (
        *problems,
        *(Problem(0, sentence) for sentence in gaps),
        *((Problem(0, f"calls with missing data inside, which have no figure: {lost}"),) if lost else ()),
        *((Problem(0, unnamed),) if (unnamed := _unnamed(accumulator.tally.rows(), source)) else ()),
        *(Problem(0, f"the trace {trace.error or 'ends in the middle of a line'}") for trace in summary.inputs if trace.is_cut),
        *(Problem(0, sentence) for sentence in summary.problems),
        *(Problem(refused.line, _refused(refused)) for refused in summary.refused if refused.reason != STRANGE),
    )
    return TraceRead(
        header, source, summary, accumulator.cores, accumulator.tally.rows(), accumulator.times.tally.rows(),
        {key: reader.by_function(counts) for key, counts in ran.items() if any(counts)},
        _time_functions(accumulator, reader), _whole(accumulator, reader), accumulator.crossings, extent, gaps,
        _notes(accumulator, summary),
        accumulator.unreturned, all_problems, clock_of(source), accumulator.times.is_a_count and not _has_own_times(accumulator),
    )  # fmt: skip


def _unnamed(rows: Sequence[TallyRow], source: Source) -> str:
    """The calls of which a register is not known, in a trace that has registers."""
    count = sum(row.count for row in rows if NOT_RECORDED in row.key.name)
    count += sum(times for row in rows for error, times in row.errors if NOT_RECORDED in error)
    if not count or source.absent & Absent.REGISTERS:
        return ""
    return f"{number_of(count, 'call')} with a register that is not recorded: the line with its value is missing or out of order"


def _has_own_times(accumulator: TraceAccumulator) -> bool:
    """Without a call: whether the instructions of any two fragments take different ticks. The last one has no end."""
    extent = accumulator.extent
    if accumulator.times.tally.rows():
        return False
    ratios: Counter[Fraction] = Counter()
    for core, stretches in extent.ran.items():
        for number, times in runs_of(stretches).items():
            if times * accumulator.fragments[number].instructions:
                ratios[Fraction(extent.spent[core][number], times * accumulator.fragments[number].instructions)] += 1
    return ratios.total() - max(ratios.values(), default=0) > len(extent.ran)


def clock_of(source: Source) -> Tick | None:
    """Units without a fixed time are cycles, except for a simulator's own ticks."""
    if not source.unit or source.absent & Absent.TIME:
        return None
    if source.femtoseconds:
        return Tick(Clock.TRACE, source.femtoseconds / FEMTOSECONDS_PER_NS)
    return Tick(Clock.TICKS if source.unit == TICKS else Clock.CYCLES, 1.0)


def reader_of(accumulator: TraceAccumulator, images: Sequence[Image]) -> SpanReader:
    assert accumulator.header is not None
    spans = [stretches for counts in accumulator.tally.ran().values() for stretches in counts]
    booted = [accumulator.boot.ran] if accumulator.boot else []
    whole = [tuple(stretches) for stretches in accumulator.extent.ran.values()]
    return SpanReader(accumulator.header.arch, accumulator.fragments, images, [*spans, *booted, *whole])


def _stages(accumulator: TraceAccumulator, images: tuple[Image, ...], reader: SpanReader) -> Stages | None:
    assert accumulator.header is not None
    if accumulator.boot is None:
        return None
    core = accumulator.cores.get(accumulator.boot.core, CoreId(0, accumulator.boot.core))
    return stages_of(accumulator.boot, accumulator.header.arch, images, core, reader)


def _whole(accumulator: TraceAccumulator, reader: SpanReader) -> tuple[SpanFunctions, ...]:
    """Of a trace without a world switch: what all of its measured code ran, for each core."""
    extent = accumulator.extent
    if extent.switches:
        return ()
    name = TRACED_PART if any(kind is not GapKind.START for _, kind in extent.gaps) else WHOLE_TRACE
    spans = {(name, Metric.CALL, accumulator.cores[core]): Counter([tuple(ran)]) for core, ran in extent.ran.items()}
    return reader.functions(spans)


def _whole_samples(whole: Sequence[SpanFunctions]) -> tuple[Sample, ...]:
    """No figure spans missing data."""
    without_gaps = (span for span in whole if span.test == WHOLE_TRACE)
    return tuple(
        Sample(span.test, span.metric, span.core, 0, 0, sum(share.instructions for share in span.functions)) for span in without_gaps
    )


def _time_functions(accumulator: TraceAccumulator, reader: SpanReader) -> dict[str, Counter[str]]:
    """The ticks of each function in the calls of each name, of all cores."""
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for span in accumulator.times.functions(accumulator.cores, reader):
        totals[span.test].update({share.name: share.instructions for share in span.functions})
    return dict(totals)


def changed_code(fragments: Iterable[Fragment]) -> int:
    """At how many addresses of AArch64 code a world executed different instructions."""
    opcodes: dict[tuple[int, int], bytes] = {}
    changed = set()
    for fragment in fragments:
        if fragment.context & Context.AARCH32 or len(fragment.code) != fragment.instructions * A64_BYTES:
            continue
        for at in range(0, len(fragment.code), A64_BYTES):
            place, opcode = (fragment.level, fragment.address + at), fragment.code[at : at + A64_BYTES]
            if opcodes.setdefault(place, opcode) != opcode:
                changed.add(place)
    return len(changed)


def _refused(refused: Refused) -> str:
    return f"{number_of(refused.count, 'line')} not counted: {refused.reason}: {refused.text!r}"


def _notes(accumulator: TraceAccumulator, summary: TraceSummary) -> tuple[str, ...]:
    """What the trace does not know, a sentence each."""
    assert accumulator.header is not None
    header, source, extent, times = accumulator.header, accumulator.source, accumulator.extent, accumulator.times
    worlds = [world for world in extent.worlds() if world != NO_WORLD]
    notes = []
    if not any(world & (SECURE | REALM) for world in worlds) and header.arch is not Arch.RISCV:
        notes.append("the trace has no instruction of a secure world: what ran there, and how much, is not known")
    if any(kind is GapKind.START for _, kind in extent.gaps):
        notes.append("the trace begins when a core had already run: it has no boot")
    if source.absent & Absent.SERIALS:
        notes.append("its instructions have no numbers: missing instructions are detected only where the flow of control does not fit")
    if accumulator.elsewhere and header.arch is Arch.AARCH64 and source.absent & (Absent.SERIALS | Absent.REGISTERS):
        names = ", ".join(f"{count} {name}" for name, count in accumulator.elsewhere.most_common())
        notes.append(f"calls that returned elsewhere than behind the call, so that others may be missing in between: {names}")
    if changed := changed_code(accumulator.fragments.values()):
        notes.append(f"the code changed at {number_of(changed, 'address')}: it was loaded anew, or lines are damaged")
    if source.unit == TICKS and len(summary.cores) == 1 and any(kind is GapKind.LOST for _, kind in extent.gaps):
        notes.append("gem5 numbers the instructions of all cores together: if each core has its file, name all of them")
    if times.untimed and source.unit:
        notes.append(f"{number_of(times.untimed, 'call')} without a time")
    notes += [f"{_refused(refused)}, first at line {refused.line:,}" for refused in summary.refused if refused.reason == STRANGE]
    return tuple(notes)


def planned_run(request: TraceRequest) -> Run:
    return Run(
        campaign=TRACE_CAMPAIGN,
        target="trace",
        platform=request.platform,
        topology=TraceAccumulator(lambda samples: None).topology,
        tick=EVERY_INSTRUCTION,
        build=Build(request.firmware),
        conditions=Conditions(instrument=TRACE_CAMPAIGN),
        started_utc=now_utc(),
        source=", ".join(path.name for path in request.traces),
    )


def described(planned: Run, accumulator: TraceAccumulator, read: TraceRead) -> Run:
    arch = read.header.arch
    worlds = ", ".join(f"{world_name(arch, world)} {read.extent.instructions[world]:,}" for world in read.extent.worlds())
    facts = [("instructions of each world", worlds), ("unit of the trace's clock", read.source.unit or "none")]
    facts += [("not known", note) for note in read.notes]
    facts += [("gap", sentence) for sentence in read.gaps]
    if read.unreturned:
        facts.append(("calls that did not return", "; ".join(read.unreturned)))
    return replace(
        planned,
        topology=accumulator.topology,
        emulator=read.source.name,
        conditions=Conditions(instrument=read.source.name),
        facts=(*planned.facts, *facts),
    )


def _store_times(store: Store, planned: Run, accumulator: TraceAccumulator, read: TraceRead, reader: SpanReader) -> str:
    """The run by the trace's own clock."""
    with run_lifecycle(store, planned) as run_id:
        whole = tuple(_whole_ticks(accumulator, span, reader) for span in read.whole)
        store.add(run_id, (*accumulator.time_samples, *_whole_samples(whole)))
        kinds = kinds_of(accumulator.times.tally, read.header, accumulator.cores, reader)
        by_function = (*accumulator.times.functions(accumulator.cores, reader), *whole)
        store.add(run_id, logs={KINDS_LOG: render_functions(kinds), FUNCTIONS_LOG: render_functions(by_function)})
        finish(store, run_id, read.problems)
    return run_id


def _whole_ticks(accumulator: TraceAccumulator, span: SpanFunctions, reader: SpanReader) -> SpanFunctions:
    number = next(core for core, identity in accumulator.cores.items() if identity == span.core)
    spent = accumulator.extent.spent[number]
    return functions_of_ticks((span.test, span.metric, span.core), 1, spent.total(), spent, 0, reader)
