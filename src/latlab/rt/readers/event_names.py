# SPDX-License-Identifier: BSD-3-Clause
"""Names and numbers of the kernel's events that every form of a trace shares."""

from __future__ import annotations

SOFTIRQS = ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU")
CALLED = {"ipi": "IPI"}
VECTORS = (
    "ipi",
    "local_timer",
    "reschedule",
    "call_function",
    "call_function_single",
    "x86_platform_ipi",
    "thermal_apic",
    "error_apic",
    "spurious_apic",
)
"""Interrupts of the CPU itself with events of their own. irq_work is none of them: perf samples its entry and not its exit."""
IDLE_LEFT = (1 << 32) - 1
"""The state of `cpu_idle` for leaving idle."""
