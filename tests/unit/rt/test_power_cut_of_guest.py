# SPDX-License-Identifier: BSD-3-Clause
"""Six hours of the guest on a clock that runs fast, and the power of its host that goes at any moment of them.

The campaign is the real one but for QEMU: for each second that passes, a checkpoint is written into the memory that the guest shares, and
the campaign syncs it when it is asked, several times in a second. The kernel may write any page of it at any time without being asked, so
after the cut each page is the synced one or the newest, by chance.
"""

import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import Qemu
from latlab.rt.campaign import following, measurement
from latlab.rt.campaign import measure as rt
from latlab.rt.campaign.following import NullObserver
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.guest.checkpoints import HEAD, MAGIC, PAGE, SHARED, make_shared
from latlab.rt.targets.guest.guest import GuestMachine, GuestRun
from latlab.rt.targets.guest.guest_image import GuestImage
from latlab.rt.targets.linux import RECORD
from latlab.rt.targets.rt_job import Instrument, Workload
from latlab.runs.campaign import recovering
from support import recorder_files as files
from support.power_cut import PAGE_BYTES, SECOND_NS, SIX_HOURS_S, PowerCut, record, slot, thaw_store

POLL_S = 0.2
LOOK_S = 60
WORKLOAD = Workload(SIX_HOURS_S, "idle", Instrument.RECORDER)


@dataclass
class FastGuest:
    """In place of `run_guest`. What the memory holds is computed where somebody reads it."""

    store: Path
    kept: Path
    cut_s: float
    rng: random.Random
    now_s: float = 0.0
    synced: int = 0
    look_s: float = 0.0
    folder: Path = field(default=Path())

    def monotonic(self) -> float:
        return self.now_s

    def sync(self, path: Path) -> None:
        self.synced = int(self.now_s)

    def run(
        self,
        qemu: Qemu,
        machine: GuestMachine,
        image: GuestImage,
        job: str,
        limits: Limits,
        watch: Callable[[bytes], None],
        folder: Path,
        poll: Callable[[], bool],
    ) -> GuestRun:
        self.folder = folder
        make_shared(folder / SHARED)
        watch(b"<LLG1:PHASE name=recorder>\n")
        while self.now_s + POLL_S < self.cut_s:
            self.now_s += POLL_S
            if self.now_s >= self.look_s and int(self.now_s) > 0:
                self._write(self._memory(int(self.now_s)))
                self.look_s = self.now_s + LOOK_S
            poll()
        self.now_s = self.cut_s
        self._freeze()
        raise PowerCut

    def _memory(self, sequence: int, torn: bytes = b"") -> bytes:
        data = record(sequence, torn) if sequence > 0 else b""
        return HEAD.pack(MAGIC, len(data)).ljust(PAGE, b"\0") + data if data else b""

    def _write(self, data: bytes) -> None:
        with (self.folder / SHARED).open("rb+") as shared:
            shared.write(data)

    def _freeze(self) -> None:
        sequence = int(self.now_s)
        torn = slot(sequence + 1)
        newest = self._memory(sequence, torn[: self.rng.randrange(len(torn))])
        safe = self._memory(self.synced).ljust(len(newest), b"\0")
        pages = range(0, len(newest), PAGE_BYTES)
        self._write(b"".join(self.rng.choice((safe, newest))[at : at + PAGE_BYTES] for at in pages))
        shutil.copy(self.store, self.kept / "store.sqlite")
        shutil.copytree(self.folder, self.kept / "folder")


def _cut_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after_s: float) -> tuple[bytes, RunStatus, list[str]]:
    """The recorder's file that the next command keeps, and what the run says of itself."""
    place, kept, scratch = tmp_path / "store.sqlite", tmp_path / "kept", tmp_path / "scratch"
    kept.mkdir()
    scratch.mkdir()
    guest = FastGuest(place, kept, after_s, random.Random(f"{after_s}"))
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(measurement, "run_guest", guest.run)
    monkeypatch.setattr(measurement, "find_firmware", lambda machine: tmp_path)
    monkeypatch.setattr(following, "sync", guest.sync)
    monkeypatch.setattr(following, "time", guest)
    monkeypatch.setattr(following, "LOOK_S", LOOK_S)
    image, qemu = GuestImage(tmp_path, "6.1.0-rt", True), Qemu(tmp_path / "qemu", (10, 0, 2))
    store = open_store(str(place))
    limits = Limits(SIX_HOURS_S, SIX_HOURS_S)
    with pytest.raises(PowerCut):
        rt.run_rt_guest(store, qemu, image, GuestMachine(), WORKLOAD, rt.GuestOptions(), limits, NullObserver())
    store.close()
    assert list(scratch.iterdir()) == []
    thaw_store(kept / "store.sqlite", place)
    shutil.copytree(kept / "folder", guest.folder)
    found = open_store(str(place))
    (recovered,) = recovering.sweep(found)
    assert found.unfinished_runs() == () and list(scratch.iterdir()) == []
    run = found.load(recovered.run_id)
    return found.logs(run.id)[RECORD], run.status, [problem.message for problem in run.problems]


@pytest.mark.parametrize("after_s", [random.Random(number).uniform(2, SIX_HOURS_S) for number in range(8)] + [SIX_HOURS_S - 0.5, 1.7, 7.05])
def test_a_power_cut_of_the_host_costs_a_guest_the_second_that_was_under_way_and_the_time_between_two_syncs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after_s: float
) -> None:
    kept, status, problems = _cut_at(tmp_path, monkeypatch, after_s)
    read = read_record(kept, RECORD)
    assert read.end_ns is not None
    assert after_s - (read.end_ns - files.START_NS) / SECOND_NS <= 1 + POLL_S
    assert status is RunStatus.PARTIAL and any("its machine stopped" in problem for problem in problems)
