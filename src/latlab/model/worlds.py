# SPDX-License-Identifier: BSD-3-Clause
"""What the probe saw from outside of a guest whose wake-ups were measured inside."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.model.calls import Call


@dataclass(frozen=True, slots=True)
class WorldCalls:
    """The calls of one name that ended during the measurement. `yielded` came back for an interrupt of the normal world. The rest are sums
    of instructions, and the least, median and most of one call."""

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
    """How much of one late wake-up passed in a world; `call` is the outermost call that it was in, empty outside of calls."""

    world: str
    call: str
    ns: int


@dataclass(frozen=True, slots=True)
class LateByWorld:
    """A late wake-up, by its CPU and its time on CLOCK_MONOTONIC; `shares` are all of its lateness, the largest first."""

    cpu: int
    wake_ns: int
    shares: tuple[WorldShare, ...]

    @property
    def taken_ns(self) -> int:
        """What passed in EL3 and the secure world."""
        return sum(share.ns for share in self.shares if is_taken(share.world))


@dataclass(frozen=True, slots=True)
class GuestWorlds:
    """`stays` is how often the core came into the secure world during the measurement, `stays_without_timer` how often Linux's virtual
    timer was off then, `secure` the instructions of all stays. `untimed` late wake-ups lie where the probe's clock is not known.
    `calls` are those that overlap a late wake-up."""

    kinds: tuple[WorldCalls, ...]
    stays: int
    stays_without_timer: int
    secure: int
    late: tuple[LateByWorld, ...]
    untimed: int
    calls: tuple[Call, ...]


def is_taken(world: str) -> bool:
    """A world that Linux is not in."""
    return world == "EL3" or world.startswith("S-")
