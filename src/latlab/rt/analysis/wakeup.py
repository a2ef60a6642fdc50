# SPDX-License-Identifier: BSD-3-Clause
"""Wake-ups of one CPU as a tool measured them: percentiles, what was never measured, and whether two tools agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from latlab.core.comparison.wakeup_findings import THINGS
from latlab.core.model.distributions import Counts, Distribution
from latlab.core.model.enums import Metric, RowKind
from latlab.core.statistics.histogram import Histogram, share_up_to
from latlab.rt.model.wakeups import Wakeups

PERCENTILES = (50.0, 99.0, 99.9, 99.99, 99.999)


def with_schedule(wakeups: Wakeups, interval_ns: int, duration_s: float) -> Wakeups:
    """The same, with what a fixed schedule asked for: a tool that skips periods and does not say so is found out by its count."""
    expected = int(duration_s * 1e9) // interval_ns
    cpus = tuple(
        cpu if cpu.missed is not None else replace(cpu, expected=expected, missed=max(expected - cpu.got, 0)) for cpu in wakeups.cpus
    )
    return replace(wakeups, interval_ns=interval_ns, cpus=cpus)


def never_woke(metric: Metric, cpu: Distribution) -> bool:
    """Whether a measuring thread did not run once: its minimum and maximum are the tool's start values then, and no figures. A busy loop
    that counts no stall is another thing: nothing disturbed it."""
    return metric is Metric.TASK_WAKEUP and cpu.got == 0


def silence(wakeups: Wakeups, cpu: Distribution) -> str:
    """A sentence where a CPU never woke; empty where it did."""
    if not never_woke(wakeups.metric, cpu):
        return ""
    most = max(wakeups.cpus, key=lambda candidate: candidate.got)
    other = f"{wakeups.rows.named(most.number)} counted {most.got:,}" if most.got else "nor did any other"
    due = f"{cpu.expected:,} were due" if cpu.expected else other
    return f"{wakeups.tool}: {wakeups.rows.named(cpu.number)} never woke, {due}"


def disagreement(cpu: Distribution, rows: RowKind = RowKind.CPU) -> str:
    """A sentence where the counts of a CPU cannot be right together; empty where they can."""
    has_histogram = cpu.counts or cpu.digest  # what makes a checksum of each wake-up counts each
    if has_histogram and cpu.counted != cpu.got:
        return f"{rows.named(cpu.number)}: the histogram has {cpu.counted} samples, the tool says {cpu.got}"
    if cpu.expected is not None and cpu.got + (cpu.missed or 0) < cpu.expected:
        short = cpu.expected - cpu.got - (cpu.missed or 0)
        return f"{rows.named(cpu.number)}: {cpu.expected} wake-ups were due, {cpu.got} were measured; {short} are unaccounted for"
    return ""


def spans_of(side: Histogram) -> str:
    """What is counted: a wake-up, or a stall of a busy loop."""
    return THINGS.get(side.distribution.metric, "span")


def same_distribution_ks(a: Histogram, b: Histogram, resolution_ns: int) -> float:
    """The largest distance between the two distribution functions, both seen at `resolution_ns` (Kolmogorov-Smirnov's statistic)."""
    a_steps, b_steps = a.low // resolution_ns, b.low // resolution_ns
    points = np.union1d(a_steps, b_steps)
    distances = np.abs(share_up_to(a_steps, a.counts, points, a.total) - share_up_to(b_steps, b.counts, points, b.total))
    return float(distances.max()) if len(distances) else 0.0


FEWEST_ABOVE = 10


@dataclass(frozen=True, slots=True)
class Agreement:
    """One CPU by two tools. `distance` is the largest between their distribution functions, None where one has no histogram."""

    cpu: int
    distance: float | None
    missed_by_first: int | None
    missed_by_second: int | None
    clipped_by_second: int | None


def agreement(first: Wakeups, second: Wakeups) -> tuple[Agreement, ...]:
    """Each CPU that both have measured, by the second's resolution."""
    others = {cpu.number: cpu for cpu in second.cpus}
    return tuple(
        Agreement(
            cpu.number,
            _distance(cpu, other, second.resolution_ns),
            cpu.missed,
            other.missed,
            other.beyond if other.counts or other.beyond else None,
        )
        for cpu in first.cpus
        if (other := others.get(cpu.number)) is not None
    )


def told_percentiles(cpus: Sequence[Distribution]) -> tuple[float, ...]:
    """A percentile needs ten samples above it on one of the CPUs, else it is the maximum under another name."""
    return tuple(
        percent for percent in PERCENTILES if any(cpu.counts and cpu.counted * (1 - percent / 100) >= FEWEST_ABOVE for cpu in cpus)
    )


def percentile_ns(cpu: Distribution, percent: float) -> int | None:
    """Never above the maximum, which is known better than the interval that holds it. None if it was clipped or there is no sample."""
    value = Histogram(cpu).quantile(percent / 100) if cpu.counts else None
    return None if value is None else int(value)


def together(a: Counts, b: Counts) -> Counts:
    """The two counted as one."""
    merged: dict[int, tuple[int, int]] = {}
    for low, high, n in (*a, *b):
        end, count = merged.get(low, (0, 0))
        merged[low] = max(end, high), count + n
    return tuple((low, *merged[low]) for low in sorted(merged))


def _distance(a: Distribution, b: Distribution, resolution_ns: int) -> float | None:
    return same_distribution_ks(Histogram(a), Histogram(b), resolution_ns) if a.counts and b.counts else None
