# SPDX-License-Identifier: BSD-3-Clause
"""The probe's stream held against itself: what ran of measured code, by fragment, is what the counts say, between any two changes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from latlab.calls.model.crossings import LOOP, Arch, Crossing, Fragment, Header, Naps, Profile, Sleep, Wake
from latlab.calls.model.crossings import Path as Ran
from latlab.calls.readers.decoder import Decoder

M_MODE = 3
NO_WORLD = 0xFF
NOT_NORMAL = 0xC


@dataclass(frozen=True, slots=True)
class Sum:
    """Of what ran before this record, back to the change before it: instructions by the counts, and by fragment."""

    before: Crossing | Sleep | Wake
    counted: int
    ran: int


def sums(stream: bytes) -> list[Sum]:
    """Of the measured worlds, in a stream with functions."""
    sizes: dict[int, int] = {}
    ran: dict[int, int] = defaultdict(int)
    steps: dict[int, tuple[int, ...]] = defaultdict(tuple)
    since: dict[int, int] = defaultdict(int)
    asleep_in: dict[int, int] = {}
    found: list[Sum] = []
    arch = Arch.AARCH64
    for record in Decoder().feed(stream):
        match record:
            case Header():
                arch = record.arch
            case Fragment():
                sizes[record.number] = record.instructions
            case Ran():
                steps[record.core] += record.steps  # a loop may go on in the next record
            case Profile() | Naps():
                ran[record.core] += record.unlisted_instructions + sum(sizes[fragment] * times for fragment, times in record.runs)
            case Crossing() | Sleep() | Wake():
                world = asleep_in[record.core] if isinstance(record, Wake) else _world_before(record)
                if _is_measured(arch, world):
                    of_path = instructions_of(steps[record.core], sizes)
                    found.append(Sum(record, record.instructions - since[record.core], ran[record.core] + of_path))
                if isinstance(record, Sleep):
                    asleep_in[record.core] = record.world
                ran[record.core], steps[record.core], since[record.core] = 0, (), record.instructions
    return found


def _world_before(record: Crossing | Sleep) -> int:
    return record.left_world if isinstance(record, Crossing) else record.world


def _is_measured(arch: Arch, world: int) -> bool:
    if world == NO_WORLD:
        return False
    return world == M_MODE if arch is Arch.RISCV else bool(world & NOT_NORMAL)


def instructions_of(steps: tuple[int, ...], sizes: dict[int, int]) -> int:
    """Of a whole path."""
    total = at = 0
    while at < len(steps):
        what, times = steps[at], steps[at + 1]
        at += 2
        if what & LOOP:
            body = 2 * (what & ~LOOP)
            total += times * instructions_of(steps[at : at + body], sizes)
            at += body
        else:
            total += times * sizes[what]
    return total
