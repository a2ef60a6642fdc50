# SPDX-License-Identifier: BSD-3-Clause
"""Crossings as stretches of one world, and their place on the clock of what was measured inside the machine."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import numpy as np

from latlab.analysis.crossings.calls import Call
from latlab.model import calls as firmware
from latlab.model.crossings import NO_WORLD, Crossing, Record, Sleep, Wake
from latlab.model.run import TraceRecord

TRACE_STATUS = 0xC7000032
MOST_DRIFT_NS = 10_000
"""Seen: 0.3 us at most. Calls that are taken for others stand apart by what lies between them."""


@dataclass(frozen=True, slots=True)
class Stay:
    """In one world, from one instruction of all cores to another. `waking` counts the wake-ups of the core before it: between two of
    them nothing passes but instructions."""

    core: int
    world: int
    begin: int
    end: int
    waking: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """A call from one instruction to another, and what is to be added to them, as ns, to be on the other clock: at least and at most."""

    begin: int
    end: int
    least_ns: float
    most_ns: float

    @property
    def middle_ns(self) -> int:
        return round((self.least_ns + self.most_ns) / 2)


def stays(records: Iterable[Record]) -> Iterator[Stay]:
    """Each stay of each core, as they end; none while a core sleeps."""
    open_stays: dict[int, tuple[int, int]] = {}
    slept: dict[int, int] = {}
    waking: dict[int, int] = defaultdict(int)
    for record in records:
        if not isinstance(record, Crossing | Sleep | Wake):
            continue
        core, at = record.core, record.machine
        if isinstance(record, Wake):
            waking[core] += 1
            open_stays[core] = slept.get(core, NO_WORLD), at
            continue
        world, begin = open_stays.pop(core, (NO_WORLD, at))
        if world != NO_WORLD and at > begin:
            yield Stay(core, world, begin, at, waking[core])
        if isinstance(record, Sleep):
            slept[core] = record.world
        else:
            open_stays[core] = record.entered, at


def wakings(records: Iterable[Record], core: int) -> list[int]:
    """Where in its instructions a core woke up."""
    return [record.machine for record in records if isinstance(record, Wake) and record.core == core]


def matched(ring: Sequence[firmware.Call], last: TraceRecord, calls: Sequence[Call]) -> list[tuple[firmware.Call, Call]]:
    """The calls of one CPU that the firmware's ring holds up to its record `last`, each with what the probe saw of it, the latest first.

    The firmware was asked for the number of its next record, and the probe saw the answer: what the ring holds came before it.
    Calls that leave no record are passed over. Raises ValueError where one of the ring's is not there."""
    number = last.sequence + 1
    asked = next((at for at, call in enumerate(calls) if call.entry.function == TRACE_STATUS and call.results[1] == number), None)
    if asked is None:
        raise ValueError(f"the probe did not see the firmware say that its ring's next record is {number}")
    before = reversed(calls[:asked])
    found = []
    for call in reversed(ring):
        seen = next((other for other in before if other.entry.function == call.function), None)
        if seen is None:
            raise ValueError(f"the probe did not see the call {call.function:#x} that the firmware's ring has at tick {call.in_ticks}")
        found.append((call, seen))
    return found


def anchors(
    pairs: Iterable[tuple[firmware.Call, Call]], woken: Sequence[int], ns_of_ticks: Callable[[int], float], ns_per_instruction: float
) -> dict[int, list[Anchor]]:
    """By wake-up, in the order of time. The firmware reads its counter inside of a call, so a call begins no later than its first stamp and
    ends no earlier than its last one. Raises ValueError where the two sides cannot be of one call, or no clock passes so between two."""
    found: dict[int, list[Anchor]] = defaultdict(list)
    for call, seen in pairs:
        waking = bisect_right(woken, seen.start_machine)
        if waking != bisect_right(woken, seen.end_machine):
            continue
        most = ns_of_ticks(call.in_ticks + 1) - ns_per_instruction * seen.start_machine
        least = ns_of_ticks(call.out_ticks) - ns_per_instruction * seen.end_machine
        found[waking].append(Anchor(seen.start_machine, seen.end_machine, least, most))
        if least > most:
            raise ValueError(f"the firmware's stamps of the call at tick {call.in_ticks} contradict the probe's instructions")
    for waking, each in found.items():
        forward = _narrowed(sorted(each, key=lambda anchor: anchor.begin))
        found[waking] = _narrowed(forward[::-1])[::-1]
    if drift_ns(found.values()) > MOST_DRIFT_NS:
        raise ValueError("between two calls the firmware's counter and the probe's instructions do not pass alike")
    return found


def _narrowed(each: Iterable[Anchor]) -> list[Anchor]:
    """Each as far as the one before it allows too, where the two have a place in common."""
    found: list[Anchor] = []
    for one in each:
        least, most = (max(one.least_ns, found[-1].least_ns), min(one.most_ns, found[-1].most_ns)) if found else (one.least_ns, one.most_ns)
        found.append(replace(one, least_ns=least, most_ns=most) if least <= most else one)
    return found


def drift_ns(found: Iterable[Sequence[Anchor]]) -> int:
    """By how much the clock came away from the instructions between two calls, at most: what is tried twice is counted twice."""
    return max((abs(a.middle_ns - b.middle_ns) for each in found for a, b in pairwise(each)), default=0)


def placed(among: Iterable[Stay], by_waking: Mapping[int, Sequence[Anchor]], ns_per_instruction: float) -> Iterator[tuple[Stay, int, int]]:
    """The stays between wake-ups that a call places, with their begin and end in ns. What came away between two calls is spread evenly."""
    for waking, group in groupby(among, key=lambda stay: stay.waking):
        if waking not in by_waking:
            continue
        found, known = list(group), by_waking[waking]
        at = np.array([(stay.begin, stay.end) for stay in found])
        added = np.interp(at, [x for one in known for x in (one.begin, one.end)], [one.middle_ns for one in known for _ in range(2)])
        times = np.rint(at * ns_per_instruction + added).astype(np.int64)
        yield from ((stay, int(begin), int(end)) for stay, (begin, end) in zip(found, times, strict=True))
