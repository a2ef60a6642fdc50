# SPDX-License-Identifier: BSD-3-Clause
"""Crossings of power boundaries in ns, from the firmware's rings."""

from __future__ import annotations

import pytest

from latlab.analysis.wakeups.power_cycles import PowerBoundary
from latlab.campaigns.power_results import power_result
from latlab.catalog import event_table
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
