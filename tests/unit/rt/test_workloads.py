# SPDX-License-Identifier: BSD-3-Clause
"""What a measurement may be asked for."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from latlab.core.errors import UsageError
from latlab.core.targets.process.console import Limits
from latlab.rt.campaign.workloads import (
    LONGEST_HOLD_US,
    MOST_LATE,
    MOST_WITH_CAUSES,
    bounds_of,
    check_power,
    checked,
    checked_hold,
    expected,
    expected_in_guest,
    guest_limits,
    power_limits,
    seconds_of,
    steal_limits,
)
from latlab.rt.targets.rt_job import Instrument, Workload
from latlab.rt.targets.steal_job import Watch
from support.places import ROOT


@pytest.mark.parametrize(("text", "seconds"), [("7s", 7), ("2m", 120), ("3h", 10_800), ("1d", 86_400)])
def test_a_duration_has_its_unit(text: str, seconds: int) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "7", "0s", "1w", "-1s", "1.5h"])
def test_what_is_no_duration_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(UsageError, match=f"--duration {text!r}"):
        seconds_of(text)


def test_the_firmware_holds_a_call_for_no_longer_than_it_can() -> None:
    assert [checked_hold(hold) for hold in (None, 0, LONGEST_HOLD_US)] == [None, 0, LONGEST_HOLD_US]
    for hold in (-1, LONGEST_HOLD_US + 1):
        with pytest.raises(UsageError, match=f"--hold {hold} is outside 0 to {LONGEST_HOLD_US}"):
            checked_hold(hold)


@pytest.mark.parametrize(
    ("option", "asking", "low", "high"),
    [
        ("interval", lambda value: Workload(1, interval_us=value), 10, 60_000_000),
        ("priority", lambda value: Workload(1, priority=value), 1, 98),
        ("threshold", lambda value: Workload(1, outlier_us=value), 1, 60_000_000),
    ],
)
def test_a_workload_is_taken_to_its_bounds_and_no_further(option: str, asking: Callable[[int], Workload], low: int, high: int) -> None:
    for value in (low, high):
        assert checked(asking(value)) == asking(value)
    for value in (low - 1, high + 1):
        with pytest.raises(UsageError, match=f"--{option} {value} is outside {low} to {high}"):
            checked(asking(value))


def test_what_a_measurement_takes_is_said_before_it_begins() -> None:
    both, one = Workload(600, "cpu"), Workload(600, "idle", Instrument.RECORDER)
    assert expected(both) == "the measurement takes about 20 minutes: two tools one after the other, 10 minutes each"
    assert expected(one) == "the measurement takes about 10 minutes: one tool, 10 minutes each"
    assert expected_in_guest(both).startswith(
        "the measurement takes 20 minutes of the guest's clock; real time is some 3 times that, on a busy machine more"
    )
    assert expected_in_guest(one).startswith("the measurement takes 10 minutes of the guest's clock, and less real time")


def test_a_guest_that_prints_nothing_may_be_silent_as_long_as_it_may_run() -> None:
    """A second of the guest's may take twelve; its boot takes two minutes at most."""
    assert guest_limits(Workload(100)) == Limits(120 + 12 * 100, 120 + 12 * 100)
    assert guest_limits(Workload(100), 10.0) == Limits(10.0, 120)
    assert guest_limits(Workload(100), 500.0) == Limits(500.0, 500.0)
    assert steal_limits(Watch(100)) == guest_limits(Workload(100))
    assert steal_limits(Watch(100, "cpu")) == guest_limits(Workload(200))
    assert power_limits(10, 3) == Limits(120 + 10 * 3 + 3 * 60, 120 + 10 * 3 + 3 * 60)
    for timeout_s in (0.0, -1.0):
        with pytest.raises(UsageError, match=f"--timeout {timeout_s:g}: these are seconds"):
            guest_limits(Workload(100), timeout_s)


@pytest.mark.parametrize(
    ("workload", "cpus", "bounds"),
    [
        (Workload(60, interval_us=100, outlier_us=1), 2, "1,200,000 wake-ups late: latlab keeps at most 200,000 of them"),
        (Workload(60, interval_us=100, outlier_us=1, causes=True), 2, "at most 200,000 of them, and the causes of 20,000"),
        (Workload(20, interval_us=200, outlier_us=1), 2, ""),
        (Workload(20, interval_us=200, outlier_us=1, causes=True), 2, "and the causes of 20,000"),
        (Workload(3600, interval_us=100, outlier_us=100, causes=True), 64, ""),
        (Workload(3600, interval_us=100, outlier_us=1, instrument=Instrument.CYCLICTEST), 64, ""),
    ],
)
def test_a_threshold_that_can_make_every_wake_up_late_says_how_many_are_kept(workload: Workload, cpus: int, bounds: str) -> None:
    assert bounds_of(workload, cpus).endswith(bounds) and bool(bounds_of(workload, cpus)) is bool(bounds)


def test_the_bounds_that_are_printed_are_those_of_the_recorder() -> None:
    headers = "".join((ROOT / "guest" / "recorder" / name).read_text() for name in ("record_file.h", "kernel_events_file.h"))
    assert f"RECORD_OUTLIERS_MAX {MOST_LATE}U" in headers
    assert re.search(rf"KERNEL_EVENTS_LATE_MOST {MOST_WITH_CAUSES}U", headers)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((1, 1, 0), "--cores 1 is outside 2 to 64"),
        ((65, 1, 0), "--cores 65"),
        ((2, 0, 0), "--cycles 0 is outside 1 to 1000000"),
        ((2, 1_000_001, 0), "--cycles 1000001"),
        ((2, 1, -1), "--suspends -1 is outside 0 to 10000"),
        ((2, 1, 10_001), "--suspends 10001"),
    ],
)
def test_power_cycles_are_taken_to_their_bounds_and_no_further(asked: tuple[int, int, int], said: str) -> None:
    check_power(2, 1, 0)
    check_power(64, 1_000_000, 10_000)
    with pytest.raises(UsageError, match=said):
        check_power(*asked)
