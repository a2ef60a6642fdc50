# SPDX-License-Identifier: BSD-3-Clause
"""Six hours on a clock that runs fast, and the power that goes at any moment of them.

The machine is this one but for its time and its recorder: for each second that the campaign sleeps, a checkpoint is written and synced as
the recorder does it. At the cut there remain what the store had committed, the recorder's file as it was last synced, and any part of the
checkpoint that was just being written.
"""

import os
import random
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from latlab.core.model.enums import RunStatus
from latlab.core.store.owner import this_process
from latlab.core.store.rows import packed
from latlab.core.store.store import open_store
from latlab.core.targets.linux.machine import CommandResult, Here
from latlab.rt.campaign import following
from latlab.rt.campaign.measure import run_rt_linux
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets import detached_job, linux
from latlab.rt.targets.rt_job import Instrument, Workload
from latlab.runs.campaign import recovering
from support import recorder_files as files
from support.power_cut import SECOND_NS, SIX_HOURS_S, PowerCut, record, slot, thaw_store
from support.slow_but import slow_but

WORKLOAD = Workload(SIX_HOURS_S, "idle", Instrument.RECORDER, interval_us=1000, idle_states=True)
SURVEYED = b"machine=x86_64\ncpus=1\nfifo=yes\ndma_latency=yes\nboot_id=first\n"


@dataclass
class Disk:
    """What would be there after the power had gone: the store and the job's folder, copied at the cut."""

    store: Path
    kept: Path

    def freeze(self, folder: Path, synced: bytes) -> None:
        shutil.copy(self.store, self.kept / "store.sqlite")
        shutil.copytree(folder, self.kept / "job")
        (self.kept / "job" / "out" / linux.RECORD).write_bytes(synced)

    def thaw(self, folder: Path) -> None:
        thaw_store(self.kept / "store.sqlite", self.store)
        shutil.copytree(self.kept / "job", folder)


@dataclass
class FastTime:
    """In place of the module `time`."""

    board: "FastBoard"
    now_s: float = 1000.0

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        """The cut may come in the middle of it."""
        end = self.now_s + seconds
        self.now_s = min(end, self.board.cut_s)
        self.board.passes(self.now_s)
        if end > self.board.cut_s:
            self.board.cut()


@dataclass
class FastBoard:
    """Whole checkpoints are counted as they pass and written out when somebody looks."""

    disk: Disk
    cut_s: float
    rng: random.Random
    folder: str = ""
    sequence: int = 0
    began_s: float = 0.0

    def passes(self, now_s: float) -> None:
        if self.folder:
            self.sequence = int(now_s - self.began_s)

    def cut(self) -> None:
        torn = slot(self.sequence + 1)
        self.disk.freeze(Path(self.folder), record(self.sequence, torn[: self.rng.randrange(len(torn))]))
        raise PowerCut


@dataclass(frozen=True, slots=True)
class FastMachine(Here):
    look_every_s: float | None = 60
    board: FastBoard = field(default=None, kw_only=True)  # type: ignore[assignment]
    time: FastTime = field(default=None, kw_only=True)  # type: ignore[assignment]

    def run(self, text: str, timeout_s: float) -> CommandResult:
        """The questions of a look are answered without a shell: six hours have many."""
        if "echo machine=" in text:
            return CommandResult(0, SURVEYED)
        if "echo alive=" in text:
            return CommandResult(0, b"alive=yes\nphase=<LLG1:PHASE name=recorder>\nboot_id=first\nstatus=\n")
        return Here.run(self, text, timeout_s)

    def get(self, remote: str) -> bytes:
        return record(self.board.sequence)

    def spawn(self, text: str) -> int:
        self.board.folder = next(line for line in text.splitlines() if "LATLAB_JOB=" in line).partition("LATLAB_JOB=")[2]
        Path(self.board.folder, "out").mkdir()
        self.board.began_s = self.time.now_s
        return os.getpid()


def cut_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after_s: float) -> tuple[float, bytes, RunStatus, list[str]]:
    """Seconds measured until the cut, the recorder's file that `recover` kept, and what the run says of itself."""
    place, kept, scratch = tmp_path / "store.sqlite", tmp_path / "kept", tmp_path / "scratch"
    kept.mkdir()
    scratch.mkdir()
    store = open_store(str(place))
    board = FastBoard(Disk(place, kept), 1000.0 + after_s, random.Random(f"{after_s}"))
    fast = FastTime(board)
    for module in (detached_job, linux, following):
        monkeypatch.setattr(module, "time", fast)
    monkeypatch.setattr(linux, "recorder_for", lambda machine: Path(__file__))
    machine = FastMachine(scratch=str(scratch), board=board, time=fast)
    with pytest.raises(PowerCut):
        run_rt_linux(store, machine, WORKLOAD, print)
    store.close()
    board.disk.thaw(Path(board.folder))
    for module in (detached_job, linux, following):
        monkeypatch.setattr(module, "time", time)
    found = open_store(str(place))
    (recovered,) = recovering.sweep(found)
    assert not Path(board.folder).exists() and found.unfinished_runs() == ()
    run = found.load(recovered.run_id)
    return fast.now_s - board.began_s, found.logs(run.id)[linux.RECORD], run.status, [problem.message for problem in run.problems]


CUTS_S = (*(random.Random(number).uniform(2, SIX_HOURS_S) for number in range(8)), SIX_HOURS_S - 0.5)


@pytest.mark.parametrize("after_s", slow_but(CUTS_S, *CUTS_S[:2], CUTS_S[-1]))
def test_a_power_cut_costs_at_most_the_second_that_was_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after_s: float) -> None:
    measured_s, kept, status, problems = cut_at(tmp_path, monkeypatch, after_s)
    read = read_record(kept, "recorder.rec")
    assert read.end_ns is not None
    assert measured_s - (read.end_ns - files.START_NS) / SECOND_NS <= 1
    assert status is RunStatus.PARTIAL and any("its machine stopped" in problem for problem in problems)


def test_an_owner_is_kept_as_the_text_that_the_cut_changes() -> None:
    assert this_process().boot_id and this_process().boot_id in packed(this_process())
