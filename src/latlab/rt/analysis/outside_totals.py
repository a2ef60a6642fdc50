# SPDX-License-Identifier: BSD-3-Clause
"""What took each CPU from its kernel in a whole measurement, by the counts at its begin and its end."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.rt.model.outside_counts import OutsideCounts, StealClock

UNKNOWN_STEAL = {
    StealClock.NO_HYPERVISOR: "the CPU reports no hypervisor, so the kernel has no steal clock",
    StealClock.NOT_OFFERED: "the hypervisor offers this machine no steal clock; on its host, allow KVM's steal time (kvm-steal-time)",
    StealClock.UNSAID: "the kernel's steal clock counted nothing, and this machine cannot report whether the clock exists",
    StealClock.UNREADABLE: "/proc/stat is missing or not the kernel's own, as in some containers; measure outside of the container",
}


@dataclass(frozen=True, slots=True)
class CpuTotals:
    """One CPU from the first count to the last. `stolen_ns` is None if the steal clock is unknown; it has an error below `tick_ns`."""

    cpu: int
    measured_ns: int
    stolen_ns: int | None
    tick_ns: int

    @property
    def stolen_interval_ns(self) -> tuple[int, int]:
        """Both readings are whole ticks, so the difference may be a tick too large or too small."""
        stolen_ns = self.stolen_ns or 0
        return max(0, stolen_ns - self.tick_ns), stolen_ns + self.tick_ns


def totals_of(counts: OutsideCounts) -> tuple[CpuTotals, ...]:
    """A CPU that was counted once has none."""
    is_known = has_steal_clock(counts)
    totals = []
    for cpu in dict.fromkeys(count.cpu for count in counts.counts):
        of_cpu = [count for count in counts.counts if count.cpu == cpu]
        first, last = of_cpu[0], of_cpu[-1]
        if len(of_cpu) < 2:
            continue
        has_both = is_known and first.steal_ticks is not None and last.steal_ticks is not None
        ticks = (last.steal_ticks or 0) - (first.steal_ticks or 0)
        totals.append(CpuTotals(cpu, last.ns - first.ns, ticks * counts.tick_ns if has_both else None, counts.tick_ns))
    return tuple(totals)


def has_steal_clock(counts: OutsideCounts) -> bool:
    """Whether 0 means nothing: the hypervisor offers the clock, or it has ever counted."""
    return counts.steal is StealClock.KNOWN or any(count.steal_ticks for count in counts.counts)


def unknown_sentences(counts: OutsideCounts) -> tuple[str, ...]:
    """What could not be counted, and why."""
    if has_steal_clock(counts):
        return ()
    return (f"Steal time by a hypervisor is unknown: {UNKNOWN_STEAL[counts.steal]}",)
