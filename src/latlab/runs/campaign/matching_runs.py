# SPDX-License-Identifier: BSD-3-Clause
"""The runs of a store that can be followed over time, by what they measured."""

from __future__ import annotations

from dataclasses import replace

from latlab.core.errors import UsageError
from latlab.core.model.enums import RunStatus
from latlab.core.store.choice import Filter
from latlab.core.store.listing import heads
from latlab.core.store.store import Store


def runs_to_follow(store: Store, chosen: Filter) -> dict[str, tuple[str, ...]]:
    """The ids of the wanted runs, the oldest first, of each measured thing that has two or more. Only complete runs are taken, unless a
    status is wanted. Raises UsageError if there is no such thing."""
    by_thing: dict[tuple[str, ...], list[str]] = {}
    names: dict[tuple[str, ...], str] = {}
    for head in heads(store, replace(chosen, status=chosen.status or RunStatus.COMPLETE.value)):
        by_thing.setdefault(head.measured, []).append(head.id)
        names[head.measured] = f"{head.campaign} on {head.platform}, cores {head.topology}, {head.target}, {head.clock}"
    followed = {names[thing]: tuple(runs) for thing, runs in by_thing.items() if len(runs) > 1}
    if not followed:
        count = sum(map(len, by_thing.values()))
        message = f"a history needs two complete runs of one measured thing at least, {count} match"
        raise UsageError(message, "use `latlab ls` with the same options")
    return followed
