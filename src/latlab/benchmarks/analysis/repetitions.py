# SPDX-License-Identifier: BSD-3-Clause
"""Several runs of one benchmark as the repetitions of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from latlab.core.comparison.identity import NotComparable
from latlab.core.model.amounts import Amount, Amounts, amounts_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run


def joined_amounts(runs: Sequence[Run]) -> Amounts:
    """Raises NotComparable for totals of unequal periods."""
    first = runs[0].contents
    assert isinstance(first, Amounts)
    return Amounts(_repeated(runs), first.tool)


def _repeated(runs: Sequence[Run]) -> tuple[Amount, ...]:
    """The amounts of all runs as repetitions. Counts over different times are converted to rates; `over_s` is then 1."""
    by_key: dict[tuple[str, Metric, str, CoreId | None], list[Amount]] = {}
    for amount in (repeated for run in runs for repeated in amounts_of(run)):
        by_key.setdefault((amount.test, amount.metric, amount.name, amount.core), []).append(amount)
    return tuple(map(_one_amount, by_key.values()))


def _one_amount(parts: list[Amount]) -> Amount:
    over = {amount.over_s for amount in parts}
    if len(over) > 1 and parts[0].metric is Metric.THROUGHPUT:
        raise NotComparable(f"{parts[0].name}: the periods differ in length; only totals of equal periods are joined by +")
    if len(over) == 1 or None in over or parts[0].metric is not Metric.EVENTS:
        return replace(parts[0], values=tuple(value for amount in parts for value in amount.values))
    return replace(parts[0], values=tuple(value / (amount.over_s or 1.0) for amount in parts for value in amount.values), over_s=1.0)
