# SPDX-License-Identifier: BSD-3-Clause
"""Crossings as stretches of one world, and their place on the clock of what was measured inside the machine."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from latlab.analysis.crossings.calls import Call
from latlab.model import calls as firmware
from latlab.model.crossings import NO_WORLD, Crossing, Record, Sleep, Wake
from latlab.model.run import TraceRecord

TRACE_STATUS = 0xC7000032


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
    """What is to be added to the instructions between two wake-ups, as ns, to be on the other clock: at least and at most."""

    waking: int
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


def matched(ring: Sequence[firmware.Call], first: TraceRecord, calls: Sequence[Call]) -> list[tuple[firmware.Call, Call]]:
    """The calls of one CPU that the firmware's ring holds, from its record `first` on, each with what the probe saw of it.

    The firmware was asked for the number of its next record, and the probe saw the answer: what the ring holds came behind it.
    Calls that leave no record are passed over. Raises ValueError where one of the ring's is not there."""
    asked = [number for number, call in enumerate(calls) if call.entry.function == TRACE_STATUS and call.results[1] == first.sequence]
    if not asked:
        raise ValueError(f"the probe did not see that the firmware was asked where its ring stands before record {first.sequence}")
    behind = iter(calls[asked[-1] + 1 :])
    found = []
    for call in ring:
        seen = next((other for other in behind if other.entry.function == call.function), None)
        if seen is None:
            raise ValueError(f"the probe did not see the call {call.function:#x} that the firmware's ring has at tick {call.in_ticks}")
        found.append((call, seen))
    return found


def anchors(
    pairs: Iterable[tuple[firmware.Call, Call]], woken: Sequence[int], ns_of_ticks: Callable[[int], float], ns_per_instruction: float
) -> dict[int, Anchor]:
    """By wake-up. The firmware reads its counter inside of a call, so a call begins no later than its first stamp and ends no earlier
    than its last one. Raises ValueError where no place fits all calls between two wake-ups."""
    found: dict[int, Anchor] = {}
    for call, seen in pairs:
        waking = bisect_right(woken, seen.start_machine)
        if waking != bisect_right(woken, seen.end_machine):
            continue
        most = ns_of_ticks(call.in_ticks + 1) - ns_per_instruction * seen.start_machine
        least = ns_of_ticks(call.out_ticks) - ns_per_instruction * seen.end_machine
        before = found.get(waking, Anchor(waking, least, most))
        found[waking] = Anchor(waking, max(least, before.least_ns), min(most, before.most_ns))
        if found[waking].least_ns > found[waking].most_ns:
            raise ValueError(f"the firmware's stamps of the call at tick {call.in_ticks} contradict the probe's instructions")
    return found
