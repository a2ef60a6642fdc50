# SPDX-License-Identifier: BSD-3-Clause
"""A lateness taken apart: who ran from the moment when the wake-up was due, and what the counters show as stolen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.comparison.wording import said_blame
from latlab.core.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.rt.analysis.attribution import attribute, with_parts
from latlab.rt.analysis.charges import ChargeClock
from latlab.rt.analysis.lateness_parts import (
    LatenessPart,
    beyond_ordinary,
    in_doubt_of,
    parts_of,
    stolen_between,
    thefts,
    usual_waking,
    waker,
)
from latlab.rt.model.kernel_events import Charge, CycleCounts, KernelEvents, KernelStep, LateSteps, StepKind, Thread
from latlab.rt.model.stolen import Calibration, CpuStolen, Regime
from latlab.rt.model.wakeups import Outlier, Wakeups, cpu_row

OWN = Thread("latlab-recorder", 7, 19)
IDLE = Thread("swapper/0", 0, 120)
LOW = Thread("cc1", 20, 120)
HIGH = Thread("irq/9-mmc", 30, 9)
PRIORITY = 80
DUE_NS = 1_000_000
RUNS = Calibration(Regime.RUNS, "hwrng", 15, 1832.0, 1832.0, 0, 60.0, 1e9)
STOPS = replace(RUNS, regime=Regime.STOPS, call_mark_cycles=128.0)
AWAY = BlameKind.AWAY
UNMARKED = replace(RUNS, regime=Regime.UNMARKED, call_mark_cycles=0.0)


def switch(ns: int, leaves: Thread, comes: Thread, counts: CycleCounts | None = None) -> KernelStep:
    return KernelStep(ns, StepKind.SWITCH, "", leaves, comes, counts)


def late(*steps: KernelStep, wake_ns: int) -> tuple[LateSteps, Outlier]:
    return LateSteps(0, wake_ns, True, steps), Outlier(0, wake_ns, wake_ns - DUE_NS)


def said(steps: LateSteps, outlier: Outlier, calibration: Calibration | None = RUNS) -> dict[tuple[str, str], int]:
    parts = parts_of(steps, outlier, PRIORITY, calibration)
    assert sum(part.ns for part in parts) == outlier.late_ns
    return {(part.blame.kind.value, part.blame.name): part.ns for part in parts}


def ordinary(first: Thread, *between: KernelStep) -> tuple[LateSteps, Outlier]:
    """`first` runs when it is due; the timer's interrupt comes 100 us later and wakes, 10 us after that the thread runs."""
    return late(
        switch(900_000, OWN, first),
        KernelStep(1_100_000, StepKind.INTERRUPT_IN, "arch_timer"),
        KernelStep(1_103_000, StepKind.WAKING, "latlab-recorder"),
        KernelStep(1_104_000, StepKind.INTERRUPT_OUT),
        *between,
        switch(1_110_000, first, OWN),
        wake_ns=1_112_000,
    )


def test_what_a_work_queues_thread_runs_is_blamed_by_the_function_and_not_by_the_threads_number() -> None:
    work = KernelStep(950_000, StepKind.WORK_IN, "efi_call_rts")
    done = KernelStep(1_106_000, StepKind.WORK_OUT)
    steps, outlier = ordinary(replace(LOW, name="kworker/u2:0"), done)
    with_work = replace(steps, steps=(steps.steps[0], work, *steps.steps[1:]))
    assert said(with_work, outlier) == {
        ("masked", "work efi_call_rts"): 100_000,
        ("interrupt", "arch_timer"): 4_000,
        ("unpreempted", "work efi_call_rts"): 2_000,
        ("unpreempted", "kworker/u2:0"): 4_000,
        ("path", ""): 2_000,
    }


def test_a_thread_in_which_the_timers_interrupt_waits_has_interrupts_masked() -> None:
    assert said(*ordinary(LOW)) == {
        ("masked", "cc1"): 100_000,
        ("interrupt", "arch_timer"): 4_000,
        ("unpreempted", "cc1"): 6_000,
        ("path", ""): 2_000,
    }


def test_a_thread_of_a_higher_priority_is_the_cause_though_the_timers_interrupt_waits_in_it() -> None:
    assert said(*ordinary(HIGH)) == {
        ("thread", "irq/9-mmc (priority 90)"): 106_000,
        ("interrupt", "arch_timer"): 4_000,
        ("path", ""): 2_000,
    }


def test_without_a_meter_a_thread_of_a_higher_priority_is_not_accused_of_what_a_hypervisor_may_have_taken() -> None:
    assert said(*ordinary(HIGH), calibration=None)[("away", "irq/9-mmc")] == 100_000


def test_without_a_meter_nobody_is_accused_of_masking_what_the_cpu_may_have_slept_through() -> None:
    found = said(*ordinary(LOW), calibration=None)
    assert found[("away", "cc1")] == 106_000 and not any(kind in ("masked", "unpreempted") for kind, _ in found)


def test_a_cpu_that_comes_late_out_of_idle_accuses_no_thread() -> None:
    assert said(*ordinary(IDLE))[("idle exit", "")] == 106_000


@pytest.mark.parametrize("running", [IDLE, LOW, HIGH])
@pytest.mark.parametrize("timer_ns", [1_050_000, 1_160_000])
def test_a_thread_that_another_cpu_woke_was_late_for_what_it_waited_for(running: Thread, timer_ns: int) -> None:
    """The records begin in its wait. Its timer woke it when it was back already: nothing on this CPU kept it off."""
    waking = KernelStep(timer_ns, StepKind.WAKING, OWN.name)
    back = switch(1_150_000, running, OWN)
    steps = sorted((switch(900_000, LOW, running), waking, back), key=lambda step: step.ns)
    found = said(*late(*steps, wake_ns=1_170_000))
    others = {kind for kind, _ in found} - {"path", "unexplained"}
    assert bool(others) == (timer_ns < back.ns), found


@pytest.mark.parametrize(("begins_ns", "kind"), [(900_000, "idle exit"), (1_010_000, "unexplained")])
def test_only_a_cpu_that_was_idle_when_it_was_due_can_come_late_out_of_it(begins_ns: int, kind: str) -> None:
    deep = KernelStep(begins_ns + 1_000, StepKind.IDLE_IN, "state C6, exit latency 133 µs")
    steps = (switch(899_000, OWN, LOW), switch(begins_ns, LOW, IDLE), deep, KernelStep(1_100_000, StepKind.IDLE_OUT))
    found = said(*late(*steps, switch(1_102_000, IDLE, OWN), wake_ns=1_103_000))
    name = "state C6, exit latency 133 µs" if kind == "idle exit" else ""
    assert found[(kind, name)] == 1_102_000 - max(begins_ns, DUE_NS)
    assert (kind == "idle exit") == any(part == "idle exit" for part, _ in found)


@pytest.mark.parametrize(("to", "moved_ns", "migrated_ns"), [("1", 1_005_000, 495_000), ("0", 1_005_000, 0), ("1", 950_000, 0)])
def test_a_thread_that_was_moved_to_another_cpu_was_there_from_then_on(to: str, moved_ns: int, migrated_ns: int) -> None:
    moved = KernelStep(moved_ns, StepKind.MIGRATED, to)
    found = said(*late(switch(900_000, OWN, LOW), KernelStep(1_003_000, StepKind.WAKING), moved, wake_ns=1_500_000))
    assert found.get(("migrated", f"CPU {to}"), 0) == migrated_ns and found[("unexplained", "")] == 500_000 - migrated_ns


def test_a_thread_of_a_higher_priority_is_named_with_it() -> None:
    steps = (
        switch(900_000, OWN, LOW),
        KernelStep(1_001_000, StepKind.INTERRUPT_IN, "arch_timer"),
        KernelStep(1_002_000, StepKind.WAKING, "latlab-recorder"),
        KernelStep(1_003_000, StepKind.INTERRUPT_OUT),
        switch(1_004_000, LOW, HIGH),
        switch(1_300_000, HIGH, OWN),
    )
    assert said(*late(*steps, wake_ns=1_301_000))[("thread", "irq/9-mmc (priority 90)")] == 296_000


def test_a_softirq_inside_which_an_interrupt_comes_keeps_its_own_share() -> None:
    steps = (
        switch(900_000, OWN, LOW),
        KernelStep(990_000, StepKind.SOFTIRQ_IN, "NET_RX"),
        KernelStep(1_050_000, StepKind.INTERRUPT_IN, "mmc0"),
        KernelStep(1_060_000, StepKind.WAKING, "latlab-recorder"),
        KernelStep(1_070_000, StepKind.INTERRUPT_OUT),
        KernelStep(1_170_000, StepKind.SOFTIRQ_OUT, "NET_RX"),
        switch(1_171_000, LOW, OWN),
    )
    found = said(*late(*steps, wake_ns=1_172_000))
    assert (found[("softirq", "NET_RX")], found[("interrupt", "mmc0")], found[("unpreempted", "cc1")]) == (150_000, 20_000, 1_000)


def test_what_the_thread_did_itself_past_its_time_is_its_own() -> None:
    steps = (switch(800_000, LOW, OWN), switch(1_190_000, OWN, IDLE), switch(1_199_000, IDLE, OWN))
    assert said(*late(*steps, wake_ns=1_200_000))[("own", "")] == 190_000


def test_stolen_time_is_taken_out_of_what_seemed_to_be_masked() -> None:
    counts = (CycleCounts(0, 0), CycleCounts(210_000, 120_000))
    steps, outlier = ordinary(LOW)
    read = tuple(replace(step, counts=counts[step.ns > DUE_NS]) if step.step is StepKind.SWITCH else step for step in steps.steps)
    found = said(replace(steps, steps=read), outlier)
    assert (found[("stolen", "")], found[("unpreempted", "cc1")]) == (90_000, 6_000)
    assert found[("masked", "cc1")] == 10_000


def test_a_theft_longer_than_the_lateness_counts_as_far_as_it_made_late() -> None:
    steps, outlier = ordinary(LOW)
    counts = {900_000: CycleCounts(0, 0), 1_110_000: CycleCounts(210_000, 10_000)}
    found = said(replace(steps, steps=tuple(replace(step, counts=counts.get(step.ns)) for step in steps.steps)), outlier)
    assert found == {("stolen", ""): 110_000, ("path", ""): 2_000}


USUAL_WAKING_NS = 6_000


def woken(at_ns: int, stolen_ns: int, way_ns: int = 16_000) -> tuple[LateSteps, Outlier]:
    """LOW runs from 100 us before the thread is due; `stolen_ns` were taken until it is woken, nothing after."""
    counts = CycleCounts(100_000 + stolen_ns, 100_000)
    awake_ns = way_ns - 2_000
    on = CycleCounts(counts.cycles + awake_ns, counts.events + awake_ns)
    steps = (
        switch(DUE_NS - 100_000, OWN, LOW, CycleCounts(0, 0)),
        KernelStep(at_ns - 4_000, StepKind.INTERRUPT_IN, "arch_timer"),
        KernelStep(at_ns, StepKind.WAKING, "latlab-recorder", counts=counts),
        KernelStep(at_ns + 1_000, StepKind.INTERRUPT_OUT),
        switch(at_ns + awake_ns, LOW, OWN, on),
    )
    return late(*steps, wake_ns=at_ns + way_ns)


@pytest.mark.parametrize(("later_ns", "expected_ns"), [(0, 0), (40_000, 40_000), (150_000, 70_000)])
def test_of_what_was_taken_before_a_thread_was_due_nothing_made_it_late(later_ns: int, expected_ns: int) -> None:
    """70 us were taken since the last switch: a thread that is woken as soon as usual lost nothing by it."""
    steps, outlier = woken(DUE_NS + USUAL_WAKING_NS + later_ns, 70_000)
    found = {part.blame.kind: part.ns for part in parts_of(steps, outlier, PRIORITY, RUNS, USUAL_WAKING_NS)}
    assert found.get(BlameKind.STOLEN, 0) == expected_ns


def test_what_was_taken_behind_the_waking_counts_in_full_however_soon_that_was() -> None:
    steps, outlier = woken(DUE_NS + USUAL_WAKING_NS, 0, 90_000)
    read = tuple(replace(step, counts=CycleCounts(188_000, 138_000)) if step.comes is OWN else step for step in steps.steps)
    found = {part.blame.kind: part.ns for part in parts_of(replace(steps, steps=read), outlier, PRIORITY, RUNS, USUAL_WAKING_NS)}
    assert found[BlameKind.STOLEN] == 50_000


def test_what_was_taken_until_a_switch_ahead_of_the_waking_counts_as_far_as_it_made_late() -> None:
    """Interrupts were masked or the CPU was away from when it was due to the switch: the waking says nothing of that time."""
    steps, outlier = woken(DUE_NS + 50_000, 70_000)
    first, *others = steps.steps
    early = switch(DUE_NS + 5_000, LOW, HIGH, CycleCounts(175_000, 105_000))
    read = (first, early, *(replace(step, counts=early.counts) if step.counts else step for step in others))
    found = {part.blame.kind: part.ns for part in parts_of(replace(steps, steps=read), outlier, PRIORITY, RUNS, USUAL_WAKING_NS)}
    assert found[BlameKind.STOLEN] == 5_000


def test_a_waking_of_the_period_before_is_not_this_one() -> None:
    steps, outlier = woken(DUE_NS + USUAL_WAKING_NS, 70_000)
    before = KernelStep(DUE_NS - 90_000, StepKind.WAKING, "latlab-recorder", counts=CycleCounts(0, 0))
    more = replace(steps, steps=(steps.steps[0], before, *steps.steps[1:]))
    assert usual_waking([(more, outlier)], 22_000) == USUAL_WAKING_NS
    assert BlameKind.STOLEN not in {part.blame.kind for part in parts_of(more, outlier, PRIORITY, RUNS, USUAL_WAKING_NS)}


def test_how_soon_a_thread_is_usually_woken_is_told_by_its_late_wake_ups() -> None:
    soon = woken(DUE_NS + USUAL_WAKING_NS, 0, 90_000)
    stolen = woken(DUE_NS + 60_000, 70_000)
    assert usual_waking([soon, stolen], 22_000) == USUAL_WAKING_NS
    assert usual_waking([soon], 22_000) == USUAL_WAKING_NS and usual_waking([], 22_000) == 0
    assert usual_waking([stolen], 22_000) == 22_000 - 16_000
    assert usual_waking([late(switch(900_000, OWN, LOW), wake_ns=1_112_000)], 22_000) == 0


def test_where_the_median_wake_up_is_late_too_an_interrupt_is_taken_to_come_promptly() -> None:
    """Under a load that has the firmware called without a pause every wake-up waits in a call."""
    assert usual_waking([woken(DUE_NS + 60_000, 70_000)], 103_000) == 4_000 + 3_000


def test_a_measurement_knows_how_soon_its_own_threads_are_woken() -> None:
    """Its own late wake-ups say it: one was woken in time, and what was taken before is no part of it."""
    wakings = [woken(DUE_NS + USUAL_WAKING_NS, 70_000, 90_000), woken(DUE_NS + USUAL_WAKING_NS + 40_000, 70_000, 15_000)]
    events = KernelEvents((CpuStolen(0, None, calibration=RUNS),), tuple(steps for steps, _ in wakings))
    cpu = cpu_row(0, ((21_000, 22_000, 100),), 100, 0, 22_000, 0.0, expected=100, missed=0)
    outliers = tuple(outlier for _, outlier in wakings)
    measured = Wakeups("recorder", 200_000, 1, (cpu,), outliers)
    found = with_parts(measured, attribute(measured, outliers, ()), events, PRIORITY)
    assert [sum(part.ns for part in entry.parts if part.blame.kind is BlameKind.STOLEN) for entry in found] == [0, 40_000]


@pytest.mark.parametrize(
    ("calibration", "cycles", "events", "stolen_ns"),
    [
        (RUNS, 210_000, 160_000, 50_000),
        (RUNS, 210_000, 210_000, 0),
        (RUNS, 210_000, 209_872, 0),
        (RUNS, 210_000, 209_871, 129),
        (STOPS, 160_128, 160_000, 50_000),
        (STOPS, 160_003, 160_000, 0),
        (replace(STOPS, call="psci_features", call_mark_cycles=2952.0), 160_164, 160_000, 50_000),
        (replace(STOPS, call="psci_features", call_mark_cycles=2952.0), 160_090, 160_000, 0),
        (UNMARKED, 160_000, 160_000, 50_000),
        (UNMARKED, 209_950, 209_950, 0),
    ],
)
def test_each_regime_has_its_own_way_to_tell(calibration: Calibration, cycles: int, events: int, stolen_ns: int) -> None:
    assert stolen_between(210_000, CycleCounts(0, 0), CycleCounts(cycles, events), calibration) == stolen_ns


@pytest.mark.parametrize("torn", [24, 90, 1_000])
def test_a_reading_that_is_behind_makes_no_theft_of_the_next(torn: int) -> None:
    def found(leads: list[int]) -> list[int]:
        counts = [CycleCounts(1_000 * (at + 1) + lead, 1_000 * (at + 1)) for at, lead in enumerate(leads)]
        steps, _ = late(*(switch(1_000 * (at + 1), LOW, OWN, one) for at, one in enumerate(counts)), wake_ns=9_000)
        return [stolen_ns for _, _, stolen_ns in thefts(steps, RUNS)]

    assert found([0, -torn, 0, 0]) == []
    assert found([0, 0, -torn, 5_000]) == [5_000]
    assert sum(found([0, 5_000 - torn, 5_000])) in (5_000 - torn, 5_000)


@pytest.mark.parametrize("behind_ns", [190_000, 0])
def test_a_theft_between_the_stamp_of_the_waking_and_its_reading_is_none_of_the_interrupts(behind_ns: int) -> None:
    """The kernel stamps the waking, then 190 us are stolen, then it reads: by its stamp that reading ended before the theft began. Where
    the theft was before the thread was due, the cycles from the waking to the switch are all that the stamps say."""
    awake_cycles = 300_000 + 194_000 - behind_ns
    steps, outlier = late(
        switch(900_000, OWN, IDLE, CycleCounts(100_000, 100_000)),
        KernelStep(1_002_000, StepKind.INTERRUPT_IN, "arch_timer"),
        KernelStep(1_003_000, StepKind.WAKING, "latlab-recorder", counts=CycleCounts(300_000, 110_000)),
        KernelStep(1_195_000, StepKind.INTERRUPT_OUT),
        switch(1_197_000, IDLE, OWN, CycleCounts(awake_cycles, awake_cycles - 190_000)),
        wake_ns=1_199_000,
    )
    parts = {part.blame.kind: part.ns for part in parts_of(steps, outlier, PRIORITY, RUNS, usual_waking_ns=3_000)}
    assert sum(parts.values()) == outlier.late_ns
    assert parts.get(BlameKind.STOLEN, 0) == behind_ns
    assert parts[BlameKind.INTERRUPT] == 193_000 - behind_ns


@pytest.mark.parametrize("calibration", [STOPS, UNMARKED])
def test_where_the_system_counter_measures_a_cpu_that_slept_lost_nothing(calibration: Calibration) -> None:
    assert stolen_between(210_000, CycleCounts(0, 0), CycleCounts(60_128, 60_000), calibration, may_have_stood=True) == 0
    assert stolen_between(210_000, CycleCounts(0, 0), CycleCounts(150_000, 60_000), RUNS, may_have_stood=True) == 90_000


def test_in_the_overflow_interrupt_of_the_counters_nothing_is_stolen() -> None:
    steps = (
        switch(900_000, OWN, LOW, CycleCounts(0, 0)),
        KernelStep(1_000_500, StepKind.INTERRUPT_IN, "arm-pmu"),
        KernelStep(1_020_500, StepKind.INTERRUPT_OUT),
        switch(1_110_000, LOW, OWN, CycleCounts(190_000, 190_000)),
    )
    found = said(*late(*steps, wake_ns=1_112_000), UNMARKED)
    assert ("stolen", "") not in found and found[("interrupt", "arm-pmu")] == 20_000


def beyond(usual_ns: int, *steps: KernelStep) -> tuple[tuple[str, int], ...]:
    """Kind and ns of what can be to blame for a wake-up 47 us late, 5 of which are the way to the thread."""
    found, outlier = late(*steps, switch(1_042_000, LOW, OWN), wake_ns=1_047_000)
    parts = beyond_ordinary(parts_of(found, outlier, PRIORITY, RUNS), waker(found, outlier), usual_ns)
    return tuple((part.blame.kind.value, part.ns) for part in parts)


def test_the_interrupt_that_wakes_is_to_blame_only_for_what_the_usual_wake_up_has_not_of_it() -> None:
    steps = (
        switch(860_000, OWN, LOW),
        KernelStep(1_016_000, StepKind.INTERRUPT_IN, "arch_timer"),
        KernelStep(1_031_000, StepKind.WAKING, "latlab-recorder"),
        KernelStep(1_037_000, StepKind.INTERRUPT_OUT),
    )
    assert beyond(22_000, *steps) == (("masked", 16_000), ("unpreempted", 5_000), ("interrupt", 4_000))
    assert beyond(0, *steps) == (("interrupt", 21_000), ("masked", 16_000), ("unpreempted", 5_000))


def test_the_interrupt_that_ended_the_sleep_has_its_usual_share_though_another_thread_woke_it_first() -> None:
    """It waited for a lock until it was late for its timer, which then woke it on the CPU."""
    steps = (
        switch(860_000, OWN, LOW),
        KernelStep(1_003_000, StepKind.WAKING, "latlab-recorder"),
        switch(1_005_000, LOW, OWN),
        KernelStep(1_016_000, StepKind.INTERRUPT_IN, "arch_timer"),
        KernelStep(1_031_000, StepKind.WAKING, "latlab-recorder"),
        KernelStep(1_036_000, StepKind.INTERRUPT_OUT),
    )
    found, outlier = late(*steps, wake_ns=1_047_000)
    parts = beyond_ordinary(parts_of(found, outlier, PRIORITY, None), waker(found, outlier), 42_000)
    assert ("interrupt", 20_000) not in {(part.blame.kind.value, part.ns) for part in parts}
    assert waker(found, outlier) == Blame(BlameKind.INTERRUPT, "arch_timer")


def test_an_interrupt_that_does_not_wake_has_no_such_allowance() -> None:
    steps = (
        switch(860_000, OWN, LOW),
        KernelStep(1_000_000, StepKind.INTERRUPT_IN, "mmc0"),
        KernelStep(1_021_000, StepKind.INTERRUPT_OUT),
        KernelStep(1_021_000, StepKind.INTERRUPT_IN, "arch_timer"),
        KernelStep(1_022_000, StepKind.WAKING, "latlab-recorder"),
        KernelStep(1_023_000, StepKind.INTERRUPT_OUT),
    )
    assert beyond(22_000, *steps)[0] == ("interrupt", 21_000)


def test_events_that_do_not_reach_back_leave_a_rest() -> None:
    steps = LateSteps(0, 1_300_000, False, (switch(1_200_000, LOW, OWN),))
    assert said(steps, Outlier(0, 1_300_000, 300_000)) == {("unexplained", ""): 200_000, ("path", ""): 100_000}


def test_where_the_switch_to_the_thread_is_missing_nobody_is_accused() -> None:
    """Now and then a kernel writes none of a wake-up's events: whoever ran when they ended is not the one who ran on."""
    assert said(*late(switch(900_000, HIGH, LOW), wake_ns=1_112_000)) == {("unexplained", ""): 112_000}


_STEPS = st.lists(
    st.tuples(st.integers(0, 400_000), st.sampled_from(list(StepKind)), st.sampled_from([OWN, IDLE, LOW, HIGH]), st.integers(0, 400_000)),
    max_size=12,
)


@given(_STEPS, st.sampled_from([None, RUNS, STOPS, UNMARKED]))
def test_the_parts_are_the_lateness_whatever_came(drawn: list[tuple[int, StepKind, Thread, int]], calibration: Calibration | None) -> None:
    steps = tuple(
        switch(900_000 + ns, LOW, thread, CycleCounts(ns, counted)) if step is StepKind.SWITCH else KernelStep(900_000 + ns, step, "x")
        for ns, step, thread, counted in sorted(drawn, key=lambda one: one[0])
    )
    outlier = Outlier(0, 1_300_000, 300_000)
    parts = parts_of(LateSteps(0, 1_300_000, True, steps), outlier, PRIORITY, calibration)
    assert sum(part.ns for part in parts) == outlier.late_ns
    assert all(part.ns > 0 for part in parts) and len({part.blame for part in parts}) == len(parts)
    assert calibration is not None or all(part.blame.kind is not BlameKind.STOLEN for part in parts)


def test_a_late_exit_from_idle_is_worded_with_the_state_only_if_that_is_known() -> None:
    state = "state C6, exit latency 133 µs"
    assert said_blame(Blame(BlameKind.IDLE_EXIT, state)) == "late exit from idle (state C6, exit latency 133 µs)"
    assert said_blame(Blame(BlameKind.IDLE_EXIT)) == "late exit from idle"


@pytest.mark.parametrize("calibration", [None, RUNS])
def test_in_a_virtual_machine_no_interrupt_is_named_for_what_a_hypervisor_may_have_taken(calibration: Calibration | None) -> None:
    steps, outlier = ordinary(LOW)
    parts = {part.blame: part.ns for part in parts_of(steps, outlier, PRIORITY, calibration, is_virtual=True)}
    doubtful, sure = Blame(BlameKind.AWAY, "interrupt arch_timer"), Blame(BlameKind.INTERRUPT, "arch_timer")
    assert (doubtful in parts, sure in parts) == (calibration is None, calibration is not None)
    assert said_blame(doubtful) == "CPU not available (running interrupt arch_timer, or preempted by the hypervisor)"


def test_a_long_interrupt_of_a_virtual_machine_is_no_cause() -> None:
    """30 ms in a timer's handler: nothing tells the handler from the host."""
    steps = (
        switch(900_000, OWN, LOW),
        KernelStep(1_001_000, StepKind.INTERRUPT_IN, "local_timer"),
        KernelStep(30_900_000, StepKind.WAKING, "latlab-recorder"),
        KernelStep(30_900_500, StepKind.INTERRUPT_OUT),
        switch(30_901_000, LOW, OWN),
    )
    found, outlier = late(*steps, wake_ns=30_902_000)
    events = KernelEvents((), (found,))
    row = cpu_row(0, ((21_000, 22_000, 100),), 100, 0, 22_000, 0.0)
    wakeups = Wakeups("recorder", 200_000, 1, (row,), (outlier,))
    for is_virtual, kind in ((False, BlameKind.INTERRUPT), (True, BlameKind.AWAY)):
        (entry,) = with_parts(wakeups, attribute(wakeups, [outlier], ()), events, PRIORITY, is_virtual=is_virtual)
        assert (entry.blame.kind, entry.explained) == (kind, not is_virtual)


@pytest.mark.parametrize(("is_kernel_preemptible", "kind"), [(True, BlameKind.UNPREEMPTED), (False, BlameKind.KERNEL_CODE)])
def test_a_long_system_call_has_the_name_of_the_kernel_s_preemption_model(is_kernel_preemptible: bool, kind: BlameKind) -> None:
    """The thread went on for 500 us after the interrupt that woke: it was in the kernel. A model that preempts no kernel code is enough for
    that; of any other model preemption was disabled."""
    steps = (
        switch(900_000, OWN, LOW),
        KernelStep(1_001_000, StepKind.INTERRUPT_IN, "arch_timer"),
        KernelStep(1_002_000, StepKind.WAKING, "latlab-recorder"),
        KernelStep(1_003_000, StepKind.INTERRUPT_OUT),
        switch(1_503_000, LOW, OWN),
    )
    found, outlier = late(*steps, wake_ns=1_504_000)
    events = KernelEvents((CpuStolen(0, None, calibration=RUNS),), (found,))
    row = cpu_row(0, ((4_000, 5_000, 100),), 100, 0, 22_000, 0.0)
    wakeups = Wakeups("recorder", 200_000, 1, (row,), (outlier,))
    (entry,) = with_parts(wakeups, attribute(wakeups, [outlier], ()), events, PRIORITY, is_kernel_preemptible=is_kernel_preemptible)
    assert entry.blame == Blame(kind, "cc1") and sum(part.ns for part in entry.parts) == outlier.late_ns
    words = "preemption disabled in cc1" if is_kernel_preemptible else "kernel code of cc1, not preemptible"
    assert said_blame(entry.blame) == words


def long_handler(*handler: KernelStep, ran_ns: int) -> set[BlameKind]:
    """Of a virtual machine whose steal clock counted nothing in it: the kinds of parts."""
    found, outlier = late(switch(900_000, OWN, LOW), *handler, switch(ran_ns - 1_000, LOW, OWN), wake_ns=ran_ns)
    charged = ChargeClock(keeps_interrupts_out=False)
    parts = parts_of(found, outlier, PRIORITY, None, clock=charged, is_virtual=True)
    assert sum(part.ns for part in parts) == outlier.late_ns
    return {part.blame.kind for part in parts if part.ns > 100_000}


def test_a_handler_as_long_as_a_time_slice_of_a_host_is_no_cause_although_there_is_a_steal_clock() -> None:
    """The clock does not count every hypervisor. A storm of short interrupts is no time slice: events come in it."""
    entry, leave = StepKind.INTERRUPT_IN, StepKind.INTERRUPT_OUT
    waking = KernelStep(1_002_000, StepKind.WAKING, OWN.name)
    once = (KernelStep(1_001_000, entry, "local_timer"), waking, KernelStep(30_900_000, leave))
    assert long_handler(*once, ran_ns=30_902_000) == {BlameKind.AWAY}
    storm = [KernelStep(1_003_000 + at * 40_000, (entry, leave)[at % 2], "call_function") for at in range(100)]
    assert long_handler(*once[:2], KernelStep(1_002_500, leave), *storm, ran_ns=5_006_000) == {BlameKind.INTERRUPT, BlameKind.AWAY}


@pytest.mark.parametrize(("handler_ns", "outside_ns", "kind"), [(900_000, 600_000, AWAY), (900_000, 300_000, BlameKind.INTERRUPT)])
def test_a_handler_is_in_doubt_where_the_host_may_have_taken_the_cpu_outside_of_it_too(
    handler_ns: int, outside_ns: int, kind: BlameKind
) -> None:
    """Seen on a host that let its machine run at a small part of its speed for milliseconds, which no steal clock counted."""
    out_ns = 1_001_000 + handler_ns
    steps = (
        switch(900_000, OWN, LOW),
        KernelStep(1_001_000, StepKind.INTERRUPT_IN, "local_timer"),
        KernelStep(1_200_000, StepKind.WAKING, OWN.name),
        KernelStep(out_ns, StepKind.INTERRUPT_OUT),
        KernelStep(out_ns + outside_ns - 5_000, StepKind.CHARGED, LOW.name, charge=Charge(LOW.pid, 100_000 + handler_ns + outside_ns)),
        switch(out_ns + outside_ns, LOW, OWN),
    )
    found, outlier = late(*steps, wake_ns=out_ns + outside_ns + 5_000)
    found = replace(found, own_ns=5_000, own_at_ns=outlier.wake_ns)
    row = cpu_row(0, ((21_000, 22_000, 100),), 100, 0, 22_000, 0.0)
    wakeups = Wakeups("recorder", 200_000, 1, (row,), (outlier,))
    (entry,) = with_parts(wakeups, attribute(wakeups, [outlier], ()), KernelEvents((), (found,)), PRIORITY, is_virtual=True)
    assert entry.blame.kind is kind


def test_parts_that_are_in_doubt_with_the_same_words_are_one_part() -> None:
    """As a handler of a millisecond beside shorter ones, and two idle states."""
    timer, idle = Blame(BlameKind.INTERRUPT, "local_timer"), [Blame(BlameKind.IDLE_EXIT, name) for name in ("state A", "state B")]
    parts = [LatenessPart(Blame(AWAY, "interrupt local_timer"), 3), LatenessPart(timer, 2), *(LatenessPart(state, 4) for state in idle)]
    assert in_doubt_of(parts, {BlameKind.INTERRUPT}) == (
        LatenessPart(Blame(AWAY, "interrupt local_timer"), 5),
        *(LatenessPart(state, 4) for state in idle),
    )
    assert [part.ns for part in in_doubt_of(parts)] == [8, 5]


def test_a_long_way_to_the_thread_takes_nothing_of_what_its_timer_usually_needs() -> None:
    """Two timers of 25 us each and a way of 80 us: the usual wake-up has one of 25 us in its median of 59."""
    way = (switch(860_000, OWN, LOW), switch(1_004_000, LOW, OWN))
    first = (KernelStep(1_034_000, StepKind.INTERRUPT_IN, "local_timer"), KernelStep(1_060_000, StepKind.INTERRUPT_OUT))
    second = (
        KernelStep(1_100_000, StepKind.INTERRUPT_IN, "local_timer"),
        KernelStep(1_110_000, StepKind.WAKING, OWN.name),
        KernelStep(1_126_000, StepKind.INTERRUPT_OUT),
    )
    found, outlier = late(*way, *first, *second, wake_ns=1_139_000)
    row = cpu_row(0, ((58_000, 59_000, 100),), 100, 0, 59_000, 0.0)
    wakeups = Wakeups("recorder", 200_000, 1, (row,), (outlier,))
    (entry,) = with_parts(wakeups, attribute(wakeups, [outlier], ()), KernelEvents((), (found,)), PRIORITY)
    assert entry.blame == UNEXPLAINED


@pytest.mark.parametrize(("flag", "kind"), [(False, BlameKind.UNEXPLAINED), (True, BlameKind.IDLE_EXIT), (None, BlameKind.IDLE_EXIT)])
def test_a_cpu_that_came_out_of_idle_and_chose_it_again_came_not_late_out_of_it(flag: bool | None, kind: BlameKind) -> None:
    steps = (
        switch(860_000, OWN, IDLE),
        KernelStep(1_001_000, StepKind.INTERRUPT_IN, "local_timer"),
        KernelStep(1_002_000, StepKind.WAKING, OWN.name),
        KernelStep(1_003_000, StepKind.INTERRUPT_OUT, is_switch_due=True),
        KernelStep(41_000_000, StepKind.INTERRUPT_IN, "local_timer", is_switch_due=flag),
        KernelStep(41_001_000, StepKind.INTERRUPT_OUT, is_switch_due=True),
        switch(41_010_000, IDLE, OWN),
    )
    found, outlier = late(*steps, wake_ns=41_012_000)
    largest, *_ = parts_of(found, outlier, PRIORITY, None)
    assert largest.blame.kind is kind and largest.ns > 39_000_000


def test_a_late_exit_from_idle_needs_a_record_of_its_own() -> None:
    """Without the waking and without the end of idle the records of this wake-up are lost, and all the time would be an exit."""
    found = said(*late(switch(900_000, LOW, IDLE), switch(6_880_000, IDLE, OWN), wake_ns=6_882_000))
    assert set(found) == {("unexplained", ""), ("path", "")}
