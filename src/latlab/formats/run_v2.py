# SPDX-License-Identifier: BSD-3-Clause
"""Runs of version 2, of files, and of version 3, of stores: what they kept of the machine among a run's facts becomes conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from latlab.formats.qemu_command import with_machine
from latlab.model.conditions import Conditions

Facts = tuple[tuple[str, str], ...]
EMULATOR = "qemu-system-"
ON_LINUX = ("rt", "rt-trng", "rt-power")
"""Campaigns whose fact `instrument` is which tools ran, each a test of its own."""
MACHINE = ("cpu", "gic", "el", "iterations", "interrupt_priority", "basepri")


@dataclass(frozen=True, slots=True)
class Typed:
    """`facts` are those that stay for the reader."""

    conditions: Conditions
    facts: Facts


def typed(campaign: str, conditions: Conditions, facts: Facts, command: Sequence[str], has_trace: bool) -> Typed:
    """`has_trace`: the run knows the event table of its firmware. Raises ValueError where a fact is not what was written."""
    said = dict(facts)
    on_linux = campaign in ON_LINUX
    of_facts = Conditions(
        processor=said.get("CPU" if on_linux else "cpu"),
        interrupt_controller=f"GICv{said['gic']}" if int(said.get("gic", "0")) else None,
        exception_level=int(said.get("el", "0")) or None,
        iterations=int(said["iterations"]) if "iterations" in said else None,
        interrupt_priority=int(said["interrupt_priority"], 16) if "interrupt_priority" in said else None,
        basepri=int(said["basepri"], 16) if "basepri" in said else None,
        instrument=None if on_linux else said.get("instrument", "trace" if has_trace else None),
        kernel_command_line=said.get("kernel command line") if on_linux else None,
    )
    known = conditions.completed(of_facts)
    if command and EMULATOR in command[0]:
        known = with_machine(known, command)
    moved = MACHINE if on_linux else (*MACHINE, "instrument")
    return Typed(known, tuple(fact for fact in facts if fact[0] not in moved))


def upgraded(d: Mapping[str, Any]) -> dict[str, Any]:
    """A document of version 2 in the form of version 3. Raises KeyError, TypeError or ValueError where it is damaged."""
    conditions = msgspec.convert(d["conditions"], Conditions)
    facts = tuple((str(key), str(value)) for key, value in d["facts"])
    old = typed(d["campaign"], conditions, facts, [str(word) for word in d["command"]], d["build"]["events_hash"] is not None)
    return {**d, "version": 3, "conditions": msgspec.to_builtins(old.conditions), "facts": [list(fact) for fact in old.facts]}
