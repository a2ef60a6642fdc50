# SPDX-License-Identifier: BSD-3-Clause
"""What counts as a difference between two firmwares, and what has a reason."""

import pytest

from differ import NO_LINE, differences

LIFE = "life 0 of core 1: priorities 0 0 0"
CAME = "  came=yes"


def test_the_same_answers_are_no_difference() -> None:
    assert list(differences([LIFE, CAME], [LIFE, CAME])) == []


def test_a_core_that_is_lost_has_no_reason_and_ends_the_comparison() -> None:
    found = list(differences(["  came=no", "life 1", "x"], [CAME, "  ended=yes", "y"]))
    assert found == [("  came=no", CAME, "")]


def test_a_client_that_stops_is_a_difference() -> None:
    assert list(differences([LIFE], [LIFE, CAME])) == [(NO_LINE, CAME, "")]


def test_what_has_a_reason_does_not_end_the_comparison() -> None:
    ours = ["call 84000012(1, 2, 3): -2", "  timer=0", "  came=no"]
    theirs = ["call 84000012(1, 2, 3): -1", "  timer=1", CAME]
    assert [bool(why) for _, _, why in differences(ours, theirs)] == [True, True, False]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("call 84000012(1, 2, 3): -2", "call 84000012(1, 2, 4): -1"),
        ("call 84000012(1, 2, 3): -1", "call 84000012(1, 2, 3): -2"),
        ("call c4000004(1, 0, 100): -2", "call c4000004(1, 0, 100): 1"),
        ("  timer=1", "  timer=0"),
        ("  on=0", "  on=1"),
    ],
)
def test_a_reason_is_for_one_question_and_one_way_round(ours: str, theirs: str) -> None:
    assert [why for _, _, why in differences([ours], [theirs])] == [""]
