# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run of amounts: what does not grow with the length of the run, in the unit of its metric."""

from __future__ import annotations

from latlab.core.comparison.figure import Figure
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.wording import unit_of
from latlab.core.model.amounts import Amount, amounts_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run


def amount_figures(run: Run) -> tuple[Figure, ...]:
    """The quantities of a run that can be compared. Raises NotComparable if the run has no amounts."""
    if not amounts_of(run):
        raise NotComparable(f"{run.id} has no benchmark metrics; name a run of `latlab import`")
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
