# SPDX-License-Identifier: BSD-3-Clause
"""Stretches of masked interrupts get names, are put together, and a limit is held against them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.analysis.masked import atlas_of, frames_of_masked, judge_masked
from latlab.calls.model.crossings import Arch, Mask, Masked
from latlab.core.model.run import MaskedAtlas, MaskedStretches
from latlab.core.model.symbols import Image

EL1, EL3 = 1, 7
FIRMWARE = Image("fw.elf", (0x1000, 0x1100), (0x100, 0x100), ("lock", "work"), ((0x1000, bytes(0x200)),))
ONE = Masked(0, 0, Mask.MASKED, EL1, EL1, False, False, 1, 50, 50, 0x1010, 0x1104, 0x1120, ((EL1, 50, 50),))


def told(*found: Masked, images: Sequence[Image] = (FIRMWARE,)) -> tuple[MaskedStretches, ...]:
    return atlas_of(found, Arch.AARCH64, images)


def test_a_stretch_has_the_function_that_masked_its_caller_and_the_one_that_opened() -> None:
    (row,) = told(ONE)
    assert (row.line, row.world, row.begin, row.caller, row.end) == ("IRQ", "EL1", "lock", "work", "work")


def test_a_link_register_into_the_function_itself_tells_no_caller() -> None:
    assert told(replace(ONE, link=0x1020))[0].caller == ""


def test_who_called_the_function_that_opened_is_told_from_the_inner_to_the_outer() -> None:
    assert told(replace(ONE, trail=(0x1130, 0x1008, 0x9000, 0x1104)))[0].opened_for == ("lock", "work")


def test_on_m_profile_an_old_return_address_on_the_stack_names_nobody() -> None:
    code = bytearray(0x300)
    code[0x150:0x154] = bytes.fromhex("fff756ff")  # bl lock
    code[0x250:0x254] = bytes.fromhex("fff756ff")  # bl work
    image = Image("fw.elf", (0x1000, 0x1100, 0x1200), (0x100,) * 3, ("lock", "work", "task"), ((0x1000, bytes(code)),))
    ends = replace(ONE, end=0x1020, trail=(0x1155, 0x1255, 0x1155, 0))
    assert [row.opened_for for row in atlas_of((ends,), Arch.ARMV8M, (image,))] == [("work", "task")]
    assert [row.opened_for for row in atlas_of((replace(ends, trail=(0x1155, 0x1155, 0, 0)),), Arch.ARMV8M, (image,))] == [("work",)]


def test_without_symbols_a_place_is_its_address() -> None:
    (row,) = told(ONE, images=())
    assert (row.begin, row.caller, row.end) == ("0x1010", "0x1104", "0x1120")


def test_places_in_the_same_functions_are_one_row_with_the_parts_of_the_longest() -> None:
    longer = replace(ONE, begin=0x1020, count=2, instructions=110, longest=90, worlds=((EL1, 30, 20), (EL3, 80, 70)))
    (row,) = told(ONE, longer)
    assert (row.count, row.instructions, row.longest) == (3, 160, 90)
    assert row.worlds == (("EL1", 80, 20), ("EL3", 80, 70))


def test_two_lines_that_were_masked_alike_throughout_are_told_once() -> None:
    assert [row.line for row in told(ONE, replace(ONE, line=1))] == ["IRQ and FIQ"]
    assert sorted(row.line for row in told(ONE, replace(ONE, line=1, count=2))) == ["FIQ", "IRQ"]


lengths = st.lists(st.integers(1, 1000), min_size=1, max_size=20)


@given(lengths, st.lists(st.sampled_from([0x1010, 0x1020, 0x1110]), min_size=20, max_size=20))
def test_the_longest_stands_first_and_nothing_is_lost(longest: list[int], begins: list[int]) -> None:
    found = [
        replace(ONE, begin=at, instructions=each, longest=each, worlds=((EL1, each, each),))
        for each, at in zip(longest, begins, strict=False)
    ]
    rows = told(*found)
    assert rows[0].longest == max(longest)
    assert sum(row.instructions for row in rows) == sum(longest) == sum(part for row in rows for _, part, _ in row.worlds)
    assert sum(frame.instructions for frame in frames_of_masked(rows, "IRQ")) == sum(longest)


def test_the_flame_graph_leaves_out_what_was_masked_from_the_start_or_is_not_known() -> None:
    rows = told(replace(ONE, from_start=True), replace(ONE, mask=Mask.UNKNOWN))
    assert frames_of_masked(rows, "IRQ") == ()


def judged(*found: Masked, limit: int = 50, problems: Sequence[str] = ()) -> tuple[int, str]:
    code, lines = judge_masked("watch-1", MaskedAtlas(told(*found)), limit, problems)
    return code, "\n".join(lines)


def test_a_stretch_longer_than_the_limit_fails_and_is_named_and_one_as_long_passes() -> None:
    assert judged(ONE, limit=49) == (
        1, "fail: interrupts were masked for more than 49 instructions\n  50 instructions (IRQ): EL1, lock, called from work, to work"
    )  # fmt: skip
    assert judged(ONE)[0] == 0


def test_the_start_of_a_core_is_not_judged_and_a_line_that_never_opened_is_named() -> None:
    boot = replace(ONE, from_start=True, instructions=9000, longest=9000)
    never = replace(ONE, line=1, from_start=True, to_end=True, longest=9000)
    assert judged(boot, replace(ONE, longest=20)) == (0, "pass: no interrupts were masked for more than 50 instructions, the most are 20")
    assert judged(replace(ONE, longest=20), never)[1].splitlines()[1] == (
        "  not judged: FIQ, which a core masked from its start to the end of the run"
    )


@pytest.mark.parametrize(
    ("found", "problems", "sentence"),
    [
        (replace(ONE, mask=Mask.UNKNOWN), (), "not known to be masked, or masked until the machine ended"),
        (replace(ONE, to_end=True), (), "not known to be masked, or masked until the machine ended"),
        (replace(ONE, from_start=True, to_end=True), (), "interrupts were masked from the start of watch-1 to its end"),
        (replace(ONE, longest=20), ("the machine was stopped after 5 s",), "watch-1 is partial: the machine was stopped after 5 s"),
    ],
)
def test_what_is_not_sure_neither_passes_nor_fails(found: Masked, problems: Sequence[str], sentence: str) -> None:
    code, said = judged(found, limit=49, problems=problems)
    assert code == 3 and said.splitlines()[0] == f"inconclusive: {sentence}"


def test_a_stretch_that_is_surely_too_long_fails_a_partial_run_too() -> None:
    assert judged(ONE, limit=49, problems=("the machine was stopped after 5 s",))[0] == 1


def test_a_run_that_did_not_look_says_how_to() -> None:
    assert judge_masked("run-1", None, 10) == (3, ("run-1 has no data of masked interrupts; run it with `latlab watch --masked`",))
