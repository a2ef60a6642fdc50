# SPDX-License-Identifier: BSD-3-Clause
"""A run of power cycles: its steps by Linux, its boundaries from the firmware's rings, and what is wrong with it."""

from __future__ import annotations

import pytest

from latlab.core.errors import DataError
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.run import Run
from latlab.core.readers.event_table import event_table
from latlab.rt.analysis.power_cycles import PowerBoundary
from latlab.rt.campaign.power_results import power_result, problems_of
from latlab.rt.campaign.results import new_run
from latlab.rt.model.power_steps import PowerCycles
from support.power_rings import CALLER, OTHER, ring

RINGS = {"el3-power.txt": f"read\n{ring(0, CALLER)}{ring(1, OTHER)}".encode()}


def info(hz: int) -> bytes:
    return f"events={event_table().hash} clock_hz={hz} capture_mticks=875\n".encode()


@pytest.mark.parametrize(("files", "ns_of_a_tick"), [({}, 16.0), ({"el3-info.txt": info(24_000_000)}, 1000 / 24)])
def test_each_crossing_is_told_by_cpu_in_the_ns_of_the_boards_own_counter(files: dict[str, bytes], ns_of_a_tick: float) -> None:
    result = power_result(RINGS | files)
    ticks = {(one.boundary, one.cpu): [round(ns / ns_of_a_tick, 6) for ns in one.ns] for one in result.times}
    assert ticks == {
        (PowerBoundary.OFF, 1): [50],
        (PowerBoundary.ON, 1): [100],
        (PowerBoundary.SUSPEND, 1): [40],
        (PowerBoundary.RESUME, 1): [33],
    }
    assert [one.boundary.value for one in result.times] == sorted(one.boundary.value for one in result.times)


def test_two_crossings_of_one_cpu_stand_together_and_cpus_in_their_order() -> None:
    later = [(8 + sequence, ticks + 1000, event, arg) for sequence, ticks, event, arg in OTHER]
    rings = f"read\n{ring(1, OTHER + later)}{ring(0, OTHER)}"
    times = {(one.boundary, one.cpu): len(one.ns) for one in power_result({"el3-power.txt": rings.encode()}).times}
    assert times[PowerBoundary.OFF, 1] == 2 and times[PowerBoundary.OFF, 0] == 1
    assert list(times) == sorted(times, key=lambda key: (key[0].value, key[1]))


def test_what_the_job_counted_is_repeated_as_it_said_it() -> None:
    said = power_result(RINGS | {"job.log": b"it began\noff=3\non=3\n\xff\n"}).remarks
    assert said == ("off=3", "on=3") and power_result(RINGS).remarks == ()


def power_run(cycles: int | None, suspends: int | None) -> Run:
    conditions = Conditions(mode=Mode.MULTI_THREAD, hotplug_cycles=cycles, suspends=suspends)
    return new_run("rt-power", "guest", "x", 2, conditions, contents=PowerCycles())


@pytest.mark.parametrize(("cycles", "suspends"), [(1, 1), (0, 0), (None, None)])
def test_crossings_that_are_all_in_the_rings_are_no_problem(cycles: int | None, suspends: int | None) -> None:
    assert problems_of(power_run(cycles, suspends), RINGS) == []


def test_crossings_that_are_missing_in_the_rings_are_told_each_with_its_count() -> None:
    assert problems_of(power_run(2, 3), RINGS) == [
        "CPU_OFF: entry to low power: 1 in the trace buffers, 2 or more were due",
        "CPU_ON: the caller's entry to the CPU's return to Linux: 1 in the trace buffers, 2 or more were due",
        "SYSTEM_SUSPEND: wake-up to the return to Linux: 1 in the trace buffers, 3 or more were due",
    ]
    assert len(problems_of(power_run(1, None), {"el3-power.txt": b"read\n" + ring(0, CALLER).encode()})) == 2


def test_what_the_kernel_says_and_damaged_lines_stand_beside_what_is_missing() -> None:
    files = {"el3-power.txt": RINGS["el3-power.txt"] + b"nonsense\n", "kernel.log": b"[1.0] fine\n[2.0] WARNING: CPU: 1 at x\n"}
    kernel, missing, damaged = problems_of(power_run(1, 2), files)
    assert kernel == "the kernel warned: [2.0] WARNING: CPU: 1 at x"
    assert missing.startswith("SYSTEM_SUSPEND")
    assert "neither a core nor a record: 'nonsense'" in damaged


@pytest.mark.parametrize("files", [{}, {"el3-power.txt": b""}, {"el3-power.txt": b"read\n  \n"}])
def test_without_a_step_and_without_a_ring_nothing_of_a_power_run_can_be_told(files: dict[str, bytes]) -> None:
    with pytest.raises(DataError, match="no power-state change and no trace buffer of the firmware came back"):
        problems_of(power_run(1, 0), files)


STEPS = b"offline cpu=1 start_ns=5 ns=70 slept_ns=0 errno=0\nonline cpu=1 start_ns=90 ns=8 slept_ns=0 errno=0\n"


def test_steps_need_no_ring_and_a_ring_that_is_there_is_held_against_them() -> None:
    result = power_result({"steps.txt": STEPS})
    assert [(one.kind.value, one.cpu, one.ns) for one in result.steps] == [("offline", 1, (70,)), ("online", 1, (8,))]
    assert result.times == () and problems_of(power_run(1, 0), {"steps.txt": STEPS}) == []
    both = RINGS | {"steps.txt": STEPS * 2}
    assert power_result(both).times and [one.partition(":")[0] for one in problems_of(power_run(2, 0), both)] == ["CPU_OFF", "CPU_ON"]


def test_a_cpu_that_the_kernel_lost_comes_first_with_its_call_and_code() -> None:
    failed = STEPS.replace(b"ns=8 slept_ns=0 errno=0", b"ns=8 slept_ns=0 errno=5")
    log = b"[9.0] psci: failed to boot CPU1 (-22)\n[9.1] WARNING: CPU: 0 at y\n"
    first, warned = problems_of(power_run(1, 0), {"steps.txt": failed, "kernel.log": log})
    assert first == "CPU 1 did not come on in its cycle 1: CPU_ON with code -22 (EINVAL); the CPU is lost"
    assert warned.startswith("the kernel warned")
    again = b"[8.0] CPU1: failed to come online\n[8.5] latlab: lost CPUs are tried once more\n" + log
    first, _ = problems_of(power_run(1, 0), {"steps.txt": failed, "kernel.log": again})
    assert "in its cycle 1: start-up without a code; the CPU is lost" in first


def test_a_job_that_did_not_begin_says_why() -> None:
    assert problems_of(power_run(1, 0), {"refused.txt": b"no CPU is on that may be taken off\n"}) == ["no CPU is on that may be taken off"]


def test_of_a_guest_that_hangs_the_last_step_on_its_console_is_named() -> None:
    files = RINGS | {"console": b"<LLG1:STEP offline cpu=1>\n<LLG1:STEP online cpu=1>\n"}
    assert problems_of(power_run(1, 0), files) == ["the last change that began is online of CPU 1"]
    assert problems_of(power_run(1, 0), RINGS | {"refused.txt": b"the module was not loaded: no\n"}) == ["the module was not loaded: no"]
