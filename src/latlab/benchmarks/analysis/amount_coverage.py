# SPDX-License-Identifier: BSD-3-Clause
"""How many repetitions each quantity of a benchmark has."""

from __future__ import annotations

from latlab.core.comparison.coverage import Counted, SampleKey
from latlab.core.model.amounts import amounts_of
from latlab.core.model.run import Run


def counted_amounts(run: Run) -> dict[SampleKey, Counted]:
    return {
        SampleKey(amount.test, amount.metric, amount.core, amount.name): Counted(len(amount.values))
        for amount in amounts_of(run)
        if amount.values
    }
