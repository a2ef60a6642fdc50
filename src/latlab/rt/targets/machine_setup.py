# SPDX-License-Identifier: BSD-3-Clause
"""How a machine is set up for real-time work: each point with where the machine says it, and the command or boot option that changes it.

Sources: Linux, Documentation/admin-guide (kernel-parameters.txt, kernel-per-CPU-kthreads.rst, pm/cpuidle.rst, pm/cpufreq.rst,
mm/transhuge.rst), Documentation/scheduler/sched-rt-group.rst, Documentation/timers/no_hz.rst; tuned-adm(8).
"""

from __future__ import annotations

from collections.abc import Iterator

from latlab.rt.model.machine_setup import SetupCheck, SetupTopic
from latlab.rt.targets.machine_inventory import (
    CLOCK_SOURCE,
    COMMAND_LINE,
    CPUS,
    HUGE_PAGES,
    IRQS,
    PREEMPT,
    RUNTIME,
    SMI_EVENT,
    TUNED,
    VERSION,
    MachineInventory,
    counted_irqs,
    cpu_list,
)
from latlab.rt.targets.preemption import ADVICE, REALTIME

PERFORMANCE = "performance"
UNKNOWN = "unknown"
PRIORITY = 80
"""Of the measuring threads, if the user names no other."""
LONG_EXIT_US = 10
"""An idle state with a longer exit latency shows in the maximum of most machines."""
SLOW_CLOCKS = frozenset({"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"})
OF_REAL_TIME = ("realtime", "cpu-partitioning")


def advice(inventory: MachineInventory) -> list[str]:
    """What disturbs, each with the command or the boot option that changes it. Nothing of what the machine does not say. The preemption
    model has a note of its own."""
    return [check.advice for check in setup_checks(inventory) if check.is_fine is False and check.topic is not SetupTopic.PREEMPTION]


def setup_checks(inventory: MachineInventory, priority: int = PRIORITY) -> tuple[SetupCheck, ...]:
    """Every point of which the machine's architecture has something; `priority` is that of the measured thread."""
    return tuple(_checks(inventory, priority))


def switches_on(cpu: int) -> str:
    return f"echo 1 >{CPUS}/cpu{cpu}/online"


def _checks(inventory: MachineInventory, priority: int) -> Iterator[SetupCheck]:
    yield from _offline(inventory)
    yield _preemption(inventory)
    yield _throttling(inventory)
    yield from _isolation(inventory)
    yield from _irq_affinity(inventory)
    yield _irq_threads(inventory, priority)
    yield _frequency(inventory)
    yield from _turbo(inventory)
    yield _idle_states(inventory)
    yield from _smt(inventory)
    yield _huge_pages(inventory)
    yield from _smis(inventory)
    yield _clock_source(inventory)
    yield _tuned(inventory)


def _offline(inventory: MachineInventory) -> Iterator[SetupCheck]:
    """Where SMT is switched off, the CPUs that are off are its second threads."""
    if not inventory.online:
        return
    source = f"{CPUS}/present, {CPUS}/online"
    if not inventory.off or inventory.is_smt_forbidden:
        yield SetupCheck(SetupTopic.OFFLINE, cpu_list(inventory.off) or "none", source)
        return
    first, cpus = min(inventory.off), cpu_list(inventory.off)
    is_are, pronoun = ("are", "they are") if len(inventory.off) > 1 else ("is", "it is")
    finding = f"CPU {cpus} {is_are} off, so {pronoun} not measured"
    yield SetupCheck(SetupTopic.OFFLINE, cpus, source, False, finding, f"`{switches_on(first)}` switches CPU {first} on")


def _preemption(inventory: MachineInventory) -> SetupCheck:
    source = f"/sys/kernel/realtime, {PREEMPT}, {COMMAND_LINE}, /proc/config.gz, {VERSION}"
    model = inventory.preemption
    if model is None:
        return SetupCheck(SetupTopic.PREEMPTION, UNKNOWN, source, None, remedy=f"mount debugfs, whose {PREEMPT} says it")
    if model == REALTIME:
        return SetupCheck(SetupTopic.PREEMPTION, "PREEMPT_RT", source)
    effect, _, remedy = ADVICE.get(model, "").partition("; ")
    if not remedy or model == "lazy":
        remedy = "a PREEMPT_RT kernel also preempts softirqs, interrupt handlers and most kernel locks"
        return SetupCheck(SetupTopic.PREEMPTION, model, source, None, remedy=remedy)
    return SetupCheck(SetupTopic.PREEMPTION, model, source, False, f"with the preemption model {model} {effect}", remedy)


def _throttling(inventory: MachineInventory) -> SetupCheck:
    runtime_us, period_us = inventory.rt_runtime_us, inventory.rt_period_us
    if runtime_us is None:
        return SetupCheck(SetupTopic.THROTTLING, UNKNOWN, RUNTIME, None)
    if runtime_us == -1:
        return SetupCheck(SetupTopic.THROTTLING, "off", RUNTIME)
    of_period = f" of {period_us} µs" if period_us else ""
    finding = f"RT throttling is on: real-time tasks together get {runtime_us} µs of each period"
    remedy = "`sysctl -w kernel.sched_rt_runtime_us=-1` switches it off"
    return SetupCheck(SetupTopic.THROTTLING, f"after {runtime_us} µs{of_period}", RUNTIME, False, finding, remedy)


def _isolation(inventory: MachineInventory) -> Iterator[SetupCheck]:
    """A machine with one CPU has none to spare."""
    isolated, tickless = inventory.isolated, inventory.tickless
    source = f"{CPUS}/isolated"
    if isolated is None or len(inventory.online) < 2:
        yield SetupCheck(SetupTopic.ISOLATION, UNKNOWN if isolated is None else "none, of one CPU", source, None)
        return
    if not isolated:
        spare = sorted(inventory.online)[len(inventory.online) // 2 :]
        others = cpu_list(inventory.online - set(spare))
        finding = "no CPU is isolated, so any task and interrupt may run on the measured CPUs"
        remedy = f"for example boot with `isolcpus=managed_irq,domain,{cpu_list(spare)} nohz_full={cpu_list(spare)} irqaffinity={others}`"
        yield SetupCheck(SetupTopic.ISOLATION, "none", source, False, finding, remedy)
        return
    yield SetupCheck(SetupTopic.ISOLATION, cpu_list(isolated), source)
    source = f"{CPUS}/nohz_full"
    ticking = isolated - (tickless or frozenset())
    if tickless is None:
        finding = "this kernel cannot leave out the tick of isolated CPUs"
        remedy = "boot a kernel that is built with `CONFIG_NO_HZ_FULL=y`"
        yield SetupCheck(SetupTopic.TICK, "not built in", source, False, finding, remedy)
    elif ticking:
        finding = f"CPUs {cpu_list(ticking)} are isolated and keep their tick"
        remedy = f"boot with `nohz_full={cpu_list(isolated)}` to leave it out"
        yield SetupCheck(SetupTopic.TICK, cpu_list(tickless) or "none", source, False, finding, remedy)
    else:
        yield SetupCheck(SetupTopic.TICK, cpu_list(tickless), source)


def _irq_affinity(inventory: MachineInventory) -> Iterator[SetupCheck]:
    source, isolated = f"{IRQS}/N/smp_affinity_list", inventory.isolated or frozenset()
    if not inventory.irqs:
        return
    astray = sorted(number for number, cpus in inventory.irqs.items() if cpus & isolated)
    others = cpu_list(inventory.online - isolated)
    if not astray or not others:
        value = "none on isolated CPUs" if isolated else f"{len(inventory.irqs)} IRQs, on any CPU"
        yield SetupCheck(SetupTopic.IRQ_AFFINITY, value, source, True if isolated else None)
        return
    numbers = " ".join(map(str, astray))
    finding = f"interrupts may come to isolated CPUs: {counted_irqs(astray)}"
    remedy = f"`for n in {numbers}; do echo {others} >{IRQS}/$n/smp_affinity_list; done` keeps them away"
    yield SetupCheck(SetupTopic.IRQ_AFFINITY, f"{counted_irqs(astray)} on isolated CPUs", source, False, finding, remedy)


def _irq_threads(inventory: MachineInventory, priority: int) -> SetupCheck:
    """A thread of the same priority is not preempted either."""
    source, threads = "/proc/PID/stat of the threads irq/*", inventory.irq_threads
    if not threads:
        return SetupCheck(SetupTopic.IRQ_THREADS, "none", source)
    value = f"{len(threads)}, up to priority {max(threads.values())}"
    before = sorted(name for name, of_thread in threads.items() if of_thread >= priority)
    if not before:
        return SetupCheck(SetupTopic.IRQ_THREADS, value, source)
    finding = f"IRQ threads have priority {priority} or more: {', '.join(before)}"
    return SetupCheck(SetupTopic.IRQ_THREADS, value, source, False, finding, "`chrt -f -p 50 PID` gives such a thread the usual one")


def _frequency(inventory: MachineInventory) -> SetupCheck:
    source, governors = f"{CPUS}/cpuN/cpufreq/scaling_governor", inventory.governors
    if not governors:
        return SetupCheck(SetupTopic.FREQUENCY, "no cpufreq driver", source, None)
    value = f"governor {', '.join(sorted(set(governors.values())))}"
    scaled = [cpu for cpu, governor in governors.items() if governor != PERFORMANCE and _scales(inventory, cpu)]
    if not scaled:
        return SetupCheck(SetupTopic.FREQUENCY, value, source)
    names = ", ".join(sorted({governors[cpu] for cpu in scaled}))
    finding = f"the clock of CPUs {cpu_list(scaled)} follows the load (governor {names})"
    remedy = f"`echo {PERFORMANCE} | tee {CPUS}/cpu*/cpufreq/scaling_governor` holds it"
    return SetupCheck(SetupTopic.FREQUENCY, value, source, False, finding, remedy)


def _turbo(inventory: MachineInventory) -> Iterator[SetupCheck]:
    if inventory.turbo is None:
        return
    source = f"{CPUS}/{inventory.turbo_switch}"
    if not inventory.turbo:
        yield SetupCheck(SetupTopic.TURBO, "off", source)
        return
    value = 1 if inventory.turbo_switch.endswith("no_turbo") else 0
    finding = "turbo is on: the clock depends on heat and on other cores"
    yield SetupCheck(SetupTopic.TURBO, "on", source, False, finding, f"`echo {value} >{source}` switches it off")


def _idle_states(inventory: MachineInventory) -> SetupCheck:
    source = f"{CPUS}/cpuN/cpuidle"
    if not inventory.idle_states:
        return SetupCheck(SetupTopic.IDLE_STATES, inventory.idle_driver or "no cpuidle driver", source, None)
    deepest = max(inventory.idle_states, key=lambda state: state.latency_us)
    value = f"deepest {deepest.name}, exit latency {deepest.latency_us} µs"
    if deepest.latency_us <= LONG_EXIT_US:
        return SetupCheck(SetupTopic.IDLE_STATES, value, source)
    finding = (
        f"the idle state {deepest.name} takes up to {deepest.latency_us} µs to leave, unless a program holds /dev/cpu_dma_latency at 0"
    )
    remedy = f"`echo 1 | tee {CPUS}/cpu*/cpuidle/state{deepest.number}/disable` forbids it"
    return SetupCheck(SetupTopic.IDLE_STATES, value, source, False, finding, remedy)


def _smt(inventory: MachineInventory) -> Iterator[SetupCheck]:
    source = f"{CPUS}/smt/active"
    if inventory.smt is None:
        return
    if not inventory.smt:
        yield SetupCheck(SetupTopic.SMT, "off", source)
        return
    finding = "threads share cores (SMT) and delay one another"
    yield SetupCheck(SetupTopic.SMT, "on", source, False, finding, f"`echo off >{CPUS}/smt/control` leaves one in each core")


def _huge_pages(inventory: MachineInventory) -> SetupCheck:
    if not inventory.huge_pages:
        return SetupCheck(SetupTopic.HUGE_PAGES, "not built in", HUGE_PAGES)
    if inventory.huge_pages != "always":
        return SetupCheck(SetupTopic.HUGE_PAGES, inventory.huge_pages, HUGE_PAGES)
    finding = "the kernel joins the pages of any program to huge pages, which takes page faults and the thread khugepaged"
    return SetupCheck(SetupTopic.HUGE_PAGES, "always", HUGE_PAGES, False, finding, f"`echo madvise >{HUGE_PAGES}` leaves them to programs")


def _smis(inventory: MachineInventory) -> Iterator[SetupCheck]:
    """Only x86 has them; nothing can switch off all of them."""
    if not inventory.is_x86:
        return
    if inventory.counts_smis:
        yield SetupCheck(SetupTopic.SMI, "counted", SMI_EVENT)
        return
    yield SetupCheck(SetupTopic.SMI, "not counted", SMI_EVENT, None, remedy="`modprobe msr` lets latlab count them on an Intel processor")


def _clock_source(inventory: MachineInventory) -> SetupCheck:
    name = inventory.clock_source
    if not name:
        return SetupCheck(SetupTopic.CLOCK_SOURCE, UNKNOWN, CLOCK_SOURCE, None)
    if name not in SLOW_CLOCKS:
        return SetupCheck(SetupTopic.CLOCK_SOURCE, name, CLOCK_SOURCE)
    better = next((other for other in inventory.clock_sources if other not in SLOW_CLOCKS), None)
    finding = f"each reading of the clock source {name} takes a microsecond or more"
    remedy = f"`echo {better} >{CLOCK_SOURCE}` takes a faster one" if better else "`dmesg | grep -i clocksource` says why it was chosen"
    return SetupCheck(SetupTopic.CLOCK_SOURCE, name, CLOCK_SOURCE, False, finding, remedy)


def _tuned(inventory: MachineInventory) -> SetupCheck:
    """Without tuned the points above are set by other means."""
    if not inventory.tuned:
        return SetupCheck(SetupTopic.TUNED, "none", TUNED, None)
    if inventory.tuned.startswith(OF_REAL_TIME):
        return SetupCheck(SetupTopic.TUNED, inventory.tuned, TUNED)
    finding = f"tuned's profile {inventory.tuned} is not one for real time, and may undo what is set here"
    return SetupCheck(SetupTopic.TUNED, inventory.tuned, TUNED, False, finding, "`tuned-adm profile realtime` sets up the points above")


def _scales(inventory: MachineInventory, cpu: int) -> bool:
    low, high = inventory.frequencies.get(cpu, (0, 1))
    return low != high
