# SPDX-License-Identifier: BSD-3-Clause
"""What a machine told of itself as facts of a run, and what somebody who measures real-time behaviour would mend on it first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from latlab.targets.linux.measured_on import CPUS, IRQS, MeasuredOn, cpu_list

PERFORMANCE = "performance"
MITIGATED, VULNERABLE, UNAFFECTED = "Mitigation: ", "Vulnerable", "Not affected"
MOST_IRQS = 8
Facts = tuple[tuple[str, str], ...]


def machine_facts(found: MeasuredOn, after: MeasuredOn | None = None) -> Facts:
    """`after` is what was collected of temperatures and throttling when the measurement was over."""
    facts = (
        ("board", found.board),
        ("CPU", found.cpu),
        ("microcode", found.microcode),
        ("CPU clock", _clock(found)),
        ("turbo", _on(found.turbo)),
        ("SMT", _on(found.smt)),
        ("memory", f"{found.memory_mib} MiB" if found.memory_mib else ""),
        ("isolated CPUs", "" if found.isolated is None else cpu_list(found.isolated) or "none"),
        ("CPUs without a tick (nohz_full)", "" if found.tickless is None else cpu_list(found.tickless) or "none"),
        ("IRQ affinity", _irqs(found)),
        ("cpuidle driver", found.idle_driver),
        ("clock source", found.clock_source),
        ("vulnerabilities", _vulnerabilities(found.vulnerabilities)),
        ("kernel command line", found.command_line),
        *heat_facts(found, after),
    )
    return tuple((name, value) for name, value in facts if value)


def heat_facts(found: MeasuredOn, after: MeasuredOn | None) -> Facts:
    """Temperatures, and how often the processor throttled itself meanwhile."""
    facts = [("temperature", _temperatures(found.celsius, after.celsius if after else {}))]
    if found.throttled is not None and after is not None and after.throttled is not None:
        facts.append(("throttled during the measurement", f"{after.throttled - found.throttled} times"))
    return tuple((name, value) for name, value in facts if value)


def advice(found: MeasuredOn) -> list[str]:
    """Each with the command, or the kernel parameter, that mends it. What the machine does not say is not warned of."""
    return [*_on_scheduling(found), *_on_isolation(found), *_on_frequency(found)]


def _on_scheduling(found: MeasuredOn) -> Iterator[str]:
    if found.rt_runtime_us is not None and found.rt_runtime_us != -1:
        yield (
            f"RT throttling is on: real-time tasks together get {found.rt_runtime_us} µs of each period; "
            "`sysctl -w kernel.sched_rt_runtime_us=-1` switches it off"
        )


def _on_isolation(found: MeasuredOn) -> Iterator[str]:
    """A machine with one CPU has none to spare."""
    if len(found.online) < 2 or found.isolated is None:
        return
    if not found.isolated:
        spare = sorted(found.online)[len(found.online) // 2 :]
        others = cpu_list(found.online - set(spare))
        yield (
            "no CPU is isolated, so any task and interrupt may run on the measured CPUs; for example boot with "
            f"`isolcpus=managed_irq,domain,{cpu_list(spare)} nohz_full={cpu_list(spare)} irqaffinity={others}`"
        )
        return
    ticking = found.isolated - (found.tickless or frozenset())
    if found.tickless is None:
        yield "this kernel cannot leave out the tick of isolated CPUs; boot one that is built with `CONFIG_NO_HZ_FULL=y`"
    elif ticking:
        yield f"CPUs {cpu_list(ticking)} are isolated and keep their tick; boot with `nohz_full={cpu_list(found.isolated)}` to leave it out"
    astray = sorted(number for number, cpus in found.irqs.items() if cpus & found.isolated)
    others = cpu_list(found.online - found.isolated)
    if astray and others:
        numbers = " ".join(map(str, astray))
        yield (
            f"interrupts may come to isolated CPUs: {_counted(astray)}; "
            f"`for n in {numbers}; do echo {others} >{IRQS}/$n/smp_affinity_list; done` keeps them away"
        )


def _on_frequency(found: MeasuredOn) -> Iterator[str]:
    scaled = [cpu for cpu, governor in found.governors.items() if governor != PERFORMANCE and _scales(found, cpu)]
    if scaled:
        names = ", ".join(sorted({found.governors[cpu] for cpu in scaled}))
        yield (
            f"the clock of CPUs {cpu_list(scaled)} follows the load (governor {names}); "
            f"`echo {PERFORMANCE} | tee {CPUS}/cpu*/cpufreq/scaling_governor` holds it"
        )
    if found.turbo:
        value = 1 if found.turbo_switch.endswith("no_turbo") else 0
        yield f"turbo is on: the clock depends on heat and on other cores; `echo {value} >{CPUS}/{found.turbo_switch}` switches it off"
    if found.smt:
        yield f"threads share cores (SMT) and delay one another; `echo off >{CPUS}/smt/control` leaves one in each core"


def _scales(found: MeasuredOn, cpu: int) -> bool:
    low, high = found.frequencies.get(cpu, (0, 1))
    return low != high


def _clock(found: MeasuredOn) -> str:
    """By groups of CPUs that are alike."""
    groups: dict[str, list[int]] = defaultdict(list)
    for cpu in sorted(found.governors.keys() | found.frequencies.keys()):
        low, high = found.frequencies.get(cpu, (0, 0))
        span = "" if not high else f"{low / 1000:g} to {high / 1000:g} MHz" if low != high else f"{high / 1000:g} MHz"
        governor = f"governor {found.governors[cpu]}" if cpu in found.governors else ""
        groups[", ".join(filter(None, (span, governor)))].append(cpu)
    parts = [text if len(groups) == 1 else f"CPUs {cpu_list(cpus)}: {text}" for text, cpus in groups.items()]
    if found.driver:
        parts.append(f"driver {found.driver}")
    if found.now_mhz:
        slowest, fastest = f"{min(found.now_mhz):.0f}", f"{max(found.now_mhz):.0f}"
        parts.append(f"{slowest if slowest == fastest else f'{slowest} to {fastest}'} MHz at the start")
    return "; ".join(parts)


def _on(value: bool | None) -> str:
    return "" if value is None else "on" if value else "off"


def _irqs(found: MeasuredOn) -> str:
    groups: dict[str, list[int]] = defaultdict(list)
    for number, cpus in sorted(found.irqs.items()):
        groups[cpu_list(cpus)].append(number)
    parts = [f"{_counted(numbers)} on CPUs {cpus}" for cpus, numbers in sorted(groups.items(), key=lambda group: -len(group[1]))]
    if found.default_irq_mask is not None:
        parts.append(f"new ones on CPUs {cpu_list(_bits(found.default_irq_mask) & found.online or _bits(found.default_irq_mask))}")
    return "; ".join(parts)


def _counted(numbers: Sequence[int]) -> str:
    if len(numbers) <= MOST_IRQS:
        return f"IRQ{'s' * (len(numbers) != 1)} {', '.join(map(str, numbers))}"
    return f"{len(numbers)} IRQs"


def _bits(mask: int) -> frozenset[int]:
    return frozenset(number for number in range(mask.bit_length()) if mask >> number & 1)


def _vulnerabilities(found: Mapping[str, str]) -> str:
    """The kernel's three words for each; how it is mitigated in its own."""
    open_ = [name for name, said in sorted(found.items()) if said.startswith(VULNERABLE)]
    closed = [f"{name} ({said.removeprefix(MITIGATED)})" for name, said in sorted(found.items()) if said.startswith(MITIGATED)]
    parts = [f"vulnerable: {', '.join(open_)}" if open_ else "", f"mitigated: {', '.join(closed)}" if closed else ""]
    unaffected = sum(said.startswith(UNAFFECTED) for said in found.values())
    parts.append(f"not affected by {unaffected} more" if unaffected else "")
    return "; ".join(filter(None, parts))


def _temperatures(before: Mapping[str, float], after: Mapping[str, float]) -> str:
    said = [f"{name} {value:.0f}{f' to {after[name]:.0f}' if name in after else ''} °C" for name, value in before.items()]
    return ", ".join(said)
