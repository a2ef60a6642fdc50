# SPDX-License-Identifier: BSD-3-Clause
"""A console's log as a run: what its boot says, which iterations are kept, and what its end is called."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest

from latlab.core.errors import DataError, LatlabError, TestFailed
from latlab.core.lifecycle.life import NullProgress
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock, ProblemKind, RunStatus
from latlab.core.model.run import CoreId, Problem, Tick
from latlab.core.readers.dump.frames import EndFrame
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.console import MachineEnd, MachineOutcome
from latlab.psci.campaign.recording import Recorded, record_console, verdict
from support.console_lines import format_frame
from support.runs import JUNO, run_with
from support.synthetic import log

LOG = log()
WELL = MachineOutcome(MachineEnd.EXIT)


class Replayed:
    """A console that prints these lines and ends so."""

    stderr = b"last words"

    def __init__(self, lines: Iterable[str], outcome: MachineOutcome) -> None:
        self.given, self.outcome, self.secure_log = lines, outcome, None
        self.expected, self.stopped = 0, ""
        self._raw = bytearray()

    def lines(self) -> Generator[bytes, None, None]:
        for line in self.given:
            self._raw += f"{line}\r\n".encode()
            yield f"{line}\r\n".encode()

    def take(self) -> bytes:
        taken, self._raw = bytes(self._raw), bytearray()
        return taken

    def expect_exit(self) -> None:
        self.expected += 1

    def stop(self, sentence: str) -> None:
        self.stopped = sentence


class Told(NullProgress):
    def __init__(self) -> None:
        self.ids: list[str] = []
        self.seen: list[tuple[str, int]] = []

    def start(self, run_id: str) -> None:
        self.ids.append(run_id)

    def iteration(self, test: str, number: int) -> None:
        self.seen.append((test, number))


@pytest.fixture(name="store")
def fixture_store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "runs.sqlite"))


def recorded(
    store: Store,
    lines: Iterable[str] = LOG,
    outcome: MachineOutcome = WELL,
    told: Told | None = None,
) -> tuple[Recorded, Replayed]:
    console = Replayed(lines, outcome)
    run = run_with(conditions=Conditions(mode=Mode.REAL), facts=(("bench", "shelf"),))
    done = record_console(store, run, lambda hz: Tick(Clock.TIME, 1e9 / hz), console, told or Told(), {"beside": b"kept"})
    return done, console


def test_a_whole_log_is_a_complete_run_with_all_that_its_boot_says(store: Store) -> None:
    told = Told()
    done, console = recorded(store, told=told)
    run = store.load(done.run_id)
    assert (done.status, run.status, done.problems, done.passed) == (RunStatus.COMPLETE, RunStatus.COMPLETE, (), True)
    assert done.samples == len(run.samples) > 0 and console.expected == 1 and told.ids == [done.run_id]
    assert (run.topology, run.lead, run.tick) == (JUNO, CoreId(0, 0), Tick(Clock.TIME, 16.0))
    assert (run.build.firmware, run.capture_cost_ticks) == ("synthetic-1.0,release", 7.5)
    said = run.conditions
    assert (said.exception_level, said.interrupt_controller, said.iterations, said.mode) == (1, "GICv3", 2, Mode.REAL)
    assert dict(run.facts) == {"bench": "shelf", "clock_hz": "62500000"}
    assert sorted(set(told.seen)) == sorted(told.seen) and len({test for test, _ in told.seen}) == 6
    assert {number for _, number in told.seen} == {0, 1}
    logs = store.logs(done.run_id)
    assert logs["console"] == "".join(f"{line}\r\n" for line in LOG).encode() and logs["beside"] == b"kept"
    assert logs["stderr"] == b"last words"
    verdict(done)


def test_a_log_without_its_end_is_partial_and_keeps_what_came(store: Store) -> None:
    done, console = recorded(store, LOG[: len(LOG) // 2])
    assert done.status is RunStatus.PARTIAL and console.expected == 0 and done.samples > 0
    assert len(store.load(done.run_id).samples) == done.samples
    count = len(done.problems)
    said = f"{done.run_id} is partial: {count} problem{'s' * (count != 1)}, {done.samples} valid samples kept;"
    with pytest.raises(DataError, match=f"^{re.escape(said)} `latlab show {done.run_id} --log console` prints the raw log$"):
        verdict(done)


@pytest.mark.parametrize(
    ("end", "named"),
    [
        (MachineEnd.PANIC, "secure"),
        (MachineEnd.DEATH, "stderr"),
        (MachineEnd.SILENCE, "console"),
        (MachineEnd.HANG, "console"),
    ],
)
def test_how_a_target_ended_is_told_with_the_log_that_says_more(store: Store, end: MachineEnd, named: str) -> None:
    done, _ = recorded(store, outcome=MachineOutcome(end, "it ended badly"))
    assert done.status is RunStatus.PARTIAL
    assert done.problems[-1] == Problem(0, f"it ended badly; read `latlab show {done.run_id} --log {named}`", ProblemKind.UNFINISHED)
    assert store.load(done.run_id).problems == done.problems


def test_an_interrupt_is_told_once_the_run_is_over(store: Store) -> None:
    with pytest.raises(LatlabError, match=r"^interrupted; the samples so far are kept as the partial run "):
        recorded(store, LOG[:40], MachineOutcome(MachineEnd.INTERRUPT, "interrupted by the user"))
    (run,) = store.runs()
    assert run.status is RunStatus.PARTIAL


def test_an_iteration_that_contradicts_itself_is_left_out_and_named_with_its_line(store: Store) -> None:
    place = next(number for number, line in enumerate(LOG) if "RT_INSTR" in line)
    head, *cells = LOG[place].split("\t")
    wrong = "\t".join((head, *cells[:2], str(int(cells[2].rstrip("/>")) + 7777), *cells[3:]))
    wrong += "" if wrong.endswith("/>") else "/>"
    whole, _ = recorded(store)
    done, _ = recorded(store, [*LOG[:place], wrong, *LOG[place + 1 :]])
    (problem,) = done.problems
    assert re.match(r"iteration \d+ of \w+ is left out: ", problem.message) and problem.line > 0
    assert 0 < done.samples < whole.samples == len(store.load(whole.run_id).samples)


def test_a_payload_whose_test_failed_is_a_complete_run_that_did_not_pass(store: Store) -> None:
    done, _ = recorded(store, [*LOG[:-1], format_frame(EndFrame(6, 2, "fail"))])
    assert (done.status, done.passed) == (RunStatus.COMPLETE, False)
    with pytest.raises(TestFailed, match=f"the payload reports a failed test; `latlab show {done.run_id} --log console` has its lines"):
        verdict(done)


@pytest.mark.parametrize(("count", "said"), [(1, "1 problem, "), (2, "2 problems, ")])
def test_a_verdict_counts_what_is_wrong(count: int, said: str) -> None:
    with pytest.raises(DataError, match=f"psci-1 is partial: {said}9 valid samples kept"):
        verdict(Recorded("psci-1", RunStatus.PARTIAL, 9, (Problem(1, "x"),) * count, True))
