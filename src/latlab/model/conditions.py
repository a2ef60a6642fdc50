# SPDX-License-Identifier: BSD-3-Clause
"""Under what a run was measured: what has to be alike before two runs are compared. None: the source does not say it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """What the CPUs ran on, which says what their figures are worth."""

    DETERMINISTIC = "deterministic"
    """An emulator on its instruction clock: cores take turns, figures repeat exactly."""
    MULTI_THREAD = "multi-thread"
    """An emulator whose cores are threads of the host: shows that it works, never a latency."""
    REAL = "real"
    """A board or a machine."""
    VIRTUAL_MACHINE = "virtual-machine"
    """A machine whose hypervisor takes the CPU away as it likes."""


@dataclass(frozen=True, slots=True)
class Dose:
    """One boot of the TRNG experiment: how long TRNG_RND is held, and which of its two callers exist. `name` is the folder of its files."""

    name: str
    dose_us: int
    kstack_randomised: bool
    hwrng_driver: bool


@dataclass(frozen=True, slots=True)
class Conditions:
    """`load` is the command that kept the CPUs busy, empty for none; `commands` are all that ran, as a user would type them."""

    mode: Mode | None = None
    duration_s: float | None = None
    interval_ns: int | None = None
    priority: int | None = None
    load: str | None = None
    idle_states: bool | None = None
    kernel: str | None = None
    kernel_version: str | None = None
    kstack_randomised: bool | None = None
    hwrng_driver: bool | None = None
    commands: tuple[str, ...] = ()
    doses: tuple[Dose, ...] = ()
    hotplug_cycles: int | None = None
    suspends: int | None = None


UNSAID = Conditions()
