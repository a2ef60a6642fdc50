# SPDX-License-Identifier: BSD-3-Clause
"""How many wake-ups each row of a run has, and how many were due."""

from __future__ import annotations

from latlab.core.comparison.coverage import Counted, SampleKey
from latlab.core.model.distributions import distributions_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run

BURST = 10
"""Wake-ups to one event: what keeps a CPU busy passes over several periods in a row. Lateness counts them in the same way."""


def counted_wakeups(run: Run) -> dict[SampleKey, Counted]:
    spans = (distribution for distribution in distributions_of(run) if distribution.metric is Metric.TASK_WAKEUP)
    return {
        SampleKey(distribution.test, distribution.metric, distribution.core): Counted(
            distribution.got, distribution.expected, distribution.rows
        )
        for distribution in spans
        if distribution.got
    }
