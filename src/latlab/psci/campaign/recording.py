# SPDX-License-Identifier: BSD-3-Clause
"""From a console to a stored run: the one path that a campaign on a target and an imported log both take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from latlab.core.errors import DataError, TestFailed
from latlab.core.lifecycle.life import Progress, logs_of, refuse_interrupted, run_lifecycle, text_of
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import ProblemKind, RunStatus
from latlab.core.model.life import Left
from latlab.core.model.run import CoreId, Problem, Run, Sample, Tick
from latlab.core.readers.dump.dump import Iteration, read_dump
from latlab.core.readers.dump.frames import Boot, EndFrame
from latlab.core.readers.event_table import event_table
from latlab.core.store.store import Store
from latlab.core.targets.process import console as consoles
from latlab.core.targets.qemu.images import PLATFORM
from latlab.psci.analysis.crosscheck import disagreement
from latlab.psci.analysis.spans import SpanError, samples_of

TRACE = "trace"
GARBAGE_BYTES = 256 * 1024
LOG_PART_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a log: the run's id, how many samples were kept, and what is wrong with it."""

    run_id: str
    status: RunStatus
    samples: int
    problems: tuple[Problem, ...]
    passed: bool


class Recorder:
    """Commits each iteration of a log to the store when it is complete."""

    def __init__(
        self,
        store: Store,
        run_id: str,
        run: Run,
        tick_of: Callable[[int], Tick],
        take_log: Callable[[], bytes],
        progress: Progress,
    ) -> None:
        self.store = store
        self.take_log = take_log
        self.run = run
        self.run_id = run_id
        self.tick_of = tick_of
        self.progress = progress
        self.samples = 0
        self.problems: list[Problem] = []
        self.boot: Boot | None = None
        self.end: EndFrame | None = None

    def read(self, lines: Iterable[bytes]) -> Iterator[Boot | Iteration | Problem | EndFrame]:
        """Go through the log; yields each item after it is stored."""
        for item in read_dump(map(text_of, lines), event_table()):
            match item:
                case Boot():
                    self._boot(item)
                case Iteration():
                    self._iteration(item)
                case Problem():
                    self.problem(item)
                case EndFrame():
                    self.end = item if self.end is None or self.end.status == "pass" else self.end
            yield item

    def problem(self, problem: Problem) -> None:
        self.problems.append(problem)
        self.store.add(self.run_id, problems=[problem])

    def add_logs(self) -> None:
        """Store what has come of the console since the last time."""
        self.store.add(self.run_id, logs={"console": self.take_log()})

    def finish(self) -> Recorded:
        complete = self.end is not None and not self.problems
        status = RunStatus.COMPLETE if complete else RunStatus.PARTIAL
        self.store.finish(self.run_id, status)
        return Recorded(self.run_id, status, self.samples, tuple(self.problems), self.end is None or self.end.status == "pass")

    def _boot(self, boot: Boot) -> None:
        if self.boot is None:
            self.run = _with_boot(self.run, boot, self.tick_of(boot.clock_hz))
            self.store.update_metadata(self.run_id, self.run)
        self.boot = boot

    def _iteration(self, item: Iteration) -> None:
        assert self.boot is not None
        samples, fault = sound_samples(item, self.boot)
        if fault:
            self.problem(fault)
            return
        self.store.add(self.run_id, samples, item.traces, logs={"console": self.take_log()})
        self.samples += len(samples)
        self.progress.iteration(item.test, item.iteration)


def sound_samples(item: Iteration, boot: Boot) -> tuple[tuple[Sample, ...], Problem | None]:
    """The spans of an iteration, or why it is left out."""
    try:
        samples = samples_of(item.traces)
        fault = disagreement(samples, item.figures, boot.clock_hz)
    except SpanError as error:
        samples, fault = (), Problem(item.line, str(error))
    if fault is None:
        return tuple(samples), None
    return (), Problem(fault.line or item.line, f"iteration {item.iteration} of {item.test} is left out: {fault.message}")


def record_console(
    store: Store,
    run: Run,
    tick_of: Callable[[int], Tick],
    console: consoles.Lines,
    progress: Progress,
    logs: Mapping[str, bytes],
    leftovers: Left = Left(),  # noqa: B008 - immutable
) -> Recorded:
    """Follow a console to its end and store what it says; `logs` are kept beside it, `leftovers` lies about meanwhile."""
    with run_lifecycle(store, run, leftovers) as run_id:
        recorder = Recorder(store, run_id, run, tick_of, console.take, progress)
        progress.start(run_id)
        store.add(run_id, logs=logs)
        try:
            with closing(console.lines()) as lines:
                _follow(recorder, console, lines)
        finally:
            store.add(run_id, logs=logs_of(console))
        recorded = _ended(recorder, console)
    refuse_interrupted(store, run_id, console.outcome.end is consoles.MachineEnd.INTERRUPT)
    return recorded


def verdict(recorded: Recorded) -> None:
    """Raise what the recorded log deserves; nothing where it is complete and passed."""
    if recorded.status is RunStatus.PARTIAL:
        count = len(recorded.problems)
        raise DataError(
            f"{recorded.run_id} is partial: {count} problem{'s' * (count != 1)}, {recorded.samples} valid samples kept",
            f"`latlab show {recorded.run_id} --log console` prints the raw log",
        )
    if not recorded.passed:
        raise TestFailed("the payload reports a failed test", f"`latlab show {recorded.run_id} --log console` has its lines")


def _follow(recorder: Recorder, console: consoles.Lines, lines: Iterable[bytes]) -> None:
    for item in recorder.read(_watch(recorder, console, lines)):
        if isinstance(item, EndFrame):
            console.expect_exit()


def _watch(recorder: Recorder, console: consoles.Lines, lines: Iterable[bytes]) -> Iterator[bytes]:
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


LOG_OF_END = {consoles.MachineEnd.PANIC: "secure", consoles.MachineEnd.DEATH: "stderr"}


def _ended(recorder: Recorder, console: consoles.Lines) -> Recorded:
    """Name how the target ended where that was not as it should be, and where to look."""
    outcome = console.outcome
    if outcome.sentence:
        log = LOG_OF_END.get(outcome.end, "console")
        recorder.problem(Problem(0, f"{outcome.sentence}; read `latlab show {recorder.run_id} --log {log}`", ProblemKind.UNFINISHED))
    return recorder.finish()


def _with_boot(run: Run, boot: Boot, tick: Tick) -> Run:
    facts = dict(run.facts) | {"clock_hz": str(boot.clock_hz)}
    conditions = replace(
        run.conditions,
        exception_level=boot.el or None,
        interrupt_controller=f"GICv{boot.gic}" if boot.gic else None,
        iterations=boot.iterations,
        instrument=TRACE,
    )
    if PLATFORM in boot.firmware:
        conditions = replace(conditions, mode=conditions.mode or Mode.MULTI_THREAD)
    return replace(
        run,
        topology=boot.topology,
        tick=tick,
        build=replace(run.build, firmware=boot.firmware, events_hash=boot.events),
        lead=CoreId(boot.lead.cluster, boot.lead.core),
        capture_cost_ticks=boot.capture_mticks / 1000,
        conditions=conditions,
        facts=tuple(facts.items()),
    )
