# SPDX-License-Identifier: BSD-3-Clause
"""What only the comparison of two runs of wake-ups has to show: how many were counted, and how rare a late one could have been found."""

from __future__ import annotations

from latlab.core.comparison.comparison import WakeupComparison
from latlab.core.model.distributions import distributions_of
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import Run
from latlab.core.report.comparison.comparison_tables import wakeup_tables
from latlab.core.report.page import Section
from latlab.core.report.units import CLOCK_NAMES


def headline(comparison: WakeupComparison) -> tuple[str, ...]:
    """On how many wake-ups, how far a difference must go to count, and what could have been found."""
    before, after = comparison.wakeups
    a, b, limits = comparison.a, comparison.b, comparison.limits
    counts_text = f"{before:,}{computed(a)} and {after:,}{computed(b)} {counted(a)}"
    is_exact = a.tick.clock is not Clock.TIME
    return (
        f"{counts_text}; deterministic: any difference is exact" if is_exact else f"{counts_text}, weighted by their counts",
        f"the larger of: {limits.relative * 100:g} %, {limits.steps:g} intervals of the histogram",
        *(rarest.sentence(comparison.unit) for rarest in comparison.rarest_seen),
    )


def results(comparison: WakeupComparison) -> Section:
    return Section("Results", sections=tuple(Section(f"Wake-ups by {test}", (table,)) for test, table in wakeup_tables(comparison)))


def computed(run: Run) -> str:
    return " (computed: duration / interval)" if any(distribution.is_computed for distribution in distributions_of(run)) else ""


def counted(run: Run) -> str:
    """What the histograms of a run count."""
    stalls = {distribution.metric for distribution in distributions_of(run)} == {Metric.STALL}
    return "stalls" if stalls else "wake-ups"


def extent(run: Run) -> str:
    """The clock of a run and its number of wake-ups; empty without any."""
    distributions = distributions_of(run)
    if not distributions:
        return ""
    total = sum(distribution.got for distribution in distributions)
    return f"{CLOCK_NAMES[run.tick.clock]}, {total:,} {counted(run)}{computed(run)}"
