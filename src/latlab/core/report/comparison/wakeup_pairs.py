# SPDX-License-Identifier: BSD-3-Clause
"""What only the comparison of two runs of wake-ups has to show: how many were counted, and how rare a late one could have been found."""

from __future__ import annotations

from collections import Counter

from latlab.core.comparison.comparison import WakeupComparison
from latlab.core.comparison.wakeup_findings import THINGS
from latlab.core.model.distributions import distributions_of
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import Run
from latlab.core.report.comparison.comparison_tables import wakeup_tables
from latlab.core.report.page import Section
from latlab.core.report.units import CLOCK_NAMES
from latlab.core.shown import significant


def headline(comparison: WakeupComparison) -> tuple[str, ...]:
    """On how many wake-ups, how far a difference must go to count, and what could have been found."""
    a, b, limits = comparison.a, comparison.b, comparison.limits
    counts_text = f"{counted(a)}{computed(a)}, then {counted(b)}{computed(b)}"
    is_exact = a.tick.clock is not Clock.TIME
    return (
        f"{counts_text}; deterministic: any difference is exact" if is_exact else f"{counts_text}, weighted by their counts",
        f"the larger of: {significant(limits.relative * 100)} %, {significant(limits.steps)} intervals of the histogram",
        *(rarest.sentence(comparison.unit) for rarest in comparison.rarest_seen),
    )


def results(comparison: WakeupComparison) -> Section:
    return Section("Results", sections=tuple(Section(f"Figures by {test}", (table,)) for test, table in wakeup_tables(comparison)))


def computed(run: Run) -> str:
    return " (computed: duration / interval)" if any(distribution.is_computed for distribution in distributions_of(run)) else ""


def counted(run: Run) -> str:
    """What the histograms of a run count, each with its number: `9,184 wake-ups and 9,182 cycles`. Figures of a table that does not
    state their number are not of 0 wake-ups."""
    totals: Counter[str] = Counter()
    uncounted = set()
    for distribution in distributions_of(run):
        things = f"{THINGS.get(distribution.metric, THINGS[Metric.TASK_WAKEUP])}s"
        totals[things] += distribution.got
        if not distribution.got and distribution.maximum_ticks:
            uncounted.add(things)
    numbers = ((f"{total:,}" if total or things not in uncounted else "an unknown number of", things) for things, total in totals.items())
    return " and ".join(f"{number} {things}" for number, things in numbers)


def extent(run: Run) -> str:
    """The clock of a run and its number of wake-ups; empty without any."""
    if not distributions_of(run):
        return ""
    return f"{CLOCK_NAMES[run.tick.clock]}, {counted(run)}{computed(run)}"
