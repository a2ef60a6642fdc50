# SPDX-License-Identifier: BSD-3-Clause
"""What a recorder says of what it could not see of the kernel."""

from __future__ import annotations

from dataclasses import replace

from latlab.rt.analysis.steal_coverage import coverage_sentences
from latlab.rt.model.kernel_events import KernelEvents, KernelStep, LateSteps, StepKind, Thread

OWN, IDLE, OTHER = Thread("latlab-recorder", 7, 19), Thread("swapper/1", 0, 120), Thread("cc1", 20, 120)


def late(cpu: int, *ran: Thread) -> LateSteps:
    return LateSteps(cpu, 2_000, True, tuple(KernelStep(1_000 + at, StepKind.SWITCH, "", OTHER, thread) for at, thread in enumerate(ran)))


def test_a_cpu_whose_idle_task_keeps_its_events_to_itself_is_said_with_how_many_wake_ups_it_costs() -> None:
    events = KernelEvents((), (late(0, IDLE, OWN), late(1, IDLE, OWN), late(1, OWN, IDLE), late(1, OWN, IDLE), late(1, OTHER), late(1)))
    assert coverage_sentences(events) == (
        "CPU 1: the kernel's events of 4 of 5 late wake-ups do not reach the thread, so latlab names no kernel cause for them; "
        "2 of them end when the CPU goes idle, and the kernel records no event of its idle task",
    )


def test_wake_ups_that_left_no_event_are_said_without_a_word_of_idle() -> None:
    events = KernelEvents((), (late(3, IDLE, OWN), late(3)))
    assert coverage_sentences(events) == (
        "CPU 3: the kernel's events of 1 of 2 late wake-ups do not reach the thread, so latlab names no kernel cause for them",
    )


def test_where_every_wake_up_ends_with_the_switch_to_the_thread_nothing_is_said() -> None:
    assert coverage_sentences(KernelEvents((), (late(0, IDLE, OWN), late(1, OWN)))) == ()


def test_causes_whose_tracepoints_are_missing_are_unknown_and_not_absent() -> None:
    (sentence,) = coverage_sentences(KernelEvents((), (), traced=frozenset({"sched_switch", "sched_migrate_task", "cpu_idle"})))
    assert sentence.endswith("so they are unknown: page faults, kernel locks")


def test_a_change_of_the_frequency_is_mentioned_and_accused_of_nothing() -> None:
    changed = replace(late(1, OWN), steps=(KernelStep(5, StepKind.FREQUENCY, "1800000"), *late(1, OWN).steps))
    assert coverage_sentences(KernelEvents((), (changed, late(1, OWN)))) == (
        "CPU 1: its frequency changed in the records of 1 of 2 late wake-ups; no lateness is attributed to that",
    )
