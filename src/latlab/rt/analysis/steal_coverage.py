# SPDX-License-Identifier: BSD-3-Clause
"""What a recorder could see of the kernel and of the firmware, in sentences: where it saw nothing, nothing there proves anything."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from latlab.rt.analysis.lateness_parts import MEASURING_TASK, last_on
from latlab.rt.analysis.meter_sentences import blind_sentences, said_cpus
from latlab.rt.model.kernel_events import KernelEvents
from latlab.rt.model.stolen import Regime

SEEN = {
    Regime.RUNS: "the cycle counter runs on in the firmware",
    Regime.STOPS: "the firmware stops the counters and an entry leaves a signature",
    Regime.UNMARKED: "the counters stop without a signature, so preemption by a hypervisor looks the same",
}
NEXT_STEPS = {errno.EPERM: "run it as root", errno.EACCES: "run it as root", errno.ENOENT: "it needs tracefs with the scheduler's events"}


def coverage_sentences(events: KernelEvents) -> tuple[str, ...]:
    """One sentence for each way in which CPUs could be watched or not."""
    sentences = [
        f"{said_cpus([cpu.cpu for cpu in events.meter if cpu.calibration and cpu.calibration.regime is regime])}: "
        f"steal time is measured; {consequence}"
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
    if events.torn:
        sentences.append(f"{events.torn} readings of the counters were torn and do not count")
    return tuple(sentences)


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
