# SPDX-License-Identifier: BSD-3-Clause
"""The TRNG experiment above a secure world, on boots whose figures are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from latlab.analysis.wakeups.stack_experiment import arms, judge_stack, series_of, split_of
from latlab.errors import DataError
from latlab.report.page import Folded, charts_of
from latlab.report.rt import wakeup_pages, web
from latlab.report.rt.stack_story import answer, story_tables
from support.stack_boots import CALL, stack_results, stack_run


def test_late_wake_ups_by_the_calls_follow_how_often_they_are_made() -> None:
    found = arms(stack_run(), stack_results())
    judged = judge_stack(found)
    assert [one.calls for one in series_of(found)] == [1, 1000, 2000, 4000]
    assert judged.line.slope == pytest.approx(0.01, rel=0.01) and judged.line.r_squared > 0.999
    assert (judged.undosed.arm.read_bytes, judged.worst.arm.read_bytes, len(judged.worst.blamed)) == (0, 64, 40)
    assert judged.worst.taken_share == pytest.approx(4000 * 24_425 * 2e-9)


def test_the_parts_of_the_blamed_wake_ups_are_all_of_them_by_world() -> None:
    worst = judge_stack(arms(stack_run(), stack_results())).worst
    sums, split = split_of(worst, worst.blamed)
    assert split == len(worst.blamed) == 40
    assert sums.total() == sum(one.outlier.late_ns for one in worst.blamed) and sums["EL3"] == 40 * 4_000


def test_the_mitigation_is_said_to_help_only_where_each_half_is_there_and_left_nothing() -> None:
    run = stack_run()
    assert "with either half of the mitigation none meets OP-TEE" in answer(run, stack_results())
    left = stack_results({"optee,prng": 7})
    assert not judge_stack(arms(run, left)).is_gone
    assert "half 1: PRNG in OP-TEE leaves 7, half 2: RNG node of EL3 leaves 0, both halves leaves 7" in answer(run, left)
    one_is_missing = [(name, result) for name, result in stack_results() if not name.startswith("optee-numbers-firmware")]
    assert not judge_stack(arms(run, one_is_missing)).is_gone
    assert "either half" not in answer(run, one_is_missing)


def test_a_secure_world_that_makes_nothing_late_is_not_accused() -> None:
    run, found = stack_run(), stack_results()
    harmless = [(name, replace(result, attributed=())) for name, result in found]
    assert answer(run, harmless) == "Of 4,600 wake-ups none is late by a call into OP-TEE, read as fast as it goes."


def test_too_few_boots_give_no_slope_and_say_so() -> None:
    run, found = stack_run(), stack_results()
    with pytest.raises(DataError, match="2 of the boots for the slope"):
        judge_stack(arms(run, found[:2]))
    with pytest.raises(DataError, match="one without a read"):
        judge_stack(arms(run, found[1:]))
    with pytest.raises(DataError, match="1 call in each boot"):
        judge_stack(arms(run, [(name, found[0][1]) for name, _ in found]))


def test_the_page_has_the_answer_first_its_pictures_and_the_boots_folded() -> None:
    run, found = stack_run(), stack_results()
    page = web.page(run, found)
    assert page.answer == answer(run, found)
    assert [str(section.title) for section in page.sections][1:-1] == [
        "The cause", "The injected load", "The mitigation", "What is left", "From a fresh machine", "Boot by boot",
    ]  # fmt: skip
    assert len(list(charts_of(page))) == 5
    folded = [block for section in page.sections for block in section.blocks if isinstance(block, Folded)]
    assert len(folded) == len(found) + 1
    assert wakeup_pages.document(run, found).answer == wakeup_pages.screen(run, found).answer == answer(run, found)


def test_the_tables_name_the_call_and_count_what_came_back_early() -> None:
    cause, dose, mitigation, *_ = story_tables(stack_run(), stack_results())
    assert cause.rows[0][:2] == (CALL, "40")
    assert [row[1] for row in dose.rows] == ["1", "1,000", "2,000", "4,000"]
    assert [row[0] for row in mitigation.rows] == [
        "as it is", "as it is", "NS_TIMER_SWITCH=0", "half 1: PRNG in OP-TEE", "half 2: RNG node of EL3", "both halves",
        "as it is, quality 0",
    ]  # fmt: skip
    assert "With half 2: RNG node of EL3: no late wake-up met OP-TEE, of 100." in mitigation.notes
