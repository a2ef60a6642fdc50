# SPDX-License-Identifier: BSD-3-Clause
"""Who held which lock from when to when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from latlab.core.model.run import CoreId, TraceRecord


@dataclass(frozen=True, slots=True)
class Hold:
    """A lock of a domain, named by the argument of its records, from LOCK_ACQUIRE to LOCK_RELEASE."""

    core: CoreId
    lock: int
    start_ticks: int
    end_ticks: int


def holds(calls: Mapping[CoreId, tuple[TraceRecord, ...]]) -> Iterator[Hold]:
    for core, call in calls.items():
        acquired: dict[int, int] = {}
        for record in call:
            if record.event == "LOCK_ACQUIRE":
                acquired[record.arg] = record.time_ticks
            elif record.event == "LOCK_RELEASE" and record.arg in acquired:
                yield Hold(core, record.arg, acquired.pop(record.arg), record.time_ticks)
