# SPDX-License-Identifier: BSD-3-Clause
"""From a console to a stored run: the one path that a campaign on a target and an imported log both take."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from latlab.analysis.spans.crosscheck import disagreement
from latlab.analysis.spans.spans import SpanError, samples_of
from latlab.catalog import event_table
from latlab.errors import DataError, LatlabError, TestFailed, UsageError
from latlab.formats.dump.dump import Iteration, collect_dump, read_dump
from latlab.formats.dump.frames import Boot, End, parse_frames
from latlab.formats.dump.rt_instr import parse_figures, read_figures
from latlab.model.enums import Clock, RunStatus
from latlab.model.figures import Figures
from latlab.model.run import Build, CoreId, Problem, Run, Sample, Tick, Topology
from latlab.store.store import Store
from latlab.targets.qemu import console as consoles
from latlab.targets.qemu import qemu as qemus
from latlab.targets.qemu.images import PLATFORM, check_events
from latlab.virtual import program as virtual_times
from latlab.virtual.board import board_text

CAMPAIGN = "psci"
CAMPAIGN_TESTS = 6
PAYLOAD = "psci_bench"
GARBAGE_BYTES = 256 * 1024
LOG_PART_BYTES = 1024 * 1024


class Progress(Protocol):
    """Who watches a run."""

    def start(self, run_id: str) -> None: ...

    def iteration(self, test: str, number: int) -> None: ...


class Silent:
    """Nobody watches."""

    def start(self, run_id: str) -> None:
        return

    def iteration(self, test: str, number: int) -> None:
        return


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a log: the run's id, how many samples were kept, and what is wrong with it."""

    run_id: str
    status: RunStatus
    samples: int
    problems: tuple[Problem, ...]
    passed: bool


class _Recorder:
    """Commits each iteration of a log to the store when it is complete."""

    def __init__(self, store: Store, run: Run, tick_of: Callable[[int], Tick], take_log: Callable[[], bytes], progress: Progress) -> None:
        self.store = store
        self.take_log = take_log
        self.run = run
        self.run_id = store.begin(run)
        self.tick_of = tick_of
        self.progress = progress
        self.samples = 0
        self.problems: list[Problem] = []
        self.boot: Boot | None = None
        self.end: End | None = None

    def read(self, lines: Iterable[bytes]) -> Iterator[Boot | Iteration | Problem | End]:
        """Go through the log; yields each item after it is stored."""
        for item in read_dump(map(text_of, lines), event_table()):
            match item:
                case Boot():
                    self._boot(item)
                case Iteration():
                    self._iteration(item)
                case Problem():
                    self.problem(item)
                case End():
                    self.end = item
            yield item

    def problem(self, problem: Problem) -> None:
        self.problems.append(problem)
        self.store.add(self.run_id, problems=[problem])

    def add_logs(self, others: Mapping[str, bytes] | None = None) -> None:
        """Store what has come of the console since the last time, and other logs."""
        self.store.add(self.run_id, logs={"console": self.take_log()} | dict(others or {}))

    def finish(self) -> Recorded:
        complete = self.end is not None and not self.problems
        status = RunStatus.COMPLETE if complete else RunStatus.PARTIAL
        self.store.finish(self.run_id, status)
        return Recorded(self.run_id, status, self.samples, tuple(self.problems), self.end is None or self.end.status == "pass")

    def _boot(self, boot: Boot) -> None:
        if self.boot is None:
            self.run = _with_boot(self.run, boot, self.tick_of(boot.clock_hz))
            self.store.describe(self.run_id, self.run)
        self.boot = boot

    def _iteration(self, item: Iteration) -> None:
        assert self.boot is not None
        try:
            samples = samples_of(item.traces)
            fault = disagreement(samples, item.figures, self.boot.clock_hz)
        except SpanError as error:
            samples, fault = (), Problem(item.line, str(error))
        if fault:
            self.problem(Problem(fault.line or item.line, f"iteration {item.iteration} of {item.test} is left out: {fault.message}"))
            return
        self.store.add(self.run_id, samples, item.traces, logs={"console": self.take_log()})
        self.samples += len(samples)
        self.progress.iteration(item.test, item.iteration)


def run_psci(
    store: Store,
    qemu: qemus.Qemu,
    machine: qemus.Machine,
    limits: consoles.Limits,
    progress: Progress,
    interrupted: Callable[[], bool] = lambda: False,
) -> Recorded:
    """Run the psci campaign in QEMU and store it. Raises before the start where firmware, QEMU and machine do not fit."""
    check_events(machine.images, event_table())
    qemus.check_machine(qemu, machine)
    clock = qemus.clock_of(machine.mode)
    with tempfile.TemporaryDirectory(prefix="latlab-") as folder:
        secure_log = Path(folder) / "secure.log"
        command = qemus.command_line(qemu, machine, secure_log)
        console = consoles.Console(command, secure_log, limits, interrupted)
        run = _planned(qemu, machine, clock, command)
        return record_console(store, run, lambda hz: qemus.tick_of(clock, hz), console, progress, {})


def record_console(
    store: Store, run: Run, tick_of: Callable[[int], Tick], console: consoles.Lines, progress: Progress, logs: Mapping[str, bytes]
) -> Recorded:
    """Follow a console to its end and store what it says; `logs` are kept beside it."""
    recorder = _Recorder(store, run, tick_of, console.take, progress)
    progress.start(recorder.run_id)
    try:
        with closing(console.lines()) as lines:
            _follow(recorder, console, lines)
    finally:
        recorder.add_logs({"secure": _read(console.secure_log), "stderr": console.stderr} | dict(logs))
    recorded = _ended(recorder, console)
    if console.outcome.end is consoles.End.INTERRUPT:
        raise LatlabError(f"interrupted; what came before is kept as the partial run {recorded.run_id}")
    return recorded


def run_psci_console(store: Store, console: consoles.Lines, target: str, platform: str, progress: Progress) -> Recorded:
    """Store the psci campaign that a board's payload prints on its console. What the board is, it says itself."""
    run = Run(
        campaign=CAMPAIGN,
        target=target,
        platform=platform,
        topology=Topology(()),
        tick=Tick(Clock.TIME, 1.0),
        build=Build("unknown"),
        lead=None,
        status=RunStatus.PARTIAL,
        samples=(),
        started_utc=now_utc(),
    )
    return record_console(store, run, lambda hz: qemus.tick_of(Clock.TIME, hz), console, progress, {})


def run_psci_virtual(store: Store, virtual: virtual_times.Virtual, progress: Progress) -> Recorded:
    """Run the psci campaign in virtual time and store it. What the program prints takes the path of every dump."""
    run = Run(
        campaign=CAMPAIGN,
        target=f"virtual:{virtual.board.name}",
        platform=virtual.board.name,
        topology=virtual.board.topology,
        tick=Tick(Clock.VIRTUAL, 1.0),
        build=Build("unknown"),
        lead=None,
        status=RunStatus.PARTIAL,
        samples=(),
        started_utc=now_utc(),
        emulator=virtual_times.PROGRAM,
        command=virtual.command,
        facts=virtual_times.facts(virtual.board),
    )
    printed = virtual_times.run_program(virtual.program, virtual.board, virtual.command[2:])
    recorder = _Recorder(store, run, lambda hz: Tick(Clock.VIRTUAL, 1_000_000_000 / hz), bytes, progress)
    progress.start(recorder.run_id)
    store.add(recorder.run_id, logs={"console": printed, "board": board_text(virtual.board).encode()})
    for _ in recorder.read(io.BytesIO(printed)):
        pass
    return recorder.finish()


def import_log(
    store: Store,
    data: bytes,
    source: str,
    topology: Topology | None = None,
    clock: Clock | None = None,
    platform: str | None = None,
    firmware: str | None = None,
) -> Recorded:
    """Store a console log from elsewhere. The options say what the log does not; they may not contradict it."""
    lines = io.BytesIO(data).readlines()
    texts = [text_of(line) for line in lines]
    boot = next((frame for text in texts for frame in parse_frames(text) if isinstance(frame, Boot)), None)
    if boot is None and topology is None:
        raise _without_topology(source, texts)
    run = _imported(source, boot, topology, clock, platform, firmware)
    if boot is None:
        return _import_figures(store, run, texts, data)
    recorder = _Recorder(store, run, lambda hz: qemus.tick_of(run.tick.clock, hz), bytes, Silent())
    recorder.add_logs({"console": data})
    for _ in recorder.read(lines):
        pass
    return recorder.finish()


def text_of(line: bytes) -> str:
    """A console line as text; what is no UTF-8 shows as escapes."""
    return line.decode("utf-8", "backslashreplace").rstrip("\r\n")


def verdict(recorded: Recorded) -> None:
    """Raise what the recorded log deserves; nothing where it is complete and passed."""
    if recorded.status is RunStatus.PARTIAL:
        count = len(recorded.problems)
        raise DataError(
            f"{recorded.run_id} is partial: {count} problem{'s' * (count != 1)}, {recorded.samples} sound samples kept; "
            f"`latlab show {recorded.run_id} --log console` prints the raw log"
        )
    if not recorded.passed:
        raise TestFailed(f"the payload says that a test failed; `latlab show {recorded.run_id} --log console` has its lines")


def _follow(recorder: _Recorder, console: consoles.Lines, lines: Iterable[bytes]) -> None:
    for item in recorder.read(_watch(recorder, console, lines)):
        if isinstance(item, End):
            console.expect_exit()


def _watch(recorder: _Recorder, console: consoles.Lines, lines: Iterable[bytes]) -> Iterator[bytes]:
    """The console's lines, until so much came without a BOOT line that none will come."""
    size = unsaved = 0
    for line in lines:
        size += len(line)
        unsaved += len(line)
        if recorder.boot is None and size > GARBAGE_BYTES:
            console.stop(f"the target prints garbage: {size} bytes without a dump's BOOT line; check --firmware and the payload")
        if unsaved > LOG_PART_BYTES:
            recorder.add_logs()
            unsaved = 0
        yield line


LOG_OF_END = {consoles.End.PANIC: "secure", consoles.End.DEATH: "stderr"}


def _ended(recorder: _Recorder, console: consoles.Lines) -> Recorded:
    """Name how the target ended where that was not as it should be, and where to look."""
    outcome = console.outcome
    if outcome.sentence:
        log = LOG_OF_END.get(outcome.end, "console")
        recorder.problem(Problem(0, f"{outcome.sentence}; read `latlab show {recorder.run_id} --log {log}`"))
    return recorder.finish()


def _planned(qemu: qemus.Qemu, machine: qemus.Machine, clock: Clock, command: tuple[str, ...]) -> Run:
    return Run(
        campaign=CAMPAIGN,
        target="qemu",
        platform=PLATFORM,
        topology=machine.images.topology,
        tick=Tick(clock, 1.0),
        build=Build("unknown"),
        lead=None,
        status=RunStatus.PARTIAL,
        samples=(),
        started_utc=now_utc(),
        emulator=str(qemu),
        command=command,
        facts=(("mode", machine.mode.value), ("cpu", qemus.CPU)),
    )


def _without_topology(source: str, texts: list[str]) -> LatlabError:
    """Why a log cannot be stored that does not say its topology: it is damaged, foreign, or no log at all."""
    has_figures = any(isinstance(found, Figures) for text in texts for found in parse_figures(text))
    if any(True for text in texts for _ in parse_frames(text)):
        first = collect_dump(texts, event_table()).problems[0]
        rescue = ", or --topology to keep its RT_INSTR figures" if has_figures else ""
        return DataError(f"{source} line {first.line}: {first.message}; it has no readable BOOT line; give the whole log{rescue}")
    if not has_figures:
        return DataError(f"{source} has no dump line and no RT_INSTR figure, so nothing to store; give the console log of a campaign")
    return UsageError(f"{source} does not say its topology; give it with --topology, such as --topology 2,4")


def _imported(
    source: str, boot: Boot | None, topology: Topology | None, clock: Clock | None, platform: str | None, firmware: str | None
) -> Run:
    if boot and topology and boot.topology != topology:
        raise UsageError(f"--topology {topology} contradicts {source}, which says {boot.topology}; leave the option out")
    if clock is Clock.INSTRUCTIONS and boot is None:
        raise UsageError(f"{source} has figures in ns only, which are no instructions; leave out --clock")
    emulated = boot is not None and PLATFORM in boot.firmware
    if emulated and clock is None:
        raise UsageError(
            f"{source} was made on {PLATFORM} and does not say what its clock counts; give --clock instructions for a deterministic run, "
            "--clock time for a multi-threaded one"
        )
    chosen = clock or Clock.TIME
    mode = qemus.Mode.DETERMINISTIC if chosen is Clock.INSTRUCTIONS else qemus.Mode.MULTI_THREAD
    return Run(
        campaign=CAMPAIGN,
        target="import",
        platform=platform or (PLATFORM if emulated else "unknown"),
        topology=boot.topology if boot else topology or Topology(()),
        tick=qemus.tick_of(chosen, boot.clock_hz) if boot else Tick(chosen, 1.0),
        build=Build(firmware or "unknown"),
        lead=None,
        status=RunStatus.PARTIAL,
        samples=(),
        started_utc=now_utc(),
        facts=(("source", source), *((("mode", mode.value),) if emulated else ())),
    )


def _import_figures(store: Store, run: Run, texts: list[str], data: bytes) -> Recorded:
    """A log with RT_INSTR lines only: three durations a core, no trace, no checksum."""
    iterations, problems = read_figures(texts, run.topology)
    if any(True for text in texts for _ in parse_frames(text)):
        problems = [*collect_dump(texts, event_table()).problems, *problems]
    samples = [
        Sample(figures.test, metric, figures.core, 0, number, value)
        for number, figures in iterations
        for metric, value in figures.values_ns
    ]
    if not samples:
        cause = f"; line {problems[0].line}: {problems[0].message}" if problems else ""
        raise DataError(f"no readable BOOT line and no RT_INSTR figure, so nothing to store{cause}; give the whole console log")
    run_id = store.begin(run)
    store.add(run_id, samples, problems=problems, logs={"console": data})
    status = RunStatus.PARTIAL if problems else RunStatus.COMPLETE
    store.finish(run_id, status)
    return Recorded(run_id, status, len(samples), tuple(problems), True)


def _with_boot(run: Run, boot: Boot, tick: Tick) -> Run:
    facts = dict(run.facts) | {
        "clock_hz": str(boot.clock_hz),
        "iterations": str(boot.iterations),
        "el": str(boot.el),
        "gic": str(boot.gic),
    }
    if PLATFORM in boot.firmware:
        facts.setdefault("mode", qemus.Mode.MULTI_THREAD.value)
    return replace(
        run,
        topology=boot.topology,
        tick=tick,
        build=Build(boot.firmware, boot.events),
        lead=CoreId(boot.lead.cluster, boot.lead.core),
        capture_cost_ticks=boot.capture_mticks / 1000,
        facts=tuple(facts.items()),
    )


def now_utc() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
