# SPDX-License-Identifier: BSD-3-Clause
"""The recorder at real-time priority on this machine."""

import os
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from latlab.core.errors import DataError
from latlab.core.model.blame import UNEXPLAINED
from latlab.rt.analysis.attribution import attribute, with_parts
from latlab.rt.analysis.lateness_parts import MEASURING_TASK
from latlab.rt.analysis.wakeup import disagreement
from latlab.rt.model.kernel_events import KernelStep
from latlab.rt.readers.kernel_events import read_kernel_events
from latlab.rt.readers.recorder import HEADER, read_record
from latlab.rt.targets.recorder_binary import recorder_for
from support.recorder_kills import kill_at, kill_times

pytestmark = pytest.mark.realtime


@pytest.fixture(scope="module")
def program() -> Path:
    return recorder_for(os.uname().machine)


def _wait_for(path: Path, sequence: int) -> None:
    """Until the file holds a checkpoint of at least this number."""
    for _ in range(600):
        try:
            if any(f"checkpoint {n} " in p for n in range(sequence, sequence + 50) for p in read_record(path.read_bytes(), "x").problems):
                return
        except (DataError, OSError):
            pass
        time.sleep(0.05)
    pytest.fail("the recorder wrote no checkpoint")


def test_a_killed_recorder_loses_nothing_that_was_checkpointed(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.rec"
    process = subprocess.Popen([program, "-o", path, "-i", "1000", "-I"])
    _wait_for(path, 2)
    before = read_record(path.read_bytes(), "x")
    process.kill()
    process.wait()
    after = read_record(path.read_bytes(), "killed.rec")
    assert not after.complete and "was killed" in after.problems[0]
    assert after.end_ns is not None and before.end_ns is not None and after.start_ns is not None and after.end_ns >= before.end_ns
    for old, new in zip(before.cpus, after.cpus, strict=True):
        assert new.got >= old.got and disagreement(new) == ""


@pytest.mark.parametrize("after_s", kill_times(1, 3))
def test_a_recorder_killed_at_a_random_moment_has_every_checkpoint_that_was_due(program: Path, tmp_path: Path, after_s: float) -> None:
    kill_at(program, tmp_path / "killed.rec", after_s).check()


def test_checkpoints_are_a_second_apart_on_the_recorders_own_clock(program: Path, tmp_path: Path) -> None:
    """So that at most a second is lost. A machine that is held up may make one late, but never early and never leave one out."""
    path = tmp_path / "paced.rec"
    process = subprocess.Popen([program, "-o", path, "-i", "1000", "-D", "3", "-I"])
    assert process.wait() == 0
    read = read_record(path.read_bytes(), "x")
    data = path.read_bytes()
    sequences = [struct.unpack_from("<Q", data, HEADER.size + index * _slot_bytes(data))[0] for index in (0, 1)]
    assert sorted(sequences) == [2, 3] and read.complete


def _slot_bytes(data: bytes) -> int:
    return int(struct.unpack_from("<I", data, 12)[0])


def test_a_recorder_told_to_stop_writes_a_last_checkpoint(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "stopped.rec"
    process = subprocess.Popen([program, "-o", path, "-i", "1000", "-I"])
    _wait_for(path, 1)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0
    assert read_record(path.read_bytes(), "x").complete


def test_a_recorder_that_is_stopped_for_a_while_counts_what_it_missed(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "late.rec"
    process = subprocess.Popen([program, "-o", path, "-i", "1000", "-I"])
    _wait_for(path, 1)
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.5)
    process.send_signal(signal.SIGCONT)
    _wait_for(path, 2)
    process.terminate()
    assert process.wait() == 0
    read = read_record(path.read_bytes(), "x")
    for cpu, implied in zip(read.cpus, read.implied, strict=True):
        assert cpu.missed is not None and cpu.missed >= 400
        assert sum(n for _, _, n in implied) == cpu.missed
        assert any(outlier.missed >= 400 and outlier.cpu == cpu.number for outlier in read.outliers)


def test_a_recorder_that_is_ended_or_stopped_before_its_time_says_which_signal_did_it(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "signals.rec"
    process = subprocess.Popen([program, "-o", path, "-i", "1000", "-D", "600", "-I"])
    _wait_for(path, 1)
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.5)
    process.send_signal(signal.SIGCONT)
    _wait_for(path, 2)
    process.terminate()
    assert process.wait() == 0
    read = read_record(path.read_bytes(), "x")
    ended, stopped = read.problems
    assert read.complete and "x: signal 15 ended the recorder after " in ended and ended.endswith(" s of 600 s")
    assert "x: a signal stopped the recorder for about " in stopped


def test_a_thread_that_is_moved_ends_the_column_of_its_cpu_and_no_other(program: Path, tmp_path: Path) -> None:
    """By an affinity, as CPU hotplug and a cpuset do it. The last thread that leaves ends the measurement."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        pytest.skip("it needs a second CPU")
    path = tmp_path / "moved.rec"
    process = subprocess.Popen([program, "-o", path, "-i", "1000", "-D", "600", "-I", "-a", ",".join(map(str, cpus))])
    _wait_for(path, 1)
    threads = [int(entry.name) for entry in Path(f"/proc/{process.pid}/task").iterdir()]
    thread_of = {tuple(os.sched_getaffinity(thread)): thread for thread in threads}
    os.sched_setaffinity(thread_of[(cpus[1],)], {cpus[0]})
    _wait_for(path, 3)
    half = read_record(path.read_bytes(), "x")
    os.sched_setaffinity(thread_of[(cpus[0],)], {cpus[1]})
    assert process.wait(60) == 0
    whole = read_record(path.read_bytes(), "x")
    assert f"x: CPU hotplug or another affinity moved the thread of CPU {cpus[1]} to CPU {cpus[0]}, " in half.problems[-1]
    assert half.cpus[0].got > half.cpus[1].got == whole.cpus[1].got and whole.cpus[0].got >= half.cpus[0].got
    moved = zip(cpus, reversed(cpus), whole.problems, strict=True)
    assert all(f"the thread of CPU {cpu} to CPU {other}, " in problem for cpu, other, problem in moved)
    assert all(disagreement(cpu) == "" for cpu in whole.cpus)


def test_a_disk_that_fills_ends_the_recorder_with_all_counts_and_the_reason(program: Path, tmp_path: Path) -> None:
    small, copy = tmp_path / "small", tmp_path / "copy.rec"
    small.mkdir()
    cpu = min(os.sched_getaffinity(0))
    recorder = f"{program} -o {small}/a.rec -i 100 -t 1 -D 600 -I -a {cpu}"
    script = f"mount -t tmpfs -o size=256k none {small} || exit 77; {recorder}; status=$?; cat {small}/a.rec >{copy}; exit $status"
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip("this root may not mount a file system")
    assert done.returncode == 3 and "No space left on device" in done.stderr
    read = read_record(copy.read_bytes(), "x")
    assert any("because it could not write: No space left on device" in problem for problem in read.problems)
    assert not any("was killed" in problem for problem in read.problems)
    assert read.cpus[0].got >= len(read.outliers) > 1000 and disagreement(read.cpus[0]) == ""


def test_a_file_that_cannot_be_written_is_said_before_anything_is_measured(program: Path) -> None:
    done = subprocess.run([program, "-o", "/dev/null/x", "-D", "1", "-I"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "cannot write /dev/null/x" in done.stderr


def test_what_the_kernel_did_until_each_late_wake_up_adds_up_to_its_lateness(program: Path, tmp_path: Path) -> None:
    """With a threshold of 1 us nearly every wake-up is late. A kernel that does not open its events to this user says so on each CPU; one
    whose idle task keeps its events to itself leaves those wake-ups unexplained."""
    record, kept = tmp_path / "a.rec", tmp_path / "a.events"
    named_as_it_is = shutil.copy(program, tmp_path / "latlab-recorder")
    subprocess.run([named_as_it_is, "-o", record, "-k", kept, "-D", "1", "-i", "5000", "-t", "1", "-I"], check=True)
    wakeups, events = read_record(record.read_bytes(), "a"), read_kernel_events(kept.read_bytes(), "a")
    if events.closed:
        assert {cpu for cpu, _ in events.closed} == {cpu.number for cpu in wakeups.cpus} and not events.late
        return
    assert not events.problems and len(events.late) == len(wakeups.outliers) > 0
    entries = with_parts(wakeups, attribute(wakeups, wakeups.outliers, ()), events, 80)
    assert all(sum(part.ns for part in entry.parts) == entry.outlier.late_ns for entry in entries)
    named = {(entry.outlier.cpu, entry.outlier.wake_ns) for entry in entries if any(part.blame != UNEXPLAINED for part in entry.parts)}
    told = {(late.cpu, late.wake_ns) for late in events.late if _comes_last(late.steps) == MEASURING_TASK}
    assert named == told != set()


def _comes_last(steps: Sequence[KernelStep]) -> str:
    return next((step.comes.name for step in reversed(steps) if step.comes is not None), "")


@pytest.mark.parametrize("path", ["/nowhere/a.events", "/dev/full"])
def test_kernel_events_that_cannot_be_written_are_one_sentence(program: Path, tmp_path: Path, path: str) -> None:
    done = subprocess.run([program, "-o", tmp_path / "a.rec", "-k", path, "-D", "1", "-I"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and path in done.stderr
