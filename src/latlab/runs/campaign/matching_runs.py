# SPDX-License-Identifier: BSD-3-Clause
"""The runs of a store that can be followed over time, by what they measured."""

from __future__ import annotations

from dataclasses import replace

from latlab.core.errors import UsageError
from latlab.core.kinds.registry import has_figures
from latlab.core.lifecycle.series import by_identity, names_of
from latlab.core.model.enums import RunStatus
from latlab.core.store.choice import Filter
from latlab.core.store.listing import heads
from latlab.core.store.store import Store


def runs_to_follow(store: Store, chosen: Filter) -> dict[str, tuple[str, ...]]:
    """The ids of the wanted runs, the oldest first, of each measured thing that has two or more. Only complete runs are taken, unless a
    status is wanted. Runs of a kind without figures are left out where there are others. Raises UsageError if there is no such thing."""
    matching = heads(store, replace(chosen, status=chosen.status or RunStatus.COMPLETE.value))
    with_figures = [head for head in matching if has_figures(head.kind)]
    series = by_identity(with_figures or matching)
    names = names_of(series)
    followed = {names[identity]: tuple(head.id for head in runs) for identity, runs in series.items() if len(runs) > 1}
    if not followed:
        count = sum(map(len, series.values()))
        message = f"a history needs two complete runs of one series at least, {count} match"
        raise UsageError(message, "use `latlab ls` with the same options")
    return followed
