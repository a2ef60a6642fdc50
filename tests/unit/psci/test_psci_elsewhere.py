# SPDX-License-Identifier: BSD-3-Clause
"""The psci campaign on boards and in virtual time, over logs that are made up: what a run is as it begins and once it has booted."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from latlab.core.errors import LatlabError
from latlab.core.lifecycle.life import NullProgress
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.run import Run, Tick, Topology
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.console import MachineEnd, MachineOutcome
from latlab.psci.campaign.measure import run_psci_console, run_psci_virtual
from latlab.psci.campaign.recording import Recorded
from latlab.psci.targets.board import Board, board_digest, board_text, load_board
from latlab.psci.targets.virtual_program import Virtual, facts
from support.command import latlab
from support.runs import JUNO
from support.stored_campaigns import unpack_campaigns
from support.synthetic import log

LOG = "".join(f"{line}\r\n" for line in log()).encode()


@pytest.fixture(name="store")
def fixture_store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "runs.sqlite"))


def simulated(store: Store, monkeypatch: pytest.MonkeyPatch, printed: bytes | LatlabError) -> Run:
    board = load_board("juno")
    asked: list[tuple[Path, Board, tuple[str, ...]]] = []

    def run_program(program: Path, board: Board, arguments: tuple[str, ...]) -> bytes:
        asked.append((program, board, arguments))
        if isinstance(printed, LatlabError):
            raise printed
        return printed

    monkeypatch.setattr("latlab.psci.targets.virtual_program.run_program", run_program)
    try:
        run_psci_virtual(store, Virtual(Path("/built/program"), board, 7), NullProgress())
    finally:
        assert asked == [(Path("/built/program"), board, ("7", "all", "dump"))]
        (run,) = store.runs()
    return store.load(run.id)


def test_a_run_in_virtual_time_says_its_board_and_every_cost_of_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run, board = simulated(store, monkeypatch, LOG), load_board("juno")
    assert (run.status, run.campaign, run.target, run.platform) == (RunStatus.COMPLETE, "psci", "virtual:juno", "juno")
    assert (run.emulator, run.command) == ("latlab_virtual", ("/built/program", "-", "7", "all", "dump"))
    assert (run.tick, run.is_simulated, run.topology) == (Tick(Clock.VIRTUAL, 16.0), True, JUNO)
    assert run.conditions.board_model == board_digest(board) and set(facts(board)) <= set(run.facts)
    logs = store.logs(run.id)
    assert logs["console"] == LOG and logs["board"] == board_text(board).encode() and len(run.samples) > 0


def test_a_program_that_says_nothing_leaves_a_partial_run_in_whole_nanoseconds(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = simulated(store, monkeypatch, b"nothing\n")
    assert (run.status, run.tick, run.topology) == (RunStatus.PARTIAL, Tick(Clock.VIRTUAL, 1.0), load_board("juno").topology)


def test_a_program_that_fails_ends_its_run_with_what_it_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LatlabError, match="the program died"):
        simulated(store, monkeypatch, LatlabError("the program died"))
    run = store.load(store.runs()[0].id)
    assert run.status is RunStatus.PARTIAL and [problem.message for problem in run.problems] == ["the program died"]


class Shelf:
    """The console of a board that prints these bytes and stays on."""

    stderr = b""
    secure_log = None

    def __init__(self, printed: bytes) -> None:
        self.printed, self.outcome = printed, MachineOutcome(MachineEnd.STOPPED)
        self._raw = b""

    def lines(self) -> Generator[bytes, None, None]:
        for line in self.printed.splitlines(keepends=True):
            self._raw += line
            yield line

    def take(self) -> bytes:
        taken, self._raw = self._raw, b""
        return taken

    def expect_exit(self) -> None:
        return

    def stop(self, sentence: str) -> None:
        raise AssertionError(sentence)


def measured(store: Store, printed: bytes) -> tuple[Recorded, Run]:
    done = run_psci_console(store, Shelf(printed), "labgrid", "shelf", NullProgress())
    return done, store.load(done.run_id)


def test_a_board_says_itself_what_it_is(store: Store) -> None:
    done, run = measured(store, LOG)
    assert (done.status, run.campaign, run.target, run.platform) == (RunStatus.COMPLETE, "psci", "labgrid", "shelf")
    assert (run.tick, run.topology, run.emulator, run.command) == (Tick(Clock.TIME, 16.0), JUNO, "", ())
    assert store.logs(run.id)["console"] == LOG


def test_a_board_that_never_said_what_it_is_has_no_clusters(store: Store) -> None:
    done, run = measured(store, b"U-Boot\n")
    assert (done.status, run.tick, run.topology) == (RunStatus.PARTIAL, Tick(Clock.TIME, 1.0), Topology(()))


def test_a_wait_that_the_model_has_on_other_cores_is_marked_in_the_heading_and_at_its_table(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    unpack_campaigns(place)
    for run, is_marked in (("psci-3288", True), ("psci-0660", False), ("published:tf-a/juno/v2.10", False)):
        said = latlab("show", run, store=place).stdout
        assert ("on other cores than the board" in said.splitlines()[0]) == is_marked, run
        assert said.count("Wake-ups of this test are no prediction") == is_marked, run
