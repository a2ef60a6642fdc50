# SPDX-License-Identifier: BSD-3-Clause
"""A span into named parts: each pair of consecutive events belongs to one part, so the parts sum exactly to the span."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from latlab.core.model.enums import CodePart, Metric
from latlab.core.model.run import TraceRecord
from latlab.psci.analysis.spans import span_records


@dataclass(frozen=True, slots=True)
class PartName:
    """What a core was doing; waits for a power domain have its level."""

    kind: str
    level: int | None = None

    def __str__(self) -> str:
        return self.kind if self.level is None else f"{self.kind}, level {self.level}"

    @property
    def rank(self) -> tuple[int, int]:
        """Sort key: the order in which a call goes through its parts, then the level."""
        return ORDER.index(self.kind), self.level or 0


LOCK_WAIT = "lock wait"
DOMAIN_WAIT = "domain wait"
CALL = PartName("call")
DISPATCH = PartName("dispatch")
COORDINATION = PartName("coordination")
PREPARE = PartName("prepare")
CACHE_FLUSH = PartName("cache flush")
POWER_MESSAGE = PartName("power message")
COMMIT = PartName("commit")
LOW_POWER = PartName("low power")
RESET_PATH = PartName("reset path")
RESTORE = PartName("restore")
FINISH = PartName("finish")

ORDER = (
    CALL.kind,
    DISPATCH.kind,
    LOCK_WAIT,
    COORDINATION.kind,
    DOMAIN_WAIT,
    PREPARE.kind,
    CACHE_FLUSH.kind,
    POWER_MESSAGE.kind,
    COMMIT.kind,
    LOW_POWER.kind,
    RESET_PATH.kind,
    RESTORE.kind,
    FINISH.kind,
    *(part.value for part in CodePart if part is not CodePart.CACHE_FLUSH),
)

FIRST_IN_WAKEUP = (RESET_PATH, RESTORE)

MEANING = {
    CALL.kind: "the whole call, which has no event inside",
    DISPATCH.kind: "from ENTER_PSCI to the first event of the call",
    LOCK_WAIT: "from LOCK_REQUEST to LOCK_ACQUIRE, one part for each power level",
    COORDINATION.kind: "while a domain lock is held",
    DOMAIN_WAIT: "waiting for another core to finish with a domain",
    PREPARE.kind: "between coordination and the cache flush",
    CACHE_FLUSH.kind: "from ENTER_CFLUSH to EXIT_CFLUSH",
    POWER_MESSAGE.kind: "from ENTER_POWER_MESSAGE to EXIT_POWER_MESSAGE",
    COMMIT.kind: "from the last flush or message to ENTER_HW_LOW_PWR",
    LOW_POWER.kind: "in low power; belongs to neither span",
    RESET_PATH.kind: "from EXIT_HW_LOW_PWR to WARM_BOOT",
    RESTORE.kind: "from WARM_BOOT to the first coordination of the wake-up",
    FINISH.kind: "from the last coordination of the wake-up to EXIT_PSCI",
    CodePart.LINES.value: "loops that clean or invalidate caches by address",
    CodePart.TLB.value: "instructions that invalidate translations or cached instructions",
    CodePart.BARRIERS.value: "DSB, DMB, ISB, fence",
    CodePart.EXCLUSIVES.value: "exclusive and atomic accesses",
    CodePart.REGISTERS.value: "writes of system registers",
    CodePart.WAITING.value: "WFI and WFE",
    CodePart.OTHER.value: "all other instructions",
}
MEANING_IN_CODE = {CACHE_FLUSH.kind: "loops that clean or invalidate caches by set and way"}


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of time between two consecutive events and the part it belongs to."""

    part: PartName
    start_ticks: int
    end_ticks: int

    @property
    def ticks(self) -> int:
        return self.end_ticks - self.start_ticks


@dataclass(frozen=True, slots=True)
class Part:
    name: PartName
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
    totals: dict[PartName, int] = {}
    for segment in segments(call)[start:end]:
        totals[segment.part] = totals.get(segment.part, 0) + segment.ticks
    names = sorted(totals, key=lambda name: name.rank)
    if metric is Metric.WAKEUP:
        names.sort(key=lambda name: name not in FIRST_IN_WAKEUP)
    return tuple(Part(name, totals[name]) for name in names)


def _lowest_power_entry(call: tuple[TraceRecord, ...]) -> int | None:
    return next((index for index, record in enumerate(call) if record.event == "ENTER_HW_LOW_PWR"), None)


def _part(before: TraceRecord, after: TraceRecord, held: bool, woken: bool) -> PartName:
    """What the core does after `before`: the innermost thing that it has begun."""
    if before.event == "ENTER_HW_LOW_PWR":
        return LOW_POWER
    if before.event == "LOCK_REQUEST":
        return PartName(LOCK_WAIT, before.arg >> 16)
    if before.event == "ENTER_DOMAIN_WAIT":
        return PartName(DOMAIN_WAIT, before.arg >> 16)
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


def _wakeup_part(before: TraceRecord, after: TraceRecord) -> PartName:
    if before.event == "EXIT_HW_LOW_PWR" and after.event == "WARM_BOOT":
        return RESET_PATH
    if before.event in ("WARM_BOOT", "EXIT_HW_LOW_PWR") and after.event != "EXIT_PSCI":
        return RESTORE
    return FINISH
