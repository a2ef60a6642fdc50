# SPDX-License-Identifier: BSD-3-Clause
"""What a run records of the Linux machine that it measured, the same for every campaign."""

from __future__ import annotations

from dataclasses import replace

from latlab.model.conditions import Conditions, Mode
from latlab.targets.linux.linux import Survey
from latlab.targets.linux.machine import Machine
from latlab.targets.linux.measured_on import MeasuredOn


def mode_of(found: Survey) -> Mode:
    return Mode.VIRTUAL_MACHINE if found.is_virtual else Mode.REAL


def with_machine_of(conditions: Conditions, found: Survey, itself: MeasuredOn) -> Conditions:
    """The conditions with processor and kernel."""
    return replace(
        conditions,
        processor=itself.cpu or None,
        kernel=found.said.get("kernel") or None,
        kernel_version=found.said.get("version") or None,
        kernel_command_line=itself.command_line or None,
    )


def target_of(machine: Machine) -> str:
    """Such as `linux` for this machine and `ssh:HOST` for another one."""
    return machine.kind if machine.patience_s == 0 else f"{machine.kind}:{machine.name}"
