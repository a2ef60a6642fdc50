# SPDX-License-Identifier: BSD-3-Clause
"""A board that labgrid manages, over a target whose drivers are made up and fail as labgrid's do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from latlab.core.errors import LatlabError, UsageError
from latlab.core.model.life import Address
from latlab.core.targets.linux import labgrid_board
from latlab.core.targets.linux.labgrid_board import COMMANDS, FILES, LabgridBoard, ask_labgrid, driver_of, opened, prepare, release, said_by
from latlab.core.targets.linux.machine import CommandResult, Unreachable, marked

pytest.importorskip("labgrid")
from labgrid.binding import BindingState
from labgrid.exceptions import NoDriverFoundError

MARKS = marked("")


class Driver:
    """Runs commands and moves files; each call is noted."""

    def __init__(self) -> None:
        self.asked: list[object] = []
        self.answers: list[tuple[list[str], list[str], int]] = []
        self.fails: Exception | None = None
        self.state = BindingState.active

    def run(self, text: str, timeout: float, decodeerrors: str) -> tuple[list[str], list[str], int]:
        assert text.startswith(MARKS)
        self._note(("run", text.removeprefix(MARKS), timeout, decodeerrors))
        return self.answers.pop(0) if self.answers else ([], [], 0)

    def put(self, local: str, remote: str) -> None:
        self._note(("put", Path(local).read_bytes(), remote))

    def get(self, remote: str, local: str) -> None:
        self._note(("get", remote))
        Path(local).write_bytes(b"what is there")

    def cycle(self) -> None:
        self._note("cycle")

    def transition(self, state: str) -> None:
        self._note(("transition", state))

    def _note(self, what: object) -> None:
        self.asked.append(what)
        if self.fails:
            raise self.fails


class SSHDriver(Driver):
    """Named as labgrid's, by which the board knows it."""


class Target:
    """As much of labgrid's as the board uses. `active` drivers are there at once, the others once they are asked for."""

    name = "board-7"

    def __init__(self, driver: Driver, is_active: bool = True) -> None:
        self.driver, self.is_active = driver, is_active
        self.deactivated: list[object] = []
        self.drivers: list[Any] = [driver]
        self.resources: list[Any] = []
        self.wanted: list[str] = []

    def get_active_driver(self, protocol: str) -> Driver:
        if not self.is_active:
            raise NoDriverFoundError("none is active")
        return self.get_driver(protocol)

    def get_driver(self, protocol: str) -> Driver:
        self.wanted.append(protocol)
        return self.driver

    def get_strategy(self) -> Driver:
        return self.driver

    def deactivate(self, bound: Driver) -> None:
        self.deactivated.append(bound)
        if bound.state is BindingState.idle:
            raise RuntimeError("its device is gone")


@pytest.fixture(name="driver")
def fixture_driver() -> Driver:
    return SSHDriver()


@pytest.fixture(name="target")
def fixture_target(driver: Driver) -> Target:
    return Target(driver)


def test_a_command_has_its_status_and_both_streams_line_by_line(driver: Driver, target: Target) -> None:
    driver.answers = [(["one", "two"], ["oh"], 3)]
    assert LabgridBoard(target).run("ls", 7) == CommandResult(3, b"one\ntwo\n", b"oh\n")
    assert driver.asked == [("run", "ls", 7, "replace")] and target.wanted == [COMMANDS]


def test_a_connection_that_failed_is_dropped_and_told_with_what_it_said(driver: Driver, target: Target) -> None:
    driver.answers = [(["a"], ["Connection refused"], 255), ([], [], 255)]
    with pytest.raises(Unreachable, match=r"^board-7 does not answer: ConnectionError: a; check it with labgrid-client or `--state`$"):
        LabgridBoard(target).run("ls", 7)
    assert target.deactivated == [driver], "its next use connects again"
    with pytest.raises(Unreachable, match="ConnectionError: the connection failed"):
        LabgridBoard(target).run("ls", 7)


def test_a_driver_that_cannot_even_be_deactivated_is_one_sentence_too(driver: Driver, target: Target) -> None:
    driver.fails, driver.state = TimeoutError("no prompt\nfor 30 s"), BindingState.idle
    with pytest.raises(Unreachable, match="board-7 does not answer: TimeoutError: no prompt;"):
        LabgridBoard(target).run("ls", 7)
    assert target.deactivated == [driver]


def test_a_file_is_put_where_it_can_be_run(driver: Driver, target: Target, tmp_path: Path) -> None:
    (tmp_path / "local").write_bytes(b"program")
    driver.answers = [(["7"], [], 0), ([], ["chmod: no"], 1)]
    LabgridBoard(target).put(tmp_path / "local", "/var/tmp/a b")
    looks = ("run", "chmod 755 '/var/tmp/a b' && wc -c <'/var/tmp/a b'", 60, "replace")
    assert driver.asked == [("put", b"program", "/var/tmp/a b"), looks]
    assert target.wanted == [FILES, COMMANDS]
    with pytest.raises(LatlabError, match="board-7: cannot write /x: chmod: no"):
        LabgridBoard(target).put(tmp_path / "local", "/x")


def test_a_file_comes_back(driver: Driver, target: Target) -> None:
    assert LabgridBoard(target).get("/there") == b"what is there"
    assert driver.asked == [("get", "/there")] and target.wanted == [FILES]


def test_a_job_is_started_apart_from_the_connection(driver: Driver, target: Target) -> None:
    driver.answers = [(["4711"], [], 0), (["sh: no setsid"], [], 127)]
    assert LabgridBoard(target).spawn("echo 'a b'") == 4711
    (started,) = driver.asked
    assert isinstance(started, tuple) and started[1].startswith("setsid sh -c ") and started[1].endswith("& echo $!")
    with pytest.raises(LatlabError, match="board-7: the job could not be started: sh: no setsid"):
        LabgridBoard(target).spawn("x")


def test_a_board_is_looked_at_often_only_where_files_are_quick(target: Target) -> None:
    assert LabgridBoard(target).look_every_s == 30
    assert LabgridBoard(Target(Driver())).look_every_s is None

    class Nothing(Target):
        def get_active_driver(self, protocol: str) -> Driver:
            raise RuntimeError("nothing")

    assert LabgridBoard(Nothing(Driver())).look_every_s is None


def test_where_a_board_is_reached_is_kept_with_its_name(target: Target) -> None:
    board = LabgridBoard(target, config="/lab/env.yaml")
    assert (board.name, board.kind, board.address) == ("board-7", "labgrid", Address("labgrid", config="/lab/env.yaml", name="board-7"))


def test_power_is_switched_only_where_it_may_be(driver: Driver, target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(labgrid_board, "wait_until_up", lambda machine, limit_s: waited.append(limit_s))
    assert not LabgridBoard(target).restart() and driver.asked == []
    assert LabgridBoard(target, may_restart=True, patience_s=9).restart()
    assert (driver.asked, waited) == (["cycle"], [9])
    assert LabgridBoard(target, may_restart=True, state="shell").restart()
    assert driver.asked[1:] == ["cycle", ("transition", "shell")]
    driver.fails = RuntimeError("no power")
    assert not LabgridBoard(target, may_restart=True).restart()
    driver.fails = None

    def never(machine: object, limit_s: float) -> None:
        raise Unreachable("it stays away")

    monkeypatch.setattr(labgrid_board, "wait_until_up", never)
    assert not LabgridBoard(target, may_restart=True).restart()


@pytest.mark.parametrize(("power", "state", "said"), [(True, None, "--power-cycle"), (False, "shell", "--state shell")])
def test_what_a_board_cannot_be_brought_to_names_the_option(
    driver: Driver, target: Target, power: bool, state: str | None, said: str
) -> None:
    driver.fails = KeyError("nothing of the kind")
    with pytest.raises(UsageError, match=f"labgrid target 'board-7', {said}: labgrid says: KeyError: 'nothing of the kind'"):
        prepare(target, state, power)


def test_nothing_is_asked_of_a_board_that_is_to_stay_as_it_is(driver: Driver, target: Target) -> None:
    prepare(target, None, False)
    assert driver.asked == []


def test_a_driver_is_activated_where_none_is_active(driver: Driver) -> None:
    assert driver_of(Target(driver, is_active=False), COMMANDS) is driver
    assert driver_of(Target(driver), COMMANDS) is driver


def raised(make: Callable[[], Exception], cause: Exception | None = None) -> Exception:
    try:
        raise make() from cause
    except Exception as error:
        return error


def test_what_labgrid_wraps_is_unwrapped_to_the_first_line_of_the_cause() -> None:
    class Failed(Exception):
        msg = "a message\nand more"

    class Printed(Exception):
        stdout = (b"first", "  last \n", b" ")

    assert said_by(raised(lambda: ValueError("outer"), OSError("inner"))) == "OSError: inner"
    assert said_by(raised(lambda: ValueError("outer"), raised(lambda: OSError("middle"), KeyError("deep")))) == "KeyError: 'deep'"
    assert said_by(Failed("other")) == "Failed: a message"
    assert said_by(Printed("the message")) == "Printed: last"
    assert said_by(RuntimeError()) == "RuntimeError"


def test_a_sentence_of_ours_is_not_wrapped() -> None:
    def refuse() -> None:
        raise UsageError("ours")

    with pytest.raises(UsageError, match=r"^ours$"):
        ask_labgrid("place", refuse)
    assert ask_labgrid("place", lambda: 7) == 7


def test_a_target_is_released_at_the_end_though_its_devices_are_gone(
    driver: Driver, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labgrid_board, "load_target", lambda config, name: target)
    other, resource = Driver(), Driver()
    target.drivers, target.resources = [driver, other], [resource]
    with pytest.raises(RuntimeError, match="in between"), opened(Path("env.yaml"), "board-7"):
        raise RuntimeError("in between")
    assert target.deactivated == [other, driver, resource], "the last first"
    driver.state = other.state = resource.state = BindingState.idle
    release(target)
    assert (driver.state, other.state, resource.state) == (BindingState.bound,) * 3
