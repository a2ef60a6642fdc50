# SPDX-License-Identifier: BSD-3-Clause
"""The set-up of a machine for real-time work, point by point."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SetupTopic(StrEnum):
    OFFLINE = "CPUs that are off"
    PREEMPTION = "preemption model"
    THROTTLING = "RT throttling"
    ISOLATION = "isolated CPUs"
    TICK = "nohz_full CPUs"
    IRQ_AFFINITY = "IRQ affinity"
    IRQ_THREADS = "IRQ threads"
    FREQUENCY = "clock of the CPUs"
    TURBO = "turbo"
    IDLE_STATES = "idle states"
    SMT = "SMT"
    HUGE_PAGES = "transparent huge pages"
    SMI = "system management interrupts (SMI)"
    CLOCK_SOURCE = "clock source"
    TUNED = "tuned's profile"


@dataclass(frozen=True, slots=True)
class SetupCheck:
    """One point. `value` is what the machine says, `source` where it says that. `is_fine` is None if it does not say enough. `finding` is
    what disturbs, empty if nothing does, and `remedy` what changes it, with its command."""

    topic: SetupTopic
    value: str
    source: str
    is_fine: bool | None = True
    finding: str = ""
    remedy: str = ""

    @property
    def advice(self) -> str:
        return "; ".join(filter(None, (self.finding, self.remedy)))
