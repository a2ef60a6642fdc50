# SPDX-License-Identifier: BSD-3-Clause
"""Extremes of a run, each kind by its own analysis."""

from __future__ import annotations

from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.tail import Tail
from latlab.core.kinds.registry import kind_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run


def tails(run: Run, test: str | None, metric: Metric, once_in: float) -> tuple[Tail, ...]:
    """One estimate for each row of each test that has the metric. Raises NotComparable if the run has none."""
    estimate = kind_of(run).analysis.tails
    if estimate is None:
        raise NotComparable(f"{run.id} has no samples for this analysis; run the campaign again or name another run")
    return estimate(run, test, metric, once_in)
