# SPDX-License-Identifier: BSD-3-Clause
"""What the kernel did until late wake-ups that lie close together: each step once, as the tracks of a time line."""

from __future__ import annotations

from dataclasses import replace

from latlab.rt.analysis.late_tracks import scheduling, stolen
from latlab.rt.model.kernel_events import CycleCounts, KernelEvents, KernelStep, LateSteps, StepKind, Thread
from latlab.rt.model.stolen import Calibration, CpuStolen, Regime

OWN, LOW = Thread("latlab-recorder", 7, 19), Thread("cc1", 20, 120)
SEES = CpuStolen(0, None, calibration=Calibration(Regime.RUNS, "hwrng", 15, 1832.0, 1832.0, 0, 60.0, 1e9))


def switch(ns: int, leaves: Thread, comes: Thread, taken_ns: int = 0) -> KernelStep:
    return KernelStep(ns, StepKind.SWITCH, "", leaves, comes, CycleCounts(ns, ns - taken_ns))


FIRST = (
    switch(1000, OWN, LOW),
    KernelStep(3000, StepKind.INTERRUPT_IN, "eth0"),
    KernelStep(4000, StepKind.INTERRUPT_OUT),
    switch(9000, LOW, OWN, 500),
)
SECOND = (*FIRST, switch(12000, OWN, LOW, 800), switch(15000, LOW, OWN, 800))


def test_steps_that_two_late_wake_ups_have_kept_are_shown_once() -> None:
    events = KernelEvents((SEES,), (LateSteps(0, 16000, True, SECOND), LateSteps(0, 10000, True, FIRST)))
    shown = [(one.begin, one.end, one.name) for one in scheduling(events)[0]]
    assert shown == [
        (1000, 9000, "cc1"),
        (3000, 4000, "interrupt eth0"),
        (9000, 12000, "latlab-recorder"),
        (12000, 15000, "cc1"),
    ]


def test_between_pieces_that_lie_apart_nothing_is_shown() -> None:
    later = tuple(replace(step, ns=step.ns + 100_000) for step in FIRST)
    events = KernelEvents((SEES,), (LateSteps(0, 10000, True, FIRST), LateSteps(0, 110_000, True, later)))
    assert [(one.begin, one.end) for one in scheduling(events)[0] if one.name == "cc1"] == [(1000, 9000), (101_000, 109_000)]


def test_a_theft_of_which_two_late_wake_ups_tell_is_shown_once_and_as_the_shorter() -> None:
    after = LateSteps(0, 10000, True, FIRST, 10000, CycleCounts(10000, 9300))
    events = KernelEvents((SEES,), (after, LateSteps(0, 16000, True, SECOND)))
    assert [(one.begin, one.end, dict(one.facts)["stolen_ns"]) for one in stolen(events)[0]] == [(1000, 9000, 500), (9000, 10000, 200)]
    assert stolen(replace(events, meter=())) == {}
