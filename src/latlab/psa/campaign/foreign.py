# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign on a secure partition manager of somebody else: a program of ours makes the calls, the probe measures them from outside.

The machine boots twice: once to measure each call, once more to interrupt each at every one of its instructions. The first boot says how
many these are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path

from latlab.calls.analysis.calls import Pairing
from latlab.calls.analysis.load_address import WrongImage, placed
from latlab.calls.analysis.marked import Marked, Marks, psa_mark, samples_of_call
from latlab.calls.analysis.span_functions import SpanReader, spans_of_calls
from latlab.calls.analysis.standing import standings, with_standing
from latlab.calls.analysis.timelines import timelines_of
from latlab.calls.model.crossings import Arch, Core, Fragment, Header, Record
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.lifecycle.life import (
    Progress,
    RunMachine,
    finish,
    on_qemu,
    refuse_interrupted,
    refuse_unstarted,
    run_lifecycle,
    unfinished,
)
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Metric
from latlab.core.model.life import Left
from latlab.core.model.run import Build, CoreId, Problem, Run, Sample
from latlab.core.model.symbols import Image
from latlab.core.readers.elf_build import with_build
from latlab.core.readers.qemu_command import with_machine
from latlab.core.store.function_files import FUNCTIONS_LOG, TIMELINES_LOG, render_functions
from latlab.core.store.store import Store
from latlab.core.targets.process.console import Console, Limits, MachineEnd
from latlab.core.targets.qemu import probe as probes
from latlab.core.targets.qemu.qemu import Qemu
from latlab.core.targets.scratch import scratch
from latlab.psa.analysis.sweeps import shots_of, swept
from latlab.psa.campaign.measure import CAMPAIGN, SYMBOLS_LOG
from latlab.psa.readers.psa_calls_log import PsaCallsLog, read_psa_calls_log
from latlab.psa.targets import mps2
from latlab.psa.targets.psa_params import Shots, write_program
from latlab.psa.targets.psa_subject import SECURE_LOG, PsaSubject, command_line
from latlab.psci.analysis.psa_samples import psa_samples
from latlab.psci.campaign.foreign import whereabouts
from latlab.psci.campaign.recording import Recorded

INSTRUMENT = "crossings"
CHUNK = 1 << 20
ONLY_CORE = CoreId(0, 0)
BOOTS = ("calls", "sweep")
IDLE_SHOTS = Shots(1, 1, 64)
# From the timer's start to the call, and from the call's return until nothing of it is left.
MARGIN = 24
# SysTick counts 24 bits, and an instruction takes 20.48 ticks.
LONGEST_SWEPT = 800_000


@dataclass(frozen=True, slots=True)
class WatchedBoot:
    """What one boot left: its log, the probe's stream, and what is wrong with the log."""

    log: PsaCallsLog
    stream: Path
    problems: tuple[Problem, ...]
    console: Console

    @property
    def data(self) -> bytes:
        return self.stream.read_bytes() if self.stream.is_file() else b""

    def records(self, damage: list[Problem]) -> Iterator[Record]:
        """As they are read: a sweep has millions. What is wrong with them is added to `damage`."""
        if not self.stream.is_file():
            return
        decoder = Decoder()
        with self.stream.open("rb") as stream:
            for chunk in iter(partial(stream.read, CHUNK), b""):
                yield from _sound(decoder.feed(chunk), damage)
        yield from _sound(decoder.finish(), damage)


@dataclass(frozen=True, slots=True)
class Asked:
    """How a run is made. `most_shots` is how many interrupts one call gets; a longer one is interrupted at every so-many-th instruction."""

    iterations: int
    priority: int
    most_shots: int


def run_psa_subject(
    store: Store,
    qemu: Qemu,
    subject: PsaSubject,
    images: tuple[Image, ...],
    options: Asked,
    probe: Path,
    limits: Limits,
    progress: Progress,
    interrupted: Callable[[], bool] = lambda: False,
) -> Recorded:
    """Measure and sweep every call that the firmware supports, and store it. What it cannot do is a fact of the run."""
    with scratch() as folder:
        command = command_line(qemu, subject, folder, options.priority)
        run = _new_run(qemu, subject, command, options)
        with run_lifecycle(store, run, Left(str(folder))) as run_id:
            progress.start(run_id)
            store.add(run_id, logs={SYMBOLS_LOG: _symbols(subject)})
            machine = RunMachine(store, run_id, folder / SECURE_LOG, limits, interrupted)
            boots = _PsaBoots(machine, command, subject, options, probe, folder, progress)
            first = boots.make(BOOTS[0], {}, has_functions=True)
            samples, extra_logs, problems = _measured(first, subject, images)
            data = first.data
            store.add(run_id, samples, logs={"probe": data, **extra_logs})
            facts, count = _facts(subject, first.log), len(samples)
            shots = _plan(subject, samples, options.most_shots)
            ended = first.console
            if shots and first.log.is_whole:
                second = boots.make(BOOTS[1], shots, has_functions=False)
                late, sweep_problems = _swept(store, run_id, second, subject)
                problems, count, ended = [*problems, *sweep_problems], count + late, second.console
                facts += tuple(
                    (f"sweep of {name}", f"every {shot_plan.step} instructions") for name, shot_plan in shots.items() if shot_plan.step > 1
                )
            store.update_metadata(run_id, replace(run, facts=(*run.facts, *facts)))
            status = finish(store, run_id, problems)
    refuse_interrupted(store, run_id, ended.outcome.end is MachineEnd.INTERRUPT)
    refuse_unstarted(ended, data)
    return Recorded(run_id, status, count, tuple(problems), True)


@dataclass(frozen=True, slots=True)
class _PsaBoots:
    machine: RunMachine
    command: tuple[str, ...]
    subject: PsaSubject
    options: Asked
    probe: Path
    folder: Path
    progress: Progress

    def make(self, name: str, shots: Mapping[str, Shots], has_functions: bool) -> WatchedBoot:
        """Boot the machine and follow it to its end."""
        stream = self.folder / f"probe-{name}"
        write_program(self.subject, self.folder, self.options.iterations, self.options.priority, shots)
        command = probes.with_probe(self.command, self.probe, stream, has_functions)
        calls = count()
        log, console = self.machine.follow(command, read_psa_calls_log, lambda: self.progress.iteration(name, next(calls)))
        boot = WatchedBoot(log, stream, (), console)
        return replace(boot, problems=(*_end_problems(name, boot), *log.problems))


def _end_problems(name: str, boot: WatchedBoot) -> Iterator[Problem]:
    log = boot.log
    if log.is_whole:
        return
    for problem in unfinished(boot.console, bool(log.framework), whereabouts(Arch.ARMV8M, boot.records([]))):
        yield replace(problem, message=f"{problem.message} (boot for the {name})")
    if log.is_silent:
        yield Problem(0, "an interrupt of the non-secure SysTick timer never came; the firmware may have taken that timer")


def _sound(items: Iterable[Header | Record | Problem], damage: list[Problem]) -> Iterator[Record]:
    for item in items:
        if isinstance(item, Problem):
            damage.append(item)
        elif not isinstance(item, Header):
            yield item


def _measured(boot: WatchedBoot, subject: PsaSubject, images: tuple[Image, ...]) -> tuple[list[Sample], dict[str, bytes], list[Problem]]:
    """The span of every marked call and what is kept of what ran in it. A call that once returned something else is left out."""
    damage: list[Problem] = []
    records = tuple(boot.records(damage))
    names = [f"ns_{call.name}" for call in subject.calls]
    fragments = {record.number: record for record in records if isinstance(record, Fragment)}
    cores = {record.core: ONLY_CORE for record in records if isinstance(record, Core)}
    changed = {names[call] for call, _, _ in boot.log.changed if call < len(names)}
    pairing = Pairing(Arch.ARMV8M, call_names())
    marks = Marks(names, psa_mark(subject.mark_address), Metric.PSA_CALL)
    spans_found: list[Marked] = [marked for marked in marks.feed(pairing.feed(records)) if marked.test not in changed]
    problems = [*boot.problems, *damage, *_answer_problems(subject, boot.log)]
    try:
        images = placed(fragments.values(), images, Arch.ARMV8M)
    except WrongImage as error:
        problems.append(Problem(0, str(error)))
        images = ()
    order = {name: place for place, name in enumerate(names)}
    samples = sorted(
        (sample for marked in spans_found for sample in samples_of_call(marked, cores)),
        key=lambda sample: (order[sample.test], sample.iteration),
    )
    spans = spans_of_calls(spans_found, cores)
    reader = SpanReader(Arch.ARMV8M, fragments, images, [stretches for ran in spans.values() for stretches in ran])
    if not boot.log.is_whole:
        problems = with_standing(problems, standings(pairing.stopped, Arch.ARMV8M, cores, reader))
    extra_logs = {
        FUNCTIONS_LOG: render_functions(reader.functions(spans)),
        TIMELINES_LOG: render_functions(timelines_of(spans_found, reader.codes, cores)),
    }
    return samples, extra_logs, problems


def _plan(subject: PsaSubject, samples: list[Sample], most_shots: int) -> dict[str, Shots]:
    """The interrupts into each measured call, from before it to behind it; none where it is too long for the timer."""
    plan = {}
    for call in subject.calls:
        costs = [sample.value_ticks for sample in samples if sample.test == f"ns_{call.name}"]
        if costs and call.is_swept and max(costs) + MARGIN <= LONGEST_SWEPT:
            length = max(costs) + MARGIN
            step = -(-length // most_shots)
            plan[call.name] = Shots(1, step, -(-length // step))
    return {subject.calls[0].name: IDLE_SHOTS, **plan} if plan else {}


def _swept(store: Store, run_id: str, boot: WatchedBoot, subject: PsaSubject) -> tuple[int, list[Problem]]:
    """Keep the sweeps; returns how many samples they are, and what is wrong."""
    damage: list[Problem] = []
    shots = list(shots_of(boot.records(damage), subject.mark_address))
    sweep_result = swept(shots, [call.name for call in subject.calls], boot.log.swept, ONLY_CORE)
    samples = [sample for trace in sweep_result.traces for sample in psa_samples(trace)]
    problems = [*damage, *boot.problems, *(Problem(0, sentence) for sentence in sweep_result.complaints), *_wrong(subject, boot.log)]
    store.add(run_id, samples, sweep_result.traces)
    return len(samples), problems


def _answer_problems(subject: PsaSubject, log: PsaCallsLog) -> Iterator[Problem]:
    """What the program's log says against the subject's file."""
    for refused in log.refused:
        name = subject.calls[refused.call].name
        yield Problem(0, f"{name} returned {refused.status} where {refused.expected} is expected, so it was not measured")
    for call, iteration, status in log.changed:
        answer = f"returned {status} in iteration {iteration} and {log.done.get(call, 'something else')} before"
        yield Problem(0, f"{subject.calls[call].name} {answer}: its figures are left out")


def _wrong(subject: PsaSubject, log: PsaCallsLog) -> Iterator[Problem]:
    """Answers that an interrupt changed, with what the sentence rests on."""
    for number, (shots, wrong) in log.swept.items():
        first = next((wrong_shot for wrong_shot in log.wrong if wrong_shot.call == number), None)
        if wrong and first is not None:
            name, right = subject.calls[number].name, log.done.get(number, 0)
            wrong_answer = f"status {first.status}" if first.status != right else f"status {first.status} with other outputs"
            base = f"it returned {right}, always with the same outputs" if number not in log.varying else f"it returned {right}"
            yield Problem(
                0,
                f"{name} gave another answer in {wrong} of {shots} interrupted calls, first {wrong_answer} for an interrupt "
                f"{first.due} instructions after the timer's start; without an interrupt {base}",
            )


def _facts(subject: PsaSubject, log: PsaCallsLog) -> tuple[tuple[str, str], ...]:
    facts = [("framework_version", f"0x{log.framework}")] if log.framework else []
    facts += [(f"ns_{subject.calls[number].name} left out", "the firmware has no veneer for it") for number in log.impossible]
    return tuple(facts)


def _symbols(subject: PsaSubject) -> bytes:
    """The functions of the first image that has symbols; nothing where none is named."""
    return mps2.symbols_text(mps2.symbols_of(subject.symbols[0])) if subject.symbols else b""


def _new_run(qemu: Qemu, subject: PsaSubject, command: tuple[str, ...], options: Asked) -> Run:
    platform = subject.machine.replace("-", "_")
    return on_qemu(CAMPAIGN, qemu, command, platform, Build(subject.name), _conditions(subject, options, command))


def _conditions(subject: PsaSubject, options: Asked, command: tuple[str, ...]) -> Conditions:
    machine = replace(with_machine(mps2.conditions(options.priority), command), instrument=INSTRUMENT, iterations=options.iterations)
    return with_build(machine, subject.symbols[0]) if subject.symbols else machine
