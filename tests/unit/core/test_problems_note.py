# SPDX-License-Identifier: BSD-3-Clause
"""The note about what reading a run met, which every comparison carries."""

from dataclasses import replace

import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.identity import GRAVEST, problems_note
from latlab.core.model.enums import ProblemKind
from latlab.core.model.run import Problem
from latlab.core.store.references import load
from support.wakeup_runs import distribution, drawn, wakeup_run

INFERRED = Problem(3, "cores are numbered by their rows", ProblemKind.INFERRED)
LATE, EARLY = Problem(90, "a line is cut"), Problem(40, "a cell is empty")


@pytest.mark.parametrize(
    ("problems", "note"),
    [
        ((INFERRED,), "reading r met a problem: line 3: cores are numbered by their rows"),
        ((INFERRED, LATE, EARLY), "reading r met 3 problems, first the most serious: line 40: a cell is empty"),
        ((Problem(0, "it ends early"), LATE), "reading r met 2 problems, first the most serious: it ends early"),
        ((EARLY, Problem(99, "us or ns", ProblemKind.UNIT_SUSPECT)), "reading r met 2 problems, first the most serious: line 99: us or ns"),
    ],
)
def test_the_gravest_problem_is_named_and_of_these_the_first(problems, note):
    assert problems_note(replace(load("published:tf-a/juno/v2.9"), id="r", problems=problems)) == note


def test_every_kind_of_problem_has_its_gravity():
    assert sorted(GRAVEST) == sorted(ProblemKind)


def test_a_comparison_of_wakeups_says_it_in_the_same_words():
    run = wakeup_run(distribution(drawn(1)))
    assert problems_note(replace(run, problems=(INFERRED, LATE))) in compare(replace(run, problems=(INFERRED, LATE)), run).notes
