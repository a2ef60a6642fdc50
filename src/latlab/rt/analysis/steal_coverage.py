# SPDX-License-Identifier: BSD-3-Clause
"""What a recorder and a steal meter could measure, in sentences: what they could not see proves nothing."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence

from latlab.rt.analysis.lateness_parts import MEASURING_TASK, last_on
from latlab.rt.model.kernel_events import KernelEvents, StepKind
from latlab.rt.model.stolen import Blind, CpuStolen, Regime

SEEN = {
    Regime.RUNS: "the cycle counter runs on in the firmware",
    Regime.STOPS: "the firmware stops the counters and an entry leaves a signature",
    Regime.UNMARKED: "the counters stop without a signature, so preemption by a hypervisor looks the same",
}
NEXT_STEPS = {errno.EPERM: "run it as root", errno.EACCES: "run it as root", errno.ENOENT: "it needs tracefs with the scheduler's events"}

REASONS = {
    Blind.ARCHITECTURE: "the machine has no 64-bit Arm CPUs, and other CPUs have no pair of counters of which one stops in the firmware",
    Blind.NO_PMU: "the kernel has no cycle counter there, as in a virtual machine without a PMU or with a device tree that lacks it",
    Blind.NOT_PERMITTED: "the kernel does not let this user count cycles; run as root or with CAP_PERFMON",
    Blind.COUNTERS_TAKEN: "another program uses the counters; end other uses of perf, and boot with nowatchdog",
    Blind.SILENT: "the counters do not count",
    Blind.NO_CALL: "no known call into the firmware is possible there, so latlab cannot verify the counters. "
    "Load a driver of the firmware's TRNG or of OP-TEE, or mount debugfs on a kernel from 6.2 on, and run as root",
    Blind.NOTHING_SEEN: "calls into the firmware left no signature: the counters continue there (MDCR_EL3.SPME), "
    "or the calls did not reach it",
}


RESTS_ON = {
    "sched_migrate_task": "throttling",
    "page_fault_user": "page faults",
    "contention_begin": "kernel locks",
    "cpu_idle": "the idle state that a CPU leaves",
}
"""Of tracepoints that not every kernel or recorder has: the causes that are unknown without them."""


def coverage_sentences(events: KernelEvents) -> tuple[str, ...]:
    """One sentence for each way in which CPUs could be watched or not."""
    sentences = [
        f"{said_cpus([cpu.cpu for cpu in events.meter if cpu.calibration and cpu.calibration.regime is regime])}: "
        f"time in firmware is measured; {consequence}"
        for regime, consequence in SEEN.items()
        if any(cpu.calibration and cpu.calibration.regime is regime for cpu in events.meter)
    ]
    sentences += blind_sentences(events.meter)
    for error in dict.fromkeys(error for _, error in events.closed):
        cpus = said_cpus([cpu for cpu, other in events.closed if other == error])
        sentences.append(
            f"{cpus}: the kernel's events cannot be read ({os.strerror(error)}), so latlab names no kernel cause; "
            f"{NEXT_STEPS.get(error, 'perf_event_open(2) says what this error means')}"
        )
    sentences += _cut_short(events)
    sentences += _not_traced(events)
    sentences += _frequencies(events)
    if events.torn:
        sentences.append(f"{events.torn} readings of the counters were torn and do not count")
    return tuple(sentences)


def unread_events(events: KernelEvents) -> dict[int, str]:
    """Why the kernel's events of a CPU could not be read, by CPU."""
    return {cpu: f"the kernel's events of {said_cpus([cpu])} could not be read ({os.strerror(error)})" for cpu, error in events.closed}


def _cut_short(events: KernelEvents) -> Iterator[str]:
    """Of CPUs on which the kernel's events of late wake-ups end before the switch to the thread."""
    for cpu in sorted({late.cpu for late in events.late}):
        last = [last_on(late) for late in events.late if late.cpu == cpu]
        cut = [thread for thread in last if thread is None or thread.name != MEASURING_TASK]
        idle = sum(thread is not None and thread.is_idle for thread in cut)
        if cut:
            ends = f"; {idle} of them end when the CPU goes idle, and the kernel records no event of its idle task" if idle else ""
            yield (
                f"CPU {cpu}: the kernel's events of {len(cut)} of {len(last)} late wake-ups do not reach the thread, "
                f"so latlab names no kernel cause for them{ends}"
            )


def _not_traced(events: KernelEvents) -> Iterator[str]:
    unknown = [cause for point, cause in RESTS_ON.items() if point not in events.traced]
    if unknown and events.traced:
        yield f"the kernel or the recorder lacks the events of these causes, so they are unknown: {', '.join(unknown)}"


def _frequencies(events: KernelEvents) -> Iterator[str]:
    """A change of the frequency is no cause: nothing shows how long the CPU would have taken at the other one."""
    for cpu in sorted({late.cpu for late in events.late}):
        of_cpu = [late for late in events.late if late.cpu == cpu]
        changed = sum(any(step.step is StepKind.FREQUENCY for step in late.steps) for late in of_cpu)
        if changed:
            yield (
                f"CPU {cpu}: its frequency changed in the records of {changed} of {len(of_cpu)} late wake-ups; "
                "no lateness is attributed to that"
            )


def blind_sentences(cpus: Sequence[CpuStolen]) -> tuple[str, ...]:
    """One sentence for each reason, with its CPUs."""
    return tuple(
        f"{said_cpus([cpu.cpu for cpu in cpus if cpu.blind is reason])}: time in firmware is not measurable by cycle counters: "
        f"{REASONS[reason]}"
        for reason in dict.fromkeys(cpu.blind for cpu in cpus)
        if reason is not None
    )


def said_cpus(numbers: Sequence[int]) -> str:
    """`CPU 3`, `CPUs 0-3, 6`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    text = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return f"CPU{'s' * (len(numbers) > 1)} {text}"
