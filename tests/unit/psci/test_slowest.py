# SPDX-License-Identifier: BSD-3-Clause
"""Where a power-down's time went, on traces written by hand: a tick a unit, so that every sum can be followed."""

from collections.abc import Sequence

from latlab.core.model.run import CoreId, TraceRecord
from latlab.psci.analysis.slowest import Cause, causes, shortest_to_message

LOCK, UPPER = 0x10000, 0x20000
LEAD_IN = [(0, "ENTER_PSCI", 0xC4000001)]


def call(*events: tuple[int, str, int]) -> tuple[TraceRecord, ...]:
    woken = [(100_000, "EXIT_HW_LOW_PWR", 0), (100_010, "EXIT_PSCI", 0)]
    return tuple(TraceRecord(number, time, event, arg) for number, (time, event, arg) in enumerate([*events, *woken]))


def alone(start: int, message: int = 50) -> Sequence[tuple[int, str, int]]:
    """Flush and message of a core from `start` on, then low power."""
    sent = start + 30 + message
    return [
        (start, "ENTER_CFLUSH", 0),
        (start + 20, "EXIT_CFLUSH", 0),
        (start + 30, "ENTER_POWER_MESSAGE", 0),
        (sent, "EXIT_POWER_MESSAGE", 0),
        (sent + 5, "ENTER_HW_LOW_PWR", 0),
    ]


def of(found: dict[Cause, int]) -> dict[Cause, int]:
    return {cause: ticks for cause, ticks in found.items() if ticks}


def test_a_core_alone_has_its_path_its_flush_and_its_message() -> None:
    calls = {CoreId(0, 0): call(*LEAD_IN, *alone(100))}
    assert of(causes(calls, CoreId(0, 0))) == {Cause.OWN_PATH: 115, Cause.OWN_FLUSH: 20, Cause.OWN_MESSAGE: 50}
    assert shortest_to_message(calls) == 130


def test_what_a_message_takes_more_than_the_shortest_is_the_channels() -> None:
    calls = {CoreId(0, 0): call(*LEAD_IN, *alone(100)), CoreId(0, 1): call(*LEAD_IN, *alone(100, message=170))}
    found = causes(calls, CoreId(0, 1))
    assert (found[Cause.CHANNEL], found[Cause.OWN_MESSAGE]) == (120, 50)
    assert sum(found.values()) == 100 + 30 + 170 + 5


def test_a_wait_for_a_lock_is_told_by_what_its_holder_did_meanwhile() -> None:
    taken, released = (100, "LOCK_ACQUIRE", LOCK), (290, "LOCK_RELEASE", LOCK)
    holder = [*LEAD_IN, (90, "LOCK_REQUEST", LOCK), taken, *alone(110, message=130)[:-1], released, (295, "ENTER_HW_LOW_PWR", 0)]
    waiter = [*LEAD_IN, (40, "LOCK_REQUEST", LOCK), (300, "LOCK_ACQUIRE", LOCK), (310, "LOCK_RELEASE", LOCK), *alone(320)]
    found = causes({CoreId(0, 0): call(*holder), CoreId(0, 1): call(*waiter)}, CoreId(0, 1))
    behind = {cause: found[cause] for cause in (Cause.LOCK_FLUSH, Cause.LOCK_MESSAGE, Cause.LOCK_CHANNEL, Cause.LOCK)}
    assert behind == {Cause.LOCK_FLUSH: 20, Cause.LOCK_MESSAGE: 50, Cause.LOCK_CHANNEL: 80, Cause.LOCK: 260 - 20 - 50 - 80}


def test_a_holder_that_waits_for_another_lock_passes_the_blame_on() -> None:
    top = [*LEAD_IN, (10, "LOCK_REQUEST", UPPER), (20, "LOCK_ACQUIRE", UPPER), *alone(30)[:-1], (115, "LOCK_RELEASE", UPPER)]
    middle = [
        *LEAD_IN,
        (10, "LOCK_REQUEST", LOCK),
        (15, "LOCK_ACQUIRE", LOCK),
        (25, "LOCK_REQUEST", UPPER),
        (120, "LOCK_ACQUIRE", UPPER),
        (125, "LOCK_RELEASE", UPPER),
        (130, "LOCK_RELEASE", LOCK),
        *alone(140),
    ]
    last = [*LEAD_IN, (20, "LOCK_REQUEST", LOCK), (135, "LOCK_ACQUIRE", LOCK), (140, "LOCK_RELEASE", LOCK), *alone(150)]
    calls = {
        CoreId(1, 0): call(*top, (120, "ENTER_HW_LOW_PWR", 0)),
        CoreId(0, 0): call(*middle),
        CoreId(0, 1): call(*last),
    }
    found = causes(calls, CoreId(0, 1))
    assert (found[Cause.LOCK_FLUSH], found[Cause.LOCK_MESSAGE]) == (20, 50)
    assert sum(found.values()) == 150 + 30 + 50 + 5
