# SPDX-License-Identifier: BSD-3-Clause
"""Which calls did not come back, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from latlab.calls.analysis.calls import Unreturned
from latlab.calls.model.crossings import Arch, world_name
from latlab.core.model.run import CoreId

MOST_CORES = 8


def unreturned_words(calls: Iterable[Unreturned], arch: Arch, cores: Mapping[int, CoreId]) -> tuple[str, ...]:
    """One piece for the calls of one kind that are in the same state: `CPU_OFF from EL1 on 0.1, 0.2 (asleep)`."""
    cores_of: dict[tuple[str, int, str], list[str]] = {}
    for call in calls:
        where = cores_of.setdefault((call.entry.name, call.caller, _state(call)), [])
        where.append(str(cores.get(call.core, CoreId(0, call.core))))
    return tuple(
        f"{name} from {world_name(arch, caller)} on {_listed(where)}{f' ({state})' if state else ''}"
        for (name, caller, state), where in cores_of.items()
    )


def _listed(where: list[str]) -> str:
    names = list(dict.fromkeys(where))
    more = f" and {len(names) - MOST_CORES} more" if len(names) > MOST_CORES else ""
    times = f", {len(where)} times" if len(where) > len(names) else ""
    return f"{', '.join(names[:MOST_CORES])}{more}{times}"


def _state(call: Unreturned) -> str:
    if call.is_replaced:
        return "other code ran instead"
    return "asleep" if call.is_asleep else ""
