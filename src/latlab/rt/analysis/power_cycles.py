# SPDX-License-Identifier: BSD-3-Clause
"""Power cycles under Linux: boundaries out of the EL3 rings, and the steps that Linux was asked for, with CPUs that were lost."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from latlab.core.model.run import CoreTrace, TraceRecord
from latlab.rt.model.power_steps import LostCpu, PowerStep, StepKind

CPU_OFF = 0x84000002
CPU_ON = frozenset({0x84000003, 0xC4000003})
CPU_SUSPEND = frozenset({0x84000001, 0xC4000001})
SYSTEM_SUSPEND = frozenset({0x8400000E, 0xC400000E})

SHORTEST_SLEEP_NS = 1_000_000_000
"""The alarm is set some seconds ahead; a clock that stood for less did not stop for the suspend."""
ASKED = {StepKind.OFFLINE: "go off", StepKind.ONLINE: "come on"}


@dataclass(frozen=True, slots=True)
class StepTimes:
    """How long each successful step of one kind took by one CPU (`cpu` None: the system), in ns of CLOCK_MONOTONIC."""

    kind: StepKind
    cpu: int | None
    ns: tuple[int, ...]


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


def times_of(steps: Sequence[PowerStep]) -> tuple[StepTimes, ...]:
    """By kind, then by CPU."""
    groups: dict[tuple[StepKind, int | None], list[int]] = {}
    for step in steps:
        if step.is_done and step.ns is not None:
            groups.setdefault((step.kind, step.cpu), []).append(step.ns)
    order = list(StepKind)
    ordered = sorted(groups.items(), key=lambda pair: (order.index(pair[0][0]), -1 if pair[0][1] is None else pair[0][1]))
    return tuple(StepTimes(kind, cpu, tuple(ns)) for (kind, cpu), ns in ordered)


def awake_suspends(steps: Sequence[PowerStep]) -> tuple[str, ...]:
    """A sentence if CLOCK_MONOTONIC went on in suspends: their times hold the wait for the alarm."""
    suspends = [step for step in steps if step.kind is StepKind.SUSPEND and step.is_done]
    awake = [step for step in suspends if (step.slept_ns or 0) < SHORTEST_SLEEP_NS]
    if not awake:
        return ()
    return (f"in {len(awake)} of {len(suspends)} suspends the kernel's clock went on: their times include the wait for the alarm",)


def findings(steps: Sequence[PowerStep], lost: Sequence[LostCpu], cycles: int, suspends: int) -> tuple[str, ...]:
    """A sentence for each CPU that did not do what it was asked, for each suspend that failed, and for cycles that are missing."""
    cpus = dict.fromkeys(step.cpu for step in steps if step.cpu is not None)
    sentences = [sentence for cpu in cpus if (sentence := _of_cpu(cpu, [step for step in steps if step.cpu == cpu], lost))]
    sentences += [_of_kernel(lost_cpu) for lost_cpu in lost if lost_cpu.cpu not in cpus]
    sentences += _of_suspends([step for step in steps if step.kind is StepKind.SUSPEND])
    return (*sentences, *_missing(steps, cycles, suspends))


def _of_cpu(cpu: int, steps: Sequence[PowerStep], lost: Sequence[LostCpu]) -> str:
    bad = next((step for step in steps if not step.is_done), None)
    by_kernel = ", then ".join(_call(lost_cpu) for lost_cpu in lost if lost_cpu.cpu == cpu)
    if bad is None:
        return f"CPU {cpu}: the kernel reported a failed {by_kernel}, although every write succeeded" if by_kernel else ""
    cycle = sum(step.kind is StepKind.OFFLINE for step in steps[: steps.index(bad) + 1])
    sentence = f"CPU {cpu} did not {ASKED[bad.kind]} in its cycle {cycle}: {by_kernel or _by_write(bad)}"
    if steps[-1] is not bad and steps[-1].kind is StepKind.ONLINE and steps[-1].is_done:
        return f"{sentence}; a later attempt brought it back"
    if bad.errno is None:
        return f"{sentence}; the CPU or the machine stopped there"
    is_lost = bad.kind is StepKind.ONLINE
    return f"{sentence}; {'the CPU is lost' if is_lost else 'it stayed on and was left out from then on'}"


def _call(lost_cpu: LostCpu) -> str:
    return f"{lost_cpu.call} with code {lost_cpu.code}" if lost_cpu.code else f"{lost_cpu.call} without a code"


def _by_write(step: PowerStep) -> str:
    if step.errno is None:
        return "the record ends during this change"
    return f"the write to its file `online` ended with {errno.errorcode.get(step.errno, str(step.errno))}"


def _of_kernel(lost_cpu: LostCpu) -> str:
    return f"CPU {lost_cpu.cpu}: the kernel reported a failed {_call(lost_cpu)}, although no cycle took it off"


def _of_suspends(steps: Sequence[PowerStep]) -> Iterator[str]:
    for number, step in enumerate(steps, 1):
        if step.errno is None:
            yield f"suspend {number}: the record ends in it"
        elif step.errno != 0:
            yield f"suspend {number} failed with {errno.errorcode.get(step.errno, str(step.errno))}"


def _missing(steps: Sequence[PowerStep], cycles: int, suspends: int) -> Iterator[str]:
    """Cycles and suspends that were never begun; those that failed have their own sentence."""
    for name, kind, due in (("hotplug cycles", StepKind.OFFLINE, cycles), ("suspends", StepKind.SUSPEND, suspends)):
        begun = sum(step.kind is kind for step in steps)
        if begun < due:
            yield f"{begun} of {due} {name} were begun"
