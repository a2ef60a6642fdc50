# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the CSV export of a benchmark's values."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.core.comparison.wording import unit_of
from latlab.core.kinds.kind import Line, Lines
from latlab.core.model.amounts import amounts_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run

AMOUNTS = ("test", "metric", "cluster", "core", "name", "repetition", "value", "unit", "over_s")


def amount_lines(run: Run) -> Lines:
    return AMOUNTS, _amounts(run)


def _amounts(run: Run) -> Iterator[Line]:
    """As the tool printed them, times in ns; what is of no core has none, and `over_s` is how long a value was counted."""
    for amount in amounts_of(run):
        where = (amount.core.cluster, amount.core.core) if amount.core else ("", "")
        unit = {Metric.EVENTS: "events"}.get(amount.metric) or unit_of(amount.metric, run.tick.unit)
        over = "" if amount.over_s is None else f"{amount.over_s:.12g}"
        for repetition, value in enumerate(amount.values):
            yield amount.test, amount.metric.value, *where, amount.name, repetition, f"{value:.12g}", unit, over
