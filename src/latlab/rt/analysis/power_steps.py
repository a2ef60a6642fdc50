# SPDX-License-Identifier: BSD-3-Clause
"""Power cycles by what Linux was asked: how long each step took, which CPU was lost after which call, and what did not happen."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from latlab.rt.model.power_steps import LostCpu, PowerStep, StepKind

SHORTEST_SLEEP_NS = 1_000_000_000
"""The alarm is set some seconds ahead; a clock that stood for less did not stop for the suspend."""
ASKED = {StepKind.OFFLINE: "go off", StepKind.ONLINE: "come on"}


@dataclass(frozen=True, slots=True)
class StepTimes:
    """How long each successful step of one kind took by one CPU (`cpu` None: the system), in ns of CLOCK_MONOTONIC."""

    kind: StepKind
    cpu: int | None
    ns: tuple[int, ...]


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
