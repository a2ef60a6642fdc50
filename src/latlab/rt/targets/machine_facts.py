# SPDX-License-Identifier: BSD-3-Clause
"""What a machine told of itself as facts of a run, and what somebody who measures real-time behaviour would mend on it first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from latlab.rt.targets.machine_inventory import CPUS, IRQS, MachineInventory, cpu_list

PERFORMANCE = "performance"
MITIGATED, VULNERABLE, UNAFFECTED = "Mitigation: ", "Vulnerable", "Not affected"
MOST_IRQS = 8
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
        ("isolated CPUs", "" if inventory.isolated is None else cpu_list(inventory.isolated) or "none"),
        ("CPUs without a tick (nohz_full)", "" if inventory.tickless is None else cpu_list(inventory.tickless) or "none"),
        ("IRQ affinity", _irqs(inventory)),
        ("cpuidle driver", inventory.idle_driver),
        ("clock source", inventory.clock_source),
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


def advice(inventory: MachineInventory) -> list[str]:
    """Each with the command, or the kernel parameter, that mends it. What the machine does not say is not warned of."""
    return [*_on_scheduling(inventory), *_on_isolation(inventory), *_on_frequency(inventory)]


def _on_scheduling(inventory: MachineInventory) -> Iterator[str]:
    if inventory.rt_runtime_us is not None and inventory.rt_runtime_us != -1:
        yield (
            f"RT throttling is on: real-time tasks together get {inventory.rt_runtime_us} µs of each period; "
            "`sysctl -w kernel.sched_rt_runtime_us=-1` switches it off"
        )


def _on_isolation(inventory: MachineInventory) -> Iterator[str]:
    """A machine with one CPU has none to spare."""
    if len(inventory.online) < 2 or inventory.isolated is None:
        return
    if not inventory.isolated:
        spare = sorted(inventory.online)[len(inventory.online) // 2 :]
        others = cpu_list(inventory.online - set(spare))
        yield (
            "no CPU is isolated, so any task and interrupt may run on the measured CPUs; for example boot with "
            f"`isolcpus=managed_irq,domain,{cpu_list(spare)} nohz_full={cpu_list(spare)} irqaffinity={others}`"
        )
        return
    ticking = inventory.isolated - (inventory.tickless or frozenset())
    if inventory.tickless is None:
        yield "this kernel cannot leave out the tick of isolated CPUs; boot one that is built with `CONFIG_NO_HZ_FULL=y`"
    elif ticking:
        yield (
            f"CPUs {cpu_list(ticking)} are "
            f"isolated and keep "
            f"their tick; "
            f"boot with "
            f"`nohz_full={cpu_list(inventory.isolated)}` to leave it out"
        )
    astray = sorted(number for number, cpus in inventory.irqs.items() if cpus & inventory.isolated)
    others = cpu_list(inventory.online - inventory.isolated)
    if astray and others:
        numbers = " ".join(map(str, astray))
        yield (
            f"interrupts may come to isolated CPUs: {_counted(astray)}; "
            f"`for n in {numbers}; do echo {others} >{IRQS}/$n/smp_affinity_list; done` keeps them away"
        )


def _on_frequency(inventory: MachineInventory) -> Iterator[str]:
    scaled = [cpu for cpu, governor in inventory.governors.items() if governor != PERFORMANCE and _scales(inventory, cpu)]
    if scaled:
        names = ", ".join(sorted({inventory.governors[cpu] for cpu in scaled}))
        yield (
            f"the clock of CPUs {cpu_list(scaled)} follows the load (governor {names}); "
            f"`echo {PERFORMANCE} | tee {CPUS}/cpu*/cpufreq/scaling_governor` holds it"
        )
    if inventory.turbo:
        value = 1 if inventory.turbo_switch.endswith("no_turbo") else 0
        yield f"turbo is on: the clock depends on heat and on other cores; `echo {value} >{CPUS}/{inventory.turbo_switch}` switches it off"
    if inventory.smt:
        yield f"threads share cores (SMT) and delay one another; `echo off >{CPUS}/smt/control` leaves one in each core"


def _scales(inventory: MachineInventory, cpu: int) -> bool:
    low, high = inventory.frequencies.get(cpu, (0, 1))
    return low != high


def _clock(inventory: MachineInventory) -> str:
    """By groups of CPUs that are alike."""
    groups: dict[str, list[int]] = defaultdict(list)
    for cpu in sorted(inventory.governors.keys() | inventory.frequencies.keys()):
        low, high = inventory.frequencies.get(cpu, (0, 0))
        span = "" if not high else f"{low / 1000:g} to {high / 1000:g} MHz" if low != high else f"{high / 1000:g} MHz"
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
    parts = [f"{_counted(numbers)} on CPUs {cpus}" for cpus, numbers in sorted(groups.items(), key=lambda group: -len(group[1]))]
    if inventory.default_irq_mask is not None:
        parts.append(
            f"new ones on CPUs {cpu_list(_bits(inventory.default_irq_mask) & inventory.online or _bits(inventory.default_irq_mask))}"
        )
    return "; ".join(parts)


def _counted(numbers: Sequence[int]) -> str:
    if len(numbers) <= MOST_IRQS:
        return f"IRQ{'s' * (len(numbers) != 1)} {', '.join(map(str, numbers))}"
    return f"{len(numbers)} IRQs"


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
