# SPDX-License-Identifier: BSD-3-Clause
"""Linux targets that answer, do not answer, and go away, over an `ssh` that is a script."""

import io
import os
import tarfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.errors import LatlabError, UsageError
from latlab.core.model.life import Address
from latlab.core.targets.linux import machine as machine_module
from latlab.core.targets.linux.machine import CommandResult, Here, OverSsh, Unreachable
from latlab.rt.targets import linux
from latlab.rt.targets.detached_job import JobEnd, JobState, end_job, run_detached
from latlab.rt.targets.linux import Chosen, Survey, check_module, check_survey, fitted, notes, survey
from latlab.rt.targets.rt_job import Instrument, Workload
from support.ssh_script import over_script

WORKLOAD = Workload(1, "idle", Instrument.RECORDER, interval_us=1000, idle_states=True)


def test_a_machine_is_surveyed_before_anything_is_started(tmp_path: Path) -> None:
    found = survey(over_script(tmp_path), 80)
    assert found.machine == os.uname().machine and found.answers["kernel"] == os.uname().release


def test_a_machine_that_does_not_answer_is_named_with_what_ssh_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="board does not answer: no route"):
        survey(over_script(tmp_path, "echo no route >&2; exit 255"), 80)


def test_a_machine_that_stays_away_is_said_with_what_ssh_said(tmp_path: Path) -> None:
    machine = over_script(tmp_path, 'if [ $COUNT -gt 2 ]; then echo broken pipe >&2; exit 255; fi; exec sh -c "$*"')
    end = run_detached(replace(machine, patience_s=1), str(tmp_path), "sleep 2", "", 0, 60)
    assert (end.status, end.is_lost) == (255, True)
    assert "board: the connection was lost for 1 s" in end.sentence and "broken pipe" in end.sentence


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
    def interrupt(look: JobState) -> None:
        raise KeyboardInterrupt

    at_once: list[bool] = []

    def acknowledged() -> None:
        at_once.append((tmp_path / "status").exists())

    end = run_detached(Here(), str(tmp_path), "trap 'kill $!; exit 3' TERM; sleep 100 & wait", "", 0, 60, interrupt, acknowledged)
    assert at_once == [False]
    assert end.status == 130 and "interrupted; the data until then are kept" in end.sentence
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
        looks(JobState(None, "", True, phase))
    assert told.phases == ["settling", "recorder", "collecting"] and told.records[0] == b"as it stands"
    looks = linux._Looks(replace(Here(), look_every_s=None), str(tmp_path), dear := _Told())
    looks(JobState(None, "", True, "recorder"))
    assert dear.records == []


def test_a_machine_that_does_not_come_up_in_time_is_no_longer_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_module, "UP_EVERY_S", 0.01)
    machine = over_script(tmp_path, "[ $COUNT -lt 50 ] && exit 255; exit 0")
    with pytest.raises(Unreachable):
        machine_module.wait_until_up(machine, 0.03)


def test_a_file_goes_there_executable_and_comes_back_and_what_cannot_is_told(tmp_path: Path) -> None:
    (tmp_path / "program").write_bytes(b"#!/bin/sh\nexit 3\n")
    for machine in (Here(), over_script(tmp_path)):
        there = tmp_path / f"on {machine.kind}"
        machine.put(tmp_path / "program", str(there))
        assert os.access(there, os.X_OK) and machine.get(str(there)) == b"#!/bin/sh\nexit 3\n" and not machine.restart()
        assert machine.run(f"'{there}'", 60).status == 3
    board = over_script(tmp_path)
    with pytest.raises(LatlabError, match=r"board: cannot write /nowhere/x: .*/nowhere/x"):
        board.put(tmp_path / "program", "/nowhere/x")
    with pytest.raises(LatlabError, match=r"board: cannot read /nowhere/x: .*/nowhere/x"):
        board.get("/nowhere/x")


def test_a_machine_that_hangs_does_not_answer(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="this machine does not answer"):
        Here().run("exec sleep 100", 0.1)
    with pytest.raises(Unreachable, match=r"board does not answer .*check that `ssh board` works without a password prompt"):
        over_script(tmp_path, "exec sleep 100").run("true", 0.1)
    assert "check that `ssh 'x;touch y'` works" in OverSsh("x;touch y")._advice()


def test_a_job_that_a_board_does_not_start_is_told_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(LatlabError, match="board: the job could not be started: no shell here"):
        over_script(tmp_path, "echo no shell here; exit 1").spawn("true")


def test_a_machine_is_found_again_by_its_address(tmp_path: Path) -> None:
    assert (Here().address, over_script(tmp_path).address) == (Address("linux"), Address("ssh", host="board"))
    assert (
        CommandResult(1, b"a\nb\n").complaint == "b"
        and CommandResult(1, b"a\n", b"e\nf\n").complaint == "f"
        and CommandResult(1, b"").complaint == "it printed nothing"
    )


SAID = {
    "machine": "aarch64",
    "cpus": "4",
    "fifo": "yes",
    "dma_latency": "yes",
    "stress-ng": "/bin/s",
    "hackbench": "/bin/h",
    "cyclictest": "/bin/c",
    "rtla": "/bin/r",
    "root": "0",
    "timerlat": "timerlat",
}
TIMERLAT = Workload(1, "idle", Instrument.TIMERLAT)


@pytest.mark.parametrize(
    ("changed", "workload", "said"),
    [
        ({"hackbench": ""}, Workload(1, "hackbench -l 5"), "lacks hackbench; install the package rt-tests there"),
        ({"stress-ng": ""}, Workload(1, "cpu"), "lacks stress-ng; install the package stress-ng there"),
        ({"cyclictest": ""}, Workload(1, "idle", Instrument.BOTH), "lacks cyclictest; install the package rt-tests there"),
        ({}, Workload(1, "idle", affinity=(1, 4)), "has the CPUs 0-3; --affinity names CPU 4"),
        ({"online": "0,2", "present": "0-2"}, Workload(1, "idle", affinity=(2, 1)), "CPU 1 is off; switch it on with `echo 1 >"),
        ({"online": "0,2", "present": "0-2"}, Workload(1, "idle", affinity=(3,)), "has the CPUs 0,2; --affinity names CPU 3"),
        ({"dma_latency": "file"}, Workload(1, "idle"), "lacks the device /dev/cpu_dma_latency, .*: a plain file has its name; remove it"),
        ({"fifo": ""}, Workload(1, "idle", priority=77), "lacks the right to real-time priority 77; run as root"),
        ({"dma_latency": ""}, Workload(1, "idle"), "lacks the right to write /dev/cpu_dma_latency"),
        ({"rtla": ""}, TIMERLAT, "lacks rtla; install the package rtla"),
        ({"root": "1000"}, TIMERLAT, "lacks root's right to trace with rtla; run as root"),
        ({"timerlat": ""}, TIMERLAT, "lacks the timerlat tracer; mount tracefs"),
    ],
)
def test_what_would_make_a_measurement_fail_is_refused_before_it_begins(changed: dict[str, str], workload: Workload, said: str) -> None:
    check_survey(Here(), Survey(SAID), replace(workload, affinity=()))
    with pytest.raises(UsageError, match=said):
        check_survey(Here(), Survey(SAID | changed), workload)


def test_all_that_is_missing_is_one_list_with_one_command_for_the_programs() -> None:
    bare = Survey(SAID | {"stress-ng": "", "cyclictest": "", "fifo": "", "dma_latency": ""})
    with pytest.raises(UsageError) as refused:
        check_survey(Here(), bare, Workload(1, "cpu"))
    rights = "the right to real-time priority 80, the right to write /dev/cpu_dma_latency, which forbids idle states"
    assert str(refused.value) == (
        f"this machine lacks stress-ng, cyclictest, {rights}; install the packages stress-ng and rt-tests there "
        "(Debian: `apt-get install stress-ng rt-tests`); run as root or give the user an rtprio limit; run as root or use --idle-states"
    )


NOTHING = {"stress-ng": "", "cyclictest": "", "hackbench": ""}


@pytest.mark.parametrize(
    ("changed", "chosen", "instrument", "load", "left_out"),
    [
        ({}, Chosen(False, False), Instrument.BOTH, "cpu", ()),
        ({"stress-ng": ""}, Chosen(False, False), Instrument.BOTH, "spin", ("stress-ng",)),
        ({"cyclictest": ""}, Chosen(False, False), Instrument.RECORDER, "cpu", ("cyclictest",)),
        (NOTHING, Chosen(False, False), Instrument.RECORDER, "spin", ("stress-ng", "cyclictest")),
        (NOTHING, Chosen(True, False), Instrument.RECORDER, "cpu", ("cyclictest",)),
        (NOTHING, Chosen(False, True), Instrument.BOTH, "spin", ("stress-ng",)),
        (NOTHING, Chosen(), Instrument.BOTH, "cpu", ()),
    ],
)
def test_what_the_user_has_not_named_is_measured_with_what_is_there(
    changed: dict[str, str], chosen: Chosen, instrument: Instrument, load: str, left_out: tuple[str, ...]
) -> None:
    fit = fitted(Survey(SAID | changed), Workload(1, "cpu"), chosen)
    assert (fit.workload, fit.left_out) == (Workload(1, load, instrument), left_out)
    assert all(name in fit.note for name in left_out) and bool(fit.note) == bool(left_out)


def test_a_note_names_what_was_left_out_and_the_packages_that_bring_it() -> None:
    fit = fitted(Survey(SAID | NOTHING), Workload(1), Chosen(False, False))
    assert fit.note == (
        "without stress-ng and cyclictest, so this is `--instrument recorder --load spin`; the packages stress-ng and rt-tests "
        "would bring stress-ng and cyclictest"
    )


def test_what_a_measurement_does_not_need_may_be_missing() -> None:
    bare = Survey(SAID | {"stress-ng": "", "hackbench": "", "cyclictest": "", "dma_latency": ""})
    check_survey(Here(), bare, Workload(1, "idle", Instrument.RECORDER, idle_states=True, affinity=(3,)))
    assert Survey({}).cpus == 1 and Survey({"cpus": "6"}).cpus == 6 and Survey({}).boot_id == "" == Survey({}).machine


def test_a_module_is_a_file_for_a_machine_that_has_an_el3(tmp_path: Path) -> None:
    module = tmp_path / "smc.ko"
    with pytest.raises(UsageError, match=r"smc\.ko is not a file; build guest/smc"):
        check_module(Here(), Survey(SAID), module)
    module.touch()
    check_module(Here(), Survey(SAID), module)
    check_module(Here(), Survey({}), None)
    for found, said in (("x86_64", "is x86_64, which has no EL3"), ("", "is of an unknown kind")):
        with pytest.raises(UsageError, match=said):
            check_module(Here(), Survey(SAID | {"machine": found}), module)


def test_what_belongs_beside_the_figures_is_noted() -> None:
    assert notes(Survey({"realtime": "1"})) == []
    (kernel,) = notes(Survey({"realtime": "0"}))
    (beside,) = notes(Survey({"realtime": "1", "measuring": "qemu"}))
    assert kernel == "the kernel is not PREEMPT_RT" and beside.endswith("disturbs the measurement: qemu")


def test_a_machine_that_is_no_linux_is_told_what_it_has_to_be(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="board gives an unexpected answer:  hello; it must be a Linux machine with a POSIX shell"):
        survey(over_script(tmp_path, "echo hello"), 80)


def test_a_disk_that_the_job_filled_gives_its_files_one_by_one_and_keeps_room_for_the_status(tmp_path: Path) -> None:
    """No archive can be made: a folder has its name."""
    job = linux.MachineJob((), lambda folder: f"mkdir {folder}/out.tar; ls {folder}; echo measured >$OUT/note; exit 3", 0, 60)
    done = linux.run_job(Here(scratch=str(tmp_path), look_every_s=0.2), Survey(SAID), job, linux.Follower())
    assert (done.files, done.status, done.remains) == ({"note": b"measured\n"}, 3, False) and not list(tmp_path.glob("latlab-rt.*"))


def test_what_its_follower_cannot_keep_stays_where_it_was_made(tmp_path: Path) -> None:
    class Full(linux.Follower):
        def fetched(self, files: Mapping[str, bytes]) -> None:
            raise LatlabError("the store is full")

    job = linux.MachineJob((), lambda folder: "echo measured >$OUT/note", 0, 60)
    done = linux.run_job(Here(scratch=str(tmp_path), look_every_s=0.2), Survey(SAID), job, Full())
    (folder,) = tmp_path.glob("latlab-rt.*")
    assert done.remains and done.sentence == f"the store is full; the data are in {folder}"
    assert (folder / "out" / "note").read_bytes() == b"measured\n" and (folder / "status").read_text() == "0\n"


def test_what_a_job_left_is_fetched_whole_and_its_folder_is_removed(tmp_path: Path) -> None:
    job = linux.MachineJob(((tmp_path / "tool", "tool"),), lambda folder: f"{folder}/tool >$OUT/said; echo aside >$OUT/note; exit 4", 0, 60)
    (tmp_path / "tool").write_text("#!/bin/sh\necho worked\n")
    done = linux.run_job(Here(scratch=str(tmp_path), look_every_s=0.2), Survey(SAID), job, linux.Follower())
    assert (done.files, done.status) == ({"said": b"worked\n", "note": b"aside\n"}, 4)
    assert done.sentence == "the measurement ended with status 4: it printed nothing" and not list(tmp_path.glob("latlab-rt.*"))
    with pytest.raises(UsageError, match=r"no folder in /nowhere can be made: .*/nowhere"):
        linux.run_job(Here(scratch="/nowhere"), Survey(SAID), job, linux.Follower())


def test_an_archive_of_a_job_gives_its_files_and_nothing_else() -> None:
    """A hard link is as a link; a name that leads out is a name, as nothing is written."""
    with io.BytesIO() as data, tarfile.open(fileobj=data, mode="w:gz") as tar:
        for name, kind, target in (
            ("./note", tarfile.REGTYPE, ""),
            ("../../above", tarfile.REGTYPE, ""),
            ("/etc/passwd", tarfile.REGTYPE, ""),
            ("./out", tarfile.SYMTYPE, "/etc/shadow"),
            ("./itself", tarfile.SYMTYPE, "itself"),
            ("./hard", tarfile.LNKTYPE, "/etc/shadow"),
            ("./zero", tarfile.CHRTYPE, ""),
            ("./pipe", tarfile.FIFOTYPE, ""),
        ):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.size = kind, target, 4 if kind == tarfile.REGTYPE else 0
            tar.addfile(entry, io.BytesIO(b"text") if entry.size else None)
        tar.close()
        assert linux._unpacked(data.getvalue()) == {"note": b"text", "above": b"text", "passwd": b"text"}


def test_an_archive_that_states_a_file_of_a_terabyte_is_refused() -> None:
    """A sparse file of a few hundred bytes took as much memory as its header stated."""
    with io.BytesIO() as data, tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as tar:
        entry = tarfile.TarInfo("record")
        entry.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.map": "0,0", "GNU.sparse.size": str(1 << 40)}
        tar.addfile(entry)
        tar.close()
        with pytest.raises(LatlabError, match="more than 2048 MiB"):
            linux._unpacked(data.getvalue())
