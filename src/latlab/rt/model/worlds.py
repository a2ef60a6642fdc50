# SPDX-License-Identifier: BSD-3-Clause
"""The probe's view of a guest whose wake-ups were measured inside the guest."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.calls.model.calls import Call


@dataclass(frozen=True, slots=True)
class WorldCalls:
    """The calls with one name that ended during the measurement. `yielded` counts those that returned for an interrupt of the normal
    world. The other fields are sums of instructions, and the least, median and most instructions of one call."""

    name: str
    calls: int
    yielded: int
    least: int
    median: int
    most: int
    in_el3: int
    in_secure: int


@dataclass(frozen=True, slots=True)
class WorldShare:
    """The part of one late wake-up that passed in a world; `call` is the outermost call at that time, empty outside of calls."""

    world: str
    call: str
    ns: int


@dataclass(frozen=True, slots=True)
class LateByWorld:
    """A late wake-up, identified by its CPU and its time on CLOCK_MONOTONIC; `shares` add up to its lateness, the largest first."""

    cpu: int
    wake_ns: int
    shares: tuple[WorldShare, ...]

    @property
    def taken_ns(self) -> int:
        """The time in EL3 and in the secure world, in ns."""
        return sum(share.ns for share in self.shares if is_taken(share.world))


@dataclass(frozen=True, slots=True)
class GuestWorlds:
    """`stays` is how often the core entered the secure world during the measurement. `stays_without_timer` counts those while Linux's
    virtual timer was off. `secure` are the instructions of all stays. `untimed` counts late wake-ups at times for which the probe's
    clock is not known. `calls` are the calls that overlap a late wake-up."""

    kinds: tuple[WorldCalls, ...]
    stays: int
    stays_without_timer: int
    secure: int
    late: tuple[LateByWorld, ...]
    untimed: int
    calls: tuple[Call, ...]


def is_taken(world: str) -> bool:
    """Whether it is a world in which Linux does not run."""
    return world == "EL3" or world.startswith("S-")
