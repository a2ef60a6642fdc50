# SPDX-License-Identifier: BSD-3-Clause
"""What a run records of the Linux machine that it measured, the same for every campaign."""

from __future__ import annotations

from dataclasses import replace

from latlab.core.model.conditions import Conditions, Mode
from latlab.core.targets.linux.machine import Machine
from latlab.rt.targets.linux import Survey
from latlab.rt.targets.machine_inventory import MachineInventory


def mode_of(machine_survey: Survey) -> Mode:
    return Mode.VIRTUAL_MACHINE if machine_survey.is_virtual else Mode.REAL


def with_machine_of(conditions: Conditions, machine_survey: Survey, itself: MachineInventory) -> Conditions:
    """The conditions with processor and kernel."""
    return replace(
        conditions,
        processor=itself.cpu or None,
        kernel=machine_survey.answers.get("kernel") or None,
        kernel_version=machine_survey.answers.get("version") or None,
        kernel_command_line=itself.command_line or None,
    )


def target_of(machine: Machine) -> str:
    """Such as `linux` for this machine and `ssh:HOST` for another one."""
    return machine.kind if machine.patience_s == 0 else f"{machine.kind}:{machine.name}"
