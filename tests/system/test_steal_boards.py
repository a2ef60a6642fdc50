# SPDX-License-Identifier: BSD-3-Clause
"""The steal meter and the causes of late wake-ups on boards: over SSH and through labgrid, whose other end is this machine."""

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.errors import LatlabError, NotFetched, UsageError
from latlab.core.model.enums import RunStatus
from latlab.core.store.store import Store, open_store
from latlab.core.targets.linux.labgrid_board import LabgridBoard, load_target, release
from latlab.core.targets.linux.machine import OverSsh
from latlab.rt.analysis.steal_coverage import blind_sentences
from latlab.rt.campaign import steal as campaign
from latlab.rt.campaign.measure import run_rt_linux
from latlab.rt.campaign.steal import run_steal_linux
from latlab.rt.campaign.steal_results import phases_of
from latlab.rt.model.stolen import Blind
from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.targets.rt_job import KERNEL_EVENTS, Instrument, Workload
from latlab.rt.targets.steal_job import Watch
from support.ssh_script import over_script
from support.sshd import SSHD, Sshd, sshd
from support.steal_lines import blind_cpu, measured, text

needs_sshd = pytest.mark.skipif(SSHD is None, reason="sshd is not installed (Debian: openssh-server)")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="another user, and a file system, take root")
no_arm = pytest.mark.skipif(os.uname().machine != "x86_64", reason="an Arm machine may well see")
BLIND = "the machine has no 64-bit Arm CPUs"
UP_S = 120


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with sshd(tmp_path_factory.mktemp("sshd")) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the board keeps its jobs."""
    made = tmp_path / "board"
    made.mkdir()
    return made


@pytest.fixture(params=["ssh", "labgrid"])
def machine(request: pytest.FixtureRequest, server: Sshd, tmp_path: Path, place: Path) -> Iterator[OverSsh | LabgridBoard]:
    if request.param == "ssh":
        yield replace(server.machine, scratch=str(place), look_every_s=0.2)
        return
    target = load_target(server.environment(tmp_path), "main")
    yield LabgridBoard(target, scratch=str(place))
    release(target)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store.sqlite"))


def _problems(store: Store) -> list[str]:
    run = store.load("last")
    assert run.status is RunStatus.PARTIAL
    return [problem.message for problem in run.problems]


def _first_sentence(store: Store) -> str:
    """Why no CPU has a meter: a problem of the run, or a note beside the hypervisor's steal time where this machine has that clock."""
    run, phases = store.load("last"), phases_of(store.logs("last"))
    if not phases[0].is_measured:
        return _problems(store)[0]
    assert run.status is RunStatus.COMPLETE and not run.problems
    return blind_sentences(phases[0].measurement.cpus)[0]


def _quiet(said: str) -> None:
    return


@needs_sshd
@no_arm
def test_the_meter_goes_there_says_why_it_is_blind_and_leaves_nothing(machine: OverSsh | LabgridBoard, store: Store, place: Path) -> None:
    run_steal_linux(store, machine, Watch(1, "sleep 60"), _quiet)
    phase, *_ = phases_of(store.logs("last"))
    assert {cpu.blind for cpu in phase.measurement.cpus} == {Blind.ARCHITECTURE} and phase.measurement.complete
    assert BLIND in _first_sentence(store) and list(place.iterdir()) == []


@needs_sshd
@pytest.mark.realtime
@needs_root
def test_the_kernels_events_come_from_there_with_each_late_wake_up(machine: OverSsh | LabgridBoard, store: Store, place: Path) -> None:
    workload = Workload(2, "idle", Instrument.RECORDER, interval_us=1000, outlier_us=1, idle_states=True, causes=True)
    run_rt_linux(store, machine, workload, _quiet)
    run = store.load("last")
    events = read_kernel_events(store.logs("last")[KERNEL_EVENTS], KERNEL_EVENTS)
    assert len(events.late) > 100 and any(late.steps for late in events.late)
    # Every wake-up is late here. A busy machine gives no turn to who keeps their events, and the run counts what it lacks.
    assert [problem.message for problem in run.problems] == list(events.problems) and len(events.problems) == (events.dropped > 0)
    assert run.status is (RunStatus.PARTIAL if events.dropped else RunStatus.COMPLETE)
    assert list(place.iterdir()) == []


@needs_sshd
@pytest.mark.parametrize("comes_back", [True, False])
def test_a_connection_that_breaks_costs_nothing_if_it_comes_back_and_is_told_if_not(
    comes_back: bool, tmp_path: Path, place: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It breaks while the meter measures, which ends only when the test lets it."""
    (tmp_path / "said").write_text(text(measured(blind_cpu(Blind.NO_PMU, 0, 2))))
    meter = tmp_path / "meter"
    waits = f"until [ -e {place}/go-on ] || [ ! -e {place} ]; do sleep 0.1; done"
    meter.write_text(f'#!/bin/sh\ntouch {place}/measuring\n{waits}\ncp {tmp_path}/said "$2"\n')
    monkeypatch.setattr(campaign, "meter_for", lambda machine: meter)
    with sshd(tmp_path) as own, ThreadPoolExecutor(1) as pool:
        board = replace(own.machine, scratch=str(place), look_every_s=0.2, patience_s=600 if comes_back else 0)
        running = pool.submit(run_steal_linux, store, board, Watch(60), _quiet)
        try:
            _wait_for(place / "measuring")
            own.stop()
            if comes_back:
                time.sleep(1)
                own.start()
        finally:
            if comes_back:
                (place / "go-on").touch()
        lost = running.exception(UP_S)
        (place / "go-on").touch()
    (sentence,) = _problems(store) if comes_back else (str(lost),)
    assert isinstance(lost, NotFetched) != comes_back
    left = [path.name for path in place.iterdir() if path.is_dir()]
    if comes_back:
        assert "the kernel has no cycle counter" in sentence and left == []
    else:
        (folder,) = left
        assert "the connection was lost for 0 s" in sentence and f"{place}/{folder}" in sentence


@needs_sshd
def test_a_place_that_cannot_be_written_is_told_in_one_sentence(server: Sshd, store: Store) -> None:
    """No user may make a folder in /sys."""
    with pytest.raises(UsageError, match=r"127\.0\.0\.1: no folder in /sys can be made: "):
        run_steal_linux(store, replace(server.machine, scratch="/sys"), Watch(1), _quiet)
    assert len(_problems(store)) == 1


@needs_sshd
@needs_root
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("ro", "no folder in .* can be made: .*Read-only file system"),
        ("noexec", "nothing in .* may be run; remount it there without noexec"),
        ("size=64k", "cannot write .*/latlab-steal: .*No space left on device"),
    ],
)
def test_a_file_system_that_takes_no_program_is_told_in_one_sentence(
    options: str, said: str, server: Sshd, store: Store, place: Path
) -> None:
    if subprocess.run(("mount", "-t", "tmpfs", "-o", options, "none", str(place)), check=False, capture_output=True).returncode != 0:
        pytest.skip("this root may not mount")
    try:
        board = replace(server.machine, scratch=str(place), look_every_s=0.2)
        try:
            run_steal_linux(store, board, Watch(1), _quiet)
        except LatlabError as error:
            assert [str(error)] == _problems(store)
        (sentence,) = _problems(store)
        assert list(place.iterdir()) == []
    finally:
        subprocess.run(("umount", str(place)), check=True)
    assert re.search(said, sentence), sentence


@needs_root
@no_arm
def test_a_user_without_rights_gets_the_sentence_of_the_machine(tmp_path: Path, store: Store) -> None:
    """One who may lock little memory has threads all the same."""
    anybody = tmp_path / "anybody"
    anybody.mkdir(mode=0o777)
    anybody.chmod(0o777)
    user = over_script(anybody, 'exec setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "ulimit -l 4096; $*"')
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to(tempfile.gettempdir()) and folder != Path(tempfile.gettempdir()):
            folder.chmod(folder.stat().st_mode | 0o055)
    run_steal_linux(store, replace(user, scratch=str(anybody), look_every_s=0.2), Watch(1), _quiet)
    sentence = _first_sentence(store)
    assert BLIND in sentence


def _wait_for(path: Path) -> None:
    end = time.monotonic() + UP_S
    while not path.exists():
        assert time.monotonic() < end, f"{path.name} does not come"
        time.sleep(0.05)
