# SPDX-License-Identifier: BSD-3-Clause
"""Power boundaries that Linux crosses, out of the EL3 rings: how long a CPU takes to go off, to come on, and a system to resume."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from latlab.core.model.run import CoreTrace, TraceRecord

CPU_OFF = 0x84000002
CPU_ON = frozenset({0x84000003, 0xC4000003})
CPU_SUSPEND = frozenset({0x84000001, 0xC4000001})
SYSTEM_SUSPEND = frozenset({0x8400000E, 0xC400000E})


class PowerBoundary(StrEnum):
    """Each is a difference of two events of the firmware."""

    OFF = "CPU_OFF: entry to low power"
    ON = "CPU_ON: the caller's entry to the CPU's return to Linux"
    IDLE_DOWN = "CPU_SUSPEND: entry to low power"
    IDLE_UP = "CPU_SUSPEND: wake-up to the return to Linux"
    SUSPEND = "SYSTEM_SUSPEND: entry to low power"
    RESUME = "SYSTEM_SUSPEND: wake-up to the return to Linux"


DOWN_UP = {
    "off": (PowerBoundary.OFF, None),
    "idle": (PowerBoundary.IDLE_DOWN, PowerBoundary.IDLE_UP),
    "system": (PowerBoundary.SUSPEND, PowerBoundary.RESUME),
}


@dataclass(frozen=True, slots=True)
class Passage:
    boundary: PowerBoundary
    cpu: int
    ticks: int


def passages(cpus: Sequence[int], traces: Sequence[CoreTrace]) -> tuple[Passage, ...]:
    """Every passage of which both ends are in the rings. CPU_ON is matched with the first CPU that comes back after it."""
    asked_on = sorted(record.time_ticks for trace in traces for record in trace.records if _enters(record, CPU_ON))
    passages_found = [passage for cpu, trace in zip(cpus, traces, strict=True) for passage in _of_core(cpu, trace.records, asked_on)]
    return tuple(sorted(passages_found, key=lambda passage: (passage.boundary.value, passage.cpu)))


def _of_core(cpu: int, records: Sequence[TraceRecord], asked_on: Sequence[int]) -> Iterator[Passage]:
    kind, entered, slept, woke = "", 0, 0, 0
    for record in records:
        if record.event == "ENTER_PSCI":
            kind, entered, slept, woke = _kind(record.arg), record.time_ticks, 0, 0
        elif record.event == "ENTER_HW_LOW_PWR" and kind:
            slept = record.time_ticks
            yield Passage(DOWN_UP[kind][0], cpu, slept - entered)
        elif record.event == "EXIT_HW_LOW_PWR" and slept:
            woke = record.time_ticks
        elif record.event == "EXIT_PSCI" and woke:
            up = DOWN_UP[kind][1]
            requests = [ticks for ticks in asked_on if slept <= ticks <= woke]
            if up is not None:
                yield Passage(up, cpu, record.time_ticks - woke)
            elif requests:
                yield Passage(PowerBoundary.ON, cpu, record.time_ticks - requests[-1])
            kind, slept, woke = "", 0, 0


def _kind(function: int) -> str:
    function &= 0xFFFFFFFF
    if function == CPU_OFF:
        return "off"
    if function in CPU_SUSPEND:
        return "idle"
    return "system" if function in SYSTEM_SUSPEND else ""


def _enters(record: TraceRecord, functions: frozenset[int]) -> bool:
    return record.event == "ENTER_PSCI" and record.arg & 0xFFFFFFFF in functions
