# SPDX-License-Identifier: BSD-3-Clause
"""A span into named parts: each pair of consecutive events belongs to one part, so the parts sum exactly to the span."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from latlab.analysis.spans.spans import span_records
from latlab.model.enums import Metric
from latlab.model.run import TraceRecord

CALL = "call"
DISPATCH = "dispatch"
LOCK_WAIT = "lock wait"
COORDINATION = "coordination"
DOMAIN_WAIT = "domain wait"
PREPARE = "prepare"
CACHE_FLUSH = "cache flush"
POWER_MESSAGE = "power message"
COMMIT = "commit"
LOW_POWER = "low power"
RESET_PATH = "reset path"
RESTORE = "restore"
FINISH = "finish"

ORDER = (
    CALL,
    DISPATCH,
    LOCK_WAIT,
    COORDINATION,
    DOMAIN_WAIT,
    PREPARE,
    CACHE_FLUSH,
    POWER_MESSAGE,
    COMMIT,
    LOW_POWER,
    RESET_PATH,
    RESTORE,
    FINISH,
)

FIRST_IN_WAKEUP = (RESET_PATH, RESTORE)

MEANING = {
    CALL: "the whole call, which has no event inside",
    DISPATCH: "from ENTER_PSCI to the first event of the call",
    LOCK_WAIT: "from LOCK_REQUEST to LOCK_ACQUIRE, one part for each power level",
    COORDINATION: "while a domain lock is held",
    DOMAIN_WAIT: "waiting for another core to finish with a domain",
    PREPARE: "between coordination and the cache flush",
    CACHE_FLUSH: "from ENTER_CFLUSH to EXIT_CFLUSH",
    POWER_MESSAGE: "from ENTER_POWER_MESSAGE to EXIT_POWER_MESSAGE",
    COMMIT: "from the last flush or message to ENTER_HW_LOW_PWR",
    LOW_POWER: "in low power; belongs to neither span",
    RESET_PATH: "from EXIT_HW_LOW_PWR to WARM_BOOT",
    RESTORE: "from WARM_BOOT to the first coordination of the wake-up",
    FINISH: "from the last coordination of the wake-up to EXIT_PSCI",
}


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of time between two consecutive events and the part it belongs to."""

    part: str
    start_ticks: int
    end_ticks: int

    @property
    def ticks(self) -> int:
        return self.end_ticks - self.start_ticks


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    ticks: int


def segments(call: tuple[TraceRecord, ...]) -> tuple[Segment, ...]:
    """The call from ENTER_PSCI to EXIT_PSCI without a gap; `low power` is a segment of its own."""
    result = []
    held = 0
    asleep = _lowest_power_entry(call)
    for index, (before, after) in enumerate(pairwise(call)):
        held += {"LOCK_ACQUIRE": 1, "LOCK_RELEASE": -1}.get(before.event, 0)
        name = _part(before, after, held > 0, woken=asleep is not None and index > asleep)
        result.append(Segment(name, before.time_ticks, after.time_ticks))
    return tuple(result)


def decompose(call: tuple[TraceRecord, ...], metric: Metric) -> tuple[Part, ...]:
    """The parts of one span, roughly in the order of time; their ticks sum exactly to the span."""
    span = span_records(call, metric)
    start, end = call.index(span[0]), call.index(span[-1])
    totals: dict[str, int] = {}
    for segment in segments(call)[start:end]:
        totals[segment.part] = totals.get(segment.part, 0) + segment.ticks
    names = sorted(totals, key=part_rank)
    if metric is Metric.WAKEUP:
        names.sort(key=lambda name: name not in FIRST_IN_WAKEUP)
    return tuple(Part(name, totals[name]) for name in names)


def part_rank(name: str) -> tuple[int, str]:
    """Sort key: the order in which a call goes through its parts, then the level."""
    return ORDER.index(name.partition(", ")[0]), name


def _lowest_power_entry(call: tuple[TraceRecord, ...]) -> int | None:
    return next((index for index, record in enumerate(call) if record.event == "ENTER_HW_LOW_PWR"), None)


def _part(before: TraceRecord, after: TraceRecord, held: bool, woken: bool) -> str:
    """What the core does after `before`: the innermost thing that it has begun."""
    if before.event == "ENTER_HW_LOW_PWR":
        return LOW_POWER
    if before.event == "LOCK_REQUEST":
        return f"{LOCK_WAIT}, level {before.arg >> 16}"
    if before.event == "ENTER_DOMAIN_WAIT":
        return f"{DOMAIN_WAIT}, level {before.arg >> 16}"
    if before.event == "ENTER_CFLUSH":
        return CACHE_FLUSH
    if before.event == "ENTER_POWER_MESSAGE":
        return POWER_MESSAGE
    if held:
        return COORDINATION
    if before.event == "ENTER_PSCI":
        return CALL if after.event == "EXIT_PSCI" else DISPATCH
    if woken:
        return _wakeup_part(before, after)
    return COMMIT if before.event in ("EXIT_CFLUSH", "EXIT_POWER_MESSAGE") else PREPARE


def _wakeup_part(before: TraceRecord, after: TraceRecord) -> str:
    if before.event == "EXIT_HW_LOW_PWR" and after.event == "WARM_BOOT":
        return RESET_PATH
    if before.event in ("WARM_BOOT", "EXIT_HW_LOW_PWR") and after.event != "EXIT_PSCI":
        return RESTORE
    return FINISH
