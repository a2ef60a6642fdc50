# SPDX-License-Identifier: BSD-3-Clause
"""Run anybody's QEMU command line under the probe, follow its stream while it grows, keep what it said as a run."""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import IO, Generic, TypeVar

from latlab.calls.analysis.boot import Stages, stages_of
from latlab.calls.analysis.calls import ColdStart, Pairing, StoppedCore, WorldCall, is_normal
from latlab.calls.analysis.load_address import WrongImage, placed
from latlab.calls.analysis.masked import atlas_of
from latlab.calls.analysis.program_labels import OwnNames
from latlab.calls.analysis.proof import Proof, prove
from latlab.calls.analysis.span_functions import SpanReader, functions_of_calls, kinds_of
from latlab.calls.analysis.standing import Standing, standings, stood_facts, with_standing
from latlab.calls.analysis.tally import CallKey, Tally, TallyRow
from latlab.calls.analysis.unreturned_calls import unreturned_words
from latlab.calls.analysis.waits import InterruptWait, wait_words, waits_of
from latlab.calls.campaign.sweeping import SweepSeen
from latlab.calls.model.crossings import LEVEL_MASK, NO_WORLD, Arch, Core, Crossing, Fragment, Header, Masked, Record, world_name
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.lifecycle.life import Interrupted, finish, on_qemu, run_lifecycle, text_of
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Metric, ProblemKind, RunStatus, Taker
from latlab.core.model.life import Left
from latlab.core.model.run import Build, CoreId, MaskedAtlas, Problem, Run, Sample, Topology
from latlab.core.model.symbols import Image
from latlab.core.readers.qemu_command import with_machine
from latlab.core.shown import significant
from latlab.core.store.function_files import FUNCTIONS_LOG, KINDS_LOG, MASKED_LOG, render_functions
from latlab.core.store.store import Store
from latlab.core.targets.process.children import dies_with_parent, stop
from latlab.core.targets.process.exit_diagnostics import death, exit_message
from latlab.core.targets.process.process_time import ProcessClock, state_of
from latlab.core.targets.qemu import probe as probes
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.core.targets.scratch import scratch

CAMPAIGN = "watch"
OF_PROGRAMS = ("smc",)
"""Campaigns that are about the calls of a program in the normal world: those of a secure world are told like calls inside another."""
POLL_S = 0.1
STOP_S = 10
CHUNK = 1 << 20
SAMPLES_AT_ONCE = 20_000
KEPT_STREAM_BYTES = 64 << 20
AFFINITY_BITS = 8
MOST_ITERATIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class WatchResult:
    """What was seen: the run, its table, the functions of each kind of call (empty without functions), how many crossings of which kind."""

    run_id: str
    status: RunStatus
    header: Header
    rows: tuple[TallyRow, ...]
    functions: dict[CallKey, Counter[str]]
    crossings: Counter[tuple[int, int]]
    unreturned: tuple[str, ...]
    problems: tuple[Problem, ...]
    exit_status: int
    proof: Proof | None = None
    masked: MaskedAtlas | None = None
    stages: Stages | None = None
    waits: tuple[InterruptWait, ...] = ()
    standings: tuple[Standing, ...] = ()


@dataclass(frozen=True, slots=True)
class WaitBoots:
    """The command of a boot that sweeps, and of one that sends one interrupt into each call, due at these ticks. `handler` is where one
    begins that makes no mark: then what runs is counted in both."""

    whole: tuple[str, ...]
    one_each: Callable[[Sequence[int]], tuple[str, ...]]
    handler: int | None = None
    taker: Taker = Taker.NORMAL


@dataclass(frozen=True, slots=True)
class Watch:
    """What to run and how. `timeout_s` None: until the machine ends. `proves`: a second probe counts each instruction by itself.
    `provenance` are options of the build: which commit it is of. `sweep` is of two more boots, with interrupts into calls."""

    command: tuple[str, ...]
    probe: Path
    has_functions: bool = False
    images: tuple[Image, ...] = ()
    timeout_s: float | None = None
    limit_bytes: int | None = None
    campaign: str = CAMPAIGN
    firmware: str = "unknown"
    proves: bool = False
    has_masked: bool = False
    provenance: tuple[tuple[str, str], ...] = ()
    has_classes: bool = False
    sweep: WaitBoots | None = None


class StreamAccumulator:
    """The stream's records as they come, made into counts and samples. A call that was refused is counted and is no sample: what another
    firmware serves is not to be compared with it."""

    def __init__(self, add: Callable[[list[Sample]], None], campaign: str = "") -> None:
        self.tally = Tally()
        self.crossings: Counter[tuple[int, int]] = Counter()
        self.cores: dict[int, CoreId] = {}
        self.fragments: dict[int, Fragment] = {}
        self.masked: list[Masked] = []
        self.header: Header | None = None
        self.problems: list[Problem] = []
        self._pairing: Pairing | None = None
        self._own_names = OwnNames()
        self._is_of_programs = campaign in OF_PROGRAMS
        self._numbers: Counter[tuple[str, int]] = Counter()
        self._samples: list[Sample] = []
        self._add = add

    def take(self, items: Iterator[Header | Record | Problem]) -> None:
        for item in items:
            match item:
                case Header():
                    self.header = item
                    self._pairing = Pairing(item.arch, call_names())
                case Problem():
                    self.problems.append(item)
                case _:
                    self._record(item)

    @property
    def unreturned(self) -> tuple[str, ...]:
        """The calls that have not come back, in words."""
        if self._pairing is None or self.header is None:
            return ()
        return unreturned_words(self._pairing.unreturned(), self.header.arch, self.cores)

    @property
    def topology(self) -> Topology:
        """The clusters that the cores name, each up to its last core that ran; one core where none did."""
        sizes: dict[int, int] = {}
        for core in self.cores.values():
            sizes[core.cluster] = max(sizes.get(core.cluster, 0), core.core + 1)
        return Topology(tuple(sizes.get(cluster, 0) for cluster in range(max(sizes, default=0) + 1)) if sizes else (1,))

    @property
    def across_gaps(self) -> Counter[str]:
        """The calls in which data is missing, by name: they have no figure."""
        return self._pairing.across_gaps if self._pairing else Counter()

    @property
    def elsewhere(self) -> Counter[str]:
        """The calls that did not return to where they were made, by name."""
        return self._pairing.elsewhere if self._pairing else Counter()

    @property
    def stopped(self) -> Sequence[StoppedCore]:
        """The cores when the machine was stopped from outside."""
        return self._pairing.stopped if self._pairing else ()

    @property
    def boot(self) -> ColdStart | None:
        return self._pairing.boot if self._pairing else None

    def flush(self) -> None:
        """Hand on the samples that were kept back."""
        if self._samples:
            self._add(self._samples)
            self._samples = []

    def _record(self, record: Record) -> None:
        assert self._pairing is not None
        match record:
            case Core():
                self.cores[record.core] = core_of(record.identity)
            case Fragment():
                self.fragments[record.number] = record
            case Masked():
                self.masked.append(record)
                return
            case Crossing():
                self.crossings[record.left_world, record.entered] += 1
        for paired in self._own_names.feed(self._pairing.feed((record,))):
            is_other = self._is_of_programs and self.header and not is_normal(self.header.arch, paired.caller)
            self._take_call(replace(paired, depth=paired.depth + 1) if is_other else paired)

    def _take_call(self, call: WorldCall) -> None:
        self.tally.add(call)
        if call.depth == 0 and not call.error:
            self._sample(call)

    def _sample(self, call: WorldCall) -> None:
        name, core = call.entry.name, call.core
        number = self._numbers[name, core]
        self._numbers[name, core] += 1
        self._samples.append(Sample(name, Metric.CALL, self.cores.get(core, CoreId(0, core)), 0, number, call.instructions))
        if len(self._samples) >= SAMPLES_AT_ONCE:
            self.flush()


Progress = Callable[[StreamAccumulator, float], None]
S = TypeVar("S", StreamAccumulator, SweepSeen)


def core_of(identity: int) -> CoreId:
    """Aff1 and Aff0 of a VMPIDR; a hart's number is below 256 and stands in cluster 0."""
    mask = (1 << AFFINITY_BITS) - 1
    return CoreId(identity >> AFFINITY_BITS & mask, identity & mask)


def watch(
    store: Store,
    request: Watch,
    show_console: Callable[[bytes], None],
    progress: Progress,
    interrupted: Interrupted = lambda: False,
) -> WatchResult:
    """Run it to its end, or to the timeout or the user's interrupt. What came is kept whatever happens.

    Raises UsageError where QEMU does not start the machine with the probe, DataError where the symbols are of another build."""
    program = check_command(request.command)
    planned = _planned(request, program)
    with scratch() as folder, run_lifecycle(store, planned, Left(str(folder))) as run_id:
        stream, slow = folder / "probe", folder / "each"
        command = probes.with_probe(
            request.command, request.probe, stream, request.has_functions, request.limit_bytes, request.has_masked, request.has_classes
        )
        if request.proves:
            command = probes.with_slow_probe(command, request.probe, folder / "slow-probe.so", slow, request.limit_bytes)
        accumulator = StreamAccumulator(lambda samples: store.add(run_id, samples), request.campaign)
        follower = _Follower(command, stream, accumulator, show_console)
        try:
            end = follower.run(request.timeout_s, progress, interrupted)
        finally:
            accumulator.flush()
            logs = {"console": bytes(follower.console), "stderr": follower.stderr}
            if stream.is_file() and stream.stat().st_size <= KEPT_STREAM_BYTES:
                logs["probe"] = stream.read_bytes()
            store.add(run_id, logs=logs)
            store.update_metadata(run_id, _described(planned, accumulator))
        proof = _proved(stream, slow, planned) if request.proves and accumulator.header else None
        swept = SweepResult()
        if request.sweep and accumulator.header and not end:
            swept = _swept(request, request.sweep, folder, show_console, interrupted)
        described = _described(planned, accumulator, swept.waits)
        store.update_metadata(run_id, described)
        return _concluded(store, run_id, described, request, accumulator, follower, end, proof, swept)


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The waits of each call, or why there are none."""

    waits: tuple[InterruptWait, ...] = ()
    problems: tuple[Problem, ...] = ()


def _swept(request: Watch, sweep: WaitBoots, folder: Path, show_console: Callable[[bytes], None], interrupted: Interrupted) -> SweepResult:
    boots: list[SweepSeen] = []
    command = sweep.whole
    for number in range(2):
        stream, sweep_run = folder / f"sweep-{number}", SweepSeen(sweep.handler)
        has_functions = number > 0 or sweep.handler is not None
        follower = _Follower(probes.with_probe(command, request.probe, stream, has_functions), stream, sweep_run, show_console)
        end = follower.run(request.timeout_s, lambda state, elapsed: None, interrupted)
        if not end and follower.exit_status:
            end = death("QEMU", follower.exit_status, exit_message(follower.stderr))
        if end or sweep_run.shots is None:
            return SweepResult(
                problems=(Problem(0, f"no waits are reported: in a sweep {end or 'QEMU printed nothing'}"), *sweep_run.problems)
            )
        if not sweep_run.waits.found:
            return SweepResult(problems=(Problem(0, "no waits are reported: no interrupt came; the console has the program's messages"),))
        if sweep_run.shots.unseen:
            name, count = sweep_run.shots.unseen.most_common(1)[0]
            return SweepResult(problems=(Problem(0, f"no waits are reported: {count} interrupts into {name} have no known time"),))
        boots.append(sweep_run)
        command = sweep.one_each([waited.shot.due for waited in sweep_run.waits.found.values()])
    swept, again = boots
    problems = (*swept.problems, *(Problem(0, sentence) for sentence in swept.waits.complaints))
    return SweepResult(waits_of(swept.waits, swept.instructions, again.waits, again.fragments, request.images, sweep.taker), problems)


def _proved(stream: Path, slow: Path, planned: Run) -> Proof:
    usual, by_each = Decoder(), Decoder()
    proof = prove(_records(stream, usual), _records(slow, by_each), planned.conditions.mode is Mode.DETERMINISTIC)
    is_cut = any(decoder.end is None or decoder.end.lost for decoder in (usual, by_each))
    return replace(proof, behind=()) if is_cut else proof


def _records(stream: Path, decoder: Decoder) -> Iterator[Header | Record | Problem]:
    with stream.open("rb") as file:
        while data := file.read(CHUNK):
            yield from decoder.feed(data)


def check_counts(iterations: int, timeout_s: float | None) -> None:
    """Raises UsageError for what a program cannot be told, or a machine not given."""
    if not 1 <= iterations <= MOST_ITERATIONS:
        raise UsageError(f"--iterations {iterations}: use 1 to {MOST_ITERATIONS}", value=iterations)
    if timeout_s is not None and not timeout_s > 0:
        raise UsageError(f"--timeout {significant(timeout_s)}: these are seconds", "use more than 0", value=timeout_s)


def check_command(command: Sequence[str]) -> str:
    """The machine emulator that the command starts. Raises UsageError for anything else."""
    if not command:
        raise UsageError("no command is given", "write it after `--`, such as: latlab watch -- qemu-system-aarch64 -M virt ...")
    if not Path(command[0]).name.startswith("qemu-system-"):
        raise UsageError(f"{command[0]} is no machine emulator of QEMU; the command after `--` begins with qemu-system-...")
    program_path = shutil.which(command[0])
    if program_path is None:
        raise UsageError(f"{command[0]} does not exist or is no program", "`latlab doctor` checks the installation")
    return str(find_qemu(Path(program_path)))


class _Follower(Generic[S]):
    """One QEMU: its console, what it says on stderr, and its stream."""

    def __init__(self, command: tuple[str, ...], stream: Path, accumulator: S, show_console: Callable[[bytes], None]) -> None:
        self.command = command
        self.console = bytearray()
        self.stderr = b""
        self.exit_status = 0
        self._stream = stream
        self._seen: S = accumulator
        self._show = show_console
        self._decoder = Decoder()
        self._read_bytes = 0

    def run(self, timeout_s: float | None, progress: Callable[[S, float], None], interrupted: Interrupted) -> str:
        """How it ended where that was not by itself, else an empty text."""
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                self.command,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=not os.isatty(0),
                preexec_fn=dies_with_parent(),
            )
            try:
                return self._follow(process, timeout_s, progress, interrupted)
            finally:
                stop(process, STOP_S)
                self._catch_up()
                self._seen.take(iter(list(self._decoder.finish())))
                errors.seek(0)
                self.stderr = errors.read()
                self.exit_status = process.returncode

    def _follow(
        self,
        process: subprocess.Popen[bytes],
        timeout_s: float | None,
        progress: Callable[[S, float], None],
        interrupted: Interrupted,
    ) -> str:
        start, clock = time.monotonic(), ProcessClock(lambda: state_of(process.pid))
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                if selector.select(POLL_S) and not self._take_console(process.stdout):
                    return ""
                self._catch_up()
                elapsed = time.monotonic() - start
                progress(self._seen, elapsed)
                if interrupted():
                    return "interrupted by the user before the machine ended"
                if timeout_s is not None and clock.read() > timeout_s:
                    return f"the machine was stopped after {significant(timeout_s)} s"

    def _take_console(self, stdout: IO[bytes]) -> bool:
        data = os.read(stdout.fileno(), CHUNK)
        self.console += data
        self._show(data)
        return bool(data)

    def _catch_up(self) -> None:
        """What is there now and no more: a machine may write faster than this reads."""
        if not self._stream.is_file():
            return
        unread = self._stream.stat().st_size - self._read_bytes
        with self._stream.open("rb") as file:
            file.seek(self._read_bytes)
            while unread > 0 and (data := file.read(min(unread, CHUNK))):
                unread -= len(data)
                self._read_bytes += len(data)
                self._seen.take(self._decoder.feed(data))


def _last_words(stderr: bytes, console: bytes) -> str:
    """What QEMU said of its end, else the last line of its machine's console."""
    lines = [line.strip() for line in text_of(console).splitlines() if line.strip()]
    return exit_message(stderr) or (f"{lines[-1]!r} on its console" if lines else "")


def _never_left(accumulator: StreamAccumulator) -> str:
    """The world below EL3 in which every core of an AArch64 machine began and stayed, else an empty text: there is no call to count."""
    worlds = {entered for left_world, entered in accumulator.crossings}
    if (
        accumulator.header is None
        or accumulator.header.arch is not Arch.AARCH64
        or any(left_world != NO_WORLD for left_world, _ in accumulator.crossings)
    ):
        return ""
    below = {world for world in worlds if world & LEVEL_MASK in (1, 2)}
    return world_name(accumulator.header.arch, min(below)) if below and below == worlds else ""


def _concluded(
    store: Store,
    run_id: str,
    described: Run,
    request: Watch,
    accumulator: StreamAccumulator,
    follower: _Follower[StreamAccumulator],
    end: str,
    proof: Proof | None = None,
    swept: SweepResult = SweepResult(),
) -> WatchResult:
    if accumulator.header is None:
        raise UsageError(probes.why_not_started(follower.stderr) or "QEMU printed nothing and ended")
    how = end
    if not end and follower.exit_status:
        how = death("QEMU", follower.exit_status, _last_words(follower.stderr, bytes(follower.console)))
    problems = [Problem(0, how, ProblemKind.UNFINISHED)] if how else []  # QEMU's own words first: what its stream lacks follows from them
    problems += [*probes.complaints(text_of(follower.stderr)), *accumulator.problems]
    try:
        images = placed(accumulator.fragments.values(), request.images, accumulator.header.arch)
    except WrongImage as error:
        store.add(run_id, problems=problems)
        raise DataError(f"{error}; the data are kept as {run_id}") from error
    if proof:
        problems += [
            Problem(0, f"the two counts differ, please report it with this command: {difference}")
            for difference in (*proof.differences, *proof.behind)
        ]
    problems += swept.problems
    if not accumulator.crossings:
        problems.append(Problem(0, "no core executed an instruction"))
    if not request.has_masked and (world := _never_left(accumulator)):
        store.add(run_id, problems=problems)
        raise UsageError(
            f"every core began in {world} and never left it: this machine has no EL3, or QEMU started the image below EL3 and answers "
            "PSCI itself. Give firmware with -bios, and on -M virt also secure=on"
        )
    ran = accumulator.tally.ran()
    booted = [accumulator.boot.ran] if accumulator.boot else []
    spans = [stretches for counts in ran.values() for stretches in counts]
    reader = SpanReader(accumulator.header.arch, accumulator.fragments, images, [*spans, *booted])
    stood = standings(accumulator.stopped, accumulator.header.arch, accumulator.cores, reader) if end else ()
    problems = with_standing(problems, stood)
    store.update_metadata(run_id, replace(described, facts=(*described.facts, *stood_facts(stood))))
    stages = _stages(accumulator, images, reader)
    store.add(run_id, (*(stages.samples if stages else ()), *(wait.sample for wait in swept.waits)))
    by_function = (*(stages.functions if stages else ()), *functions_of_calls(accumulator.tally, accumulator.cores, reader))
    kinds = kinds_of(accumulator.tally, accumulator.header, accumulator.cores, reader)
    store.add(run_id, logs={KINDS_LOG: render_functions(kinds), FUNCTIONS_LOG: render_functions(by_function)})
    masked = MaskedAtlas(atlas_of(accumulator.masked, accumulator.header.arch, images)) if accumulator.header.has_masked else None
    if masked:
        store.add(run_id, logs={MASKED_LOG: render_functions(masked)})
    functions = {key: reader.by_function(counts) for key, counts in ran.items() if any(counts)}
    status = finish(store, run_id, problems)
    return WatchResult(
        run_id, status, accumulator.header, accumulator.tally.rows(), functions, accumulator.crossings, accumulator.unreturned,
        tuple(problems), follower.exit_status,
        proof, masked, stages, swept.waits, stood,
    )  # fmt: skip


def _stages(accumulator: StreamAccumulator, images: tuple[Image, ...], reader: SpanReader) -> Stages | None:
    """None of a machine that began in its normal world, or never came to it."""
    if accumulator.boot is None or accumulator.header is None:
        return None
    core = accumulator.cores.get(accumulator.boot.core, CoreId(0, accumulator.boot.core))
    return stages_of(accumulator.boot, accumulator.header.arch, images, core, reader)


def verdict(watched: WatchResult) -> None:
    """Raise where the run is not whole."""
    if watched.problems:
        raise LatlabError(f"{watched.run_id} is partial: {watched.problems[0].message}")


def _planned(request: Watch, program: str) -> Run:
    words = request.command
    mode = Mode.DETERMINISTIC if "-icount" in words else Mode.MULTI_THREAD
    conditions = with_machine(Conditions(mode=mode, instrument="crossings"), words)
    return on_qemu(request.campaign, program, words, _machine_of(words), Build(request.firmware, options=request.provenance), conditions)


def _described(planned: Run, accumulator: StreamAccumulator, waits: tuple[InterruptWait, ...] = ()) -> Run:
    facts = (("calls that did not return", "; ".join(accumulator.unreturned)),) if accumulator.unreturned else ()
    waited = ((f"longest wait into {wait.longest.call}", wait_words(wait)) for wait in waits)
    return replace(planned, topology=accumulator.topology, facts=(*planned.facts, *facts, *waited))


def _machine_of(words: Sequence[str]) -> str:
    """QEMU's name of the machine, without its options."""
    for option, value in pairwise(words):
        if option in ("-M", "-machine", "--machine"):
            return value.split(",")[0].removeprefix("type=")
    return "unknown"
