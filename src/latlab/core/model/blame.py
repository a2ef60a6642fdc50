# SPDX-License-Identifier: BSD-3-Clause
"""What a late wake-up is blamed on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BlameKind(StrEnum):
    FIRMWARE = "firmware"
    """A call of the firmware filled most of the time."""
    KERNEL = "kernel"
    """A function of the kernel did."""
    STOLEN = "stolen"
    """The firmware or the secure world did, by the CPU's two cycle counters; nobody named the call."""
    HYPERVISOR = "hypervisor"
    """The hypervisor kept the CPU, by the kernel's steal clock."""
    SMI = "smi"
    """A system management interrupt of an x86 CPU, by its own count."""
    INTERRUPT = "interrupt"
    SOFTIRQ = "softirq"
    THREAD = "thread"
    """A thread of the same or a higher priority ran."""
    THROTTLED = "throttled"
    """The scheduler ran threads of a lower priority, or none, though the measured thread could run: a limit of its CPU time."""
    QUOTA = "quota"
    """The quota of the thread's control group kept it off its CPU, or a thread that ran meanwhile did: nothing tells which."""
    MASKED = "masked"
    """The timer's interrupt waited while a thread ran: interrupts were masked."""
    UNPREEMPTED = "unpreempted"
    """A thread of a lower priority went on: preemption was disabled."""
    KERNEL_CODE = "kernel code"
    """A thread of a lower priority went on in the kernel, whose preemption model preempts no kernel code."""
    AWAY = "away"
    """A thread went on that should not have, but nothing tells whether the CPU was there at all: no meter and no steal clock shows it."""
    IDLE_EXIT = "idle exit"
    """The CPU slept and came back late; the name is the idle state, empty if unknown."""
    MIGRATED = "migrated"
    """The measured thread was moved to another CPU."""
    PAGE_FAULT = "page fault"
    """The measured thread touched a page that was not there."""
    LOCK = "lock"
    """The measured thread waited for a lock of the kernel."""
    BLOCKED = "blocked"
    """The measured thread waited in the kernel for something else (state D), or was stopped."""
    OWN = "own"
    """The measuring thread itself was not ready to sleep before it was due."""
    COMPUTING = "computing"
    """The thread itself ran: its own code, and its system calls and page faults where these were not recorded."""
    CALL = "call"
    """The thread ran in a system call, which is the name."""
    WAITED = "waited"
    """The thread slept until another thread woke it, which is the name."""
    CYCLE_BEFORE = "cycle before"
    """The cycle before had not ended when this one was due."""
    PATH = "path"
    """The way of every wake-up: the switch to the thread and its return from the kernel."""
    UNEXPLAINED = "unexplained"
    """Nothing that was traced did."""
    UNTRACED = "untraced"
    """Nothing was traced at that time."""


class CallerKind(StrEnum):
    KSTACK = "kstack"
    """Kernel-stack randomisation on the entry of a system call."""
    HWRNG_THREAD = "hwrng thread"
    HWRNG_DRIVER = "hwrng driver"
    FUNCTION = "function"
    """Another function of the kernel, which is named."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The kernel's way to a call: of which kind, in which task, through which function."""

    kind: CallerKind
    task: str
    function: str = ""


@dataclass(frozen=True, slots=True)
class Blame:
    """`name` is the call or function, empty where nothing is blamed."""

    kind: BlameKind
    name: str = ""
    caller: Caller | None = None


UNEXPLAINED = Blame(BlameKind.UNEXPLAINED)
UNTRACED = Blame(BlameKind.UNTRACED)
