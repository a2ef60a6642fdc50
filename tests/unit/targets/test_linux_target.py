# SPDX-License-Identifier: BSD-3-Clause
"""Linux targets that answer, do not answer, and go away, over an `ssh` that is a script."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.errors import UsageError
from latlab.targets.linux import linux
from latlab.targets.linux import machine as machine_module
from latlab.targets.linux.detached_job import JobEnd, Look, end_job, run_detached
from latlab.targets.linux.linux import survey
from latlab.targets.linux.machine import Here, Unreachable
from latlab.targets.linux.rt_job import Instrument, Workload
from support.ssh_script import over_script

WORKLOAD = Workload(1, "idle", Instrument.RECORDER, interval_us=1000, idle_states=True)


def test_a_machine_is_surveyed_before_anything_is_started(tmp_path: Path) -> None:
    found = survey(over_script(tmp_path), 80)
    assert found.machine == os.uname().machine and found.said["kernel"] == os.uname().release


def test_a_machine_that_does_not_answer_is_named_with_what_ssh_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="board does not answer: no route"):
        survey(over_script(tmp_path, "echo no route >&2; exit 255"), 80)


def test_a_machine_that_stays_away_is_said_with_what_ssh_said(tmp_path: Path) -> None:
    machine = over_script(tmp_path, 'if [ $COUNT -gt 2 ]; then echo broken pipe >&2; exit 255; fi; exec sh -c "$*"')
    end = run_detached(replace(machine, patience_s=1), str(tmp_path), "sleep 2", "", 0, 60)
    assert (end.status, end.is_lost) == (255, True)
    assert "board: the connection broke and did not come back in 1 s" in end.sentence and "broken pipe" in end.sentence


def test_a_job_that_does_not_end_is_stopped_and_said(tmp_path: Path) -> None:
    end = run_detached(Here(), str(tmp_path), "trap 'kill $!; exit 3' TERM; sleep 100 & wait", "", 0, 0.3)
    assert (end.status, end.is_lost) == (124, False) and "has not ended in 0.3 s" in end.sentence
    assert (tmp_path / "status").read_text() == "3\n"


def test_half_an_answer_is_no_answer(tmp_path: Path) -> None:
    """The kernel speaks on the console between the lines of the second and the third look."""
    spoken = "3) echo alive=yes;; 4) echo 'al[ 1.0] usb 1-1'; echo boot_id=x; echo status=;;"
    machine = over_script(tmp_path, f'case $COUNT in {spoken} *) exec sh -c "$*";; esac')
    assert run_detached(machine, str(tmp_path), "sleep 1; exit 5", "", 0, 60) == JobEnd(5)


def test_a_job_that_is_killed_is_said(tmp_path: Path) -> None:
    end = run_detached(Here(), str(tmp_path), "kill -KILL -$(($(ps -o pgid= -p $$)))", "", 0, 60)
    assert (end.status, end.is_lost) == (255, False) and "the job was killed during the run" in end.sentence


def test_a_machine_that_has_started_again_has_no_job_any_more(tmp_path: Path) -> None:
    end = run_detached(Here(), str(tmp_path), "sleep 100", "of another boot", 0, 60)
    assert (end.status, end.is_lost) == (255, False) and "restarted during the run" in end.sentence
    assert end_job(Here(), str(tmp_path)) == 143


def test_a_job_whose_user_interrupts_is_stopped_and_what_it_wrote_is_kept(tmp_path: Path) -> None:
    def interrupt(look: Look) -> None:
        raise KeyboardInterrupt

    end = run_detached(Here(), str(tmp_path), "trap 'kill $!; exit 3' TERM; sleep 100 & wait", "", 0, 60, interrupt)
    assert end.status == 130 and "interrupted; what was measured until then is kept" in end.sentence
    assert (tmp_path / "status").read_text() == "3\n"


def test_a_measuring_tool_that_fails_is_quoted() -> None:
    files = {
        "cyclictest.err": b"\n",
        "recorder.err": b"latlab-recorder: cannot become real-time; run it as root\n",
    }
    assert "cannot become real-time" in linux._complaint(files, 2)


class _Told(linux.Follower):
    """What it is told of a job."""

    def __init__(self) -> None:
        self.phases: list[str] = []
        self.records: list[bytes] = []

    def phase(self, name: str) -> None:
        self.phases.append(name)

    def record(self, data: bytes) -> None:
        self.records.append(data)


def test_each_phase_is_told_once_and_the_record_only_while_it_grows_and_where_looking_is_cheap(tmp_path: Path) -> None:
    record = tmp_path / "out" / linux.RECORD
    record.parent.mkdir()
    record.write_bytes(b"as it stands")
    told = _Told()
    looks = linux._Looks(Here(), str(tmp_path), told)
    for phase in ("settling", "recorder", "recorder", "collecting", ""):
        looks(Look(None, "", True, phase))
    assert told.phases == ["settling", "recorder", "collecting"] and told.records[0] == b"as it stands"
    looks = linux._Looks(replace(Here(), look_every_s=None), str(tmp_path), dear := _Told())
    looks(Look(None, "", True, "recorder"))
    assert dear.records == []


def test_a_machine_that_does_not_come_up_in_time_is_no_longer_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_module, "UP_EVERY_S", 0.01)
    machine = over_script(tmp_path, "[ $COUNT -lt 50 ] && exit 255; exit 0")
    with pytest.raises(Unreachable):
        machine_module.wait_until_up(machine, 0.03)
