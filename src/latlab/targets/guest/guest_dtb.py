# SPDX-License-Identifier: BSD-3-Clause
"""The device tree that Linux gets: QEMU's own, with what QEMU leaves out when another firmware is to run.

QEMU drops its /psci node with `secure=on`, knows no idle states, and does not know the initrd, because the firmware starts Linux.
"""

from __future__ import annotations

from dataclasses import dataclass

import fdt

IDLE_PHANDLE = 0x9001


@dataclass(frozen=True, slots=True)
class IdleState:
    """A `power_state` of our firmware and how it is described to Linux's governor."""

    name: str
    power_state: int
    entry_us: int
    exit_us: int
    residency_us: int


IDLE_STATES = (
    IdleState("cpu-standby", 0x00000001, 10, 10, 40),
    IdleState("cpu-sleep", 0x00010002, 60, 60, 300),
    IdleState("cluster-sleep", 0x01010022, 200, 200, 2000),
)


@dataclass(frozen=True, slots=True)
class Chosen:
    bootargs: str
    initrd_start: int
    initrd_bytes: int
    idle_states: tuple[IdleState, ...] = ()


def patch(tree: bytes, chosen: Chosen) -> bytes:
    """A device tree for Linux from the one that QEMU dumped."""
    parsed = fdt.parse_dtb(tree)
    parsed.add_item(_psci(), "/")
    end = chosen.initrd_start + chosen.initrd_bytes
    parsed.set_property("bootargs", chosen.bootargs, "/chosen")
    parsed.set_property("linux,initrd-start", _cells(chosen.initrd_start), "/chosen")
    parsed.set_property("linux,initrd-end", _cells(end), "/chosen")
    for node in parsed.get_node("/cpus").nodes:
        if node.name.startswith("cpu@"):
            node.set_property("enable-method", "psci")
            if chosen.idle_states:
                node.set_property("cpu-idle-states", [IDLE_PHANDLE + i for i in range(len(chosen.idle_states))])
    if chosen.idle_states:
        parsed.add_item(_idle_states(chosen.idle_states), "/cpus")
    return bytes(parsed.to_dtb(17))


def _psci() -> fdt.Node:
    node = fdt.Node("psci")
    node.append(fdt.PropStrings("compatible", "arm,psci-1.0", "arm,psci-0.2"))
    node.append(fdt.PropStrings("method", "smc"))
    return node


def _idle_states(states: tuple[IdleState, ...]) -> fdt.Node:
    group = fdt.Node("idle-states")
    group.append(fdt.PropStrings("entry-method", "psci"))
    for index, state in enumerate(states):
        node = fdt.Node(state.name)
        node.append(fdt.PropStrings("compatible", "arm,idle-state"))
        for name, value in (
            ("arm,psci-suspend-param", state.power_state),
            ("entry-latency-us", state.entry_us),
            ("exit-latency-us", state.exit_us),
            ("min-residency-us", state.residency_us),
            ("phandle", IDLE_PHANDLE + index),
        ):
            node.append(fdt.PropWords(name, value))
        group.append(node)
    return group


def _cells(value: int) -> list[int]:
    return [value >> 32, value & 0xFFFFFFFF]
