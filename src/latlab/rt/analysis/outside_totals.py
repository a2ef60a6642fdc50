# SPDX-License-Identifier: BSD-3-Clause
"""What took each CPU from its kernel in a whole measurement, by the counts at its begin and its end."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.rt.model.outside_counts import OutsideCounts, SmiSource, StealClock

SMI_COUNT_WRAPS = 1 << 32
UNKNOWN_STEAL = {
    StealClock.NO_HYPERVISOR: "the CPU reports no hypervisor, so the kernel has no steal clock",
    StealClock.NOT_OFFERED: "the hypervisor offers this machine no steal clock; on its host, allow KVM's steal time (kvm-steal-time)",
    StealClock.UNSAID: "the kernel's steal clock counted nothing, and this machine cannot report whether the clock exists",
    StealClock.UNREADABLE: "/proc/stat is missing or not the kernel's own, as in some containers; measure outside of the container",
}
UNKNOWN_SMIS = {
    SmiSource.NONE: "the kernel has no event msr/smi/ and no device /dev/cpu/N/msr; run `modprobe msr`, on an Intel processor. A virtual "
    "machine rarely has this count, and its host's SMIs look like a preemption by the hypervisor",
    SmiSource.NOT_PERMITTED: "the kernel does not let this user count them; run as root",
}
"""Only x86 has these interrupts."""


@dataclass(frozen=True, slots=True)
class CpuTotals:
    """One CPU from the first count to the last. `stolen_ns` is None if the steal clock is unknown; it has an error below `tick_ns`.
    `smis` is None if nothing counts them."""

    cpu: int
    measured_ns: int
    stolen_ns: int | None
    tick_ns: int
    smis: int | None = None

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
        smis = (last.smis - first.smis) % SMI_COUNT_WRAPS if last.smis is not None and first.smis is not None else None
        ticks = (last.steal_ticks or 0) - (first.steal_ticks or 0)
        totals.append(CpuTotals(cpu, last.ns - first.ns, ticks * counts.tick_ns if has_both else None, counts.tick_ns, smis))
    return tuple(totals)


def has_steal_clock(counts: OutsideCounts) -> bool:
    """Whether 0 means nothing: the hypervisor offers the clock, or it has ever counted."""
    return counts.steal is StealClock.KNOWN or any(count.steal_ticks for count in counts.counts)


def unknown_sentences(counts: OutsideCounts) -> tuple[str, ...]:
    """What could not be counted, and why."""
    sentences = [] if has_steal_clock(counts) else [f"Steal time by a hypervisor is unknown: {UNKNOWN_STEAL[counts.steal]}"]
    sources = {source for _, source in counts.smi_sources if source in UNKNOWN_SMIS}
    sentences += [f"System management interrupts (SMI) are unknown: {UNKNOWN_SMIS[source]}" for source in sorted(sources)]
    return tuple(sentences)


def is_alone(counts: OutsideCounts | None) -> bool:
    """Whether nothing takes a CPU from its kernel uncounted: no hypervisor is there, and each CPU counts its SMIs."""
    if counts is None or counts.steal is not StealClock.NO_HYPERVISOR or not counts.smi_sources:
        return False
    return all(source is SmiSource.EVENT for _, source in counts.smi_sources)
