# SPDX-License-Identifier: BSD-3-Clause
"""Measurements on this machine, and over an `ssh` that is a script."""

import signal
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from latlab.core.targets.linux.machine import Here, OverSsh
from latlab.rt.campaign.measure import run_rt_linux
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.linux import run_linux, survey
from latlab.rt.targets.machine_inventory import COLLECTED, HEAT
from latlab.rt.targets.recorder_binary import recorder_for
from latlab.rt.targets.rt_job import Instrument, Workload
from support.ssh_script import over_script

pytestmark = pytest.mark.realtime

WORKLOAD = Workload(1, "idle", Instrument.RECORDER, interval_us=1000, idle_states=True)


@pytest.mark.parametrize("over_ssh", [False, True], ids=["here", "over ssh"])
def test_a_measurement_leaves_a_whole_file_and_nothing_else(tmp_path: Path, over_ssh: bool) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    machine = replace(over_script(tmp_path) if over_ssh else Here(), scratch=str(scratch))
    done = run_linux(machine, survey(machine, 80), WORKLOAD)
    assert done.sentence == ""
    read = read_record(done.files["recorder.rec"], "x")
    assert read.complete and all(cpu.got + (cpu.missed or 0) >= 1000 for cpu in read.cpus)
    assert list(scratch.iterdir()) == []


def test_a_run_says_what_it_was_measured_on_and_what_was_advised_before(tmp_path: Path) -> None:
    """The machine that is measured is asked, not the one that latlab runs on."""
    answers = "/sys/devices/system/cpu/online:0-3\n/sys/devices/system/cpu/isolated:\n/sys/class/thermal/thermal_zone0/temp:51000\n"
    (tmp_path / "answers").write_text(answers)
    script = f'case "$*" in *default_smp_affinity*) cat {tmp_path}/answers;; *) exec sh -c "$*";; esac'
    machine = replace(over_script(tmp_path, script), scratch=str(tmp_path))
    store, said = open_store(str(tmp_path / "store.sqlite")), list[str]()
    run = store.load(run_rt_linux(store, machine, WORKLOAD, said.append))
    facts = dict(run.facts)
    assert run.status is RunStatus.COMPLETE, run.problems
    assert facts["isolated CPUs"] == "none" and facts["temperature"].startswith("zone 0 51")
    assert any("board: no CPU is isolated" in sentence and "isolcpus=" in sentence for sentence in said)
    assert store.logs(run.id)[COLLECTED].decode() == answers and HEAT in store.logs(run.id)


def test_a_connection_that_breaks_and_comes_back_costs_nothing(tmp_path: Path) -> None:
    """Calls: survey, folder, recorder, job, its start; then the looks at it, of which the first two fail."""
    machine = over_script(tmp_path, 'case $COUNT in 6|7) echo broken pipe >&2; exit 255;; esac; exec sh -c "$*"')
    done = run_linux(machine, survey(machine, 80), WORKLOAD)
    assert done.sentence == "" and read_record(done.files["recorder.rec"], "x").complete


class Switched(OverSsh):
    """A board with a power switch: it answers again when that was used."""

    def restart(self) -> bool:
        Path(self.scratch, "up").touch()
        return True


@pytest.mark.parametrize("may_restart", [True, False], ids=["a power switch", "none"])
def test_a_board_that_hangs_is_switched_off_and_on_where_that_can_be_and_its_files_are_fetched(tmp_path: Path, may_restart: bool) -> None:
    over = over_script(tmp_path, f'[ $COUNT -lt 6 ] || [ -e {tmp_path}/up ] || exit 255; exec sh -c "$*"')
    kind = Switched if may_restart else OverSsh
    machine = kind(over.host, over.program, scratch=str(tmp_path), patience_s=2)
    done = run_linux(machine, survey(machine, 80), WORKLOAD)
    assert "the connection was lost for 2 s" in done.sentence and ("it was power-cycled" in done.sentence) is may_restart
    assert ("recorder.rec" in done.files) is may_restart


def test_a_board_that_restarts_in_the_middle_is_said_and_what_it_wrote_is_kept(tmp_path: Path) -> None:
    """The job breaks off, and the kernel that answers next has another boot_id."""
    look = f"kill -KILL $(cat {tmp_path}/latlab-rt.*/pid); echo alive=no; echo boot_id=another; echo status="
    over = over_script(tmp_path, f'case "$*" in *"status="*) {look}; exit 0;; esac; exec sh -c "$*"')
    machine = replace(over, scratch=str(tmp_path))
    done = run_linux(machine, survey(machine, 80), WORKLOAD)
    assert "board restarted during the run" in done.sentence
    assert "recorder.rec" in done.files


def test_an_interrupted_measurement_is_stopped_and_kept(tmp_path: Path) -> None:
    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        found = survey(Here(), 80)
        recorder_for(found.machine)
        signal.setitimer(signal.ITIMER_REAL, 2)
        done = run_linux(Here(), found, replace(WORKLOAD, duration_s=3600))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert "interrupted" in done.sentence
    assert read_record(done.files["recorder.rec"], "x").complete
