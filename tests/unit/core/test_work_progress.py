# SPDX-License-Identifier: BSD-3-Clause
"""What is printed of long work, on a clock of the test's own."""

import io
import sys

import pytest

from latlab.core.cli.work_shown import CLEAR, work_shown
from latlab.core.errors import LatlabError, UsageError
from latlab.core.model.work_progress import EVERY, WorkState, WorkUnit, each, numbered_lines, part_of, progress_to, report
from latlab.core.report import work_line
from latlab.core.report.work_line import LINE_EVERY_S, PATIENCE_S, REDRAW_S, WorkLine
from latlab.core.targets.tools import run_into


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def line_on(is_terminal: bool) -> tuple[WorkLine, list[str], list[str], Clock]:
    drawn: list[str] = []
    lines: list[str] = []
    clock = Clock()
    return WorkLine(drawn.append if is_terminal else None, lines.append, clock), drawn, lines, clock


def test_a_terminal_gets_what_is_done_of_what_and_the_time_left_and_a_clear_line_at_the_end() -> None:
    line, drawn, lines, clock = line_on(is_terminal=True)
    for second in range(101):
        line(WorkState("reading x.txt", 1_000_000 * second, 100_000_000))
        clock.now += 1
    assert drawn[0] == "reading x.txt: 1.0 of 100 MB, 1 s elapsed"
    assert "reading x.txt: 25 of 100 MB, 1 min 15 s left" in drawn
    assert drawn[-1] == "" and lines == []


def test_work_that_ends_at_once_draws_nothing_and_a_line_is_drawn_at_most_five_times_a_second() -> None:
    line, drawn, _, clock = line_on(is_terminal=True)
    for done in range(10):
        line(WorkState("quick", done, 9, WorkUnit.EVENTS))
        clock.now += PATIENCE_S / 20
    assert drawn == []
    for done in range(1000):
        line(WorkState("long", done, 1000, WorkUnit.EVENTS))
        clock.now += REDRAW_S / 10
    assert 50 <= len(drawn) <= 100


def test_a_pipe_gets_a_line_a_minute() -> None:
    line, drawn, lines, clock = line_on(is_terminal=False)
    for second in range(3 * LINE_EVERY_S + 1):
        line(WorkState("what each CPU did", second, 1000, WorkUnit.EVENTS))
        clock.now += 1
    left = ("15 min 40 s", "14 min 40 s", "13 min 40 s")
    assert lines == [f"what each CPU did: {60 * minute} of 1,000 events, {left[minute - 1]} left" for minute in (1, 2, 3)]
    assert drawn == []


def test_work_of_unknown_size_has_its_amount_and_the_time_so_far() -> None:
    assert work_line.sentence(WorkState("trace-cmd prints x", 34_100_000), 12.0) == "trace-cmd prints x: 34 MB, 12 s elapsed"


@pytest.mark.parametrize("count", [0, 1, EVERY - 1, EVERY, 3 * EVERY + 5])
def test_reports_rise_to_the_whole_and_items_are_what_they_were(count: int) -> None:
    states: list[WorkState] = []
    text = "\n".join("x" * (at % 50) for at in range(count))
    with progress_to(states.append):
        assert list(numbered_lines(text, "lines")) == list(enumerate(text.split("\n"), 1))
        assert list(each(range(count), "items", WorkUnit.EVENTS)) == list(range(count))
    for work in ("lines", "items"):
        done = [state.done for state in states if state.work == work]
        assert done == sorted(done) and states[-1].done == states[-1].total
    report(WorkState("after", 0, 1))
    assert all(state.work != "after" for state in states)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_an_error_leaves_no_half_line_on_the_terminal_and_no_line_is_wider_than_it(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(work_line, "PATIENCE_S", 0.0)
    monkeypatch.setenv("COLUMNS", "40")
    with pytest.raises(LatlabError), work_shown():
        report(WorkState("reading " + "x" * 100, 1, 100))
        raise LatlabError("damaged")
    assert screen.getvalue().endswith(CLEAR)
    assert all(len(line) < 40 for line in screen.getvalue().split(CLEAR))


def test_a_program_that_prints_much_reports_it_and_its_failure_has_its_own_reason(tmp_path) -> None:
    states: list[WorkState] = []
    output = tmp_path / "out.txt"
    with progress_to(states.append):
        run_into(output, ["sh", "-c", "echo one; sleep 0.3; echo two"], "sh prints")
    assert output.read_text() == "one\ntwo\n"
    assert states[-1] == WorkState("sh prints", 8, 8) and any(state.total is None for state in states)
    with pytest.raises(LatlabError, match="sh ended with status 3: no such event"):
        run_into(output, ["sh", "-c", "echo no such event >&2; exit 3"], "sh prints")
    with pytest.raises(UsageError, match="does not exist"):
        run_into(output, ["no-such-program-of-anybody"], "it prints")


def test_parts_of_longer_work_rise_to_its_whole() -> None:
    states: list[WorkState] = []
    with progress_to(states.append):
        for done in (0, 3):
            with part_of(done, 5):
                list(each(range(3 if done == 0 else 2), "comparing", WorkUnit.RUNS, every=1))
    with part_of(0, 5):
        report(WorkState("for nobody"))
    assert [state.done for state in states] == [0, 1, 2, 3, 3, 4, 5]
    assert {state.total for state in states} == {5}
