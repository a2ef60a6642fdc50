# SPDX-License-Identifier: BSD-3-Clause
"""Suspend and resume by the kernel's own log: the phases of kernel/power, and each CPU that it took off or brought up between two lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from latlab.core.readers.console_text import as_printed
from latlab.rt.model.power_steps import PowerStep, StepKind

STAMP = re.compile(r"\[ *(\d{1,9})\.(\d{6})\](?:\[ *[CT]\d+\])? (.*)$", re.ASCII)
ENTRY, EXIT = re.compile(r"PM: suspend entry"), re.compile(r"PM: suspend exit")
PHASES = (
    (ENTRY, StepKind.SYNC),
    (re.compile(r"Freezing user space processes(?! completed)"), StepKind.FREEZE),
    (re.compile(r"printk: Suspending console"), StepKind.DEVICES_DOWN),
    (re.compile(r"Disabling non-boot CPUs"), StepKind.CPUS_DOWN),
    (re.compile(r"Enabling non-boot CPUs"), StepKind.CPUS_UP),
    (re.compile(r"OOM killer enabled|Restarting tasks(?!: Done)"), StepKind.THAW),
)
"""The line with which each phase begins. The last CPU that is up ends that of the CPUs."""
CPU = (
    (re.compile(r"psci: CPU(\d+) killed|smpboot: CPU (\d+) is now offline"), StepKind.OFFLINE),
    (re.compile(r"CPU(\d+) is up"), StepKind.ONLINE),
)
FAILED = re.compile(r"PM: (?:Device \S+|Some devices) failed to suspend(?:.*error (-?\d+))?", re.ASCII)
DEVICE = re.compile(r"(\S+): (?:PM: )?(\w+)(?:\+0x\w+/0x\w+)? (?:\[\w+\] )?returned -?\d+ after (\d+) usecs", re.ASCII)
MOST_DEVICES = 3


def is_power_log(text: str) -> bool:
    return any(ENTRY.search(match[3]) for line in text.split("\n") if (match := STAMP.search(line)))


def power_text(data: bytes) -> str:
    """The log with its time stamps."""
    return as_printed(data).decode("utf-8", "replace")


def read_power_log(text: str) -> tuple[PowerStep, ...]:
    """Each suspend, its phases and its CPUs, by the log's clock, which stops while the system sleeps. A suspend that does not end has no
    time."""
    steps: list[PowerStep] = []
    entered: int | None = None
    phase: tuple[StepKind, int] | None = None
    since = error = 0
    for ns, event in _lines(text):
        if (kind := _begins(event)) is None and not EXIT.search(event):
            error = error or _error(event)
            for pattern, change in CPU:
                if phase and (match := pattern.search(event)):
                    steps.append(PowerStep(change, int(match[1] or match[2]), since, ns - since, 0, 0))
                    since = ns
            continue
        if entered is not None and kind is StepKind.SYNC:
            steps.append(PowerStep(StepKind.SUSPEND, None, entered))
            phase = None
        if phase is not None and phase[0] is not kind:
            steps += _ended(phase, since, ns)
        if kind is not None and (phase is None or phase[0] is not kind):
            phase, since = (kind, ns), ns
        entered = ns if kind is StepKind.SYNC else entered
        if kind is None and entered is not None:
            steps.append(PowerStep(StepKind.SUSPEND, None, entered, ns - entered, 0, error))
            entered, phase, error = None, None, 0
    if entered is not None:
        steps.append(PowerStep(StepKind.SUSPEND, None, entered))
    return tuple(steps)


def slowest_devices(text: str) -> tuple[str, ...]:
    """The callbacks of devices that took longest, where the kernel was started with initcall_debug."""
    calls = sorted(((int(us), device, call) for device, call, us in DEVICE.findall(text)), reverse=True)[:MOST_DEVICES]
    return tuple(f"{call} of {device}: {us:,} µs" for us, device, call in calls)


def _ended(phase: tuple[StepKind, int], since: int, ns: int) -> Iterator[PowerStep]:
    """CPUs that come up are followed by devices that resume."""
    kind, begun = phase
    if kind is StepKind.CPUS_UP and since > begun:
        yield PowerStep(kind, None, begun, since - begun, 0, 0)
        kind, begun = StepKind.DEVICES_UP, since
    yield PowerStep(kind, None, begun, ns - begun, 0, 0)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for line in text.split("\n"):
        if match := STAMP.search(line):
            yield int(match[1]) * 1_000_000_000 + int(match[2]) * 1000, match[3]


def _begins(event: str) -> StepKind | None:
    return next((kind for pattern, kind in PHASES if pattern.search(event)), None)


def _error(event: str) -> int:
    match = FAILED.search(event)
    return abs(int(match[1] or 5)) if match else 0
