# SPDX-License-Identifier: BSD-3-Clause
"""What ran when in a PSA call: the sweep interrupts it at every instruction and notes what it interrupted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from latlab.core.model.run import Run, TraceRecord
from latlab.core.model.symbols import Symbols
from latlab.psa.analysis.windows import ADDRESS_MASK
from latlab.psci.analysis.psa_samples import NS_INTERRUPT, latency_ticks


class Room(StrEnum):
    """Whose code it is. SECURE: of an image whose parts are not known. HELD: an interrupt waits there, so nobody sees what runs."""

    CALLER = "caller"
    GATE = "gate"
    SPM = "SPM"
    PARTITION = "partition"
    SECURE = "secure image"
    HELD = "interrupts held off"


# On the boards of this campaign the secure side has this bit in every address.
SECURE_ALIAS = 1 << 28

# Sections of our own image, and the functions of the SPM's own that are the way in, out and from thread to thread.
_ROOMS = {".spm_code": Room.SPM, ".partition_code": Room.PARTITION, ".gateways": Room.GATE, ".gnu.sgstubs": Room.GATE}
_GATE_FUNCTIONS = frozenset(
    (
        "HardFault_Handler",
        "PendSV_Handler",
        "SVC_Handler",
        "gate_thread",
        "keep_thread_and_switch",
        "resume_partition",
        "spm_return",
        "switch_to_most_urgent",
    )
)


@dataclass(frozen=True, slots=True)
class TimelineStretch:
    """From and to are ticks since the sweep's timer was set, some instructions before the call."""

    room: Room
    function: str
    from_ticks: int
    to_ticks: int


@dataclass(frozen=True, slots=True)
class Interrupt:
    """When it was due, how long it waited over idle, and what it interrupted. Its handler's own length is not part of it."""

    due_ticks: int
    latency_ticks: int
    function: str


def swept_tests(run: Run) -> list[str]:
    return list(dict.fromkeys(trace.test for trace in run.traces if any(record.event == NS_INTERRUPT for record in trace.records)))


def timeline(run: Run, symbols: Symbols, test: str) -> tuple[TimelineStretch, ...]:
    """The call without an interrupt, in the order of time. The last stretch ends with the sweep; neighbours of one function are one."""
    records = _records(run, test)
    stretches: list[TimelineStretch] = []
    ends = [following.time_ticks for following in (*records[1:], *records[-1:])]
    for record, end in zip(records, ends, strict=True):
        room, function = _place(record, symbols)
        if stretches and (stretches[-1].room, stretches[-1].function) == (room, function):
            stretches[-1] = TimelineStretch(room, function, stretches[-1].from_ticks, end)
        elif end > record.time_ticks:
            stretches.append(TimelineStretch(room, function, record.time_ticks, end))
    return tuple(stretches)


def worst_interrupt(run: Run, symbols: Symbols, test: str) -> Interrupt | None:
    """Of all that the sweep kept: the one that waits longest, of equal ones that in the middle."""
    records = _records(run, test)
    if not records:
        return None
    longest = max(map(latency_ticks, records))
    worst = [record for record in records if latency_ticks(record) == longest]
    record = worst[len(worst) // 2]
    return Interrupt(record.time_ticks, longest, _function(record, symbols))


def _records(run: Run, test: str) -> Sequence[TraceRecord]:
    return [record for trace in run.traces if trace.test == test for record in trace.records if record.event == NS_INTERRUPT]


def _place(record: TraceRecord, symbols: Symbols) -> tuple[Room, str]:
    address = record.arg & ADDRESS_MASK
    function = _function(record, symbols)
    if latency_ticks(record):
        return Room.HELD, f"until {function}"
    if function in _GATE_FUNCTIONS:
        return Room.GATE, function
    return _ROOMS.get(symbols.place(address), Room.SECURE if address & SECURE_ALIAS else Room.CALLER), function


def _function(record: TraceRecord, symbols: Symbols) -> str:
    """The caller's code is in another image, of which nothing is known but that it is not the secure one."""
    address = record.arg & ADDRESS_MASK
    return symbols.name(address) if symbols.place(address) or address & SECURE_ALIAS else "caller"
