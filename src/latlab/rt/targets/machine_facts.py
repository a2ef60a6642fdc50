# SPDX-License-Identifier: BSD-3-Clause
"""What a machine says of itself, as facts of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from latlab.core.shown import significant
from latlab.rt.targets.machine_inventory import MachineInventory, counted_irqs, cpu_list

MITIGATED, VULNERABLE, UNAFFECTED = "Mitigation: ", "Vulnerable", "Not affected"
Facts = tuple[tuple[str, str], ...]


def machine_facts(inventory: MachineInventory, after: MachineInventory | None = None) -> Facts:
    """`after` is what was collected of temperatures and throttling when the measurement was over."""
    facts = (
        ("board", inventory.board),
        ("CPU", inventory.cpu),
        ("microcode", inventory.microcode),
        ("CPU clock", _clock(inventory)),
        ("turbo", _on(inventory.turbo)),
        ("SMT", _on(inventory.smt)),
        ("memory", f"{inventory.memory_mib} MiB" if inventory.memory_mib else ""),
        ("CPUs that are off", cpu_list(inventory.off)),
        ("isolated CPUs", "" if inventory.isolated is None else cpu_list(inventory.isolated) or "none"),
        ("nohz_full CPUs", "" if inventory.tickless is None else cpu_list(inventory.tickless) or "none"),
        ("IRQ affinity", _irqs(inventory)),
        ("cpuidle driver", inventory.idle_driver),
        ("clock source", inventory.clock_source),
        ("transparent huge pages", inventory.huge_pages),
        ("tuned's profile", inventory.tuned),
        ("vulnerabilities", _vulnerabilities(inventory.vulnerabilities)),
        ("kernel command line", inventory.command_line),
        *heat_facts(inventory, after),
    )
    return tuple((name, value) for name, value in facts if value)


def heat_facts(inventory: MachineInventory, after: MachineInventory | None) -> Facts:
    """Temperatures, and how often the processor throttled itself meanwhile."""
    facts = [("temperature", _temperatures(inventory.celsius, after.celsius if after else {}))]
    if inventory.throttled is not None and after is not None and after.throttled is not None:
        facts.append(("throttled during the measurement", f"{after.throttled - inventory.throttled} times"))
    return tuple((name, value) for name, value in facts if value)


def _clock(inventory: MachineInventory) -> str:
    """By groups of CPUs that are alike."""
    groups: dict[str, list[int]] = defaultdict(list)
    for cpu in sorted(inventory.governors.keys() | inventory.frequencies.keys()):
        low, high = inventory.frequencies.get(cpu, (0, 0))
        span = (
            ""
            if not high
            else f"{significant(low / 1000)} to {significant(high / 1000)} MHz"
            if low != high
            else f"{significant(high / 1000)} MHz"
        )
        governor = f"governor {inventory.governors[cpu]}" if cpu in inventory.governors else ""
        groups[", ".join(filter(None, (span, governor)))].append(cpu)
    parts = [text if len(groups) == 1 else f"CPUs {cpu_list(cpus)}: {text}" for text, cpus in groups.items()]
    if inventory.driver:
        parts.append(f"driver {inventory.driver}")
    if inventory.now_mhz:
        slowest, fastest = f"{min(inventory.now_mhz):.0f}", f"{max(inventory.now_mhz):.0f}"
        parts.append(f"{slowest if slowest == fastest else f'{slowest} to {fastest}'} MHz at the start")
    return "; ".join(parts)


def _on(value: bool | None) -> str:
    return "" if value is None else "on" if value else "off"


def _irqs(inventory: MachineInventory) -> str:
    groups: dict[str, list[int]] = defaultdict(list)
    for number, cpus in sorted(inventory.irqs.items()):
        groups[cpu_list(cpus)].append(number)
    parts = [f"{counted_irqs(numbers)} on CPUs {cpus}" for cpus, numbers in sorted(groups.items(), key=lambda group: -len(group[1]))]
    if inventory.default_irq_mask is not None:
        parts.append(
            f"new ones on CPUs {cpu_list(_bits(inventory.default_irq_mask) & inventory.online or _bits(inventory.default_irq_mask))}"
        )
    return "; ".join(parts)


def _bits(mask: int) -> frozenset[int]:
    return frozenset(number for number in range(mask.bit_length()) if mask >> number & 1)


def _vulnerabilities(by_name: Mapping[str, str]) -> str:
    """The kernel's three words for each; how it is mitigated in its own."""
    open_ = [name for name, status in sorted(by_name.items()) if status.startswith(VULNERABLE)]
    closed = [f"{name} ({status.removeprefix(MITIGATED)})" for name, status in sorted(by_name.items()) if status.startswith(MITIGATED)]
    parts = [f"vulnerable: {', '.join(open_)}" if open_ else "", f"mitigated: {', '.join(closed)}" if closed else ""]
    unaffected = sum(status.startswith(UNAFFECTED) for status in by_name.values())
    parts.append(f"not affected by {unaffected} more" if unaffected else "")
    return "; ".join(filter(None, parts))


def _temperatures(before: Mapping[str, float], after: Mapping[str, float]) -> str:
    parts = [f"{name} {value:.0f}{f' to {after[name]:.0f}' if name in after else ''} °C" for name, value in before.items()]
    return ", ".join(parts)
