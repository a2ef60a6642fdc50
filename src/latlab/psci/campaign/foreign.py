# SPDX-License-Identifier: BSD-3-Clause
"""The psci campaign on firmware of somebody else: a program of ours makes the calls, the probe measures them from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from latlab.calls.analysis.calls import Pairing, WorldCall
from latlab.calls.analysis.load_address import WrongImage, placed
from latlab.calls.analysis.marked import Marked, Marks, Stranded, parts_of_call, samples_of_call
from latlab.calls.analysis.paths import runs_of
from latlab.calls.analysis.span_functions import SpanReader, spans_of_calls
from latlab.calls.analysis.standing import Standing, standings, stood_facts, with_standing
from latlab.calls.analysis.timelines import timelines_of
from latlab.calls.model.crossings import Arch, Core, Crossing, Fragment, Header, Sleep, world_name
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.calls.targets.subject import Subject, command_line, find_program
from latlab.core.lifecycle.life import (
    Progress,
    RunMachine,
    finish,
    on_qemu,
    refuse_interrupted,
    refuse_unstarted,
    run_lifecycle,
    text_of,
    unfinished,
)
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import CodePart, Metric
from latlab.core.model.life import Left
from latlab.core.model.run import Build, CoreId, Problem, Run, Sample, SpanFunctions, SpanTimeline, Topology
from latlab.core.model.symbols import Image
from latlab.core.readers.elf_build import with_build, with_image
from latlab.core.readers.qemu_command import with_machine
from latlab.core.store.function_files import FUNCTIONS_LOG, TIMELINES_LOG, render_functions
from latlab.core.store.store import Store
from latlab.core.targets.process.console import Console, Limits, MachineEnd
from latlab.core.targets.qemu import probe as probes
from latlab.core.targets.qemu.qemu import Qemu
from latlab.core.targets.scratch import scratch
from latlab.psci.campaign.measure import CAMPAIGN
from latlab.psci.campaign.recording import Recorded
from latlab.psci.readers.calls_log import CallsLog, read_calls_log

AFFINITY = 0xFF00FFFFFF
CHUNK = 1 << 20
INSTRUMENT = "crossings"


def run_psci_subject(
    store: Store,
    qemu: Qemu,
    subject: Subject,
    images: tuple[Image, ...],
    iterations: int,
    probe: Path,
    limits: Limits,
    progress: Progress,
    interrupted: Callable[[], bool] = lambda: False,
    has_classes: bool = False,
) -> Recorded:
    """Run every test that the firmware supports and store it. What the firmware cannot do is a fact of the run, no problem of it."""
    with scratch() as folder:
        stream = folder / "probe"
        command = command_line(qemu, subject, find_program(subject.board), iterations, folder)
        run = _new_run(qemu, subject, command)
        with run_lifecycle(store, run, Left(str(folder))) as run_id:
            progress.start(run_id)
            machine = RunMachine(store, run_id, folder / "secure.log", limits, interrupted)
            log, console = machine.follow(
                probes.with_probe(command, probe, stream, has_functions=True, has_classes=has_classes), read_calls_log
            )
            data = stream.read_bytes() if stream.is_file() else b""
            results = measured(data, log, images)
            problems = [*probes.complaints(text_of(console.stderr))]
            problems += (*results.problems, *log.problems) if log.is_whole else _end_problems(log, console, results, bool(data))
            store.update_metadata(run_id, _described(run, log, () if log.is_whole else results.standings))
            extra_logs = {FUNCTIONS_LOG: render_functions(results.functions), TIMELINES_LOG: render_functions(results.timelines)}
            store.add(run_id, results.samples, logs={"probe": data, **extra_logs})
            status = finish(store, run_id, problems)
    refuse_interrupted(store, run_id, console.outcome.end is MachineEnd.INTERRUPT)
    refuse_unstarted(console, data)
    return Recorded(run_id, status, len(results.samples), tuple(problems), True)


@dataclass(frozen=True, slots=True)
class MeasuredCalls:
    """What a probe's stream says of the marked calls."""

    samples: tuple[Sample, ...] = ()
    functions: tuple[SpanFunctions, ...] = ()
    timelines: tuple[SpanTimeline, ...] = ()
    problems: tuple[Problem, ...] = ()
    whereabouts: str = "no core executed an instruction"
    standings: tuple[Standing, ...] = ()


def measured(data: bytes, log: CallsLog, images: tuple[Image, ...]) -> MeasuredCalls:
    """The spans of every marked call, what ran in them, and what is wrong with the stream. Symbols of another build name nothing."""
    decoder = Decoder()
    records = list(decoder.feed(data))
    problems = [record for record in records if isinstance(record, Problem)]
    problems += decoder.finish()
    if not records or not isinstance(records[0], Header):
        return MeasuredCalls(problems=tuple(problems))
    cores = {record.core: core_of(record.identity, log) for record in records if isinstance(record, Core)}
    fragments = {record.number: record for record in records if isinstance(record, Fragment)}
    pairing, marks = Pairing(records[0].arch, call_names()), Marks()
    calls: Iterator[WorldCall] = pairing.feed(record for record in records if not isinstance(record, Header | Problem))
    spans_found: list[Marked | Stranded] = [*marks.feed(calls), *marks.stranded(pairing.fallen())]
    try:
        images = placed(fragments.values(), images, records[0].arch)
    except WrongImage as error:
        problems.append(Problem(0, str(error)))
        images = ()
    samples, functions, reader = measured_spans(spans_found, cores, records[0].arch, fragments, images)
    timelines = timelines_of(spans_found, reader.codes, cores)
    stood = standings(pairing.stopped, records[0].arch, cores, reader)
    return MeasuredCalls(samples, functions, timelines, tuple(problems), whereabouts(records[0].arch, records), stood)


def measured_spans(
    marked: Sequence[Marked | Stranded],
    cores: Mapping[int, CoreId],
    arch: Arch,
    fragments: Mapping[int, Fragment],
    images: tuple[Image, ...],
) -> tuple[tuple[Sample, ...], tuple[SpanFunctions, ...], SpanReader]:
    """The spans of marked calls in instructions, what ran in them, and what reads their code."""
    spans = spans_of_calls(marked, cores)
    reader = SpanReader(arch, fragments, images, [stretches for ran in spans.values() for stretches in ran])
    samples = [sample for span in marked for sample in (*samples_of_call(span, cores), *_flush_of(span, reader, cores))]
    samples.sort(key=lambda sample: (sample.test, sample.iteration, sample.core))
    return tuple(samples), reader.functions(spans), reader


def _flush_of(marked: Marked | Stranded, reader: SpanReader, cores: Mapping[int, CoreId]) -> Iterator[Sample]:
    """The instructions with which a power-down cleans the caches by set and way, where it does."""
    for metric, _, stretches in parts_of_call(marked):
        flush = reader.parts.parts(runs_of(stretches))[CodePart.CACHE_FLUSH] if metric is Metric.POWERDOWN else 0
        if flush:
            yield Sample(marked.test, Metric.CACHE_FLUSH, cores[marked.core], 0, marked.iteration, flush)


def whereabouts(arch: Arch, records: Iterable[object]) -> str:
    """Where the machine was last seen, for people whose firmware hangs."""
    last = None
    for record in records:
        if isinstance(record, Crossing | Sleep):
            last = record
    if last is None:
        return MeasuredCalls().whereabouts
    if isinstance(last, Sleep):
        return f"the last action of a core was to sleep at {last.address:#x}"
    return f"the last world switch was into {world_name(arch, last.entered)} at {last.address:#x}"


def _end_problems(log: CallsLog, console: Console, results: MeasuredCalls, has_stream: bool) -> list[Problem]:
    damage = results.problems if has_stream else ()
    return with_standing(unfinished(console, bool(log.cores), results.whereabouts, (*damage, *log.problems)), results.standings)


def core_of(identity: int, log: CallsLog) -> CoreId:
    """The core that the program calls so; one that it never saw keeps its affinity."""
    mpidr = identity & AFFINITY
    return log.cores.get(mpidr, CoreId(mpidr >> 8 & 0xFF, mpidr & 0xFF))


def _new_run(qemu: Qemu, subject: Subject, command: tuple[str, ...]) -> Run:
    build, topology = Build(subject.name, options=subject.provenance), Topology((subject.cores,))
    return on_qemu(CAMPAIGN, qemu, command, subject.board.name, build, _conditions(subject, command), topology)


def _conditions(subject: Subject, command: tuple[str, ...]) -> Conditions:
    mode = Mode.DETERMINISTIC if subject.is_deterministic else Mode.MULTI_THREAD
    machine = with_image(with_machine(Conditions(mode=mode, instrument=INSTRUMENT), command), [image.file for image in subject.images])
    return with_build(machine, subject.symbols[0]) if subject.symbols else machine


def topology_of_cores(cores: Iterable[CoreId]) -> Topology:
    """Each cluster up to its last core."""
    clusters: dict[int, int] = {}
    for core in cores:
        clusters[core.cluster] = max(clusters.get(core.cluster, 0), core.core + 1)
    return Topology(tuple(clusters.get(number, 1) for number in range(max(clusters, default=0) + 1)))


def _described(run: Run, log: CallsLog, cores_stood: Sequence[Standing] = ()) -> Run:
    if not log.cores:
        return replace(run, facts=(*run.facts, *stood_facts(cores_stood)))
    topology = topology_of_cores(log.cores.values())
    skipped = tuple((f"{test} left out", why) for test, why in log.skipped)
    facts = (*run.facts, *log.facts.items(), *skipped, *stood_facts(cores_stood))
    return replace(run, topology=topology, lead=log.lead, conditions=log.conditions.completed(run.conditions), facts=facts)
