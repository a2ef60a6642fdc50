# SPDX-License-Identifier: BSD-3-Clause
"""The time line of a run: everything that its files hold with a time, on one clock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from latlab.calls.analysis.calls import Pairing, WorldCall
from latlab.calls.analysis.counter_clock import CounterClock
from latlab.calls.analysis.world_track import WorldSpan, stays
from latlab.calls.model.crossings import Arch, Core, Crossing, Record, Sleep, Wake, world_name
from latlab.calls.readers.call_names import call_name, call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.errors import DataError
from latlab.core.lifecycle.material import WITHOUT_TIMES
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock
from latlab.core.model.run import Run, TraceRecord
from latlab.core.model.symbols import Symbols
from latlab.core.model.time_line import Facts, Slice, TimeLine, Track, outer_first
from latlab.psa.analysis.timeline import Room, swept_tests, timeline
from latlab.psci.analysis.decompose import segments
from latlab.rt.analysis.late_tracks import Tracks, late_wakeups, scheduling, stolen
from latlab.rt.analysis.result import RtResult
from latlab.rt.campaign.results import el3_of, kernel_events_of, measured_in, result_of, results_of
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.el3_records import El3Records
from latlab.rt.readers.thread_selection import THREADS

PROBE_LOG = "probe"
LATE, STOLEN, KERNEL, SMC, PSCI, WORLDS = "late wake-ups", "stolen", "kernel", "SMC", "PSCI parts", "worlds"
INSTRUCTIONS = "one ns is one instruction"


def time_line_of_spans(run: Run, files: Mapping[str, bytes], symbols: Callable[[], Symbols]) -> TimeLine:
    if run.traces:
        return _of_sweeps(run, symbols()) if swept_tests(run) else _of_traces(run)
    return time_line_of_probe(files)


def time_line_of_probe(files: Mapping[str, bytes]) -> TimeLine:
    """Raises DataError if the probe recorded nothing."""
    if PROBE_LOG in files:
        return _of_probe(files[PROBE_LOG])
    raise DataError(WITHOUT_TIMES)


def time_line_of_wakeups(run: Run, files: Mapping[str, bytes]) -> TimeLine:
    """Of each measurement: late wake-ups and their parts, what the kernel did, what was stolen, calls of the firmware, and worlds where
    the probe saw them. Raises DataError where no recorder measured: nothing else notes when."""
    tracks: list[Track] = []
    facts: dict[str, str | int] = {"clock": "CLOCK_MONOTONIC of the machine, in ns"}
    for name, group, result in _measurements(run, files):
        recorder = result.recorder
        if recorder is None:
            raise DataError(
                "there is no file of the recorder, and no other file has the time of a late wake-up", "use --instrument recorder"
            )
        prefix = f"{name}, " if name else ""
        new_tracks, new_facts = _measured(run, group, result, recorder)
        tracks += [Track(f"{prefix}{track.group}", track.name, track.slices) for track in new_tracks]
        facts |= {f"{prefix}{key}": value for key, value in new_facts}
    return TimeLine(tuple(tracks), tuple(facts.items()))


def _measurements(run: Run, files: Mapping[str, bytes]) -> Iterator[tuple[str, Mapping[str, bytes], RtResult]]:
    """With the files of each; none for threads, whose late wake-ups and overruns come from one trace."""
    if THREADS in files:
        for name, result in results_of(run, files):
            yield f"{name}, overruns" if result.cycles is not None else name, {}, result
        return
    for name, group in measured_in(run, files):
        yield name, group, result_of(run, group)


def _measured(run: Run, files: Mapping[str, bytes], result: RtResult, recorder: Wakeups) -> tuple[list[Track], list[tuple[str, str | int]]]:
    facts: list[tuple[str, str | int]] = [
        ("wake-ups that were measured", sum(cpu.got for cpu in recorder.cpus)),
        ("late wake-ups that were kept", len(recorder.outliers)),
        *_counter_skew(recorder),
    ]
    by_name: dict[str, Tracks] = {LATE: late_wakeups(result.attributed or ())}
    events, el3 = kernel_events_of(files, []), el3_of(files, [])
    if events:
        by_name |= {STOLEN: stolen(events), KERNEL: scheduling(events)}
    if el3 and recorder.sync is not None:
        by_name |= {SMC: _smcs(el3, recorder), PSCI: _psci_parts(el3, recorder)}
    if PROBE_LOG in files and run.conditions.mode is Mode.DETERMINISTIC:
        by_name[WORLDS], world_facts = _worlds(files[PROBE_LOG], recorder, round(1 / run.tick.value))
        facts += world_facts
    cpus = sorted({cpu for by_cpu in by_name.values() for cpu in by_cpu})
    tracks = [Track(f"CPU {cpu}", name, tuple(by_cpu[cpu])) for cpu in cpus for name, by_cpu in by_name.items() if by_cpu.get(cpu)]
    return tracks, facts


def _counter_skew(recorder: Wakeups) -> Facts:
    """What the recorder read last on both clocks, one after the other, by how much the two then differ."""
    read = [(recorder.ns_of(outlier.wake_ticks), outlier.wake_ns) for outlier in recorder.outliers if outlier.wake_ticks is not None]
    skews = [round(ns - wake_ns) for ns, wake_ns in read if ns is not None]
    if not skews:
        return ()
    return (("system counter against the clock, least, ns", min(skews)), ("system counter against the clock, most, ns", max(skews)))


def _ns(recorder: Wakeups, ticks: int) -> int:
    ns = recorder.ns_of(ticks)
    assert ns is not None
    return round(ns)


def _smcs(el3: El3Records, recorder: Wakeups) -> Tracks:
    tracks: Tracks = defaultdict(list)
    for call in el3.calls():
        begin, end = _ns(recorder, call.in_ticks), _ns(recorder, call.out_ticks)
        tracks[call.cpu].append(Slice(begin, end, call_name(call.function), (("function", f"{call.function:#010x}"),)))
    return tracks


def _psci_parts(el3: El3Records, recorder: Wakeups) -> Tracks:
    return {
        cpu: [
            Slice(_ns(recorder, part.start_ticks), _ns(recorder, part.end_ticks), str(part.part))
            for call in _psci_calls(trace.records)
            for part in segments(call)
            if part.ticks
        ]
        for cpu, trace in zip(el3.cpus, el3.traces, strict=True)
    }


def _psci_calls(records: Sequence[TraceRecord]) -> Iterator[tuple[TraceRecord, ...]]:
    """From ENTER_PSCI to EXIT_PSCI, where no record of them is lost."""
    call: list[TraceRecord] = []
    for record in records:
        if record.event == "ENTER_PSCI":
            call = []
        elif not call or record.sequence != call[-1].sequence + 1:
            call = []
            continue
        call.append(record)
        if record.event == "EXIT_PSCI":
            yield tuple(call)
            call = []


def _worlds(stream: bytes, recorder: Wakeups, ns_per_instruction: int) -> tuple[Tracks, Facts]:
    """Of the one core, where the system counter follows from the probe's instructions; the recorder says what it was on its own clock."""
    counter_hz, since_ns = recorder.counter_hz, recorder.ns_of(0)
    if counter_hz is None or since_ns is None:
        return {}, (("no worlds", "the recorder did not record the system counter"),)
    records, arch = _records(stream)
    clock = CounterClock(ns_per_instruction, counter_hz)
    for record in records:
        clock.take(record)
    world_stays = list(stays(records))
    timed = [(stay, round(at + since_ns)) for stay in world_stays if (at := clock.ns(stay.begin)) is not None]
    slices = [
        Slice(begin, begin + ns_per_instruction * (stay.end - stay.begin), world_name(arch, stay.world), _length(stay))
        for stay, begin in timed
    ]
    facts: Facts = (
        ("worlds placed", len(slices)),
        ("worlds left out, since no timer of Linux ended the sleep before", len(world_stays) - len(slices)),
    )
    return {recorder.cpus[0].number: slices}, facts


def _length(stay: WorldSpan) -> Facts:
    return (("instructions", stay.end - stay.begin),)


def _records(stream: bytes) -> tuple[list[Record], Arch]:
    decoder = Decoder()
    items = [item for item in decoder.feed(stream) if isinstance(item, Core | Crossing | Sleep | Wake)]
    if decoder.header is None:
        raise DataError("the probe's stream has no header")
    return list(items), decoder.header.arch


def _calls(records: Iterable[Record], arch: Arch) -> Iterator[WorldCall]:
    return Pairing(arch, call_names()).feed(records)


def _of_probe(stream: bytes) -> TimeLine:
    """Worlds and calls of each core of a run under the probe, in instructions of all cores."""
    records, arch = _records(stream)
    worlds: Tracks = defaultdict(list)
    for stay in stays(records):
        worlds[stay.core].append(Slice(stay.begin, stay.end, world_name(arch, stay.world), _length(stay)))
    calls: Tracks = defaultdict(list)
    for call in _calls(records, arch):
        facts = (("function", f"{call.entry.function:#010x}"), ("instructions", call.instructions), ("error", call.error))
        calls[call.core].append(Slice(call.start_machine, call.end_machine, call.entry.name, facts))
    tracks = [
        Track(f"core {core}", name, tuple(sorted(slices_by_core[core], key=outer_first)))
        for core in sorted(worlds)
        for name, slices_by_core in ((WORLDS, worlds), (SMC, calls))
        if slices_by_core[core]
    ]
    return TimeLine(tuple(tracks), (("clock", f"{INSTRUCTIONS} of all cores; a sleeping core executes none"),))


def _of_traces(run: Run) -> TimeLine:
    """The parts of each traced call of each core, boot by boot, on the firmware's counter."""
    by_track: dict[tuple[str, str], list[Slice]] = defaultdict(list)
    for trace in run.traces:
        for call in _psci_calls(trace.records):
            whole = _slice(run, call[0].time_ticks, call[-1].time_ticks, trace.test, (("iteration", trace.iteration),))
            parts = [_slice(run, part.start_ticks, part.end_ticks, str(part.part)) for part in segments(call) if part.ticks]
            by_track[f"boot {trace.boot}", f"core {trace.core}"] += [whole, *parts]
    tracks = [Track(group, name, tuple(sorted(slices, key=outer_first))) for (group, name), slices in by_track.items()]
    return TimeLine(tuple(tracks), (("clock", _clock(run)),))


def _of_sweeps(run: Run, symbols: Symbols) -> TimeLine:
    """Of each PSA call that was swept, without an interrupt: caller, gate, SPM and partition, function by function."""
    tracks = []
    for test in swept_tests(run):
        stretches = timeline(run, symbols, test)
        for room in Room:
            slices = [_slice(run, stretch.from_ticks, stretch.to_ticks, stretch.function) for stretch in stretches if stretch.room is room]
            if slices:
                tracks.append(Track(test, str(room), tuple(slices)))
    return TimeLine(tuple(tracks), (("clock", f"{_clock(run)}; each call begins where the sweep set its timer"),))


def _slice(run: Run, begin_ticks: float, end_ticks: float, name: str, facts: Facts = ()) -> Slice:
    return Slice(round(begin_ticks * run.tick.value), round(end_ticks * run.tick.value), name, facts)


def _clock(run: Run) -> str:
    return {Clock.INSTRUCTIONS: INSTRUCTIONS, Clock.VIRTUAL: "virtual time, in ns"}.get(run.tick.clock, "the system counter, in ns")
