# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.order import dealt, is_system, shuffled
from support.places import TESTS


@dataclass(frozen=True)
class Item:
    path: Path
    number: int


def collected(*sizes: tuple[str, int]) -> list[pytest.Item]:
    files = [(Path("tests", kind, f"test_{number}.py"), size) for number, (kind, size) in enumerate(sizes)]
    return cast("list[pytest.Item]", [Item(path, number) for path, size in files for number in range(size)])


FILES = st.lists(st.tuples(st.sampled_from(["docs", "system", "truth", "unit"]), st.integers(1, 40)), min_size=1, max_size=30)


@given(FILES, st.integers(2, 6), st.integers(0, 9))
def test_no_order_loses_a_test_or_runs_one_twice(sizes: list[tuple[str, int]], workers: int, seed: int) -> None:
    items = collected(*sizes)
    key = cast("list[Item]", items).index
    for ordered in (dealt(items, workers), shuffled(items, seed)):
        assert sorted(key(cast("Item", one)) for one in ordered) == list(range(len(items)))


def test_the_stretch_of_each_worker_begins_with_system_tests_and_ends_without() -> None:
    items = collected(*[("system", 5)] * 8, *[("unit", 50)] * 8)
    ordered, length = dealt(items, 4), len(items) // 4
    for start in range(0, len(items), length):
        assert [is_system(one) for one in ordered[start : start + length]] == [True] * 10 + [False] * 100


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest takes the second for the first, and runs neither."""
    names = Counter(path.name for path in TESTS.rglob("test_*.py") if "prove" not in path.parts)
    assert [name for name, count in names.items() if count > 1] == []
