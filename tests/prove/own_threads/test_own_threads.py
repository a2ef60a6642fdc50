# SPDX-License-Identifier: BSD-3-Clause
"""An application of two real-time threads that stamps its own cycles: which overruns are named, and with which cause. It is followed in a
trace of perf, and in a run that starts it.

In every fourth cycle of the first thread something keeps it beyond its period, and the program itself says what.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from latlab.core.model.blame import BlameKind
from latlab.core.store.store import open_store
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.cycles import explained_overruns
from latlab.rt.analysis.thread_report import ThreadReporter
from latlab.rt.analysis.thread_spans import follow, matching
from latlab.rt.model.thread_trace import ThreadTrace
from latlab.rt.readers.live_trace import read_live_trace
from latlab.rt.readers.thread_traces import PERF_MAGIC, read_thread_trace
from latlab.rt.targets.recorder_binary import FLAGS
from latlab.rt.targets.trace_dat import printed, trace_file_of
from support.command import latlab

pytestmark = [pytest.mark.slow, pytest.mark.realtime]

SOURCE = Path(__file__).parent / "two_loops.c"
PERIOD_NS, CYCLES, SEED = 5_000_000, 2000, 1
LOOP = "loop-a"
INSTANCES = Path("/sys/kernel/tracing/instances")
EVENTS = (
    "sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup", "sched:sched_migrate_task", "irq:*", "lock:contention_begin",
    "lock:contention_end", "irq_vectors:local_timer_entry", "irq_vectors:local_timer_exit", "irq_vectors:reschedule_entry",
    "irq_vectors:reschedule_exit", "syscalls:sys_enter_clock_nanosleep", "syscalls:sys_exit_clock_nanosleep",
    "syscalls:sys_enter_getrandom", "syscalls:sys_exit_getrandom",
)  # fmt: skip
RIGHT: Mapping[str, tuple[tuple[BlameKind, ...], str]] = {
    "hog": ((BlameKind.THREAD,), "plant-hog"),
    "equal": ((BlameKind.THREAD,), "plant-equal"),
    "deadline": ((BlameKind.THREAD,), "plant-deadline"),
    "lock": ((BlameKind.WAITED,), "plant-holder"),
    "inversion": ((BlameKind.WAITED,), "plant-inverted"),
    "migration": ((BlameKind.THREAD, BlameKind.WAITED), "plant-there"),
    "call": ((BlameKind.CALL,), "getrandom"),
    "sleep": ((BlameKind.OWN,), ""),
    "computing": ((BlameKind.COMPUTING,), ""),
    "fault": ((BlameKind.COMPUTING,), ""),
}
"""Faults of pages that need no device are time of the thread itself: their ends have no event. One that sleeps is its own wait. A loop that
moves to the other CPU waits first until the thread there says that it has begun."""
NAMES_OF_PLANTS = ("plant-hog", "plant-equal", "plant-deadline", "plant-holder", "plant-inverted", "plant-there", "getrandom")
SAME_END_NS = 2_000_000
"""The program prints a stamp before its cycle ends."""
LEAST_RIGHT = 0.9
MOST_OF_THE_HOST = 0.1
NO_PLANT = {BlameKind.INTERRUPT, BlameKind.SOFTIRQ, BlameKind.IDLE_EXIT}
"""The trace is analysed as of a machine without a hypervisor, so that causes have names. In milliseconds of these only a host can have the
CPU: no plant is one."""


@dataclass(frozen=True, slots=True)
class Stamp:
    kind: str
    due_ns: int
    begin_ns: int
    end_ns: int
    gone_ns: int
    overslept_ns: int
    own_ns: int

    def is_of_the_host(self, named: BlameKind) -> bool:
        """A host that slows its machine down takes the CPU without a mark: a cycle without a plant stood still in its own work, or began
        late after a sleep."""
        stood_still = self.kind == "none" and self.gone_ns + self.overslept_ns >= 0.5 * self.own_ns
        return named in NO_PLANT or (named is BlameKind.COMPUTING and stood_still)


@pytest.fixture(scope="module", params=["perf", "live"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Stamp], tuple[Attributed, ...]]:
    """The stamps of all cycles, and latlab's overruns."""
    if os.geteuid() != 0 or len(os.sched_getaffinity(0)) < 2 or not all(map(shutil.which, ("cc", "perf"))):
        pytest.skip("it needs root, a second CPU, a C compiler and perf")
    if request.param == "live" and not INSTANCES.is_dir():
        pytest.skip("no tracefs is mounted at /sys/kernel/tracing")
    folder = tmp_path_factory.mktemp("two_loops")
    program = folder / "two_loops"
    subprocess.run(["cc", *FLAGS, "-pthread", str(SOURCE), "-o", str(program)], check=True)
    stdout, trace = (by_perf if request.param == "perf" else by_latlab)(folder, program)
    stamps = list(stamps_of(stdout))
    (thread,) = follow(trace, matching((LOOP,)))
    cycles = ThreadReporter(trace, is_virtual=False).report(thread, 100_000, PERIOD_NS).cycles
    assert cycles is not None and cycles.is_on_grid and cycles.by_calls
    return stamps, explained_overruns(cycles)


def stamps_of(stdout: str) -> Iterator[Stamp]:
    ended_ns = 0
    for line in stdout.splitlines():
        kind, *ns = line.split()
        if len(ns) == 4:
            due, begin, end, gone = map(int, ns)
            could_begin = max(due, ended_ns)
            yield Stamp(kind, due, begin, end, gone, max(0, begin - could_begin), end - could_begin)
            ended_ns = end


def by_latlab(folder: Path, program: Path) -> tuple[str, ThreadTrace]:
    address = str(folder / "runs.db")
    run = latlab("run", "rt", "-D", "10m", "--store", address, "--", str(program), str(CYCLES), str(SEED))
    assert run.returncode == 0, run.stderr
    files = open_store(address).logs("last")
    return files["command.out"].decode(), read_live_trace(files).trace


def by_perf(folder: Path, program: Path) -> tuple[str, ThreadTrace]:
    data = folder / "perf.data"
    events = [word for event in EVENTS for word in ("-e", event)]
    command = ["perf", "record", "-q", "-m", "4096", "-a", "-k", "CLOCK_MONOTONIC", "-o", str(data), *events, "--"]
    done = subprocess.run([*command, str(program), str(CYCLES), str(SEED)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"perf cannot record these events here: {done.stderr[:200]}")
    trace_file = trace_file_of(PERF_MAGIC)
    assert trace_file is not None
    return done.stdout, read_thread_trace(printed(data.read_bytes(), "perf.data", trace_file), "perf.data")


def at_end(overruns: tuple[Attributed, ...], stamp: Stamp) -> Attributed | None:
    ends = [overrun.outlier.wake_ns for overrun in overruns]
    at = bisect_left(ends, stamp.end_ns)
    return overruns[at] if at < len(ends) and ends[at] - stamp.end_ns < SAME_END_NS else None


def test_every_overrun_has_the_right_name_or_none(recorded):
    """A cycle without a plant, and one whose plant did not reach it, is late by the one before or by other work: no plant may be blamed."""
    stamps, overruns = recorded
    late = [stamp for stamp in stamps if stamp.end_ns - stamp.due_ns > PERIOD_NS]
    wrong, right, planted, of_the_host = [], 0, 0, 0
    for stamp in late:
        overrun = at_end(overruns, stamp)
        if overrun is None or overrun.blame.kind in (BlameKind.UNEXPLAINED, BlameKind.CYCLE_BEFORE, BlameKind.AWAY):
            planted += stamp.kind in RIGHT and overrun is not None and overrun.blame.kind is BlameKind.UNEXPLAINED
            continue
        kinds, name = RIGHT.get(stamp.kind, ((), ""))
        slept = stamp.kind == "fault" and overrun.blame.kind is BlameKind.OWN
        is_right = slept or (overrun.blame.kind in kinds and overrun.blame.name.startswith(name))
        is_of_others = not any(plant in overrun.blame.name for plant in NAMES_OF_PLANTS) and overrun.blame.kind is BlameKind.THREAD
        planted += stamp.kind in RIGHT
        right += is_right
        if not is_right and not is_of_others:
            is_host = stamp.is_of_the_host(overrun.blame.kind)
            of_the_host += is_host
            wrong += [] if is_host else [(stamp, overrun.blame)]
    assert wrong == [] and len(late) > CYCLES // 10
    assert of_the_host <= MOST_OF_THE_HOST * len(late), "the host took the CPUs too often"
    assert right >= LEAST_RIGHT * planted > 0


def test_the_overruns_are_those_that_the_program_stamped(recorded):
    """Those within a tenth of a millisecond of the period may go either way."""
    stamps, overruns = recorded
    sure = [stamp for stamp in stamps if stamp.end_ns - stamp.due_ns > PERIOD_NS + 100_000]
    assert sum(at_end(overruns, stamp) is not None for stamp in sure) >= 0.99 * len(sure)
    possible = sum(stamp.end_ns - stamp.due_ns > PERIOD_NS - 100_000 for stamp in stamps)
    assert len(overruns) <= possible + 0.01 * len(stamps)
