# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with the files of an rt run, and what is left of them where a part is damaged."""

from __future__ import annotations

import pytest

from latlab.campaigns.rt_results import kernel_warnings, new_run, power_problems, problems_of, result_of, results_of
from latlab.catalog import event_table
from latlab.errors import DataError
from latlab.model.conditions import Conditions, Mode
from latlab.model.enums import Clock, Kind
from latlab.model.run import Run
from support import recorder_files
from support.power_rings import CALLER, OTHER, ring

RECORD = recorder_files.whole([[1000, 2000, 3000]])


POWER = f"read\n{ring(0, CALLER)}{ring(1, OTHER)}".encode()


def power_run(cycles: int | None, suspends: int | None) -> Run:
    return new_run("rt-power", "guest", "x", 2, Conditions(mode=Mode.MULTI_THREAD, hotplug_cycles=cycles, suspends=suspends))


def run(**conditions: object) -> Run:
    return new_run("rt", "guest", "x", 1, Conditions(mode=Mode.DETERMINISTIC, **conditions))  # type: ignore[arg-type]


def test_a_run_of_power_cycles_is_of_its_own_kind_and_time_is_counted_by_the_mode() -> None:
    assert (power_run(1, 1).kind, power_run(1, 1).tick.clock, power_run(1, 1).tick.value) == (Kind.POWER, Clock.TIME, 1.0)
    assert (run().kind, run().tick.clock, run().tick.value) == (Kind.WAKEUPS, Clock.INSTRUCTIONS, 0.5)


@pytest.mark.parametrize(("cycles", "suspends"), [(1, 1), (0, 0), (None, None)])
def test_crossings_that_are_all_in_the_rings_are_no_problem(cycles: int | None, suspends: int | None) -> None:
    assert power_problems(power_run(cycles, suspends), {"el3-power.txt": POWER}) == []


def test_crossings_that_are_missing_in_the_rings_are_told_each_with_its_count() -> None:
    found = power_problems(power_run(2, 3), {"el3-power.txt": POWER})
    assert found == [
        "CPU_OFF: entry to low power: 1 in the rings, 2 or more were asked for",
        "CPU_ON: the caller's entry to the CPU's return to Linux: 1 in the rings, 2 or more were asked for",
        "SYSTEM_SUSPEND: wake-up to the return to Linux: 1 in the rings, 3 or more were asked for",
    ]
    assert problems_of(power_run(2, 3), {"el3-power.txt": POWER}) == found
    assert len(power_problems(power_run(1, None), {"el3-power.txt": b"read\n" + ring(0, CALLER).encode()})) == 2


def test_what_the_kernel_says_and_damaged_lines_stand_beside_what_is_missing() -> None:
    files = {"el3-power.txt": POWER + b"nonsense\n", "kernel.log": b"[1.0] fine\n[2.0] WARNING: CPU: 1 at x\n"}
    kernel, missing, damaged = power_problems(power_run(1, 2), files)
    assert kernel == "the kernel warned: [2.0] WARNING: CPU: 1 at x"
    assert missing.startswith("SYSTEM_SUSPEND")
    assert "neither a core nor a record: 'nonsense'" in damaged


@pytest.mark.parametrize("files", [{}, {"el3-power.txt": b""}, {"el3-power.txt": b"read\n  \n"}])
def test_without_a_ring_nothing_of_a_power_run_can_be_told(files: dict[str, bytes]) -> None:
    with pytest.raises(DataError, match="no ring of the firmware came back"):
        problems_of(power_run(1, 0), files)


@pytest.mark.parametrize(
    "line", ["WARNING: CPU: 0", "BUG: x", "Internal error: Oops", "rcu: INFO: stall", "rcu_preempt detected", "soft lockup", "Call trace:"]
)
def test_a_line_of_the_kernel_that_should_not_be_there_is_quoted(line: str) -> None:
    assert kernel_warnings(f"  [1] {line}  \n[2] warning: small\n".encode()) == [f"the kernel warned: [1] {line}"]


def test_a_firmware_with_another_event_table_attributes_nothing_and_says_so() -> None:
    files = {"recorder.rec": RECORD, "el3-records.txt": ring(0, CALLER).encode()}
    assert result_of(run(), files).problems == (
        f"the firmware's event table is unknown, this latlab has {event_table().hash}; outliers are not attributed",
    )


def test_the_conditions_of_an_experiment_are_its_folders_and_come_in_the_order_of_their_names() -> None:
    files = {"b/recorder.rec": RECORD, "a/recorder.rec": RECORD, "c/console": b"x"}
    assert [name for name, _ in results_of(run(), files)] == ["a", "b"]
    assert [name for name, _ in results_of(run(), {"recorder.rec": RECORD, "job.log": b""})] == [""]
    with pytest.raises(DataError, match="no file of a recorder or of cyclictest came back"):
        results_of(run(), {"c/console": b"x"})


def test_a_file_that_cannot_be_read_costs_the_others_nothing() -> None:
    found = result_of(run(), {"recorder.rec": RECORD, "cyclictest.txt": b"nonsense\n"})
    assert [one.tool for one in found.wakeups] == ["recorder"] and "cyclictest.txt" in found.problems[0]
    with pytest.raises(DataError, match=r"cyclictest\.txt"):
        result_of(run(), {"cyclictest.txt": b"nonsense\n"})
