# SPDX-License-Identifier: BSD-3-Clause
"""The idle states of a flattened device tree: nodes that CPUs name themselves, or that the power domains name in which the CPUs are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from latlab.core.errors import DataError
from latlab.core.readers.device_tree import read_tree
from latlab.psci.model import IdleState, IdleStates

MAGIC = b"\xd0\x0d\xfe\xed"
LATENCIES = {
    "entry_us": "entry-latency-us",
    "exit_us": "exit-latency-us",
    "min_residency_us": "min-residency-us",
    "wakeup_us": "wakeup-latency-us",
}
PARAMETER = "arm,psci-suspend-param"
DOMAINS, DOMAIN_STATES, CPU_STATES = "power-domains", "domain-idle-states", "cpu-idle-states"
MOST_DOMAINS = 8
"""One in another; a circle of them would have no end."""


def read_idle_states(data: bytes, place: str) -> IdleStates:
    """Raises DataError where it is no device tree."""
    if not data.startswith(MAGIC):
        raise DataError("not a flattened device tree", "give the .dtb, or a board's own /sys/firmware/fdt, not the source", place=place)
    try:
        tree = read_tree(data)
        nodes = dict(_nodes(tree.root, ""))
    except Exception as error:  # the library has no exception of its own: whatever it says is about these bytes
        raise DataError(f"a damaged device tree ({error or type(error).__name__})", place=place) from error
    by_phandle = {phandles[0]: path for path, node in nodes.items() if (phandles := _words(node, "phandle"))}
    cpus = {path: node for path, node in nodes.items() if _is_cpu(path) and _is_available(node)}
    users: dict[str, list[int]] = {}
    for node in cpus.values():
        for path in _states_of(node, nodes, by_phandle):
            users.setdefault(path, []).append(_affinity(node))
    states = (
        IdleState(
            path,
            next(iter(_words(nodes[path], PARAMETER)), None),
            tuple(sorted(named)),
            **{field: next(iter(_words(nodes[path], name)), None) for field, name in LATENCIES.items()},
        )
        for path, named in users.items()
    )
    return IdleStates(tuple(sorted(map(_affinity, cpus.values()))), tuple(states))


def _nodes(node: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path or "/", node
    for below in node.nodes:
        yield from _nodes(below, f"{path}/{below.name}")


def _states_of(cpu: Any, nodes: Mapping[str, Any], by_phandle: Mapping[int, str]) -> Iterator[str]:
    named = list(_words(cpu, CPU_STATES))
    domain = cpu
    for _ in range(MOST_DOMAINS):
        above = _words(domain, DOMAINS)
        if not above or above[0] not in by_phandle:
            break
        domain = nodes[by_phandle[above[0]]]
        named += _words(domain, DOMAIN_STATES)
    paths = dict.fromkeys(by_phandle[phandle] for phandle in named if phandle in by_phandle)
    yield from (path for path in paths if _is_available(nodes[path]))


def _is_cpu(path: str) -> bool:
    return path.startswith("/cpus/cpu@") and path.count("/") == 2


def _is_available(node: Any) -> bool:
    """The kernel leaves out a node whose status is neither missing nor "okay" nor "ok" (Devicetree Specification, 2.3.4)."""
    held = getattr(node.get_property("status"), "data", None) or ["okay"]
    return held[0] in ("ok", "okay")


def _affinity(cpu: Any) -> int:
    number = 0
    for word in _words(cpu, "reg"):
        number = number << 32 | word
    return number


def _words(node: Any, name: str) -> tuple[int, ...]:
    """The library guesses what a property holds; here it is numbers of 32 bits, whatever they look like."""
    prop = node.get_property(name)
    held = getattr(prop, "data", None)
    if not held:
        return ()
    if isinstance(held, bytes | bytearray):
        raw = bytes(held)
    elif isinstance(held[0], str):
        raw = b"".join(text.encode("latin-1") + b"\0" for text in held)
    else:
        return tuple(held)
    return tuple(int.from_bytes(raw[at : at + 4], "big") for at in range(0, len(raw) // 4 * 4, 4))
