# SPDX-License-Identifier: BSD-3-Clause
"""A run of latlab that is killed at a moment, and what must hold afterwards: the run is in the store with its true start and with what had
been measured, and after the next command no process and no folder of it is left.

Every process of the run inherits a variable of its own, by which /proc finds it whatever became of its parent.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from latlab.core.errors import DataError
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Run
from latlab.core.readers.dump.dump import Iteration, read_dump
from latlab.core.readers.event_table import event_table
from latlab.core.store.store import open_store
from latlab.core.targets.scratch import PERSISTENT
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.guest.checkpoints import SHARED, read_shared

MARK = "LATLAB_PROOF"
START_LIMIT_S = 3600
GONE_LIMIT_S = 3600
RECORDER_SLACK_NS = 1_500_000_000
LOAD = "#!/bin/sh\nsleep 1000 & sleep 1000 & sleep 1000 &\nwait\n"


@dataclass(frozen=True)
class Campaign:
    """A command line, what it says when it measures, how many seconds after that it is killed at the latest, and what it says when the run
    has begun."""

    name: str
    arguments: tuple[str, ...]
    measures: str
    span_s: float
    begun: str = "run "


@dataclass(frozen=True)
class Moment:
    """When to kill: so long after the start, or after the run is known, or after it measures."""

    after: str
    seconds: float


def moments(seed: int, count: int, span_s: float) -> list[Moment]:
    """A fifth from the start on, a fifth from the run's first second on, the rest while it measures."""
    rng = random.Random(seed)
    kinds = [("start", 3.0), ("run", 3.0), *[("measure", span_s)] * 3]
    return [Moment(kind, rng.uniform(0, most)) for kind, most in (kinds[number % len(kinds)] for number in range(count))]


class KilledRun:
    """`folder` is the test's own: the store, the temporary files and a load that costs nothing are in it."""

    def __init__(self, folder: Path, campaign: Campaign) -> None:
        self.folder, self.campaign = folder, campaign
        self.token = f"{os.getpid()}-{random.randrange(1 << 62)}"
        self.said = folder / "said"
        self.mine = folder / "tmp"
        self.mine.mkdir()
        program = folder / "bin" / "hackbench"
        program.parent.mkdir()
        program.write_text(LOAD)
        program.chmod(0o755)
        self.environment = {
            **os.environ,
            MARK: self.token,
            "LATLAB_STORE": str(folder / "store.sqlite"),
            "TMPDIR": str(self.mine),
            "PATH": f"{program.parent}:{os.environ['PATH']}",
        }
        self.before = set(PERSISTENT.glob("latlab-rt.*"))
        self.records: dict[str, bytes] = {}
        self.started = self.killed = 0.0
        self.kill_ns = 0

    def kill(self, moment: Moment) -> None:
        """Start it and kill latlab, and nothing else, with SIGKILL."""
        self.started = time.time()
        with self.said.open("wb") as said:
            command = [sys.executable, "-m", "latlab", *self.campaign.arguments]
            process = subprocess.Popen(command, stdout=said, stderr=said, env=self.environment, start_new_session=True)
        try:
            self._wait_for({"start": "", "run": self.campaign.begun, "measure": self.campaign.measures}[moment.after], process)
            time.sleep(moment.seconds)
        finally:
            self.kill_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.killed = time.time()
        self.records = {str(path): read_shared(path) for path in self.mine.rglob(SHARED)}

    def check(self) -> str:
        """Run the next command and check everything; one word for what was found. A store is made with its first run."""
        place = self.folder / "store.sqlite"
        if not place.exists():
            self._check_not_begun()
            return "not begun"
        done = subprocess.run(
            [sys.executable, "-m", "latlab", "ls"], capture_output=True, text=True, env=self.environment, timeout=3600, check=False
        )
        assert done.returncode == 0, done.stderr
        self.check_nothing_is_left()
        store = open_store(str(place))
        runs = [store.load(head.id) for head in store.runs()]
        if not runs:
            self._check_not_begun()
            return "not begun"
        (run,) = runs
        began = datetime.strptime(run.started_utc, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()
        assert self.started - 1 <= began <= self.killed
        assert run.status in (RunStatus.COMPLETE, RunStatus.PARTIAL)
        if run.status is RunStatus.PARTIAL:
            assert any("latlab was killed" in problem.message for problem in run.problems), run.problems
            assert f"run {run.id}: cut off" in done.stderr
        return self._check_contents(run, store.logs(run.id))

    def _check_not_begun(self) -> None:
        self.check_nothing_is_left()
        assert "run " not in self.said.read_text(), "a run was told and is not in the store"

    def _check_contents(self, run: Run, logs: dict[str, bytes]) -> str:
        if run.kind == "spans":
            found = read_dump((line.decode("utf-8", "replace") for line in logs.get("console", b"").splitlines()), event_table())
            assert len({(t.test, t.boot, t.iteration) for t in run.traces}) == sum(isinstance(item, Iteration) for item in found)
            return "spans" if run.samples else "empty"
        if run.kind in ("amounts", "attacks"):
            return str(run.kind)
        if run.target == "linux":
            return self._check_linux(logs)
        return self._check_guest(logs)

    def _check_linux(self, logs: dict[str, bytes]) -> str:
        """The job hears of latlab's end and its recorder writes a last checkpoint, so nothing at all is lost."""
        try:
            read = read_record(logs.get("recorder.rec", b""), "recorder.rec")
        except DataError:
            return "empty"
        assert read.complete and read.end_ns is not None and read.end_ns >= self.kill_ns - RECORDER_SLACK_NS
        return "wake-ups"

    def _check_guest(self, logs: dict[str, bytes]) -> str:
        """What stood in the shared memory when latlab died is in the store, and no older checkpoint."""
        kept = {_got(data) for name, data in logs.items() if name.endswith("recorder.rec")}
        shared = {_got(data) for data in self.records.values()} - {0}
        assert shared <= kept, (shared, kept)
        return "wake-ups" if kept - {0} else "empty"

    def check_nothing_is_left(self) -> None:
        limit = time.monotonic() + GONE_LIMIT_S
        while (alive := self._processes()) and time.monotonic() < limit:
            time.sleep(0.2)
        assert alive == []
        assert [path.name for path in self.mine.iterdir() if path.name.startswith("latlab")] == []
        assert set(PERSISTENT.glob("latlab-rt.*")) - self.before == set()

    def _processes(self) -> list[str]:
        found = []
        for environ in Path("/proc").glob("[0-9]*/environ"):
            try:
                if f"{MARK}={self.token}".encode() in environ.read_bytes().split(b"\0"):
                    found.append((environ.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
        return found

    def _wait_for(self, words: str, process: subprocess.Popen[bytes]) -> None:
        limit = time.monotonic() + START_LIMIT_S
        while not re.search(words, self.said.read_text("utf-8", "replace"), re.DOTALL):
            assert process.poll() is None and time.monotonic() < limit, self.said.read_text()
            time.sleep(0.02)


def _got(data: bytes) -> int:
    try:
        return sum(cpu.got for cpu in read_record(data, "recorder.rec").cpus)
    except DataError:
        return 0
