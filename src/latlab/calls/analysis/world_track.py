# SPDX-License-Identifier: BSD-3-Clause
"""Crossings as stretches of one world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from latlab.calls.model.crossings import NO_WORLD, Crossing, Record, Sleep, Wake


@dataclass(frozen=True, slots=True)
class WorldSpan:
    """In one world, from one instruction of all cores to another."""

    core: int
    world: int
    begin: int
    end: int


def stays(records: Iterable[Record]) -> Iterator[WorldSpan]:
    """Each stay of each core, as they end; none while a core sleeps."""
    open_stays: dict[int, tuple[int, int]] = {}
    slept: dict[int, int] = {}
    for record in records:
        if not isinstance(record, Crossing | Sleep | Wake):
            continue
        core, at = record.core, record.machine
        if isinstance(record, Wake):
            open_stays[core] = slept.get(core, NO_WORLD), at
            continue
        world, begin = open_stays.pop(core, (NO_WORLD, at))
        if world != NO_WORLD and at > begin:
            yield WorldSpan(core, world, begin, at)
        if isinstance(record, Sleep):
            slept[core] = record.world
        else:
            open_stays[core] = record.entered, at
