# SPDX-License-Identifier: BSD-3-Clause
"""The life of a run, whichever campaign makes it: begun in its first second, its machine followed, its logs kept, its end told."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from latlab.core.errors import InterruptedByUser, LatlabError, NotFetched, UsageError
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Clock, ProblemKind, RunStatus
from latlab.core.model.life import CUT_OFF, Left
from latlab.core.model.run import Build, Contents, Problem, Run, Spans, Tick, Topology
from latlab.core.store.rows import now_utc
from latlab.core.store.store import Store
from latlab.core.targets import scratch
from latlab.core.targets.process.console import Console, Limits, Lines, MachineEnd
from latlab.core.targets.process.exit_diagnostics import exit_message
from latlab.core.targets.provenance import provenance_of
from latlab.core.targets.qemu import probe

ONE_CORE = Topology((1,))
EVERY_INSTRUCTION = Tick(Clock.INSTRUCTIONS, 1.0)
NEVER_STARTED = "the payload printed nothing: the firmware did not start it, or it uses another console"
Interrupted = Callable[[], bool]
Log = TypeVar("Log")


class Progress(Protocol):
    """Who watches a run."""

    def start(self, run_id: str) -> None: ...

    def iteration(self, test: str, number: int) -> None: ...


class NullProgress:
    """Nobody watches."""

    def start(self, run_id: str) -> None:
        return

    def iteration(self, test: str, number: int) -> None:
        return


def on_qemu(
    campaign: str,
    emulator: object,
    command: tuple[str, ...],
    platform: str,
    build: Build,
    conditions: Conditions,
    topology: Topology = ONE_CORE,
    tick: Tick = EVERY_INSTRUCTION,
    contents: Contents = Spans(),  # noqa: B008 - immutable
) -> Run:
    """A run in QEMU as it begins."""
    return Run(
        campaign=campaign,
        target="qemu",
        platform=platform,
        topology=topology,
        tick=tick,
        build=build,
        contents=contents,
        conditions=conditions,
        started_utc=now_utc(),
        emulator=str(emulator),
        command=command,
    )


@contextmanager
def run_lifecycle(store: Store, run: Run, leftovers: Left = Left(), planned: str = "") -> Iterator[str]:  # noqa: B008 - immutable
    """A run from its first second, a new one or one that was planned. However its making ends in this process, the run does not stay under
    way, except if its data are to be fetched later."""
    run = replace(run, provenance=provenance_of(run.command, store.command_line)) if run.command or store.command_line else run
    if leftovers.folder:
        scratch.belong_to(Path(leftovers.folder), str(store.place))
    run_id = planned or store.begin(run, leftovers)
    if planned:
        _start(store, planned, run, leftovers)
    try:
        yield run_id
    except NotFetched:
        raise
    except BaseException as error:
        with suppress(LatlabError):
            close(store, run_id, error)
        raise


def _start(store: Store, run_id: str, run: Run, leftovers: Left) -> None:
    if not store.claim(run_id, None):
        raise UsageError(f"{run_id} is no longer planned: another latlab process has begun it", "`latlab ls` prints its status")
    store.update_metadata(run_id, run)
    store.set_leftovers(run_id, leftovers)


def close(store: Store, run_id: str, error: BaseException) -> None:
    """End a run that an error ended, if it has not said so itself."""
    if any(life.run_id == run_id for life in store.unfinished_runs()):
        finish(store, run_id, [Problem(0, str(error) if isinstance(error, LatlabError) else f"ended by {type(error).__name__}")])


def text_of(line: bytes) -> str:
    """A console line as text; what is no UTF-8 shows as escapes."""
    return line.decode("utf-8", "backslashreplace").rstrip("\r\n")


def logs_of(console: Lines) -> dict[str, bytes]:
    """What a console that is over left, less what was taken of it before."""
    log = console.secure_log
    secure = log.read_bytes() if log and log.exists() else b""
    return {"console": console.take(), "secure": secure, "stderr": console.stderr}


@dataclass(frozen=True, slots=True)
class RunMachine:
    """The machine of a run, started as often as its campaign wants. `secure_log` is the file for the firmware's own console."""

    store: Store
    run_id: str
    secure_log: Path
    limits: Limits
    interrupted: Interrupted

    def follow(
        self, command: tuple[str, ...], read: Callable[[Iterable[str]], Log], over: Callable[[], None] = lambda: None
    ) -> tuple[Log, Console]:
        """Start it, read what its program prints, keep its logs. `over` is told each call that the program says to be done."""
        console = Console(command, self.secure_log, self.limits, self.interrupted)
        try:
            with closing(_program_lines(console, over)) as lines:
                return read(lines), console
        finally:
            self.store.add(self.run_id, logs=logs_of(console))


def _program_lines(console: Console, over: Callable[[], None]) -> Generator[str, None, None]:
    with closing(console.lines()) as lines:
        for line in lines:
            text = text_of(line)
            if "<LLC1:DONE " in text:
                over()
            if "<LLC1:END " in text:
                console.expect_exit()
            yield text


def unfinished(console: Console, is_started: bool, whereabouts: str = "", damage: Iterable[Problem] = ()) -> list[Problem]:
    """Why a program did not come to its end. What was said of that comes first and without guesses, then what is damaged by it; where
    nothing was said, guesses come last."""
    outcome = console.outcome
    end = Problem(0, outcome.sentence or "the machine ended before the program did", ProblemKind.UNFINISHED)
    if outcome.end in (MachineEnd.INTERRUPT, MachineEnd.PANIC) or (outcome.end is MachineEnd.DEATH and exit_message(console.stderr)):
        return [end, *damage]
    has_secure = console.secure_log.is_file() and console.secure_log.stat().st_size > 0
    logs = "read the logs console and secure" if has_secure else "read the log console"
    guess = Problem(0, "; ".join(filter(None, (NEVER_STARTED, whereabouts, logs))))
    return [*damage, *(() if is_started else (guess,)), end]


def finish(store: Store, run_id: str, problems: Sequence[Problem]) -> RunStatus:
    """A run is complete where nothing is wrong with it."""
    status = RunStatus.PARTIAL if problems else RunStatus.COMPLETE
    store.add(run_id, problems=problems)
    store.finish(run_id, status)
    return status


def refuse_interrupted(store: Store, run_id: str, is_interrupted: bool) -> None:
    """Raises where the user ended the run, which is over by now."""
    if is_interrupted:
        store.checkpoint(run_id, {}, CUT_OFF)
        sentence = f"interrupted; the samples so far are kept as the partial run {run_id}"
        raise InterruptedByUser(sentence, f"`latlab runs rm {run_id}` removes them")


def refuse_unstarted(console: Console, stream: bytes) -> None:
    """Raises UsageError with QEMU's own words where it did not start the machine with the probe."""
    why = probe.why_not_started(console.stderr)
    if why and not stream and console.outcome.end is MachineEnd.DEATH:
        raise UsageError(why)
