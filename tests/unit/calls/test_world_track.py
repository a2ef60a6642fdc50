# SPDX-License-Identifier: BSD-3-Clause
"""Crossings as stretches of one world: none lies across a sleep."""

from __future__ import annotations

from latlab.calls.analysis.world_track import stays
from latlab.calls.model.crossings import Record
from latlab.calls.readers.decoder import Decoder
from support import probe_stream as stream

TRNG_RND = 0xC4000053


def records_of(data: bytes) -> list[Record]:
    decoder = Decoder()
    return [item for item in decoder.feed(stream.header() + stream.core(0, 0) + data) if hasattr(item, "machine")]  # type: ignore[misc]


def called(at: int, instructions: int, function: int = TRNG_RND) -> bytes:
    return stream.smc(0, at, function) + stream.back(0, at + instructions)


def test_a_stay_ends_with_a_crossing_or_a_sleep_and_a_wake_up_begins_one_in_the_same_world() -> None:
    data = stream.crossing(0, 0, stream.NO_WORLD, stream.EL3) + stream.back(0, 50) + stream.sleep(0, 80, world=stream.NS_EL1)
    data += stream.wake(0, 80) + called(100, 30)
    found = [(one.world, one.begin, one.end) for one in stays(records_of(data))]
    assert found == [(7, 0, 50), (1, 50, 80), (1, 80, 100), (7, 100, 130)]
