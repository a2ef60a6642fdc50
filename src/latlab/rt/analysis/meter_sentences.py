# SPDX-License-Identifier: BSD-3-Clause
"""Sentences on why the cycle counters of a CPU cannot measure steal time."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.rt.model.stolen import Blind, CpuStolen

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


def blind_sentences(cpus: Sequence[CpuStolen]) -> tuple[str, ...]:
    """One sentence for each reason, with its CPUs."""
    return tuple(
        f"{said_cpus([cpu.cpu for cpu in cpus if cpu.blind is reason])}: steal time is not measurable: {REASONS[reason]}"
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
