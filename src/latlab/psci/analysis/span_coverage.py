# SPDX-License-Identifier: BSD-3-Clause
"""How many samples each core of a test has."""

from __future__ import annotations

from collections import Counter

from latlab.core.comparison.coverage import Counted, SampleKey
from latlab.core.model.run import Run

WITHOUT_SCHEDULE = frozenset({"watch"})
"""Campaigns in which the guest decides how many calls it makes: no number is due."""
INTERRUPT = "interrupt"
"""The first word of a call that an interrupt made. Their number follows from the order in which cores run, so none is due."""


def counted_spans(run: Run) -> dict[SampleKey, Counted]:
    if run.campaign in WITHOUT_SCHEDULE:
        return {}
    scheduled = (sample for sample in run.samples if sample.test.partition(" ")[0] != INTERRUPT)
    sizes = Counter((sample.test, sample.metric, sample.core) for sample in scheduled)
    return {SampleKey(*key): Counted(n) for key, n in sizes.items()}
