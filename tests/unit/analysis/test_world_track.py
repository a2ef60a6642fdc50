# SPDX-License-Identifier: BSD-3-Clause
"""Crossings put on the machine's clock: instructions stand still in a sleep, and a call of which the firmware kept the time places them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.analysis.crossings.calls import Pairing
from latlab.analysis.crossings.world_track import anchors, matched, stays, wakings
from latlab.catalog import call_names
from latlab.formats.probe.decoder import Decoder
from latlab.model.calls import Call
from latlab.model.crossings import Arch, Record
from latlab.model.run import TraceRecord
from support import probe_stream as stream

TRNG_RND, TRACE_STATUS, TRACE_READ = 0xC4000053, 0xC7000032, 0xC7000033
NS_PER_TICK, NS_PER_INSTRUCTION = 16, 2
FIRST = TraceRecord(94, 0, "ENTER_SMC", TRNG_RND)


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


def test_the_rings_calls_are_those_behind_the_question_where_it_stands() -> None:
    data = called(10, 5) + status(20, 90) + called(50, 5) + status(60) + called(100, 5, TRACE_READ) + called(110, 7)
    calls = list(Pairing(Arch.AARCH64, call_names()).feed(records_of(data)))
    ring = [Call(0, TRNG_RND, 1, 2)]
    assert [(call.in_ticks, seen.start) for call, seen in matched(ring, FIRST, calls)] == [(1, 110)]
    with pytest.raises(ValueError, match="did not see the call 0xc4000053 that the firmware's ring has at tick 3"):
        matched([*ring, Call(0, TRNG_RND, 3, 4)], FIRST, calls)
    with pytest.raises(ValueError, match="did not see that the firmware was asked where its ring stands before record 95"):
        matched(ring, TraceRecord(95, 0, "ENTER_SMC", TRNG_RND), calls)


def test_a_sleep_inside_of_a_call_places_nothing() -> None:
    data = status(0) + stream.smc(0, 100, TRNG_RND) + stream.sleep(0, 120) + stream.wake(0, 120) + stream.back(0, 140)
    records = records_of(data)
    pairs = matched([Call(0, TRNG_RND, 50, 60)], FIRST, list(Pairing(Arch.AARCH64, call_names()).feed(records)))
    assert anchors(pairs, wakings(records, 0), lambda ticks: ticks * NS_PER_TICK, NS_PER_INSTRUCTION) == {}


CALL = st.tuples(st.integers(1, 5000), st.integers(100, 3000), st.integers(1, 40), st.integers(1, 40), st.integers(0, 1_000_000))


@given(st.lists(CALL, min_size=1, max_size=12), st.integers(0, 10**9))
def test_the_true_place_of_every_stretch_lies_between_the_least_and_the_most(
    made: list[tuple[int, int, int, int, int]], begin_ns: int
) -> None:
    """The machine is played: before each call it may sleep, the firmware stamps some instructions behind the entry and before the exit."""
    at, offset, true, ring, data, woken = 100, begin_ns, {0: begin_ns}, [], status(0), 0
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
    records = records_of(data)
    pairs = matched(ring, FIRST, list(Pairing(Arch.AARCH64, call_names()).feed(records)))
    found = anchors(pairs, wakings(records, 0), lambda ticks: ticks * NS_PER_TICK, NS_PER_INSTRUCTION)
    assert found and set(found) <= set(true)
    assert all(one.least_ns <= true[number] <= one.most_ns for number, one in found.items())
    assert all(one.most_ns - one.least_ns <= 80 * NS_PER_INSTRUCTION + 2 * NS_PER_TICK for one in found.values())


def test_stamps_that_no_place_fits_are_a_contradiction() -> None:
    data = status(0) + called(100, 10) + called(200, 10)
    calls = list(Pairing(Arch.AARCH64, call_names()).feed(records_of(data)))
    pairs = matched([Call(0, TRNG_RND, 50, 51), Call(0, TRNG_RND, 500, 501)], FIRST, calls)
    with pytest.raises(ValueError, match="the call at tick 500 contradict"):
        anchors(pairs, [], lambda ticks: ticks * NS_PER_TICK, NS_PER_INSTRUCTION)
