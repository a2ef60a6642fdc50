# SPDX-License-Identifier: BSD-3-Clause
"""What a trace of threads cannot prove, because it has no such event: each with the command that records it. That an event was recorded
and never came, no trace tells."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.core.comparison.wording import count
from latlab.rt.model.thread_trace import LIVE, ThreadTrace

NEEDED = (
    (("sched_waking",), "the time from the waking to the queue of a CPU", ("sched:sched_waking",)),
    (("sched_migrate_task",), "on which CPU a thread waited before it moved", ("sched:sched_migrate_task",)),
    (("irq_handler_exit",), "interrupts", ("irq:irq_handler_entry", "irq:irq_handler_exit")),
    (("softirq_exit",), "softirqs", ("irq:softirq_entry", "irq:softirq_exit")),
    (
        ("local_timer_exit", "ipi_exit"),
        "the CPU's own timer and cross-CPU interrupts",
        ("irq_vectors:local_timer_entry", "irq_vectors:local_timer_exit", "ipi:ipi_entry", "ipi:ipi_exit"),
    ),
    (("contention_begin",), "kernel locks", ("lock:contention_begin", "lock:contention_end")),
    (("page_fault_user", "page_fault_kernel"), "page faults", ("exceptions:page_fault_user",)),
    (("cpu_idle",), "the idle state that a CPU leaves", ("power:cpu_idle",)),
    (
        ("sys_exit_clock_nanosleep", "sys_exit_nanosleep"),
        "the end of a cycle that overran",
        ("syscalls:sys_enter_clock_nanosleep", "syscalls:sys_exit_clock_nanosleep"),
    ),
)
"""What a trace has at least one of, what is unknown without it, and what records it."""
RECORDS = {"perf": "perf record -a -m 4M -k CLOCK_MONOTONIC", "trace-cmd": "trace-cmd record"}
CONFIGURES = "ftrace_events of its configuration"
IN_DOUBT = (
    "This trace does not show whether a hypervisor had the CPU, so interrupts, exits from idle and the thread's own computing "
    "are no certain causes"
)
STATES_NONE = ". On a machine without a hypervisor, import the trace with --bare-metal"
NO_FLAGS = "perf does not print the scheduler's flags, so throttling is proven only where a thread of a lower priority was chosen"


MOST_SUBJECTS = 3


def unread_events(trace: ThreadTrace) -> str:
    """Which events of the kernel are missing in the trace; empty if none is known to be."""
    subjects = [subject for subject, _ in _missing(trace)]
    more = f" and {count(len(subjects) - MOST_SUBJECTS, 'more kind')}" if len(subjects) > MOST_SUBJECTS else ""
    lost = "events of the trace were lost" if len(trace.stretches) > 1 else ""
    missing = f"the trace does not show {', '.join(subjects[:MOST_SUBJECTS])}{more}" if subjects else ""
    return "; ".join(filter(None, (lost, missing)))


def sight_of(trace: ThreadTrace, is_virtual: bool) -> tuple[str, ...]:
    return tuple(_sentences(trace, is_virtual))


def _sentences(trace: ThreadTrace, is_virtual: bool) -> Iterator[str]:
    missing = _missing(trace)
    unknown = ", ".join(subject for subject, _ in missing)
    events = [event for _, group in missing for event in group]
    if missing and trace.tool == LIVE:
        yield f"This kernel has no event of these, so they are unknown: {unknown}; a kernel with {', '.join(events)} shows them"
    elif missing:
        yield f"The trace has no event of these, so if not recorded they are unknown: {unknown}; record {_command(trace.tool, events)}"
    if is_virtual:
        yield IN_DOUBT if trace.tool == LIVE else IN_DOUBT + STATES_NONE
    if trace.tool == "perf":
        yield NO_FLAGS


def _missing(trace: ThreadTrace) -> list[tuple[str, tuple[str, ...]]]:
    """What is unknown, and the events that would show it."""
    return [(subject, events) for names, subject, events in NEEDED if trace.recorded.isdisjoint(names)]


def _command(tool: str, events: list[str]) -> str:
    """With the two events that every trace of threads needs."""
    if tool not in RECORDS:
        return f"add to {CONFIGURES}: {', '.join(event.replace(':', '/') for event in events)}"
    needed = dict.fromkeys(("sched:sched_switch", "sched:sched_waking", *events))
    return f"`{RECORDS[tool]} {' '.join(f'-e {event}' for event in needed)}`"
