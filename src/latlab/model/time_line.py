# SPDX-License-Identifier: BSD-3-Clause
"""What happened when, in tracks side by side on one clock."""

from __future__ import annotations

from dataclasses import dataclass

Facts = tuple[tuple[str, str | int], ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """From `begin` to `end` in the unit of its time line; equal where it is a moment. `parts` are amounts that it is made of, in ns."""

    begin: int
    end: int
    name: str
    facts: Facts = ()
    parts: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Track:
    """Slices in the order of their begin; two of them nest or lie apart. `group` is whose it is, such as a CPU."""

    group: str
    name: str
    slices: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class TimeLine:
    """`facts` say what the clock is, how far the sources of the tracks may stand apart on it, and what is left out."""

    tracks: tuple[Track, ...]
    facts: Facts


def outer_first(one: Slice) -> tuple[int, int]:
    """The order of a track."""
    return one.begin, -one.end
