# SPDX-License-Identifier: BSD-3-Clause
"""The rule for commit messages: what passes, and the cure for what does not."""

import pytest

from commit_messages import faults

GOOD = "rt: a lost CPU is the first sentence\n\nIt was in a table nobody read.\n"


@pytest.mark.parametrize(
    "message",
    [
        GOOD,
        "store, formats: one version\n\nWhy.\n# a comment of git\n",
        "Merge branch 'rt'\n",
        'Revert "rt: x"\n',
        f"rt: {'x' * 68}\n\nWhy.\n",
    ],
)
def test_a_message_with_area_and_reason_passes(message: str) -> None:
    assert not list(faults(message))


@pytest.mark.parametrize(
    ("message", "cure"),
    [
        (f"rt: {'x' * 69}\n\nWhy.\n", "has 73 characters; use at most 72"),
        ("Fixed it\n\nWhy.\n", "begin it with one, as in `rt: ...`"),
        ("rt: a change\nWhy.\n", "the second line is not empty"),
        ("rt: a change\n", "there is no body; say there why"),
        ("# only a comment\n", "names no area"),
    ],
)
def test_each_fault_names_its_cure(message: str, cure: str) -> None:
    assert any(cure in fault for fault in faults(message))
