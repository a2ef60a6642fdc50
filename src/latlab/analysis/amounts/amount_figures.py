# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run of amounts: what does not grow with the length of the run, in the unit of its metric."""

from __future__ import annotations

from latlab.analysis.base.figure import Figure
from latlab.analysis.base.identity import NotComparable
from latlab.analysis.base.wording import unit_of
from latlab.model.enums import Metric
from latlab.model.run import Amount, Run


def amount_figures(run: Run) -> tuple[Figure, ...]:
    """The quantities of a run that can be compared. Raises NotComparable if the run has no amounts."""
    if not run.amounts:
        raise NotComparable(f"{run.id} has no benchmark metrics; name a run of `latlab import`")
    return tuple(Figure(one.test, one.metric, named(one), unit_of(one.metric, "ns"), levels(one)) for one in run.amounts if is_level(one))


def named(one: Amount) -> str:
    return f"CPU {one.core.core} {one.name}" if one.core else one.name


def is_level(one: Amount) -> bool:
    """Whether the amount can be compared. A total over the run grows with its duration; the share of the run beside it is compared
    instead."""
    return one.metric is not Metric.DURATION or one.over_s is None


def levels(one: Amount) -> tuple[float, ...]:
    """The values as they are compared: events as a rate per second, all others as the tool printed them."""
    if one.metric is Metric.EVENTS and one.over_s:
        return tuple(value / one.over_s for value in one.values)
    return one.values
