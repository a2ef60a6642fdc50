# SPDX-License-Identifier: BSD-3-Clause
"""What one power-down spent its time on where cores meet: its own path, its flush, the channel, the locks of others and what those did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from enum import StrEnum

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, TraceRecord
from latlab.psci.analysis.decompose import CACHE_FLUSH, DOMAIN_WAIT, LOCK_WAIT, POWER_MESSAGE, PartName, Segment, segments
from latlab.psci.analysis.holds import Hold, holds
from latlab.psci.analysis.spans import span_records

Calls = Mapping[CoreId, tuple[TraceRecord, ...]]


class Cause(StrEnum):
    """Where a tick of a power-down went. What a lock's holder did meanwhile says why the lock was held."""

    OWN_PATH = "own_path"
    OWN_FLUSH = "own_flush"
    OWN_MESSAGE = "own_message"
    CHANNEL = "channel_wait"
    LOCK_CHANNEL = "lock_behind_channel_wait"
    LOCK_MESSAGE = "lock_behind_message"
    LOCK_FLUSH = "lock_behind_flush"
    LOCK = "lock"
    DOMAIN = "domain_wait"


CHANNEL_CAUSES = (Cause.CHANNEL, Cause.LOCK_CHANNEL)
LOCK_CAUSES = (Cause.LOCK, Cause.LOCK_FLUSH, Cause.LOCK_MESSAGE)

_BEHIND = {
    Cause.OWN_PATH: Cause.LOCK,
    Cause.OWN_FLUSH: Cause.LOCK_FLUSH,
    Cause.OWN_MESSAGE: Cause.LOCK_MESSAGE,
    Cause.CHANNEL: Cause.LOCK_CHANNEL,
    Cause.DOMAIN: Cause.LOCK,
}


def causes(calls: Calls, core: CoreId) -> dict[Cause, int]:
    """The ticks of the core's power-down by cause, every cause named; they sum exactly to the span.

    `calls` are those of all cores in one iteration. A message takes as long as the shortest of them; what another takes more is
    its wait for the channel.
    """
    span = span_records(calls[core], Metric.POWERDOWN)
    ticks_of = dict.fromkeys(Cause, 0)
    for cause, ticks in _Iteration(calls).spent(core, span[0].time_ticks, span[-1].time_ticks):
        ticks_of[cause] += ticks
    return ticks_of


def shortest_to_message(calls: Calls) -> int:
    """The ticks from ENTER_PSCI to the power message of the core that takes the least."""
    delays = (
        segment.start_ticks - call[0].time_ticks for call in calls.values() for segment in segments(call) if segment.part == POWER_MESSAGE
    )
    return min(delays, default=0)


class _Iteration:
    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self.segments: dict[CoreId, tuple[Segment, ...]] = {core: segments(call) for core, call in calls.items()}
        self.holds: dict[int, list[Hold]] = defaultdict(list)
        for hold in holds(calls):
            self.holds[hold.lock].append(hold)
        messages = [segment.ticks for core_segments in self.segments.values() for segment in core_segments if segment.part == POWER_MESSAGE]
        self.message_ticks = min(messages, default=0)

    def spent(self, core: CoreId, start: int, end: int) -> Iterator[tuple[Cause, int]]:
        for record, segment in zip(self.calls[core], self.segments[core], strict=False):
            low, high = max(start, segment.start_ticks), min(end, segment.end_ticks)
            if low >= high:
                continue
            if segment.part.kind == LOCK_WAIT:
                yield from self._behind(core, record.arg, low, high)
            elif segment.part == POWER_MESSAGE:
                sent = min(max(segment.end_ticks - self.message_ticks, low), high)
                yield Cause.CHANNEL, sent - low
                yield Cause.OWN_MESSAGE, high - sent
            else:
                yield _own_cause(segment.part), high - low

    def _behind(self, core: CoreId, lock: int, start: int, end: int) -> Iterator[tuple[Cause, int]]:
        """What the holders of the lock did from start to end. Locks are taken upwards, so this comes to an end."""
        covered = 0
        for hold in self.holds[lock]:
            low, high = max(start, hold.start_ticks), min(end, hold.end_ticks)
            if hold.core == core or low >= high:
                continue
            covered += high - low
            for cause, ticks in self.spent(hold.core, low, high):
                yield _BEHIND.get(cause, cause), ticks
        yield Cause.LOCK, end - start - covered


def _own_cause(part: PartName) -> Cause:
    if part == CACHE_FLUSH:
        return Cause.OWN_FLUSH
    return Cause.DOMAIN if part.kind == DOMAIN_WAIT else Cause.OWN_PATH
