# SPDX-License-Identifier: BSD-3-Clause
"""Linux targets: this machine, and one over an `ssh` that is a script."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.errors import UsageError
from latlab.formats.wakeups.recorder import read_record
from latlab.targets.linux import linux
from latlab.targets.linux.detached_job import JobEnd, run_detached
from latlab.targets.linux.linux import run_linux, survey
from latlab.targets.linux.machine import Here, OverSsh
from latlab.targets.linux.recorder_binary import recorder_for
from latlab.targets.linux.rt_job import Instrument, Workload
from support.real_time import needs_rights

WORKLOAD = Workload(1, "idle", Instrument.RECORDER, interval_us=1000, idle_states=True)


def _ssh(tmp_path: Path, body: str = 'exec sh -c "$*"') -> OverSsh:
    """An ssh that runs the command here. $1 is the host, $COUNT how often it has been called."""
    program = tmp_path / "ssh"
    count = tmp_path / "count"
    program.write_text(f"#!/bin/sh\nshift\necho >>{count}\nCOUNT=$(wc -l <{count})\n{body}\n")
    program.chmod(0o755)
    return OverSsh("board", (str(program),))


def test_a_machine_is_surveyed_before_anything_is_started(tmp_path: Path) -> None:
    found = survey(_ssh(tmp_path), 80)
    assert found.machine == os.uname().machine and found.said["kernel"] == os.uname().release


def test_a_machine_that_does_not_answer_is_named_with_what_ssh_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="board does not answer: no route"):
        survey(_ssh(tmp_path, "echo no route >&2; exit 255"), 80)


@needs_rights
@pytest.mark.parametrize("over_ssh", [False, True], ids=["here", "over ssh"])
def test_a_measurement_leaves_a_whole_file_and_nothing_else(tmp_path: Path, over_ssh: bool) -> None:
    machine = _ssh(tmp_path) if over_ssh else Here()
    before = set(Path("/var/tmp").glob("latlab-rt.*"))
    done = run_linux(machine, survey(machine, 80), WORKLOAD)
    assert done.sentence == ""
    read = read_record(done.files["recorder.rec"], "x")
    assert read.complete and all(cpu.got + (cpu.missed or 0) >= 1000 for cpu in read.cpus)
    assert set(Path("/var/tmp").glob("latlab-rt.*")) == before


@needs_rights
def test_a_connection_that_breaks_and_comes_back_costs_nothing(tmp_path: Path) -> None:
    """Calls: survey, folder, recorder, job, its start; then the looks at it, of which the first two fail."""
    machine = _ssh(tmp_path, 'case $COUNT in 6|7) echo broken pipe >&2; exit 255;; esac; exec sh -c "$*"')
    done = run_linux(machine, survey(machine, 80), WORKLOAD)
    assert done.sentence == "" and read_record(done.files["recorder.rec"], "x").complete


def test_a_machine_that_stays_away_is_said_with_what_ssh_said(tmp_path: Path) -> None:
    machine = _ssh(tmp_path, 'if [ $COUNT -gt 2 ]; then echo broken pipe >&2; exit 255; fi; exec sh -c "$*"')
    end = run_detached(replace(machine, patience_s=1), str(tmp_path), "sleep 2", "", 0, 60)
    assert end.status != 0 and "board: the connection broke and did not come back in 1 s" in end.sentence and "broken pipe" in end.sentence


@needs_rights
def test_a_board_that_restarts_in_the_middle_is_said_and_what_it_wrote_is_kept(tmp_path: Path) -> None:
    """The job breaks off, and the kernel that answers next has another boot_id."""
    look = f"kill -KILL $(cat {tmp_path}/latlab-rt.*/pid); echo alive=no; echo boot_id=another; echo status="
    over = _ssh(tmp_path, f'case "$*" in *"status="*) {look}; exit 0;; esac; exec sh -c "$*"')
    machine = replace(over, scratch=str(tmp_path))
    done = run_linux(machine, survey(machine, 80), WORKLOAD)
    assert "board restarted during the run" in done.sentence
    assert "recorder.rec" in done.files


def test_a_job_that_does_not_end_is_stopped_and_said(tmp_path: Path) -> None:
    end = run_detached(Here(), str(tmp_path), "trap 'kill $!; exit 3' TERM; sleep 100 & wait", "", 0, 0.3)
    assert end.status == 124 and "has not ended in 0.3 s" in end.sentence
    assert (tmp_path / "status").read_text() == "3\n"


def test_half_an_answer_is_no_answer(tmp_path: Path) -> None:
    """The kernel speaks on the console between the lines of the second and the third look."""
    spoken = "3) echo alive=yes;; 4) echo 'al[ 1.0] usb 1-1'; echo boot_id=x; echo status=;;"
    machine = _ssh(tmp_path, f'case $COUNT in {spoken} *) exec sh -c "$*";; esac')
    assert run_detached(machine, str(tmp_path), "sleep 1; exit 5", "", 0, 60) == JobEnd(5)


def test_a_job_that_is_killed_is_said(tmp_path: Path) -> None:
    end = run_detached(Here(), str(tmp_path), "kill -KILL -$(($(ps -o pgid= -p $$)))", "", 0, 60)
    assert "the job was killed during the run" in end.sentence


@needs_rights
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


def test_a_measuring_tool_that_fails_is_quoted() -> None:
    files = {
        "cyclictest.err": b"\n",
        "recorder.err": b"latlab-recorder: cannot become real-time; run it as root\n",
    }
    assert "cannot become real-time" in linux._complaint(files, 2)
