# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run of amounts: what does not grow with the length of the run, in the unit of its metric.

How many repetitions each quantity has, and several runs of one benchmark as the repetitions of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from latlab.core.comparison.coverage import Counted, SampleKey
from latlab.core.comparison.figure import Figure
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.wording import unit_of
from latlab.core.model.amounts import Amount, Amounts, amounts_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run


def amount_figures(run: Run) -> tuple[Figure, ...]:
    """The quantities of a run that can be compared. Raises NotComparable if the run has no amounts."""
    if not amounts_of(run):
        raise NotComparable(f"{run.id} has no benchmark metrics", "name a run of `latlab import`")
    return tuple(
        Figure(amount.test, amount.metric, named(amount), unit_of(amount.metric, "ns"), levels(amount))
        for amount in amounts_of(run)
        if is_level(amount)
    )


def named(amount: Amount) -> str:
    return f"CPU {amount.core.core} {amount.name}" if amount.core else amount.name


def is_level(amount: Amount) -> bool:
    """Whether the amount can be compared. A total over the run grows with its duration; the share of the run beside it is compared
    instead."""
    return amount.metric is not Metric.DURATION or amount.over_s is None


def levels(amount: Amount) -> tuple[float, ...]:
    """The values as they are compared: events as a rate per second, all others as the tool printed them."""
    if amount.metric is Metric.EVENTS and amount.over_s:
        return tuple(value / amount.over_s for value in amount.values)
    return amount.values


def counted_amounts(run: Run) -> dict[SampleKey, Counted]:
    return {
        SampleKey(amount.test, amount.metric, amount.core, amount.name): Counted(len(amount.values))
        for amount in amounts_of(run)
        if amount.values
    }


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
        raise NotComparable("the periods differ in length; only totals of equal periods are joined by +", place=parts[0].name)
    if len(over) == 1 or None in over or parts[0].metric is not Metric.EVENTS:
        return replace(parts[0], values=tuple(value for amount in parts for value in amount.values))
    return replace(parts[0], values=tuple(value / (amount.over_s or 1.0) for amount in parts for value in amount.values), over_s=1.0)
