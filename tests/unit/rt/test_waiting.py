# SPDX-License-Identifier: BSD-3-Clause
"""What is said while wake-ups are measured, on a clock of the test's own."""

import io

import pytest
from rich.console import Console

from latlab.core.report.work_line import duration
from latlab.rt.model.wakeups import LiveSnapshot
from latlab.rt.pages.measurement_progress import MeasurementProgress

GLANCE = LiveSnapshot(90, ((0, 450_000, 12_300), (1, 449_000, 251_000)), ((5_000_000_000, 1, 251_000),))


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def progress(is_terminal: bool) -> tuple[MeasurementProgress, io.StringIO, Clock]:
    shown, clock = io.StringIO(), Clock()
    console = Console(file=shown, force_terminal=is_terminal, width=200, color_system=None)
    return MeasurementProgress(console, clock=clock), shown, clock


def test_a_pipe_gets_a_line_a_minute_and_one_at_each_phase() -> None:
    told, shown, clock = progress(is_terminal=False)
    told.start("rt-1")
    told.phase("recorder", 3600)
    for _ in range(181):
        clock.now += 1
        told.glance(GLANCE)
        told.tick()
    lines = shown.getvalue().splitlines()
    assert lines[:2] == ["run rt-1", "recorder, 1 h 0 min"] and len(lines) == 5
    assert "max 251.0 µs on CPU 1, 899,000 wake-ups, 1 late" in lines[-1]


def test_what_is_left_follows_from_what_was_measured_where_that_is_known() -> None:
    told, _, clock = progress(is_terminal=False)
    told.phase("recorder", 180)
    clock.now += 60
    assert "1 min 0 s elapsed, 2 min 0 s left" in told.sentence()
    clock.now += 540
    told.glance(GLANCE)
    assert "10 min 0 s elapsed, 10 min 0 s left" in told.sentence()
    told.phase("collecting", None)
    assert told.sentence() == "collecting: 10 min 0 s elapsed"


@pytest.mark.parametrize("slowness", [0.5, 1.0, 6.0])
def test_what_is_left_of_a_phase_gets_less_with_each_second(slowness: float) -> None:
    """The state is looked at every five seconds; the measurement began before its phase was told."""
    told, _, clock = progress(is_terminal=False)
    told.phase("recorder", 20)
    lefts = []
    for second in range(1, int(15 * slowness)):
        clock.now += 1
        if second % 5 == 0:
            told.glance(LiveSnapshot(4 + second / slowness, GLANCE.cpus, ()))
        lefts.append(told._left_s() or 0.0)
    assert lefts[9:] == sorted(lefts[9:], reverse=True)
    assert all(abs(left - (16 * slowness - second)) < 1 for second, left in enumerate(lefts, 1) if second >= 10)


def test_a_terminal_shows_each_late_wake_up_once_as_it_comes() -> None:
    told, shown, _ = progress(is_terminal=True)
    with told:
        told.phase("recorder", 180)
        told.glance(GLANCE)
        told.glance(LiveSnapshot(91, GLANCE.cpus, (*GLANCE.late, (6_000_000_000, 0, 150_000))))
    assert shown.getvalue().count("late: CPU 1, 251.0 µs") == 1
    assert "late: CPU 0, 150.0 µs, at 1 s after the first" in shown.getvalue()


def test_a_flood_of_late_wake_ups_does_not_flood_the_terminal() -> None:
    told, shown, _ = progress(is_terminal=True)
    with told:
        told.glance(LiveSnapshot(1, GLANCE.cpus, tuple((number, 0, 200_000) for number in range(1000))))
    assert shown.getvalue().count("late: CPU 0") == 20 and "counted, not shown" in shown.getvalue()


def test_durations_are_said_as_people_say_them() -> None:
    assert [duration(seconds) for seconds in (0.4, 59, 60, 3599, 3600, 21_600)] == [
        "0 s", "59 s", "1 min 0 s", "59 min 59 s", "1 h 0 min", "6 h 0 min",
    ]  # fmt: skip
