# SPDX-License-Identifier: BSD-3-Clause
"""How long each target is waited for, and what it is told at the end of that time."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from latlab.core.errors import LatlabError, UsageError
from latlab.core.targets import tools
from latlab.core.targets.linux import machine as machines
from latlab.core.targets.linux.machine import CommandResult, Here, OverSsh, Unreachable, wait_until_up
from latlab.core.targets.process import children
from latlab.rt.targets import detached_job, linux
from latlab.rt.targets.detached_job import JobEnd, JobState, end_job, run_detached


class Clock:
    """Time that passes only where somebody sleeps, and a little at each look."""

    def __init__(self) -> None:
        self.now = 5000.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture(name="clock")
def fixture_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (detached_job, machines):
        monkeypatch.setattr(module, "time", clock)
    return clock


class Asked(Here):
    """A machine that answers by the words in a question, and keeps how long each might take."""

    def __init__(self, answers: dict[str, Callable[[], CommandResult]], **more: Any) -> None:
        super().__init__(**more)
        object.__setattr__(self, "answers", answers)
        object.__setattr__(self, "asked", [])

    def run(self, text: str, timeout_s: float) -> CommandResult:
        self.asked.append((text, timeout_s))  # type: ignore[attr-defined]
        for word, answer in self.answers.items():  # type: ignore[attr-defined]
            if word in text:
                return answer()
        return CommandResult(0, b"")

    def spawn(self, text: str) -> int:
        return 77

    def put(self, local: Path, remote: str) -> None:
        return


def look(status: str = "", alive: str = "yes", phase: str = "") -> Callable[[], CommandResult]:
    text = f"alive={alive}\nphase=<LLG1:PHASE name={phase}>\nboot_id=b\nstatus={status}\n"
    return lambda: CommandResult(0, text.encode())


def away() -> CommandResult:
    raise Unreachable("board does not answer")


def end_of(machine: Here, expected_s: float, limit_s: float, looked: Callable[[JobState], None] = lambda one: None) -> JobEnd:
    return run_detached(machine, "/f", "true", "b", expected_s, limit_s, looked)


@pytest.mark.parametrize(
    ("look_every_s", "expected_s", "slept"),
    [(5, 12.0, [5, 5, 2, 0.5, 0.5]), (30, 12.0, [12, 0.5, 0.5, 0.5, 0.5]), (None, 70.0, [30, 30, 10, 0.5, 0.5]), (5, 0.0, [0.5] * 5)],
)
def test_a_job_is_looked_at_now_and_then_and_often_once_it_is_due(
    clock: Clock, look_every_s: float | None, expected_s: float, slept: list[float]
) -> None:
    left = [""] * 4 + ["3"]
    machine = Asked({"echo status": lambda: look(left.pop(0))()}, look_every_s=look_every_s)
    assert end_of(machine, expected_s, 1000) == JobEnd(3)
    assert clock.slept == slept


def test_a_job_is_stopped_once_its_time_is_over_and_killed_where_it_does_not_end(clock: Clock) -> None:
    machine = Asked({"echo status": look()}, look_every_s=5)
    end = end_of(machine, 0, 20.0)
    assert (end.status, end.is_lost) == (124, False)
    assert end.sentence == "this machine: the job has not ended in 20 s and was stopped; its data are kept"
    asked = [text for text, _ in machine.asked]  # type: ignore[attr-defined]
    assert asked.index("kill -TERM $(cat /f/pid)") < asked.index("kill -KILL -77")
    assert 5000 + 20 + 10 <= clock.now <= 5000 + 20.5 + 10.5, "the job got ten seconds to end in order"


def test_a_job_that_ends_in_order_when_it_is_stopped_is_not_killed(clock: Clock) -> None:
    said = iter([*[""] * 41, "143", "143", "143"])
    machine = Asked({"echo status": lambda: look(next(said))()}, look_every_s=0.5)
    assert end_of(machine, 0, 20.0).status == 124
    assert not [text for text, _ in machine.asked if "kill -KILL" in text]  # type: ignore[attr-defined]


@pytest.mark.parametrize("patience_s", [0.0, 180.0])
def test_a_machine_that_is_away_is_waited_for_as_long_as_its_kind_may_take(clock: Clock, patience_s: float) -> None:
    machine = Asked({"echo status": away}, look_every_s=10, patience_s=patience_s)
    end = end_of(machine, 1000.0, 5000)
    assert end == JobEnd(
        255,
        f"this machine: the connection was lost for {patience_s:g} s: board does not answer",
        is_lost=True,
    )
    assert patience_s < clock.now - 5000 <= patience_s + 10


def test_a_machine_that_comes_back_has_its_job_still(clock: Clock) -> None:
    answers = [away, away, look(phase="recorder"), away, look("0")]
    looks: list[JobState] = []
    machine = Asked({"echo status": lambda: answers.pop(0)()}, look_every_s=10, patience_s=25)
    assert end_of(machine, 1000.0, 5000, looks.append) == JobEnd(0)
    assert [(one.phase, one.alive, one.status, one.boot_id) for one in looks] == [("recorder", True, None, "b")]


def test_a_job_that_was_killed_leaves_nothing_of_its_name_running(clock: Clock) -> None:
    machine = Asked({"echo status": look(alive="no")}, look_every_s=1)
    end = end_of(machine, 0, 60)
    assert (end.status, end.sentence) == (255, "this machine: the job was killed during the run; its data are kept")
    assert any("LATLAB_JOB=/f" in text and "kill -KILL" in text for text, _ in machine.asked)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "answer", ["", "alive=yes\n", "alive=maybe\nboot_id=b\nstatus=\n", "alive=yes\nboot_id=b\nstatus=x\n", "alive=no\nstatus=3\n"]
)
def test_an_answer_that_is_not_whole_is_none_and_is_quoted(clock: Clock, answer: str) -> None:
    machine = Asked({"echo status": lambda: CommandResult(0, answer.encode())}, look_every_s=1, patience_s=3)
    end = end_of(machine, 0, 60)
    assert end.is_lost and "this machine gives an incomplete answer: [" in end.sentence


@pytest.mark.parametrize(
    ("group", "status", "last", "stopped", "found"),
    [("12", "", "143", True, 143), ("12", "0", "0", False, 0), ("", "", "", False, None), ("x", "", "?", False, None)],
)
def test_what_is_left_of_a_job_is_ended_once_and_its_status_is_what_it_said_last(
    clock: Clock, group: str, status: str, last: str, stopped: bool, found: int | None
) -> None:
    answers = {
        "cat /f/group": lambda: CommandResult(0, f"{group}\n{status}\n".encode()),
        "echo status": look("143"),
        "cat /f/status": lambda: CommandResult(0, f"{last}\n".encode()),
    }
    machine = Asked(answers)
    assert end_job(machine, "/f") == found
    asked = [text for text, _ in machine.asked]  # type: ignore[attr-defined]
    assert ("kill -TERM $(cat /f/pid)" in asked) == stopped
    assert any("LATLAB_JOB=/f" in text for text in asked), "whoever inherited its name is ended in any case"
    assert {seconds for _, seconds in machine.asked} == {60}  # type: ignore[attr-defined]


def test_a_machine_that_is_asked_gets_a_minute_and_a_file_ten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[tuple[str, float, Path | None]] = []

    def finished(command: Sequence[str], timeout_s: float, given: Path | None = None) -> CommandResult:
        asked.append((command[-1], timeout_s, given))
        assert len(asked) < 10, "an answer is enough"
        return CommandResult(0, b"machine=x\n42\n" if "uname" in command[-1] else b"42\n")

    monkeypatch.setattr(machines, "_finished", finished)
    board = OverSsh("board")
    (tmp_path / "local").write_text("x")
    board.put(tmp_path / "local", "/there")
    assert board.get("/there") == b"42\n" and board.spawn("true") == 42
    linux.survey(board, 80)
    assert linux.collected(board) == b"42\n"
    wait_until_up(board, 5)
    assert [seconds for _, seconds, _ in asked] == [600, 600, 60, 60, 60, 60]
    assert [given for _, _, given in asked] == [tmp_path / "local", *[None] * 5]


def test_a_connection_is_given_up_after_seconds_and_never_asks_for_a_password() -> None:
    words = OverSsh("board").program
    options = [value for before, value in pairwise(words) if before == "-o"]
    assert options == ["BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "ServerAliveCountMax=3"]
    here, board = Here(), OverSsh("board")
    assert (here.patience_s, here.left_alone_s, here.look_every_s) == (0, None, 5)
    assert (board.patience_s, board.left_alone_s, board.look_every_s) == (180, 300, 30)
    assert here.scratch == board.scratch == "/var/tmp", "which outlives a restart"


@pytest.mark.parametrize(("limit_s", "tries"), [(0.0, 2), (3.5, 5)])
def test_a_machine_that_was_switched_on_is_asked_every_second(clock: Clock, limit_s: float, tries: int) -> None:
    machine = Asked({"true": away})
    with pytest.raises(Unreachable):
        wait_until_up(machine, limit_s)
    assert len(machine.asked) == tries and clock.slept == [1.0] * (tries - 1)  # type: ignore[attr-defined]


def test_a_child_gets_a_moment_then_a_signal_then_its_patience_and_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    class Stubborn:
        stdout = None
        ends_at = 3

        def poll(self) -> None:
            return None

        def wait(self, timeout: float | None = None) -> int:
            done.append(f"wait {timeout}")
            if len([one for one in done if one.startswith("wait")]) < self.ends_at:
                raise subprocess.TimeoutExpired("x", timeout or 0)
            return 0

        def terminate(self) -> None:
            done.append("terminate")

        def kill(self) -> None:
            done.append("kill")

    child: Any = Stubborn()
    children.stop(child, 3.0)
    assert done == ["wait 0.2", "terminate", "wait 3.0", "kill", "wait None"]
    done.clear()
    Stubborn.ends_at = 1
    children.stop(child, 3.0)
    assert done == ["wait 0.2", "wait 3.0"]


def test_a_tool_gets_a_quarter_of_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(command: Sequence[str], **options: Any) -> None:
        raise subprocess.TimeoutExpired(list(command), options["timeout"])

    monkeypatch.setattr(subprocess, "run", never)
    with pytest.raises(LatlabError, match=r"^apt-get has not ended in 900 s; check the network and run it again$"):
        tools.run(("apt-get", "update"))


def test_a_machine_without_ssh_says_so_at_once_and_is_not_waited_for(tmp_path: Path, clock: Clock) -> None:
    board = OverSsh("board", program=(str(tmp_path / "ssh"), "-q"))
    with pytest.raises(UsageError, match=r"ssh is not installed on this machine; --target ssh needs it \(Debian: openssh-client\)$"):
        wait_until_up(board, 100)
    assert clock.slept == []
