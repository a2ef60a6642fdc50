# SPDX-License-Identifier: BSD-3-Clause
"""The records that only a trace of another source has, and the calls that are made of them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

import pytest

from latlab.calls.analysis.calls import NOT_RECORDED, EntryKind, Pairing, WorldCall
from latlab.calls.analysis.extent import Extent, gap_sentences
from latlab.calls.model.crossings import (
    ENTERS_AARCH32,
    NO_WORLD,
    Absent,
    Arch,
    Crossing,
    DataGap,
    GapKind,
    Record,
    Sleep,
    Source,
    Spent,
    Time,
    WaitInstruction,
    Wake,
)
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.run import Problem
from support import probe_stream as made

EL1, EL3, SMC = 1, 7, 0x17 << 26 | 1 << 25
PSCI_VERSION = 0x84000000
TARMAC = Source("Tarmac", "clk", 0, Absent(0))
UNKNOWN = (1 << 64) - 1


def decoded(*records: bytes) -> Sequence[object]:
    decoder = Decoder()
    return list(decoder.feed(made.header(version=4) + b"".join(records)))[1:]


def entry(at: int, unknown: int = 0, x0: int = PSCI_VERSION, address: int = 0x8400) -> Crossing:
    return Crossing(0, at, at, address, EL1, EL3, (x0, *range(1, 8), SMC, 0x1008), unknown)


def back(at: int, unknown: int = 0, x0: int = 0) -> Crossing:
    return Crossing(0, at, at, 0x1008, EL3, EL1, (x0, *range(1, 8)), unknown)


def calls_of(*records: Record, source: Source | None = TARMAC) -> list[WorldCall]:
    pairing = Pairing(Arch.AARCH64, call_names())
    return list(pairing.feed((*((source,) if source else ()), Crossing(0, 0, 0, 0x1000, NO_WORLD, EL1, ()), *records)))


def test_the_records_of_a_source_are_read() -> None:
    name, unit = b"Tarmac", b"ps"
    items = decoded(
        made.record(11, 0, struct.pack("<IHHQ", 0x21, len(name), len(unit), 1000) + name + unit),
        made.record(12, 3, struct.pack("<QQ", 100, 12345)),
        made.record(13, 3, struct.pack("<BB6xQQQQQ", 3, EL3, 100, 7, 12345, UNKNOWN, 42)),
        made.record(14, 3, struct.pack("<Q", 9) + struct.pack("<I4xQ", 5, 77)),
    )
    assert items == [
        Source("Tarmac", "ps", 1000, Absent.REGISTERS | Absent.SERIALS),
        Time(3, 100, 12345),
        DataGap(3, GapKind.LOST, EL3, 100, 7, 12345, None, 42),
        Spent(3, 9, ((5, 77),)),
    ]


@pytest.mark.parametrize("record", [made.record(13, 0, struct.pack("<BB6xQQQQQ", 99, 0, 0, 0, 0, 0, 0)), made.record(12, 0, b"12345678")])
def test_a_damaged_record_of_a_source_is_a_problem(record: bytes) -> None:
    (problem,) = decoded(record)
    assert isinstance(problem, Problem) and "is damaged" in problem.message


def test_a_call_has_the_time_between_its_two_switches_by_world_and_fragment() -> None:
    (call,) = calls_of(Time(0, 10, 1000), entry(10), Spent(0, 2, ((4, 60), (9, 38))), Time(0, 30, 1100), back(30))
    assert call.time is not None
    assert (call.instructions, call.time.ticks, call.time.parts) == (20, 100, ((EL3, 100),))
    assert (call.time.spent, call.time.unlisted, call.time.asleep) == (((4, 60), (9, 38)), 2, 0)


def test_the_sleep_of_a_core_that_was_down_is_not_in_its_time() -> None:
    (call,) = calls_of(
        Time(0, 10, 1000),
        entry(10),
        Time(0, 20, 1050),
        Sleep(0, 20, 20, 0x9000, EL3, WaitInstruction.WFI),
        Time(0, 20, 9050),
        Wake(0, 20, 20, 0x9004, 1),
        Time(0, 30, 9100),
        back(30),
    )
    assert call.time is not None
    assert (call.time.ticks, call.time.parts, call.time.asleep) == (100, ((EL3, 100),), 0)


def test_a_call_of_which_a_moment_is_not_dated_has_no_time() -> None:
    (call,) = calls_of(Time(0, 10, 1000), entry(10), back(30))
    assert call.time is None
    (call,) = calls_of(entry(10), Time(0, 30, 1000), back(30))
    assert call.time is None


def test_a_call_with_missing_data_inside_is_none_and_counted() -> None:
    pairing = Pairing(Arch.AARCH64, call_names())
    gap = DataGap(0, GapKind.LOST, NO_WORLD, 20, 5, None, None, 0)
    begin = (TARMAC, Crossing(0, 0, 0, 0x1000, NO_WORLD, EL1, ()), entry(10))
    assert list(pairing.feed((*begin, gap, Crossing(0, 20, 20, 0x8500, NO_WORLD, EL3, ()), back(30)))) == []
    assert pairing.across_gaps == {"PSCI_VERSION": 1}
    assert pairing.boot is None
    assert pairing.unreturned() == ()


def test_a_trace_that_begins_in_the_middle_has_no_boot() -> None:
    pairing = Pairing(Arch.AARCH64, call_names())
    start = DataGap(0, GapKind.START, NO_WORLD, 0, None, None, None, 0)
    whole = (Crossing(0, 0, 0, 0x8000, NO_WORLD, EL3, ()), Crossing(0, 50, 50, 0x1000, EL3, EL1, (0,) * 8))
    list(pairing.feed((TARMAC, start, *whole)))
    assert pairing.boot is None
    booted = Pairing(Arch.AARCH64, call_names())
    list(booted.feed((TARMAC, *whole)))
    assert booted.boot is not None and booted.boot.instructions == 50


def test_a_register_that_is_not_known_gives_no_name_and_no_answer() -> None:
    (call,) = calls_of(entry(10, unknown=1), back(30))
    assert (call.entry.name, call.registers) == (f"SMC, x0 {NOT_RECORDED}", ())
    (call,) = calls_of(entry(10, unknown=1 << 3), back(30, unknown=1))
    assert (call.entry.name, call.registers, call.error) == ("PSCI_VERSION", (PSCI_VERSION, 1, 2), f"answer {NOT_RECORDED}")


def test_a_cause_that_is_known_goes_before_the_vector_and_one_that_is_not_is_not_guessed() -> None:
    (call,) = calls_of(entry(10, address=0x8480), back(30))
    assert call.entry.kind is EntryKind.CALL
    (call,) = calls_of(entry(10, address=0x8480), back(30), source=None)
    assert call.entry.name == "IRQ"
    (call,) = calls_of(entry(10, unknown=3 << 8), back(30))
    assert (call.entry.kind, call.entry.name) == (EntryKind.EXCEPTION, f"exception, cause {NOT_RECORDED}")
    (call,) = calls_of(entry(10, unknown=3 << 8, address=0x8500), back(30))
    assert call.entry.name == "FIQ"
    (call,) = calls_of(entry(10, unknown=3 << 8 | ENTERS_AARCH32, address=0x88), back(30))
    assert call.entry.kind is EntryKind.EXCEPTION
    (call,) = calls_of(entry(10, unknown=3 << 8 | ENTERS_AARCH32, address=0x98), back(30))
    assert call.entry.name == "IRQ"


def fed(records: Iterable[Record]) -> Extent:
    extent = Extent()
    for record in records:
        extent.feed(record)
    return extent


def test_instructions_and_ticks_of_each_world_leave_out_what_is_missing() -> None:
    extent = fed(
        (
            Time(0, 0, 100), Crossing(0, 0, 0, 0x1000, NO_WORLD, EL1, ()),
            Time(0, 10, 200), entry(10),
            DataGap(0, GapKind.LOST, NO_WORLD, 25, 3, 260, 300, 77),
            Time(0, 25, 300), Crossing(0, 25, 25, 0x8500, NO_WORLD, EL3, ()),
            DataGap(0, GapKind.STOP, EL3, 30, 0, 350, None, 0),
        )
    )  # fmt: skip
    assert extent.instructions == {EL1: 10, EL3: 20}
    assert extent.ticks == {EL1: 100, EL3: 110}
    assert not extent.is_whole
    (sentence,) = gap_sentences(extent, Arch.AARCH64, "clk")
    assert sentence == "missing data behind EL3, 1 time: numbered instructions are missing, 3 instructions, 40 clk, first at line 77"
