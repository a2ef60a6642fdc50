# SPDX-License-Identifier: BSD-3-Clause
"""The clock of a process: it stands while the process waits for a CPU, and goes on while it works or waits for anything else."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from latlab.core.targets.process import process_time
from latlab.core.targets.process.process_time import ProcessClock, ProcessState, state_of


def clock_over(*looks: tuple[float, ProcessState | None]) -> ProcessClock:
    """A clock that sees these states at these times, the first when it is made."""
    times: Iterator[float] = iter([time_s for time_s, _ in looks])
    states = iter([state for _, state in looks])
    return ProcessClock(lambda: next(states), lambda: next(times))


def test_a_process_that_gets_a_tenth_of_a_cpu_has_a_tenth_of_the_time() -> None:
    clock = clock_over((0.0, ProcessState(5.0, True)), (10.0, ProcessState(6.0, True)), (20.0, ProcessState(7.0, True)))
    assert (clock.read(), clock.read(), clock.waited_s) == (1.0, 2.0, 18.0)


def test_the_time_of_a_process_that_sleeps_goes_by() -> None:
    clock = clock_over((0.0, ProcessState(5.0, False)), (10.0, ProcessState(5.0, False)))
    assert (clock.read(), clock.waited_s) == (10.0, 0.0)


def test_several_threads_have_no_more_time_than_goes_by() -> None:
    clock = clock_over((0.0, ProcessState(0.0, True)), (10.0, ProcessState(38.0, True)))
    assert (clock.read(), clock.waited_s) == (10.0, 0.0)


@pytest.mark.parametrize("states", [(None, None), (ProcessState(1.0, True), None), (None, ProcessState(1.0, True))])
def test_where_the_system_does_not_tell_the_time_goes_by(states: tuple[ProcessState | None, ProcessState | None]) -> None:
    assert clock_over((0.0, states[0]), (7.0, states[1])).read() == 7.0


def test_a_process_is_seen_to_work_to_sleep_and_to_be_gone() -> None:
    own = state_of(os.getpid())
    assert own is not None and own.wants_cpu and own.used_s > 0
    child = subprocess.Popen(["sh", "-c", "echo ready; exec sleep 100"], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        while (asleep := state_of(child.pid)) is not None and asleep.wants_cpu:
            pass
        assert asleep is not None and asleep.used_s < 100
    finally:
        child.kill()
        child.communicate()
    assert state_of(child.pid) is None


def test_a_name_with_blanks_and_brackets_hides_no_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_time, "PROC", tmp_path)
    ticks = os.sysconf("SC_CLK_TCK")
    for folder, state in ((tmp_path / "7", "S"), (tmp_path / "7" / "task" / "7", "S"), (tmp_path / "7" / "task" / "8", "R")):
        folder.mkdir(parents=True)
        (folder / "stat").write_text(f"7 (a) R (b) {state} 1 2 3 4 5 6 7 8 9 10 {3 * ticks} {ticks} 0 0")
    (tmp_path / "7" / "task" / "9").mkdir()
    assert state_of(7) == ProcessState(4.0, True)
