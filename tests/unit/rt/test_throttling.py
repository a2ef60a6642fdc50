# SPDX-License-Identifier: BSD-3-Clause
"""A thread that could run and was kept off its CPU by the scheduler, and what only looks like it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.model.blame import BlameKind
from latlab.rt.analysis.lateness_parts import parts_of
from latlab.rt.model.kernel_events import KernelStep, LateSteps, Left, StepKind, Thread
from latlab.rt.model.wakeups import Outlier

OWN = Thread("latlab-recorder", 7, 19)
IDLE = Thread("swapper/0", 0, 120)
LOW, OTHER = Thread("cc1", 20, 120), Thread("make", 21, 120)
HIGH = Thread("irq/9-mmc", 30, 9)
DUE_NS, PRIORITY = 1_000_000, 80
IN, OUT = StepKind.INTERRUPT_IN, StepKind.INTERRUPT_OUT


def switch(ns: int, leaves: Thread, comes: Thread, runnable: bool = True) -> KernelStep:
    return KernelStep(ns, StepKind.SWITCH, "", leaves, comes, left=Left.RUNNABLE if runnable else Left.ASLEEP, is_switch_due=False)


def step(ns: int, kind: StepKind, due: bool | None, name: str = "local_timer") -> KernelStep:
    return KernelStep(ns, kind, name, is_switch_due=due)


def woken(due: bool | None = True) -> tuple[KernelStep, ...]:
    """By the timer's interrupt, in time; behind it a switch is due."""
    return step(1_002_000, IN, False), step(1_003_000, StepKind.WAKING, False, "latlab-recorder"), step(1_004_000, OUT, due)


def ended(*steps: KernelStep, by: Thread = LOW) -> tuple[KernelStep, ...]:
    """The limit's period is over: the timer lets the thread run."""
    return *steps, step(9_000_000, IN, False), step(9_001_000, OUT, True), switch(9_002_000, by, OWN)


def throttled_ns(*steps: KernelStep, is_whole: bool = True) -> int:
    wake_ns = steps[-1].ns + 2_000
    outlier = Outlier(0, wake_ns, wake_ns - DUE_NS)
    parts = parts_of(LateSteps(0, wake_ns, is_whole, steps), outlier, PRIORITY, None)
    assert sum(part.ns for part in parts) == outlier.late_ns
    return sum(part.ns for part in parts if part.blame.kind is BlameKind.THROTTLED)


ASLEEP = switch(900_000, OWN, LOW, runnable=False)


def test_a_switch_to_a_lower_priority_proves_it_from_there_on() -> None:
    assert throttled_ns(*ended(ASLEEP, *woken(), switch(2_000_000, LOW, OTHER), by=OTHER)) == 7_000_000


def test_a_switch_to_a_higher_priority_does_not() -> None:
    assert throttled_ns(*ended(ASLEEP, *woken(), switch(2_000_000, LOW, HIGH), by=HIGH)) == 0


def test_one_thread_that_goes_on_without_any_event_proves_nothing() -> None:
    assert throttled_ns(ASLEEP, *woken(), switch(9_002_000, LOW, OWN)) == 0


@pytest.mark.parametrize(("due", "expected_ns"), [(False, 6_000_000), (True, 0), (None, 0)])
def test_a_tick_that_finds_no_switch_due_proves_it_and_one_that_finds_it_due_has_preemption_disabled(
    due: bool | None, expected_ns: int
) -> None:
    ticks = step(3_000_000, IN, due), step(3_000_000, OUT, due)
    assert throttled_ns(*ended(ASLEEP, *woken(), *ticks)) == (expected_ns if due is not None else 0)


def test_a_thread_that_raises_its_own_priority_and_lowers_it_again_is_not_called_a_limit() -> None:
    """It leaves no event: no switch is due while it runs, and none of an interrupt's at its end, as at the end of a limit."""
    ticks = step(3_000_000, IN, False), step(3_001_000, OUT, False)
    assert throttled_ns(ASLEEP, *woken(due=False), *ticks, switch(9_002_000, LOW, OWN)) == 0
    assert throttled_ns(*ended(ASLEEP, *woken(due=False), *ticks, by=LOW)) == 9_000_000 - 1_004_000 - 1_000


def test_a_thread_that_leaves_with_a_raised_priority_is_not_called_a_limit() -> None:
    raised = replace(LOW, priority=9)
    ticks = step(3_000_000, IN, False), step(3_001_000, OUT, False)
    assert throttled_ns(*ended(ASLEEP, *woken(), *ticks, by=raised)) == 0
    assert throttled_ns(*ended(ASLEEP, *woken(), switch(2_000_000, OTHER, LOW), by=raised)) == 0


def test_the_record_of_the_waking_itself_says_nothing_since_the_kernel_decides_behind_it() -> None:
    waking = step(1_003_000, StepKind.WAKING, False, "latlab-recorder")
    tick = step(3_000_000, IN, True), step(3_001_000, OUT, True)
    assert throttled_ns(ASLEEP, waking, *tick, switch(9_002_000, LOW, OWN)) == 0


def test_a_waking_before_it_was_due_is_that_of_another_period() -> None:
    early = step(950_000, StepKind.WAKING, False, "latlab-recorder")
    assert throttled_ns(*ended(ASLEEP, early, switch(2_000_000, LOW, OTHER), by=OTHER)) == 0


def test_a_thread_that_was_taken_off_while_it_ran_is_throttled_though_it_was_never_woken() -> None:
    assert throttled_ns(*ended(switch(900_000, OWN, IDLE), by=IDLE)) == 8_000_000
    assert throttled_ns(*ended(switch(900_000, OWN, IDLE, runnable=False), by=IDLE)) == 0
    assert throttled_ns(*ended(switch(900_000, OWN, HIGH), by=HIGH)) == 0


def test_one_whose_own_priority_was_lowered_is_not_throttled_by_what_is_above_it() -> None:
    between = Thread("audio", 40, 59)
    assert throttled_ns(*ended(switch(900_000, replace(OWN, priority=98), between), by=between)) == 0


def test_an_idle_state_entered_with_the_thread_runnable_proves_it() -> None:
    idle = step(1_006_000, StepKind.IDLE_IN, False, "0"), step(8_999_000, StepKind.IDLE_OUT, True, "4294967295")
    asleep = switch(900_000, OWN, IDLE, runnable=False)
    assert throttled_ns(*ended(asleep, *woken(), *idle, by=IDLE)) == 8_999_000 - 1_006_000
    deep = step(950_000, StepKind.IDLE_IN, False, "3"), step(1_001_000, StepKind.IDLE_OUT, False, "4294967295")
    assert throttled_ns(asleep, *deep, *woken(), switch(1_009_000, IDLE, OWN)) == 0


def test_a_thread_that_went_to_another_cpu_is_not_throttled_here() -> None:
    stopper = Thread("migration/0", 12, 0)
    away = switch(1_010_000, OWN, stopper), KernelStep(1_011_000, StepKind.MIGRATED, "1"), switch(1_012_000, stopper, LOW)
    assert throttled_ns(*ended(ASLEEP, *woken(), switch(1_005_000, LOW, OWN), *away)) == 0


@pytest.mark.parametrize(("name", "expected_ns"), [("local_timer", 6_000_000), ("reschedule", 0), ("IPI", 0)])
def test_where_the_records_do_not_reach_back_to_the_waking_the_interrupt_at_the_end_tells(name: str, expected_ns: int) -> None:
    """Without one by this CPU the thread may just have been woken by another."""
    steps = switch(2_000_000, OTHER, LOW), step(4_000_000, IN, False), step(4_000_000, OUT, False), step(7_999_000, IN, False, name)
    found = throttled_ns(*steps, step(8_000_000, OUT, True, name), switch(8_001_000, LOW, OWN), is_whole=False)
    assert found == (expected_ns - 1_000 if expected_ns else 0)
    early = switch(900_000, OTHER, LOW), *steps[1:]
    assert throttled_ns(*early, step(8_000_000, OUT, True, name), switch(8_001_000, LOW, OWN), is_whole=False) == 0


def test_records_without_the_kernels_flags_accuse_nobody() -> None:
    """Files of older recorders lack the events of migration, so that nothing of this is read from them."""
    steps = ended(ASLEEP, *woken(), step(3_000_000, IN, False), step(3_001_000, OUT, False))
    assert throttled_ns(*(replace(one, left=None, is_switch_due=None) for one in steps)) == 0


@given(st.lists(st.tuples(st.integers(1_005_000, 8_000_000), st.sampled_from([IN, OUT, StepKind.CHARGED])), max_size=9))
def test_whatever_happens_while_a_switch_is_due_is_no_limit(drawn: list[tuple[int, StepKind]]) -> None:
    between = [step(ns, kind, True) for ns, kind in sorted(drawn, key=lambda one: one[0])]
    assert throttled_ns(ASLEEP, *woken(), *between, switch(9_002_000, LOW, OWN)) == 0
