# SPDX-License-Identifier: BSD-3-Clause
"""Counts of what takes a CPU from its kernel and leaves no event: the hypervisor's steal time, system management interrupts (SMI)."""

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


class SmiSource(StrEnum):
    """Where the count of SMIs comes from: the kernel's event or its device; otherwise why there is none."""

    EVENT = "event"
    DEVICE = "device"
    NONE = "none"
    NOT_X86 = "not_x86"
    NOT_PERMITTED = "not_permitted"


@dataclass(frozen=True, slots=True)
class OutsideCount:
    """The counts of one CPU at one time of CLOCK_MONOTONIC. `steal_ticks` is None if the kernel does not print the clock, `smis` if
    nothing counts them."""

    cpu: int
    ns: int
    steal_ticks: int | None
    smis: int | None = None


@dataclass(frozen=True, slots=True)
class OutsideCounts:
    """The counts of one measurement in the order of their times. `smi_sources` are by CPU.
    `complete`: the last ones are those of its end."""

    steal: StealClock
    tick_ns: int
    counts: tuple[OutsideCount, ...]
    smi_sources: tuple[tuple[int, SmiSource], ...]
    complete: bool
    problems: tuple[str, ...] = ()
