# SPDX-License-Identifier: BSD-3-Clause
"""Extremes of wake-ups, by the late ones that the recorder kept with their times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from latlab.core.comparison.tail import NO_TAIL, Diagnostic, Tail, estimated
from latlab.core.model.distributions import Distribution, distributions_of
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import Run
from latlab.rt.analysis.wakeup_identity import check_machine

MOST_OF_LATE = 0.5


def wakeup_tails(run: Run, test: str | None, metric: Metric, once_in: float) -> tuple[Tail, ...]:
    """One estimate for each distribution of the metric."""
    check_machine(run)
    chosen = [distribution for distribution in distributions_of(run) if distribution.metric is metric and test in (None, distribution.test)]
    return tuple(_late_tail(run, distribution, once_in) for distribution in chosen)


def _late_tail(run: Run, distribution: Distribution, once_in: float) -> Tail:
    """By the wake-ups that the recorder kept, in the order in which they came."""
    blank = Tail(
        distribution.test,
        distribution.metric,
        distribution.core,
        distribution.got,
        distribution.maximum_ticks * run.tick.value,
        once_in,
        None,
        None,
        None,
        None,
        (),
    )
    if run.tick.clock is Clock.INSTRUCTIONS:
        return replace(blank, diagnostics=(NO_TAIL,))
    if distribution.late_dropped:
        return replace(
            blank, diagnostics=(Diagnostic("outliers", False, f"{distribution.late_dropped} were not kept; raise the threshold"),)
        )
    if not distribution.late:
        reason = "no wake-up was kept with its time; measure with the recorder, for longer or with a lower --threshold"
        return replace(blank, diagnostics=(Diagnostic("outliers", False, reason),))
    values = np.array([late.late_ticks for late in sorted(distribution.late, key=lambda late: late.wake_ns)]) * run.tick.value
    return estimated(run, blank, values, max(once_in * len(values) / distribution.got, 1 + 1e-9), MOST_OF_LATE, distribution.got)
