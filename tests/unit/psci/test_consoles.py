# SPDX-License-Identifier: BSD-3-Clause
"""Consoles of processes and of boards: lines as they come, and in one sentence why they ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from latlab.core.errors import UsageError
from latlab.core.targets.process import console as consoles
from latlab.core.targets.process.console import LONGEST_LINE, ColdBoots, Console, Limits, MachineEnd, MachineOutcome
from latlab.psci.targets import labgrid_console
from latlab.psci.targets.labgrid_console import LabgridConsole

pytest.importorskip("labgrid")
LIMITS = Limits(20.0, 10.0)


def of_shell(folder: Path, text: str, limits: Limits = LIMITS) -> Console:
    return Console(("sh", "-c", text), folder / "secure.log", limits)


def test_a_line_without_an_end_is_given_in_pieces_before_it_fills_the_memory(tmp_path: Path) -> None:
    found = of_shell(tmp_path, f"head -c {3 * LONGEST_LINE} /dev/zero | tr '\\0' x; echo; echo end")
    lines = list(found.lines())
    assert b"".join(lines) == b"x" * 3 * LONGEST_LINE + b"\nend\n" == found.take()
    assert lines[-1] == b"end\n" and len(lines) > 2 and max(map(len, lines)) <= 2 * LONGEST_LINE + 1


def test_what_is_taken_is_taken_once_and_a_last_line_may_have_no_end(tmp_path: Path) -> None:
    found = of_shell(tmp_path, "printf 'one\\ntwo'; printf words >&2")
    assert list(found.lines()) == [b"one\n", b"two"]
    assert (found.take(), found.take(), found.stderr) == (b"one\ntwo", b"", b"words")
    assert found.outcome == MachineOutcome(MachineEnd.EXIT)


def test_a_program_that_does_not_start_is_named(tmp_path: Path) -> None:
    missing = Console((str(tmp_path / "qemu"),), tmp_path / "secure.log", LIMITS)
    with pytest.raises(UsageError, match=r"qemu does not start \(No such file or directory\); `latlab doctor`"):
        list(missing.lines())


def test_a_reason_to_stop_is_the_sentence_of_the_end(tmp_path: Path) -> None:
    found = of_shell(tmp_path, "while :; do echo again; sleep 0.05; done")
    for _ in found.lines():
        found.stop("it repeats itself")
    assert found.outcome == MachineOutcome(MachineEnd.STOPPED, "it repeats itself")


def test_cold_boots_are_one_console_whose_words_are_those_of_all(tmp_path: Path) -> None:
    def boot(number: int) -> Console:
        (tmp_path / f"secure{number}.log").write_text(f"secure {number}\n")
        return Console(("sh", "-c", f"echo boot {number}; echo said {number} >&2"), tmp_path / f"secure{number}.log", LIMITS)

    found = ColdBoots(boot, 3, tmp_path / "all.log")
    taken = []
    for line in found.lines():
        taken.append(line)
    assert taken == [b"boot 0\n", b"boot 1\n", b"boot 2\n"]
    assert (found.take(), found.take()) == (b"boot 0\nboot 1\nboot 2\n", b"")
    assert found.stderr == b"said 0\nsaid 1\nsaid 2\n"
    assert (tmp_path / "all.log").read_text() == "secure 0\nsecure 1\nsecure 2\n"
    assert found.outcome == MachineOutcome(MachineEnd.EXIT)


def test_a_boot_that_is_to_end_or_to_stop_is_the_one_that_runs(tmp_path: Path) -> None:
    def boot(number: int) -> Console:
        return of_shell(tmp_path, f"echo boot {number}; exec sleep 60")

    found = ColdBoots(boot, 2, tmp_path / "all.log")
    for _ in found.lines():
        found.stop("enough")
    assert found.outcome == MachineOutcome(MachineEnd.STOPPED, "enough")
    assert found.take() == b"boot 0\n"


@dataclass
class Board:
    """A target whose console gives these pieces, one at each read, and then nothing; an error where a piece is one."""

    pieces: list[bytes | Exception]
    name: str = "main"
    asked: list[dict[str, Any]] = field(default_factory=list)

    def read(self, **options: Any) -> bytes:
        from pexpect import TIMEOUT

        self.asked.append(options)
        piece = self.pieces.pop(0) if self.pieces else TIMEOUT("nothing came")
        if isinstance(piece, Exception):
            raise piece
        return piece


class Clock:
    """A second passes at each look."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        self.now += 1.0
        return self.now

    def sleep(self, seconds: float) -> None:
        assert 0 < seconds <= 0.1


Boards = Callable[[Iterable[bytes | Exception], Limits], LabgridConsole]


@pytest.fixture(name="on_a_board")
def fixture_on_a_board(monkeypatch: pytest.MonkeyPatch) -> Boards:
    monkeypatch.setattr(labgrid_console, "driver_of", lambda target, name: target)
    monkeypatch.setattr(labgrid_console, "time", Clock())

    def made(pieces: Iterable[bytes | Exception], limits: Limits) -> LabgridConsole:
        return LabgridConsole(Board(list(pieces)), limits)

    return made


def test_a_board_s_lines_come_whole_however_its_console_cuts_them(on_a_board: Boards) -> None:
    found = on_a_board([b"on", b"e\r\ntwo\nth", b"", b"ree"], Limits(60.0, 7.0))
    assert list(found.lines()) == [b"one\r\n", b"two\n", b"three"]
    assert (found.take(), found.take()) == (b"one\r\ntwo\nthree", b"")
    assert found.target.asked[0] == {"size": 4096, "timeout": 0.2}


def test_a_board_that_says_nothing_any_more_is_told_with_how_to_restart_it(on_a_board: Boards) -> None:
    found = on_a_board([b"one\n"] * 3, Limits(60.0, 4.0))
    assert len(list(found.lines())) == 3
    assert found.outcome.end is MachineEnd.SILENCE
    assert found.outcome.sentence == (
        "no output from the board for 4 s; the last lines of its console show where, and --power-cycle or --state restarts it"
    )


def test_a_board_that_goes_on_without_an_end_is_left(on_a_board: Boards) -> None:
    found = on_a_board([b"again\n"] * 100, Limits(30.0, 60.0))
    assert len(list(found.lines())) < 31
    assert found.outcome == MachineOutcome(
        MachineEnd.HANG, "latlab stopped waiting for the board after 30 s; give more time with --timeout"
    )


def test_a_board_s_line_without_an_end_is_given_in_pieces(on_a_board: Boards) -> None:
    found = on_a_board([b"x" * 4096] * 40 + [b"\nend\n"], Limits(1000.0, 5.0))
    lines = list(found.lines())
    assert b"".join(lines) == b"x" * 4096 * 40 + b"\nend\n" and lines[-1] == b"end\n"
    assert LONGEST_LINE < len(lines[0]) <= LONGEST_LINE + 4096


@pytest.mark.parametrize(
    ("say", "outcome"),
    [
        (lambda one: one.expect_exit(), MachineOutcome(MachineEnd.STOPPED)),
        (lambda one: one.stop("it is garbage"), MachineOutcome(MachineEnd.STOPPED, "it is garbage")),
    ],
)
def test_a_board_is_followed_no_longer_than_it_is_told_to(
    on_a_board: Boards, say: Callable[[LabgridConsole], None], outcome: MachineOutcome
) -> None:
    found = on_a_board([b"one\n", b"two\n"], Limits(60.0, 60.0))
    for _ in found.lines():
        say(found)
    assert (found.outcome, found.take()) == (outcome, b"one\n")


def test_a_console_that_is_gone_and_a_panic_are_each_the_end(on_a_board: Boards) -> None:
    gone = on_a_board([b"one\n", RuntimeError("unplugged\nmore")], Limits(60.0, 60.0))
    assert list(gone.lines()) == [b"one\n"]
    assert gone.outcome.end is MachineEnd.DEATH and gone.outcome.sentence.startswith("the console of main is closed: ")
    assert "unplugged" in gone.outcome.sentence
    panic = on_a_board([b"fine\nPANIC at 0x12\xff\nmore\n"], Limits(60.0, 60.0))
    assert list(panic.lines())[:2] == [b"fine\n", b"PANIC at 0x12\xff\n"]
    assert panic.outcome == MachineOutcome(MachineEnd.PANIC, r"the firmware panicked: 'PANIC at 0x12\\xff'")


def test_an_interrupt_ends_a_board_s_console_like_any_other(on_a_board: Boards) -> None:
    found = on_a_board([b"one\n"] * 9, Limits(60.0, 60.0))
    found.interrupted = lambda: len(found.target.asked) >= 2
    assert len(list(found.lines())) == 2
    assert found.outcome == MachineOutcome(MachineEnd.INTERRUPT, "interrupted by the user before the campaign ended")


def test_a_program_that_has_said_all_gets_some_seconds_to_end_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consoles, "EXIT_GRACE_S", 0.5)
    for then, end in (("exit 0", MachineEnd.EXIT), ("exec sleep 60", MachineEnd.STOPPED)):
        found = of_shell(tmp_path, f"echo done; {then}", Limits(20.0, 0.1))
        for _ in found.lines():
            found.expect_exit()
        assert found.outcome == MachineOutcome(end)


def test_an_interrupt_behind_everything_that_was_to_be_said_ends_the_wait_and_not_the_run(tmp_path: Path) -> None:
    said: list[bytes] = []
    console = Console(("sh", "-c", "echo all; sleep 600"), tmp_path / "secure.log", LIMITS, lambda: bool(said))
    for line in console.lines():
        console.expect_exit()
        said.append(line)
    assert console.outcome == MachineOutcome(MachineEnd.STOPPED)
