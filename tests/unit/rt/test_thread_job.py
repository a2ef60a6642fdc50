# SPDX-License-Identifier: BSD-3-Clause
"""The job that follows threads, on a folder that looks like tracefs: what it switches on, what it takes, and that it removes its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from latlab.core.errors import UsageError
from latlab.core.targets.linux.machine import Here
from latlab.rt.readers.live_trace import read_notes
from latlab.rt.targets.thread_job import Followed, ThreadWork, script
from latlab.rt.targets.thread_survey import (
    FIRST_PID_NAMESPACE,
    TracingSurvey,
    check_tracing,
    remove_instances,
    tasks_of,
    tracing_survey,
)
from support.raw_traces import LAYOUT, PAGE_BYTES

EVENTS = ("sched/sched_switch", "sched/sched_waking", "irq/softirq_entry")
READY = TracingSurvey("/sys/kernel/tracing", True, True, True, True, 1 << 20)
MKDIR = """#!{python}
import os, shutil, sys
for name in sys.argv[1:]:
    if name.startswith("{instances}/"):
        shutil.copytree("{template}", name)
    elif not name.startswith("-"):
        os.makedirs(name, exist_ok=True)
"""
RMDIR = """#!{python}
import shutil, sys
shutil.rmtree(sys.argv[1])
"""


@pytest.fixture
def tracefs(tmp_path: Path) -> Path:
    """A folder in which `mkdir` of an instance brings its files, as the kernel does."""
    top, template = tmp_path / "tracing", tmp_path / "template"
    for folder in (top, template):
        for event in EVENTS:
            (folder / "events" / event).mkdir(parents=True)
            (folder / "events" / event / "enable").write_text("0")
            (folder / "events" / event / "format").write_text(f"name: {event.partition('/')[2]}\nID: 1\n")
        (folder / "events" / "header_page").write_text(LAYOUT)
    for name in ("tracing_on", "trace_clock", "buffer_size_kb", "set_event_pid"):
        (template / name).write_text("")
    (template / "options").mkdir()
    for cpu in range(2):
        (template / "per_cpu" / f"cpu{cpu}").mkdir(parents=True)
        (template / "per_cpu" / f"cpu{cpu}" / "trace_pipe_raw").write_bytes(b"p" * PAGE_BYTES)
        (template / "per_cpu" / f"cpu{cpu}" / "stats").write_text("entries: 0\noverrun: 4\nbytes: 500\nread events: 8\n")
    (top / "instances").mkdir()
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("mkdir", MKDIR), ("rmdir", RMDIR)):
        (programs / name).write_text(text.format(python=sys.executable, instances=top / "instances", template=template))
        (programs / name).chmod(0o755)
    return top


def job_of(tracefs: Path, followed: Followed, duration_s: int = 1) -> tuple[subprocess.Popen[str], Path]:
    folder = tracefs.parent / "latlab-rt.abc123"
    (folder / "out").mkdir(parents=True, exist_ok=True)
    text = script(ThreadWork(followed, duration_s, str(tracefs), 512), str(folder))
    places = f"OUT={folder}/out\nPHASE={folder}/phase\n"
    path = {**os.environ, "PATH": f"{tracefs.parent / 'bin'}:{os.environ['PATH']}", "LATLAB_JOB": str(folder)}
    (folder / "job").write_text(places + text)
    command = ["env", "--default-signal", "sh", str(folder / "job")]  # a shell cannot trap what was ignored before it, as under `nohup`
    return subprocess.Popen(command, env=path, text=True, stderr=subprocess.PIPE), folder / "out"


def test_it_switches_on_what_is_there_takes_the_pages_and_removes_its_instances(tracefs):
    job, out = job_of(tracefs, Followed(processes=(os.getpid(),)))
    _, complaints = job.communicate(timeout=60)
    assert (job.returncode, complaints) == (0, "")
    notes = read_notes((out / "trace-notes.txt").read_text())
    assert notes.events == list(EVENTS) and os.getpid() in notes.threads and notes.buffer_kib == 512
    assert notes.lost == {"cpu0": 8, "cpu1": 8} and notes.recorded == 32
    assert (out / "machine-cpu0.raw").stat().st_size % PAGE_BYTES == 0 < (out / "own-cpu1.raw").stat().st_size
    assert list((tracefs / "instances").iterdir()) == []


def test_it_notes_the_control_groups_of_the_threads_and_how_often_quotas_held_threads_when_it_is_stopped_too(tracefs, tmp_path):
    """With a `find` that has one group, which is held once more each time."""
    find = tmp_path / "bin" / "find"
    find.write_text(f"#!/bin/sh\necho x >>{tmp_path}/calls\necho /sys/fs/cgroup/a/cpu.stat:nr_throttled $(wc -l <{tmp_path}/calls)\n")
    find.chmod(0o755)
    job, out = job_of(tracefs, Followed(processes=(os.getpid(),)), duration_s=60)
    wait_for(lambda: (out / "groups.txt").exists())
    job.send_signal(signal.SIGTERM)
    assert job.wait(timeout=30) == 143
    notes = read_notes((out / "trace-notes.txt").read_text())
    assert notes.counts == ["begin /sys/fs/cgroup/a/cpu.stat:nr_throttled 1", "end /sys/fs/cgroup/a/cpu.stat:nr_throttled 2"]
    own = Path(f"/proc/{os.getpid()}/cgroup").read_text().splitlines()
    assert f"/proc/{os.getpid()}/cgroup" in {line.partition(":")[0] for line in notes.groups}
    assert {line.partition(":")[2] for line in notes.groups} <= set(own)


def test_a_command_is_started_its_status_is_noted_and_one_that_goes_on_is_ended(tracefs):
    job, out = job_of(tracefs, Followed(command=("sh", "-c", "echo 'it works'; exit 3")), duration_s=30)
    assert job.wait(timeout=20) == 0
    notes = read_notes((out / "trace-notes.txt").read_text())
    assert notes.command_status == 3 and notes.root and "command_ended" not in notes.others
    assert (out / "command.out").read_text() == "it works\n"


def test_a_command_that_cannot_be_started_is_said(tracefs, tmp_path):
    (tmp_path / "plain").write_text("no program")
    job, out = job_of(tracefs, Followed(command=(str(tmp_path / "plain"),)))
    assert job.wait(timeout=20) == 0
    notes = read_notes((out / "trace-notes.txt").read_text())
    assert notes.command_status == 126 and "ermission denied" in notes.others["unstarted"]


def test_a_command_that_goes_on_is_ended_with_its_group(tracefs):
    mark = f"sleep 98{os.getpid()}"
    job, out = job_of(tracefs, Followed(command=("sh", "-c", f"{mark} & {mark}; true")))
    assert job.wait(timeout=30) == 0
    assert "command_ended" in read_notes((out / "trace-notes.txt").read_text()).others
    assert mark not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_with_its_data_and_without_its_instances(tracefs, number):
    job, out = job_of(tracefs, Followed(processes=(os.getpid(),)), duration_s=60)
    wait_for(lambda: (out / "threads.txt").exists())
    job.send_signal(number)
    assert job.wait(timeout=30) == 143
    assert list((tracefs / "instances").iterdir()) == [] and (out / "machine-cpu0.raw").stat().st_size > 0


def test_a_full_disk_ends_the_recording_and_is_said(tracefs, tmp_path):
    """`/dev/full` is a disk without space."""
    (tracefs.parent / "latlab-rt.abc123" / "out").mkdir(parents=True)
    (tracefs.parent / "latlab-rt.abc123" / "out" / "machine-cpu0.raw").symlink_to("/dev/full")
    for stats in tracefs.parent.glob("template/per_cpu/*/stats"):
        stats.write_text(f"entries: 0\nbytes: {64 * PAGE_BYTES}\n")
    job, out = job_of(tracefs, Followed(processes=(os.getpid(),)), duration_s=60)
    assert job.wait(timeout=30) == 0
    assert "full" in read_notes((out / "trace-notes.txt").read_text()).others


def test_threads_that_have_ended_before_it_began_are_said(tracefs):
    job, out = job_of(tracefs, Followed(threads=(2**22 + 1,)))
    assert job.wait(timeout=30) == 5
    assert "ended before they could be followed" in read_notes((out / "trace-notes.txt").read_text()).others["failed"]
    assert list((tracefs / "instances").iterdir()) == []


def test_an_instance_of_a_killed_job_is_removed_and_one_of_a_running_job_is_not(tracefs, monkeypatch):
    ended, running = tracefs / "instances" / "latlab-dead01", tracefs / "instances" / "latlab-live02-own"
    for left in (ended, running):
        left.mkdir()
    monkeypatch.setenv("PATH", f"{tracefs.parent}/bin:{os.environ['PATH']}")
    job = subprocess.Popen(["sleep", "60"], env={**os.environ, "LATLAB_JOB": "/var/tmp/latlab-rt.live02"})
    try:
        assert remove_instances(Here(), str(tracefs)) == ("latlab-dead01",)
        assert running.is_dir() and not ended.exists()
        assert remove_instances(Here(), str(tracefs)) == ()
    finally:
        job.kill()
        job.wait()


@pytest.mark.parametrize(
    "survey, sentence",
    [
        (TracingSurvey("", False, False, False, True, 0), "no right to trace threads; run as root"),
        (TracingSurvey("", False, False, True, True, 0), "no tracefs, which has the kernel's events; mount it with"),
        (TracingSurvey("/t", False, True, False, True, 0), "no right to write /t/instances; run as root"),
        (TracingSurvey("/t", True, False, True, True, 0), "the kernel has no event sched_switch"),
        (TracingSurvey("/t", True, True, True, False, 0), "this container numbers its threads otherwise"),
    ],
)
def test_what_is_missing_has_one_sentence_with_the_next_step(survey, sentence):
    with pytest.raises(UsageError) as refused:
        check_tracing(survey, "board")
    assert str(refused.value).startswith(f"board: {sentence}")


def test_a_machine_that_has_all_is_not_refused():
    check_tracing(READY, "board")
    assert tracing_survey(Here()).is_first_namespace is (os.readlink("/proc/self/ns/pid") == FIRST_PID_NAMESPACE)
    assert any(task.tid == os.getpid() for task in tasks_of(Here()))


def wait_for(is_there) -> None:
    end = time.monotonic() + 30
    while not is_there() and time.monotonic() < end:
        time.sleep(0.05)
