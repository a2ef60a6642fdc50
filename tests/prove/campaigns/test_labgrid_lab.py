# SPDX-License-Identifier: BSD-3-Clause
"""Slow: a lab of labgrid's own coordinator and exporter, with QEMU machines as its boards. Each user is a process of latlab."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from latlab.core.model.conditions import Mode
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Topology
from latlab.core.store.store import open_store
from latlab.core.targets.qemu.images import find_images
from latlab.core.targets.qemu.qemu import QemuMachine, command_line, find_qemu
from support.console_board import ConsoleBoard
from support.labgrid_lab import TAG, Lab, lab
from support.needs import found

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

ITERATIONS = 20
USERS = 8
COMMAND_S = 3600
ENVIRONMENT = """\
targets:
  main:
    resources:
      RemotePlace: {name: '+'}
    drivers:
      NetworkPowerDriver: {delay: 0.2}
      SerialDriver: {}
"""


def _board(name: str, folder: Path) -> ConsoleBoard:
    images, qemu = found(lambda: find_images(Topology((1,)), "psci_bench")), found(find_qemu)
    machine = QemuMachine(images, "psci_bench", Mode.MULTI_THREAD, iterations=ITERATIONS)
    return ConsoleBoard(name, command_line(qemu, machine, folder / f"{name}.log"))


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Lab]:
    (tmp_path / "env.yaml").write_text(ENVIRONMENT)
    with lab(tmp_path, _board("virt-1", tmp_path), _board("virt-2", tmp_path)) as ready:
        yield ready


class User:
    """Reserves a board, waits for it, measures on it, and gives it back."""

    def __init__(self, shelf: Lab, name: str) -> None:
        self.shelf, self.name = shelf, name
        self.said = shelf.folder / f"{name}.said"

    def take(self) -> None:
        told = self.shelf.client("reserve", "--wait", "--shell", TAG, user=self.name)
        self.token = told.strip().rpartition("=")[2]
        self.shelf.client("-p", "+", "acquire", user=self.name, token=self.token)

    def give_back(self) -> None:
        self.shelf.client("-p", "+", "release", user=self.name, token=self.token)
        self.shelf.client("cancel-reservation", self.token, user=self.name)

    def latlab(self, *arguments: str) -> int:
        environment = {**self.shelf.environment(self.name, self.token), "LATLAB_STORE": str(self.shelf.folder / "store.sqlite")}
        with self.said.open("ab") as said:
            command = [sys.executable, "-m", "latlab", *arguments]
            return subprocess.run(command, stdout=said, stderr=said, env=environment, timeout=COMMAND_S, check=False).returncode

    def measure(self) -> int:
        config = str(self.shelf.folder / "env.yaml")
        return self.latlab("run", "psci", "--target", "labgrid", "--config", config, "--power-cycle", "--silence", "20")


def _runs(shelf: Lab) -> list[tuple[RunStatus, int]]:
    store = open_store(str(shelf.folder / "store.sqlite"))
    return [(run.status, len(run.samples)) for run in (store.load(head.id) for head in store.runs())]


def _in_the_middle(shelf: Lab, action: Callable[[ConsoleBoard], None]) -> None:
    """To whichever board is switched on."""
    for board in shelf.boards:
        assert isinstance(board, ConsoleBoard)
        board.in_the_middle = partial(action, board)


def test_eight_users_queue_for_two_boards_and_each_has_its_whole_run(shelf: Lab) -> None:
    codes: dict[str, int] = {}

    def one(user: User) -> None:
        user.take()
        codes[user.name] = user.measure()
        user.give_back()

    users = [User(shelf, f"user-{number}") for number in range(USERS)]
    threads = [threading.Thread(target=one, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = "\n".join(user.said.read_text() for user in users)
    assert codes == {user.name: 0 for user in users}, said
    runs = _runs(shelf)
    assert len(runs) == USERS and {status for status, _ in runs} == {RunStatus.COMPLETE} and len({samples for _, samples in runs}) == 1
    assert [board.users for board in shelf.boards if isinstance(board, ConsoleBoard)] == [1, 1]
    for board in shelf.boards:
        turns = [turn for name, turn in shelf.switched if name == board.name]
        assert turns == ["off", "on"] * (len(turns) // 2) and turns


def test_a_board_that_is_not_acquired_is_refused_in_one_sentence(shelf: Lab) -> None:
    user = User(shelf, "in-a-hurry")
    user.token = "none"
    assert user.measure() == 2
    (said,) = user.said.read_text().splitlines()
    assert said.startswith("latlab: ") and "labgrid says" in said
    assert shelf.switched == []


def test_a_coordinator_that_is_killed_in_the_middle_costs_nothing(shelf: Lab) -> None:
    """What is measured goes straight from the board to its user, so that the run ends well without a coordinator; the next command says in
    a sentence that there is none, and when it is back all goes on."""
    user = User(shelf, "unlucky")
    user.take()
    _in_the_middle(shelf, lambda board: shelf.kill_coordinator())
    assert user.measure() == 0, user.said.read_text()
    assert shelf.coordinator is not None and shelf.coordinator.returncode == -signal.SIGKILL
    assert [status for status, _ in _runs(shelf)] == [RunStatus.COMPLETE]
    before = user.said.stat().st_size
    assert user.measure() == 2
    (said,) = user.said.read_bytes()[before:].decode().splitlines()
    assert said.startswith("latlab: ") and said.endswith("Could not connect to coordinator")
    assert user.latlab("ls") == 0
    shelf.restart()
    user.take()
    assert user.measure() == 0, user.said.read_text()
    assert [status for status, _ in _runs(shelf)] == [RunStatus.COMPLETE] * 2


def test_a_board_that_hangs_is_told_and_the_next_run_switches_it_on_again(shelf: Lab) -> None:
    user = User(shelf, "patient")
    user.take()
    _in_the_middle(shelf, ConsoleBoard.hang)
    assert user.measure() == 3, user.said.read_text()
    assert "no output from the board for 20 s" in user.said.read_text()
    ((status, samples),) = _runs(shelf)
    assert status is RunStatus.PARTIAL and samples > 0
    assert user.measure() == 0, user.said.read_text()
    assert [status for status, _ in _runs(shelf)] == [RunStatus.PARTIAL, RunStatus.COMPLETE]
