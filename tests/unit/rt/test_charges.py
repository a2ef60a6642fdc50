# SPDX-License-Identifier: BSD-3-Clause
"""What threads are charged for, as a clock of the hypervisor's steal time."""

from __future__ import annotations

from latlab.core.model.blame import BlameKind
from latlab.rt.analysis.charges import ChargeClock, charge_clock, charge_windows
from latlab.rt.analysis.lateness_parts import parts_of
from latlab.rt.model.kernel_events import Charge, KernelEvents, KernelStep, LateSteps, StepKind, Thread
from latlab.rt.model.wakeups import Outlier

LOAD, OWN, IDLE = Thread("python", 7, 130), Thread("latlab-recorder", 9, 19), Thread("swapper/0", 0, 120)
DUE_US, WAKE_US = 1000, 1480
CLOCK = ChargeClock(keeps_interrupts_out=False)


def switch(us: int, leaves: Thread, comes: Thread) -> KernelStep:
    return KernelStep(1000 * us, StepKind.SWITCH, "", leaves, comes)


def charged(us: int, thread: Thread, ns_us: int) -> KernelStep:
    return KernelStep(1000 * us, StepKind.CHARGED, thread.name, charge=Charge(thread.pid, 1000 * ns_us))


def timer(into: int, out: int) -> tuple[KernelStep, ...]:
    waking = KernelStep(1000 * into + 500, StepKind.WAKING, OWN.name)
    return KernelStep(1000 * into, StepKind.INTERRUPT_IN, "timer"), waking, KernelStep(1000 * out, StepKind.INTERRUPT_OUT, "timer")


def late(*steps: KernelStep, own_us: int) -> LateSteps:
    return LateSteps(0, 1000 * WAKE_US, True, steps, own_at_ns=1000 * WAKE_US, own_ns=1000 * own_us)


def stolen_us(steps: LateSteps, clock: ChargeClock | None = CLOCK) -> dict[BlameKind, int]:
    outlier = Outlier(0, 1000 * WAKE_US, 1000 * (WAKE_US - DUE_US))
    return {part.blame.kind: part.ns // 1000 for part in parts_of(steps, outlier, 80, None, clock=clock)}


def test_a_thread_that_is_charged_for_less_than_went_by_was_preempted_by_the_hypervisor() -> None:
    steps = late(switch(900, OWN, LOAD), *timer(1400, 1405), charged(1470, LOAD, 150), switch(1472, LOAD, OWN), own_us=78)
    assert stolen_us(steps)[BlameKind.HYPERVISOR] == 580 - 150 - 78
    assert BlameKind.HYPERVISOR not in stolen_us(steps, None)


def test_the_next_thread_may_be_charged_for_the_time_of_a_switch() -> None:
    """As on a virtual machine: 460 µs from the waking to the switch, all of it in the charge of the thread that came."""
    steps = late(switch(858, OWN, LOAD), *timer(1008, 1015), charged(1470, LOAD, 153), switch(1473, LOAD, OWN), own_us=470)
    assert BlameKind.HYPERVISOR not in stolen_us(steps)
    assert stolen_us(steps)[BlameKind.AWAY] > 400


def test_a_thread_that_slept_without_leaving_the_cpu_says_nothing_of_the_time_before_it_slept() -> None:
    """It was late for its sleep, as behind an interrupt or a lock: its timer woke it before it could leave."""
    left = late(switch(700, LOAD, OWN), *timer(1400, 1440), own_us=110)
    assert list(charge_windows(left)) == []
    assert BlameKind.HYPERVISOR not in stolen_us(left)
    behind_load = late(switch(500, OWN, LOAD), charged(690, LOAD, 180), switch(700, LOAD, OWN), *timer(1400, 1440), own_us=110)
    assert BlameKind.HYPERVISOR not in stolen_us(behind_load)


def test_a_tick_divides_the_time_before_it_from_the_time_after_it() -> None:
    steps = late(
        switch(500, OWN, LOAD), charged(900, LOAD, 100), *timer(1001, 1005), charged(1410, LOAD, 101), switch(1412, LOAD, OWN), own_us=470
    )
    windows = list(charge_windows(steps))
    assert [(window.begin_ns, window.end_ns, window.missing_ns) for window in windows] == [
        (500_000, 900_000, 300_000),
        (900_000, 1_480_000, 9_000),
    ]
    assert stolen_us(steps)[BlameKind.HYPERVISOR] == 9, "what was stolen before the thread was due made nothing late"


def test_of_steal_time_that_may_have_been_before_only_what_does_not_fit_there_counts() -> None:
    steps = late(switch(400, OWN, LOAD), *timer(1470, 1472), charged(1473, LOAD, 20), switch(1474, LOAD, OWN), own_us=10)
    assert stolen_us(steps)[BlameKind.HYPERVISOR] == 1080 - 30 - 600


def test_a_charge_of_a_thread_on_another_cpu_divides_nothing() -> None:
    """Who wakes a thread on another CPU charges the one that runs there: that event came from here and says nothing about here."""
    elsewhere = Thread("qemu", 8, 120)
    steps = late(
        switch(500, OWN, LOAD),
        charged(900, elsewhere, 30),
        *timer(1400, 1405),
        charged(1470, LOAD, 970),
        charged(1471, elsewhere, 10),
        switch(1472, LOAD, OWN),
        own_us=8,
    )
    assert [window.missing_ns for window in charge_windows(steps)] == [2_000]
    assert BlameKind.HYPERVISOR not in stolen_us(steps)


def test_a_thread_to_which_no_switch_was_recorded_shows_nothing() -> None:
    """Its charge begins at a switch that nobody knows, so what went by before is no steal time."""
    steps = late(switch(500, OWN, Thread("tokio", 6, 110)), *timer(1400, 1405), charged(1470, LOAD, 300), switch(1472, LOAD, OWN), own_us=8)
    assert BlameKind.HYPERVISOR not in stolen_us(steps)


def test_an_idle_cpu_and_a_thread_without_a_charge_show_nothing() -> None:
    idle = late(switch(500, OWN, IDLE), *timer(1400, 1405), switch(1406, IDLE, OWN), own_us=74)
    assert BlameKind.HYPERVISOR not in stolen_us(idle)
    uncharged = late(switch(500, OWN, LOAD), *timer(1400, 1405), switch(1406, LOAD, OWN), own_us=74)
    assert BlameKind.HYPERVISOR not in stolen_us(uncharged)


def test_a_kernel_that_accounts_interrupts_apart_is_recognised_by_its_charges() -> None:
    apart = late(switch(500, OWN, LOAD), *timer(1000, 1100), charged(1400, LOAD, 800), switch(1402, LOAD, OWN), own_us=80)
    together = late(switch(500, OWN, LOAD), *timer(1000, 1100), charged(1400, LOAD, 900), switch(1402, LOAD, OWN), own_us=80)
    clocks = [charge_clock(KernelEvents((), steps)) for steps in ((apart,), (apart, together), ())]
    assert clocks == [ChargeClock(True), ChargeClock(False), None]
    assert BlameKind.HYPERVISOR not in stolen_us(apart, ChargeClock(True))
