# SPDX-License-Identifier: BSD-3-Clause
"""Crossings put on the machine's clock: instructions stand still in a sleep, and a call of which the firmware kept the time places them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.analysis.crossings.calls import Pairing
from latlab.analysis.crossings.world_track import anchors, matched, placed, stays, wakings
from latlab.catalog import call_names
from latlab.formats.probe.decoder import Decoder
from latlab.model.calls import Call
from latlab.model.crossings import Arch, Record
from latlab.model.run import TraceRecord
from support import probe_stream as stream

TRNG_RND, TRACE_STATUS, TRACE_READ = 0xC4000053, 0xC7000032, 0xC7000033
NS_PER_TICK, NS_PER_INSTRUCTION = 16, 2
LAST = TraceRecord(93, 0, "ENTER_SMC", TRNG_RND)


def records_of(data: bytes) -> list[Record]:
    decoder = Decoder()
    return [item for item in decoder.feed(stream.header() + stream.core(0, 0) + data) if hasattr(item, "machine")]  # type: ignore[misc]


def status(at: int, number: int = 94) -> bytes:
    answer = stream.crossing(0, at + 20, stream.EL3, stream.NS_EL1, (0, number, *(0,) * 6))
    return stream.smc(0, at, TRACE_STATUS) + answer


def called(at: int, instructions: int, function: int = TRNG_RND) -> bytes:
    return stream.smc(0, at, function) + stream.back(0, at + instructions)


def test_a_stay_ends_with_a_crossing_or_a_sleep_and_a_wake_up_begins_one_in_the_same_world() -> None:
    data = stream.crossing(0, 0, stream.NO_WORLD, stream.EL3) + stream.back(0, 50) + stream.sleep(0, 80, world=stream.NS_EL1)
    data += stream.wake(0, 80) + called(100, 30)
    found = [(one.world, one.begin, one.end, one.waking) for one in stays(records_of(data))]
    assert found == [(7, 0, 50, 0), (1, 50, 80, 0), (1, 80, 100, 1), (7, 100, 130, 1)]


def test_the_rings_calls_are_those_before_the_answer_where_it_stands() -> None:
    data = status(0, 90) + called(50, 5) + called(100, 5, TRACE_READ) + called(110, 7) + status(200) + called(250, 9)
    calls = list(Pairing(Arch.AARCH64, call_names()).feed(records_of(data)))
    ring = [Call(0, TRNG_RND, 3, 4), Call(0, TRNG_RND, 5, 6)]
    assert [(call.in_ticks, seen.start) for call, seen in matched(ring, LAST, calls)] == [(5, 110), (3, 50)]
    with pytest.raises(ValueError, match="did not see the call 0xc4000053 that the firmware's ring has at tick 1"):
        matched([Call(0, TRNG_RND, 1, 2), *ring], LAST, calls)
    with pytest.raises(ValueError, match="did not see the firmware say that its ring's next record is 95"):
        matched(ring, TraceRecord(94, 0, "ENTER_SMC", TRNG_RND), calls)


def test_a_sleep_inside_of_a_call_places_nothing() -> None:
    data = stream.smc(0, 100, TRNG_RND) + stream.sleep(0, 120) + stream.wake(0, 120) + stream.back(0, 140) + status(200)
    records = records_of(data)
    pairs = matched([Call(0, TRNG_RND, 50, 60)], LAST, list(Pairing(Arch.AARCH64, call_names()).feed(records)))
    assert anchors(pairs, wakings(records, 0), lambda ticks: ticks * NS_PER_TICK, NS_PER_INSTRUCTION) == {}


CALL = st.tuples(st.integers(1, 5000), st.integers(100, 3000), st.integers(1, 40), st.integers(1, 40), st.integers(0, 1_000_000))


@given(st.lists(CALL, min_size=1, max_size=12), st.integers(0, 10**9))
def test_the_true_place_of_every_stretch_lies_between_the_least_and_the_most(
    made: list[tuple[int, int, int, int, int]], begin_ns: int
) -> None:
    """The machine is played: before each call it may sleep, the firmware stamps some instructions behind the entry and before the exit."""
    at, offset, true, ring, data, woken = 100, begin_ns, {0: begin_ns}, [], b"", 0
    for gap, length, before, behind, slept_ns in made:
        if slept_ns % 3 == 0:
            data += stream.sleep(0, at, world=stream.NS_EL1) + stream.wake(0, at)
            woken, offset = woken + 1, offset + slept_ns
            true[woken] = offset
        at += gap
        stamps = ((at + before) * NS_PER_INSTRUCTION + offset, (at + length - behind) * NS_PER_INSTRUCTION + offset)
        ring.append(Call(0, TRNG_RND, stamps[0] // NS_PER_TICK, stamps[1] // NS_PER_TICK))
        data += called(at, length)
        at += length
    records = records_of(data + status(at + 10))
    pairs = matched(ring, LAST, list(Pairing(Arch.AARCH64, call_names()).feed(records)))
    found = anchors(pairs, wakings(records, 0), lambda ticks: ticks * NS_PER_TICK, NS_PER_INSTRUCTION)
    assert found and set(found) <= set(true)
    for waking, each in found.items():
        assert all(one.least_ns <= true[waking] <= one.most_ns for one in each)
        assert all(one.most_ns - one.least_ns <= 80 * NS_PER_INSTRUCTION + 2 * NS_PER_TICK for one in each)
    for stay, begin, end in placed(stays(records), found, NS_PER_INSTRUCTION):
        off = [abs(ns - true[stay.waking] - at * NS_PER_INSTRUCTION) for ns, at in ((begin, stay.begin), (end, stay.end))]
        assert max(off) <= 40 * NS_PER_INSTRUCTION + NS_PER_TICK
        assert stay.world != 7 or end - begin == (stay.end - stay.begin) * NS_PER_INSTRUCTION


def placed_starts(in_ticks: tuple[int, int]) -> list[int]:
    records = records_of(called(100, 10) + called(200, 10) + status(300))
    calls = list(Pairing(Arch.AARCH64, call_names()).feed(records))
    pairs = matched([Call(0, TRNG_RND, ticks, ticks + 1) for ticks in in_ticks], LAST, calls)
    found = anchors(pairs, [], lambda ticks: ticks * NS_PER_TICK, NS_PER_INSTRUCTION)
    return [begin for stay, begin, _ in placed(stays(records), found, NS_PER_INSTRUCTION) if stay.begin in (100, 110, 200)]


def test_what_the_clock_came_away_between_two_calls_is_spread_between_them() -> None:
    assert placed_starts((50, 63)) == [810, 830, 1010]  # the two have places in common: nothing came away
    assert placed_starts((50, 65)) == [806, 826, 1046]


def test_calls_between_which_no_clock_passes_so_are_not_taken_for_each_other() -> None:
    with pytest.raises(ValueError, match="do not pass alike"):
        placed_starts((50, 5000))


def test_stamps_that_are_longer_than_the_call_are_of_another_one() -> None:
    records = records_of(called(100, 10) + status(300))
    pairs = matched([Call(0, TRNG_RND, 50, 60)], LAST, list(Pairing(Arch.AARCH64, call_names()).feed(records)))
    with pytest.raises(ValueError, match="the call at tick 50 contradict"):
        anchors(pairs, [], lambda ticks: ticks * NS_PER_TICK, NS_PER_INSTRUCTION)
