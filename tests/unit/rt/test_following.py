# SPDX-License-Identifier: BSD-3-Clause
"""What the store gets of a measurement while it runs, on a clock that the test moves."""

import io
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from latlab.core.model.conditions import Mode
from latlab.core.store.store import Store, open_store
from latlab.core.targets.linux.machine import Here
from latlab.rt.campaign.following import BootWatcher, GuestFollowing, LinuxFollowing, NullObserver
from latlab.rt.campaign.results import new_run, workload_conditions
from latlab.rt.pages.measurement_progress import MeasurementProgress
from latlab.rt.readers.recorder import glance_of, read_record
from latlab.rt.targets.guest.checkpoints import HEAD, MAGIC, PAGE, SHARED, make_shared
from latlab.rt.targets.linux import RECORD
from latlab.rt.targets.rt_job import Instrument, Workload
from support import recorder_files as files

WORKLOAD = Workload(3600, "idle", Instrument.RECORDER)
LAST_S = 300


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@cache
def _record(seconds: int) -> bytes:
    """As it stands so long after its start; one that is older is another."""
    slot = files.slot(seconds + 1, [files.tally([50_000] * 3)], False, now_ns=files.START_NS + seconds * 1_000_000_000)
    data = files.header(1) + slot + bytes(len(slot))
    assert glance_of(data) is not None
    return data


def _begun(folder: Path) -> tuple[Store, str]:
    store = open_store(str(folder / "store.sqlite"))
    return store, store.begin(new_run("rt", "linux", "x", 1, workload_conditions(WORKLOAD, Mode.REAL)))


@pytest.mark.parametrize("look_every_s", [5, 30, 45, 100])
def test_however_seldom_a_board_is_looked_at_the_store_gets_its_file_every_minute(tmp_path: Path, look_every_s: int) -> None:
    store, run_id = _begun(tmp_path)
    clock = Clock()
    following = LinuxFollowing(store, run_id, WORKLOAD, NullObserver(), Here(), clock)
    for seconds in range(look_every_s, LAST_S, look_every_s):
        clock.now_s = 100 + seconds
        following.tick()
        following.record(_record(seconds))
        assert seconds < 60 or seconds - _kept_s(store, run_id) <= 60 + look_every_s


def test_in_the_guest_the_store_has_what_is_a_minute_old(tmp_path: Path) -> None:
    store, run_id = _begun(tmp_path)
    clock = Clock()
    make_shared(tmp_path / SHARED)
    following = GuestFollowing(store, run_id, WORKLOAD, NullObserver(), tmp_path, clock=clock)
    for seconds in range(1, 200, 3):
        clock.now_s = 100 + seconds
        data = _record(seconds)
        with (tmp_path / SHARED).open("rb+") as shared:
            shared.write(HEAD.pack(MAGIC, len(data)))
            shared.seek(PAGE)
            shared.write(data)
        assert not following.poll()
    assert _kept_s(store, run_id) >= 200 - 61


def _kept_s(store: Store, run_id: str) -> float:
    """How far the file in the store goes."""
    end_ns = read_record(store.logs(run_id)[RECORD], RECORD).end_ns
    assert end_ns is not None
    return (end_ns - files.START_NS) / 1e9


def test_an_interrupt_is_passed_on_at_once_by_whoever_follows(tmp_path: Path) -> None:
    class Acknowledged(NullObserver):
        times = 0

        def interrupted(self) -> None:
            self.times += 1

    watcher = Acknowledged()
    store = open_store(str(tmp_path / "store.sqlite"))
    LinuxFollowing(store, "rt-1", WORKLOAD, watcher, Here()).interrupted()
    BootWatcher(watcher, "boot 1 of 2").interrupted()
    assert watcher.times == 2
    printed = io.StringIO()
    MeasurementProgress(Console(file=printed, width=100)).interrupted()
    assert printed.getvalue() == "interrupted; collecting what was measured\n"
