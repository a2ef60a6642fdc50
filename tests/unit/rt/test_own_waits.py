# SPDX-License-Identifier: BSD-3-Clause
"""The measuring thread held up in the kernel: page faults, locks, other waits, and what only looks like them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from latlab.core.model.blame import Blame, BlameKind
from latlab.rt.analysis.lateness_parts import parts_of
from latlab.rt.analysis.own_waits import own_waits
from latlab.rt.model.kernel_events import KernelStep, LateSteps, Left, StepKind, Thread
from latlab.rt.model.wakeups import Outlier

OWN = Thread("latlab-recorder", 7, 19)
LOW, OTHER = Thread("cc1", 20, 120), Thread("kcompactd0", 21, 120)
HOLDER = Thread("logger", 22, 89)
DUE_NS, PRIORITY = 1_000_000, 80
Parts = dict[tuple[str, str], int]


def switch(ns: int, leaves: Thread, comes: Thread, left: Left = Left.ASLEEP) -> KernelStep:
    return KernelStep(ns, StepKind.SWITCH, "", leaves, comes, left=left, is_switch_due=False)


def step(ns: int, kind: StepKind, name: str = "", due: bool = False) -> KernelStep:
    return KernelStep(ns, kind, name, is_switch_due=due)


def parts(*steps: KernelStep, wake_ns: int = 1_500_000, kept_before_ns: int = 0) -> Parts:
    outlier = Outlier(0, wake_ns, wake_ns - DUE_NS)
    found = parts_of(LateSteps(0, wake_ns, True, steps, kept_before_ns=kept_before_ns), outlier, PRIORITY, None)
    assert sum(part.ns for part in found) == outlier.late_ns
    return {(part.blame.kind.value, part.blame.name): part.ns for part in found}


IN_TIME = (
    switch(900_000, OWN, LOW),
    step(1_002_000, StepKind.INTERRUPT_IN, "local_timer"),
    step(1_003_000, StepKind.WAKING, "latlab-recorder"),
    step(1_004_000, StepKind.INTERRUPT_OUT, "local_timer", True),
    switch(1_006_000, LOW, OWN, Left.RUNNABLE),
)
WOKEN = step(1_400_000, StepKind.WAKING, "latlab-recorder")
BACK = switch(1_410_000, OTHER, OWN, Left.RUNNABLE)
FAULT = ("page fault", "")


def test_a_fault_in_which_the_thread_is_busy_lasts_until_it_runs() -> None:
    assert parts(*IN_TIME, step(1_008_000, StepKind.FAULT))[FAULT] == 492_000


def test_without_a_fault_the_same_time_is_the_way_to_the_thread() -> None:
    found = parts(*IN_TIME)
    assert FAULT not in found and found[("path", "")] == 494_000


def test_a_fault_in_which_the_thread_waits_lasts_until_its_waking() -> None:
    found = parts(*IN_TIME, step(1_008_000, StepKind.FAULT), switch(1_012_000, OWN, OTHER, Left.BLOCKED), WOKEN, BACK)
    assert found[FAULT] == 392_000 and found[("away", "kcompactd0")] == 10_000


def test_a_thread_that_is_preempted_in_a_fault_waits_for_the_other_thread_and_not_for_the_page() -> None:
    high = Thread("irq/9-mmc", 30, 9)
    ran = switch(1_009_000, OWN, high, Left.RUNNABLE), switch(1_410_000, high, OWN)
    found = parts(*IN_TIME, step(1_008_000, StepKind.FAULT), *ran)
    assert found[("thread", "irq/9-mmc (priority 90)")] == 401_000 and found.get(FAULT, 0) <= 1_000


def test_a_fault_inside_an_interrupt_is_none_of_the_threads() -> None:
    inside = (
        step(1_008_000, StepKind.INTERRUPT_IN, "eth0"),
        step(1_009_000, StepKind.FAULT),
        step(1_100_000, StepKind.INTERRUPT_OUT, "eth0"),
    )
    found = parts(*IN_TIME, *inside)
    assert FAULT not in found and found[("interrupt", "eth0")] == 92_000


@pytest.mark.parametrize(("kept_before_ns", "kind"), [(0, "page fault"), (801_000, "away")])
def test_a_fault_before_it_was_due_counts_unless_the_thread_then_kept_another_late_wake_up(kept_before_ns: int, kind: str) -> None:
    """Keeping its records takes a while too, and a fault's end is in no record."""
    busy = switch(800_000, LOW, OWN), step(802_000, StepKind.FAULT)
    found = parts(*busy, kept_before_ns=kept_before_ns)
    assert max(found, key=lambda part: found[part])[0] == kind


def test_a_lock_is_named_with_its_kind_and_with_who_released_it() -> None:
    steps = (step(1_008_000, StepKind.LOCK_IN, "mutex"), switch(1_010_000, OWN, HOLDER, Left.BLOCKED), WOKEN)
    found = parts(*IN_TIME, *steps, switch(1_410_000, HOLDER, OWN, Left.RUNNABLE), step(1_412_000, StepKind.LOCK_OUT))
    assert found[("lock", "mutex, released by logger (priority 10)")] == 392_000


def test_who_released_a_lock_is_not_the_thread_that_an_interrupt_came_in() -> None:
    waking = step(1_399_000, StepKind.INTERRUPT_IN, "nvme"), WOKEN, step(1_401_000, StepKind.INTERRUPT_OUT, "nvme", True)
    steps = step(1_008_000, StepKind.LOCK_IN, "semaphore"), switch(1_010_000, OWN, OTHER, Left.BLOCKED), *waking, BACK
    assert parts(*IN_TIME, *steps)[("lock", "semaphore")] == 392_000


def test_an_interrupt_while_the_thread_waits_off_the_cpu_takes_nothing_from_it() -> None:
    softirq = step(1_100_000, StepKind.SOFTIRQ_IN, "NET_RX"), step(1_350_000, StepKind.SOFTIRQ_OUT, "NET_RX")
    blocked = step(1_008_000, StepKind.LOCK_IN, "mutex"), switch(1_010_000, OWN, OTHER, Left.BLOCKED)
    found = parts(*IN_TIME, *blocked, *softirq, WOKEN, BACK)
    assert found[("lock", "mutex, released by kcompactd0 (not real-time)")] == 392_000 and ("softirq", "NET_RX") not in found
    runnable = parts(*IN_TIME, *softirq)
    assert runnable[("softirq", "NET_RX")] == 250_000


def test_a_spin_lock_keeps_the_thread_busy_until_it_has_it() -> None:
    found = parts(*IN_TIME, step(1_008_000, StepKind.LOCK_IN, "spin lock"), step(1_300_000, StepKind.LOCK_OUT))
    assert found[("lock", "spin lock")] == 292_000 and found[("path", "")] == 202_000


def test_a_lock_in_a_fault_comes_before_the_fault() -> None:
    lock = step(1_050_000, StepKind.LOCK_IN, "semaphore"), step(1_350_000, StepKind.LOCK_OUT)
    found = parts(*IN_TIME, step(1_010_000, StepKind.FAULT), *lock)
    assert found[("lock", "semaphore")] == 300_000 and found[FAULT] == 190_000


def test_a_spin_lock_of_an_interrupt_in_the_thread_is_the_interrupts() -> None:
    inside = step(1_008_000, StepKind.SOFTIRQ_IN, "BLOCK"), step(1_009_000, StepKind.LOCK_IN, "spin lock")
    found = parts(*IN_TIME, *inside, step(1_200_000, StepKind.LOCK_OUT), step(1_201_000, StepKind.SOFTIRQ_OUT, "BLOCK"))
    assert found[("softirq", "BLOCK")] == 193_000 and not any(kind == "lock" for kind, _ in found)


def test_a_wait_that_nothing_names_is_the_kernels() -> None:
    steps = switch(950_000, OWN, OTHER, Left.BLOCKED), WOKEN, BACK
    assert parts(*steps)[("blocked", "")] == 400_000
    assert ("blocked", "") not in parts(replace(steps[0], left=Left.ASLEEP), *steps[1:])
    assert ("blocked", "") not in parts(replace(steps[0], left=None), *steps[1:])


def test_where_another_cpu_wakes_the_thread_the_wait_ends_when_this_ones_scheduler_has_a_switch_to_make() -> None:
    cross_call = step(1_300_000, StepKind.INTERRUPT_IN, "reschedule", True), step(1_302_000, StepKind.INTERRUPT_OUT, "reschedule", True)
    found = parts(switch(950_000, OWN, OTHER, Left.BLOCKED), step(1_200_000, StepKind.CHARGED), *cross_call, BACK)
    assert found[("blocked", "")] == 300_000 and found[("away", "kcompactd0")] == 108_000


OWN_THREAD, IDLE_TASK, TIMER_NS = Thread("latlab-recorder", 9, 59), Thread("swapper/0", 0, 120), 1_240_000


def _asleep(left: Left = Left.ASLEEP, back_ns: int = 1_225_000, waking_ns: int = TIMER_NS) -> tuple[KernelStep, ...]:
    steps = (
        KernelStep(830_000, StepKind.SWITCH, "", OWN_THREAD, IDLE_TASK, left=left),
        KernelStep(back_ns, StepKind.SWITCH, "", IDLE_TASK, OWN_THREAD, left=Left.RUNNABLE),
        KernelStep(waking_ns, StepKind.WAKING, OWN_THREAD.name),
    )
    return tuple(sorted(steps, key=lambda step: step.ns))


def test_a_thread_that_is_back_before_its_timer_wakes_it_waited_for_another_one() -> None:
    """As for a lock of its own program. On an idle CPU its exit from idle was not late; what came after the timer changes nothing."""
    urgent = replace(OWN_THREAD, pid=7, priority=19)
    preempted = KernelStep(1_245_000, StepKind.SWITCH, "", OWN_THREAD, urgent, left=Left.RUNNABLE)
    again = KernelStep(1_248_000, StepKind.SWITCH, "", urgent, OWN_THREAD, left=Left.ASLEEP)
    for steps in (_asleep(), (*_asleep(), preempted, again)):
        assert own_waits(LateSteps(0, 1_250_000, True, steps), 1_000_000, OWN_THREAD) == ((830_000, 1_225_000, Blame(BlameKind.OWN)),)


def test_a_sleep_in_a_fault_is_the_faults() -> None:
    fault = KernelStep(825_000, StepKind.FAULT)
    came = KernelStep(820_000, StepKind.SWITCH, "", IDLE_TASK, OWN_THREAD, left=Left.RUNNABLE)
    waits = own_waits(LateSteps(0, 1_250_000, True, (came, fault, *_asleep())), 1_000_000, OWN_THREAD)
    assert waits == ((825_000, 1_225_000, Blame(BlameKind.PAGE_FAULT)),)
    earlier = own_waits(LateSteps(0, 1_250_000, True, (replace(came, ns=0), replace(fault, ns=1), *_asleep())), 1_000_000, OWN_THREAD)
    assert earlier == ((830_000, 1_225_000, Blame(BlameKind.OWN)),)


@pytest.mark.parametrize(
    "steps",
    [_asleep(Left.RUNNABLE), _asleep(waking_ns=1_220_000), _asleep(back_ns=990_000), _asleep()[1:], _asleep()[:2], ()],
    ids=["preempted", "its timer woke it", "back in time", "left too long ago", "no timer", "no events"],
)
def test_any_other_way_back_is_no_wait(steps: tuple[KernelStep, ...]) -> None:
    assert own_waits(LateSteps(0, 1_250_000, True, steps), 1_000_000, OWN_THREAD) == ()


@pytest.mark.parametrize(("in_interrupt", "is_wait"), [(False, True), (True, False), (None, False)])
def test_a_thread_that_another_thread_wakes_waited_for_it(in_interrupt: bool | None, is_wait: bool) -> None:
    """The holder of the lock runs on the same CPU and wakes it; its timer, which wakes it in an interrupt, comes behind other switches."""
    holder = replace(OWN_THREAD, pid=11, priority=97)
    steps = (
        KernelStep(830_000, StepKind.SWITCH, "", OWN_THREAD, holder, left=Left.ASLEEP),
        KernelStep(1_200_000, StepKind.WAKING, OWN_THREAD.name, in_interrupt=in_interrupt),
        KernelStep(1_205_000, StepKind.SWITCH, "", holder, OWN_THREAD, left=Left.RUNNABLE),
        KernelStep(1_210_000, StepKind.SWITCH, "", OWN_THREAD, holder, left=Left.ASLEEP),
        KernelStep(1_240_000, StepKind.WAKING, OWN_THREAD.name, in_interrupt=True),
        KernelStep(1_245_000, StepKind.SWITCH, "", holder, OWN_THREAD, left=Left.RUNNABLE),
    )
    waits = own_waits(LateSteps(0, 1_250_000, True, steps), 1_000_000, OWN_THREAD)
    assert waits == (((830_000, 1_200_000, Blame(BlameKind.OWN)),) if is_wait else ())
