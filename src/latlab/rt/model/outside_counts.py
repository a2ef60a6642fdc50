# SPDX-License-Identifier: BSD-3-Clause
"""Counts of what takes a CPU from its kernel and leaves no event: the hypervisor's steal time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StealClock(StrEnum):
    """Whether the kernel has a clock of what its hypervisor stole."""

    KNOWN = "known"
    NO_HYPERVISOR = "no_hypervisor"
    NOT_OFFERED = "not_offered"
    UNSAID = "unsaid"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class OutsideCount:
    """The counts of one CPU at one time of CLOCK_MONOTONIC. `steal_ticks` is None if the kernel does not print the clock."""

    cpu: int
    ns: int
    steal_ticks: int | None


@dataclass(frozen=True, slots=True)
class OutsideCounts:
    """The counts of one measurement in the order of their times. `complete`: the last ones are those of its end."""

    steal: StealClock
    tick_ns: int
    counts: tuple[OutsideCount, ...]
    complete: bool
    problems: tuple[str, ...] = ()
