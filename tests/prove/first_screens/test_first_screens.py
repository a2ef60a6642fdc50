# SPDX-License-Identifier: BSD-3-Clause
"""Two thousand first screens: of every kind of run, of all pairs of published releases and of drawn pairs. None says what its figures
contradict, and the planted faults are noticed. `python tests/first_screens/run.py` prints what it finds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from first_screens.check import check
from first_screens.drawn import Desk, Drawn, every_kind, of_truth, published, stored

pytestmark = pytest.mark.slow

SCREENS = 2_000
LEAST_READ = 4
"""Claims of a screen, on average: a checker that reads nothing finds nothing."""
PAGES_OF = 4
"""Of so many drawn pairs one has its pages rendered."""


def false_of(screens: Iterator[Drawn]) -> tuple[int, int, list[str]]:
    """Screens, claims that were read, and what is false."""
    total = read = 0
    false: list[str] = []
    for drawn in screens:
        found = check(drawn.screen, drawn.documents)
        total, read = total + 1, read + found.read
        false += [f"{drawn.name}: {wrong}" for wrong in found.false]
    print(f"{total} screens, {read} claims read, {len(false)} false")
    return total, read, false


def test_screens_of_stored_and_published_runs_say_nothing_false(tmp_path: Path) -> None:
    desk, runs = every_kind(tmp_path / "kinds.db")
    total, read, false = false_of(stored(desk, runs))
    of_releases = false_of(published(Desk("/dev/null/store")))
    assert not [*false, *of_releases[2]]
    assert total > 50 and of_releases[0] > 250 and of_releases[1] > LEAST_READ * of_releases[0]
    assert read > total


@pytest.mark.parametrize("shard", range(8))
def test_screens_of_drawn_pairs_say_nothing_false(tmp_path: Path, shard: int) -> None:
    wanted = (SCREENS - 350) // 8
    drawn = (one for at in range(wanted) for one in of_truth(tmp_path, 100_000 + 1_000 * shard + at, with_page=at % PAGES_OF == 0))
    total, read, false = false_of(islice(drawn, wanted))
    assert not false
    assert total == wanted and read > LEAST_READ * total
