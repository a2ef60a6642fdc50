# SPDX-License-Identifier: BSD-3-Clause
"""Processes that are ended, those that are left alone, and how a console says that its target has ended."""

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from latlab.core.targets.linux.machine import Here
from latlab.core.targets.process import console, guardian
from latlab.core.targets.process.console import Console, Limits, MachineEnd
from latlab.core.targets.process.process_time import ProcessState
from latlab.rt.targets.detached_job import end_job
from support.processes import is_running, wait_until

PATIENT = Limits(600, 600)


def told(folder: Path, said: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The groups that a guardian of this folder ends after these lines."""
    ended: list[int] = []
    monkeypatch.setattr(guardian, "end_group", ended.append)
    monkeypatch.setattr(sys, "stdin", io.StringIO(said))
    monkeypatch.setattr(sys, "argv", ["guardian", str(folder)])
    guardian.main()
    return ended


@pytest.mark.parametrize(
    ("said", "ended"),
    [
        ("", []),
        ("begun 77\n", [77]),
        ("begun 77\nended\n", []),
        ("begun 77\nended\nbegun 78\n", [78]),
        ("begun 77\nbegun 78\n", [78]),
    ],
)
def test_a_guardian_ends_the_build_that_still_runs_and_removes_its_folder(
    said: str, ended: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "build"
    (folder / "deep").mkdir(parents=True)
    assert told(folder, said, monkeypatch) == ended
    assert not folder.exists()


def test_a_group_that_is_gone_is_no_error() -> None:
    gone = subprocess.Popen(["true"], start_new_session=True)
    gone.wait()
    guardian.end_group(gone.pid)


@pytest.fixture(name="sleepers")
def fixture_sleepers(tmp_path: Path) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Each in a session of its own, so that no group has it: of the job, of a job whose name begins so, and of none."""
    names = {"job": str(tmp_path), "longer": f"{tmp_path}2", "other": "/elsewhere"}
    found = {
        key: subprocess.Popen(["sleep", "1000"], env={"PATH": "/usr/bin:/bin", "LATLAB_JOB": name}, start_new_session=True)
        for key, name in names.items()
    }
    yield found
    for process in found.values():
        process.kill()
        process.wait()


def test_a_job_that_is_ended_leaves_no_process_that_inherited_its_name(
    tmp_path: Path, sleepers: dict[str, subprocess.Popen[bytes]]
) -> None:
    assert end_job(Here(), str(tmp_path)) is None
    wait_until(lambda: not is_running(sleepers["job"].pid))
    assert is_running(sleepers["longer"].pid) and is_running(sleepers["other"].pid)


def test_the_status_of_a_job_that_has_ended_is_read_and_nothing_is_killed(tmp_path: Path) -> None:
    bystander = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    (tmp_path / "group").write_text(f"{bystander.pid}\n")
    (tmp_path / "status").write_text("7\n")
    assert end_job(Here(), str(tmp_path)) == 7
    assert is_running(bystander.pid)
    bystander.kill()
    bystander.wait()


def ended(folder: Path, script: str, limits: Limits = PATIENT) -> Console:
    console = Console(("sh", "-c", script, "sh", str(folder / "secure")), folder / "secure", limits)
    for _ in console.lines():
        pass
    return console


def test_a_panic_on_the_second_console_ends_a_target_that_goes_on(tmp_path: Path) -> None:
    console = ended(tmp_path, "echo one; printf 'boots\\nPANIC at 1\\nPANIC at 2\\n' >$1; exec sleep 1000")
    assert console.outcome.end is MachineEnd.PANIC
    assert console.outcome.sentence == "the firmware panicked, line 2 of its console: 'PANIC at 1'"


def test_a_panic_just_before_the_end_is_not_taken_for_a_good_end(tmp_path: Path) -> None:
    assert ended(tmp_path, "echo one; echo PANIC >$1").outcome.end is MachineEnd.PANIC


def test_a_panic_behind_the_order_to_go_off_is_no_fault_of_what_was_measured(tmp_path: Path) -> None:
    """TF-A's power-off on QEMU ends in a panic where the machine is not gone by then."""
    script = "echo the end; sleep 0.5; echo PANIC >$1; sleep 0.5"
    console = Console(("sh", "-c", script, "sh", str(tmp_path / "secure")), tmp_path / "secure", PATIENT)
    for _ in console.lines():
        console.expect_exit()
    assert (console.outcome.end, console.outcome.sentence) == (MachineEnd.EXIT, "")


def test_what_else_the_firmware_says_is_no_panic(tmp_path: Path) -> None:
    console = ended(tmp_path, "echo PANIC; echo 'no panic' >$1")
    assert (console.outcome.end, console.outcome.sentence) == (MachineEnd.EXIT, "")


def test_a_target_that_dies_is_named_with_its_last_words(tmp_path: Path) -> None:
    console = ended(tmp_path, "echo first >&2; echo last >&2; exit 3")
    assert console.outcome.end is MachineEnd.DEATH and console.outcome.sentence == "sh ended with status 3; it printed: 'last'"
    assert ended(tmp_path, "kill -KILL $$").outcome.sentence == "sh was killed by SIGKILL and printed nothing"


def test_a_target_that_waits_for_a_cpu_is_not_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "state_of", lambda pid: ProcessState(0.0, wants_cpu=True))
    assert ended(tmp_path, "sleep 0.5; echo one; sleep 0.5", Limits(0.2, 0.1)).outcome.end is MachineEnd.EXIT


def test_a_target_that_is_silent_or_has_no_end_is_stopped(tmp_path: Path) -> None:
    assert ended(tmp_path, "echo one; exec sleep 1000", Limits(600, 0.1)).outcome.end is MachineEnd.SILENCE
    assert ended(tmp_path, "while echo one; do sleep 0.01; done", Limits(0.2, 600)).outcome.end is MachineEnd.HANG
