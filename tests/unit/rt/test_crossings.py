# SPDX-License-Identifier: BSD-3-Clause
import pytest

from latlab.core.errors import DataError
from latlab.core.readers.event_table import event_table
from latlab.rt.analysis.power_cycles import PowerBoundary, passages
from latlab.rt.campaign.power_results import power_records
from latlab.rt.readers.el3_records import merged, read_records

IDS = {event.name: event.id for event in event_table().events}


def _ring(core: int, records: list[tuple[int, int, str, int]]) -> str:
    head = f"core 0.{core} cpu={core} next=9 oldest=0\n"
    return head + "".join(f"{sequence} {ticks} {IDS[event]} {arg:x}\n" for sequence, ticks, event, arg in records)


CALLER = [(0, 500, "ENTER_PSCI", 0xC4000003), (1, 520, "EXIT_PSCI", 0)]
OTHER = [
    (0, 100, "ENTER_PSCI", 0x84000002),
    (1, 150, "ENTER_HW_LOW_PWR", 2),
    (2, 530, "EXIT_HW_LOW_PWR", 0),
    (3, 600, "EXIT_PSCI", 0),
    (4, 700, "ENTER_PSCI", 0xC400000E),
    (5, 740, "ENTER_HW_LOW_PWR", 2),
    (6, 900, "EXIT_HW_LOW_PWR", 0),
    (7, 933, "EXIT_PSCI", 0),
]


def _crossed(text: str) -> dict[tuple[PowerBoundary, int], int]:
    read = read_records(text, event_table(), "x")
    return {(crossed.boundary, crossed.cpu): crossed.ticks for crossed in passages(read.cpus, read.traces)}


def test_a_cpu_goes_off_comes_on_when_asked_and_a_system_resumes() -> None:
    assert _crossed(_ring(0, CALLER) + _ring(1, OTHER)) == {
        (PowerBoundary.OFF, 1): 50,
        (PowerBoundary.ON, 1): 100,
        (PowerBoundary.SUSPEND, 1): 40,
        (PowerBoundary.RESUME, 1): 33,
    }


def test_a_crossing_whose_beginning_is_lost_is_left_out() -> None:
    assert _crossed(_ring(0, CALLER) + _ring(1, OTHER[1:])) == {(PowerBoundary.SUSPEND, 1): 40, (PowerBoundary.RESUME, 1): 33}


def test_calls_that_put_nothing_to_sleep_are_no_crossings() -> None:
    assert _crossed(_ring(0, CALLER)) == {}


def test_reads_of_the_same_rings_are_put_together_by_sequence() -> None:
    parts = [_ring(0, CALLER) + _ring(1, OTHER[:5]), _ring(0, CALLER) + _ring(1, OTHER[3:])]
    read = merged([read_records(part, event_table(), "x") for part in parts])
    assert [record.sequence for record in read.traces[1].records] == list(range(8)) and read.lost == 0


def test_records_that_no_read_caught_are_counted_as_lost() -> None:
    parts = [_ring(1, OTHER[:2]), _ring(1, OTHER[5:])]
    assert merged([read_records(part, event_table(), "x") for part in parts]).lost == 3


def test_a_run_of_which_no_ring_came_back_is_refused() -> None:
    with pytest.raises(DataError, match="no power-state change and no trace buffer of the firmware"):
        power_records({"job.log": b""})
