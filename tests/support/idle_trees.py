# SPDX-License-Identifier: BSD-3-Clause
"""Device trees with idle states, written by another hand than the one that reads them: the format's own words, and no library."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Node: TypeAlias = "Mapping[str, bytes | Node]"


def words(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *values)


def idle_tree(cpus: Sequence[int], states: Mapping[str, Mapping[str, int]], named: Mapping[int, Sequence[str]] | None = None) -> bytes:
    """Each CPU may enter every state, or those that `named` says of its affinity."""
    handles = {name: number for number, name in enumerate(states, 1)}
    below: dict[str, bytes | Node] = {"#address-cells": words(1), "#size-cells": words(0)}
    for cpu in cpus:
        own = [handles[name] for name in (named[cpu] if named else states)]
        below[f"cpu@{cpu:x}"] = {"device_type": b"cpu\0", "reg": words(cpu), "cpu-idle-states": words(*own)}
    below["idle-states"] = {
        name: {"compatible": b"arm,idle-state\0", "phandle": words(handles[name])} | {key: words(value) for key, value in state.items()}
        for name, state in states.items()
    }
    return blob({"cpus": below})


def blob(root: Node) -> bytes:
    """A flattened tree of version 17."""
    names = bytearray()
    structure = _node("", root, names) + words(9)
    structure_at = 40 + 16
    names_at = structure_at + len(structure)
    total = names_at + len(names)
    head = struct.pack(">10I", 0xD00DFEED, total, structure_at, names_at, 40, 17, 16, 0, len(names), len(structure))
    return head + bytes(16) + structure + bytes(names)


def _node(name: str, node: Node, names: bytearray) -> bytes:
    out = words(1) + _padded(name.encode() + b"\0")
    for key, value in node.items():
        if isinstance(value, bytes):
            out += words(3, len(value), len(names)) + _padded(value)
            names += key.encode() + b"\0"
    for key, value in node.items():
        if not isinstance(value, bytes):
            out += _node(key, value, names)
    return out + words(2)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
