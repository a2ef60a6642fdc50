# SPDX-License-Identifier: BSD-3-Clause
"""The conditions under which a run was measured. They must be alike before two runs are compared. None: the source does not state the
condition."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum


class Mode(StrEnum):
    """What the CPUs ran on. It decides what their figures can be used for."""

    DETERMINISTIC = "deterministic"
    """An emulator on its instruction clock: cores take turns, and figures repeat exactly save what waits for other cores."""
    MULTI_THREAD = "multi-thread"
    """An emulator whose cores are threads of the host: shows that it works, never a latency."""
    REAL = "real"
    """A board or a machine."""
    VIRTUAL_MACHINE = "virtual-machine"
    """A machine whose hypervisor takes the CPU away as it likes."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a run. `load` is the command that kept the CPUs busy, empty for none. `commands` are all commands that ran, as a
    user would type them.

    `affinity` are the CPUs that were measured, None for all.

    `exception_level` is the level of the program under test. `instrument` is what made the figures, `trace_events` are the kernel's events
    that it switched on. `emulator_options` are the options of the machine that have no field of their own. `image` is a digest of the
    firmware's image. `compiler_flags` are the distinct sets of flags with which files of the firmware were compiled. `board_model` is a
    digest of the simulated model. `interrupt_priority` is the priority of the interrupt that a sweep fires, `basepri` the mask during its
    calls. `preemption` is the model of the kernel: none, voluntary, full, lazy or rt. `hwrng_node` is the source of the kernel driver's
    numbers. `hwrng_quality` is the entropy that the kernel assumes for them, in 1/1024 bits for each bit. `tool` is the program that wrote
    an imported file.
    """

    mode: Mode | None = None
    processor: str | None = None
    interrupt_controller: str | None = None
    exception_level: int | None = None
    emulator_options: tuple[str, ...] | None = None
    board_model: str | None = None
    instrument: str | None = None
    trace_events: tuple[str, ...] | None = None
    image: str | None = None
    compiler: str | None = None
    compiler_flags: tuple[str, ...] | None = None
    iterations: int | None = None
    interrupt_priority: int | None = None
    basepri: int | None = None
    duration_s: float | None = None
    interval_ns: int | None = None
    priority: int | None = None
    affinity: tuple[int, ...] | None = None
    load: str | None = None
    idle_states: bool | None = None
    kernel: str | None = None
    kernel_version: str | None = None
    kernel_command_line: str | None = None
    preemption: str | None = None
    kstack_randomised: bool | None = None
    hwrng_driver: bool | None = None
    hwrng_node: str | None = None
    hwrng_quality: int | None = None
    trng_hold_us: int | None = None
    commands: tuple[str, ...] = ()
    hotplug_cycles: int | None = None
    suspends: int | None = None
    tool: str | None = None

    def completed(self, other: Conditions) -> Conditions:
        """A copy in which the conditions that are not stated are taken from `other`."""
        missing = {field.name: getattr(other, field.name) for field in fields(Conditions) if getattr(self, field.name) in (None, ())}
        return replace(self, **missing)


NO_CONDITIONS = Conditions()
