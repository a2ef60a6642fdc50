# SPDX-License-Identifier: BSD-3-Clause
"""Events over time, in parallel tracks on one clock."""

from __future__ import annotations

from dataclasses import dataclass

Facts = tuple[tuple[str, str | int], ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """The time from `begin` to `end`, in the unit of the time line; equal for a single moment. `parts` are the amounts that it consists
    of, in ns."""

    begin: int
    end: int
    name: str
    facts: Facts = ()
    parts: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Track:
    """Slices in the order of their begin; two slices are nested or disjoint. `group` is the owner, such as a CPU."""

    group: str
    name: str
    slices: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class TimeLine:
    """`facts` describe the clock, the possible offset between the sources of the tracks, and what is left out."""

    tracks: tuple[Track, ...]
    facts: Facts


def outer_first(track_slice: Slice) -> tuple[int, int]:
    """The sort key of the slices of a track: by begin, outer slices first."""
    return track_slice.begin, -track_slice.end
