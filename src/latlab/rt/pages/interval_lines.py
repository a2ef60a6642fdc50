# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the CSV export of histograms of wake-ups."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.core.comparison.wording import said_mode
from latlab.core.kinds.kind import Line, Lines
from latlab.core.model.distributions import distributions_of
from latlab.core.model.run import Run

COUNTED = ("test", "metric", "cluster", "core", "low", "high", "count", "unit", "mode")


def interval_lines(run: Run) -> Lines:
    return COUNTED, _counts(run)


def _counts(run: Run) -> Iterator[Line]:
    """Intervals from `low` to below `high`, in ns or instructions; what was clipped has no `high`. Each line says what the figures are."""
    mode = said_mode(run.conditions.mode)
    for distribution in distributions_of(run):
        where = (distribution.test, distribution.metric.value, distribution.core.cluster, distribution.core.core)
        for low, high, n in distribution.counts:
            yield *where, f"{low * run.tick.value:.12g}", f"{high * run.tick.value:.12g}", n, run.tick.unit, mode
        if distribution.beyond:
            last = distribution.counts[-1][1] * run.tick.value if distribution.counts else 0.0
            yield *where, f"{last:.12g}", "", distribution.beyond, run.tick.unit, mode
