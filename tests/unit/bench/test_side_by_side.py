# SPDX-License-Identifier: BSD-3-Clause
"""The table of two firmwares: which calls are in it, and what is subtracted from nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.calls.analysis.calls import EntryKind, Pause, WorldCall, WorldEntry
from latlab.calls.analysis.marked import Marked
from latlab.calls.model.crossings import Fragment, Stretch
from side_by_side import cell, cleans_by_set, figures_of_calls, figures_of_tests, version_of

NOP, DC_CISW_X13, DC_CIVAC_X0 = 0xD503201F, 0xD5087E4D, 0xD50B7E20
LOOP, OTHER = 0x1000, 0x5000


def call(
    name: str, length: int, depth: int = 0, kind: EntryKind = EntryKind.CALL, pause: Pause | None = None, down: tuple[Stretch, ...] = ()
) -> WorldCall:
    return WorldCall(0, 1, WorldEntry(kind, name, 0), 100, 100, 100 + length, 100 + length, (), (), (), depth, pause, down)


def fragment(number: int, address: int, *words: int) -> Fragment:
    return Fragment(number, address, len(words), 3, b"".join(word.to_bytes(4, "little") for word in words))


def test_calls_are_listed_by_name_and_neither_interrupts_nor_calls_inside_others_nor_what_one_side_cannot_know() -> None:
    calls = [
        call("PSCI_VERSION", 96),
        call("PSCI_VERSION", 97),
        call("IRQ", 5, kind=EntryKind.INTERRUPT),
        call("AFFINITY_INFO", 3, depth=1),
    ]
    calls += [call("TRACE_TOPOLOGY", 9), call("CPU_OFF", 9), call("CPU_SUSPEND (64)", 9)]
    assert figures_of_calls(calls) == {"PSCI_VERSION": [96, 97]}


def test_what_a_core_waits_for_a_lock_is_not_counted() -> None:
    assert figures_of_calls([call("CPU_ON (64)", 1000, pause=Pause(200, 0, 500, 0))]) == {"CPU_ON (64)": [700]}


def test_a_power_down_ends_in_the_sleep_and_its_cleaning_functions_are_counted_whole() -> None:
    fragments = {0: fragment(0, LOOP, DC_CISW_X13, NOP), 1: fragment(1, LOOP + 8, NOP, NOP, NOP), 2: fragment(2, OTHER, DC_CIVAC_X0)}
    slept = call("CPU_OFF", 1000, pause=Pause(300, 0, 800, 0), down=(Stretch(runs=((0, 10), (1, 2), (2, 50))),))
    assert figures_of_tests([Marked("cpu_off_serial", 0, 1, slept)], fragments, []) == {
        "cpu_off_serial, call to sleep": [200],
        "cpu_off_serial, of which loops that clean by set and way": [10 * 2 + 2 * 3],
        "cpu_off_serial, wake-up to the normal world": [300],
    }


@pytest.mark.parametrize(("test", "core"), [("susp_deep_parallel", 1), ("cpu_off_serial", 0)])
def test_parallel_tests_and_the_lead_are_left_out(test: str, core: int) -> None:
    assert figures_of_tests([Marked(test, 0, core, call("CPU_OFF", 9, pause=Pause(101, 0, 102, 0)))], {}, []) == {}


@pytest.mark.parametrize("word", [0xD5087A40, 0xD5087640, 0xD5087E40])
def test_maintenance_by_set_and_way_is_told_by_its_opcode_with_any_register(word: int) -> None:
    assert all(cleans_by_set(fragment(0, LOOP, NOP, word | register)) for register in range(32))
    assert not cleans_by_set(fragment(0, LOOP, NOP, DC_CIVAC_X0))


def test_a_cell_says_how_many_calls_it_is_of_and_their_range_where_they_differ() -> None:
    assert cell([3, 3]) == "3, n = 2"
    assert cell([1, 2, 9]) == "2 (1 to 9), n = 3"
    assert cell(None) == "left out"


def test_the_version_is_that_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(
        "VERSION_MAJOR\t\t\t:= 2\nVERSION_MINOR\t:= 12\n# VERSION_PATCH is only for\nVERSION_PATCH := 1\nOTHER := 3\n"
    )
    assert version_of(tmp_path) == "2.12.1"
