# SPDX-License-Identifier: BSD-3-Clause
"""How often a history names a change where there is none, and where there is one: series drawn from known truths.

Noise is 2.5 % of the level, one boot each. docs/analysis.md has the figures of more series.
"""

from __future__ import annotations

import numpy as np
import pytest

from latlab.analysis.base.change_points import Kind, changes_of

pytestmark = pytest.mark.slow

SERIES = 600
NOISE = 2.5


def _noise(rng: np.random.Generator, n: int, tails: str) -> np.ndarray:
    drawn = rng.standard_normal(n) if tails == "normal" else rng.standard_t(3, n) / np.sqrt(3)
    return 100 + NOISE * drawn


def _starts(values: np.ndarray) -> set[int]:
    found = changes_of([np.array([value]) for value in values], lambda a, b: abs(b - a) > 0.03 * abs(a), 0.02)
    return {change.start for change in found if change.kind is not Kind.DRIFT}


def _share_found(n: int, tails: str, start: int, end: int, size: float) -> float:
    rng = np.random.default_rng(20)
    edges = {start, end} - {n}
    hits = 0
    for _ in range(SERIES):
        values = _noise(rng, n, tails)
        values[start:end] += size
        starts = _starts(values)
        hits += all(any(abs(at - edge) <= 1 for at in starts) for edge in edges)
    return hits / SERIES


@pytest.mark.parametrize("tails", ["normal", "heavy"])
@pytest.mark.parametrize("n", [8, 12, 20])
def test_a_level_series_has_a_change_in_at_most_five_percent(n: int, tails: str) -> None:
    rng = np.random.default_rng(19)
    wrong = sum(bool(_starts(_noise(rng, n, tails))) for _ in range(SERIES))
    assert wrong / SERIES <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / SERIES)


@pytest.mark.parametrize("tails", ["normal", "heavy"])
@pytest.mark.parametrize("n", [8, 12, 20])
def test_the_newest_release_is_found_where_it_is_a_fifth_longer(n: int, tails: str) -> None:
    assert _share_found(n, tails, n - 1, n, 20) >= (0.95 if n > 8 else 0.93) - 0.018


@pytest.mark.parametrize("tails", ["normal", "heavy"])
@pytest.mark.parametrize("n", [8, 12, 20])
def test_a_third_of_the_releases_that_was_a_fifth_longer_is_found_at_both_ends(n: int, tails: str) -> None:
    assert _share_found(n, tails, n // 3, 2 * n // 3, 20) >= (0.95 if n > 8 else 0.93) - 0.018


@pytest.mark.parametrize("tails", ["normal", "heavy"])
@pytest.mark.parametrize(("n", "least"), [(8, 0.7), (12, 0.93), (20, 0.95)])
def test_a_step_of_a_tenth_in_the_middle_is_found(n: int, least: float, tails: str) -> None:
    assert _share_found(n, tails, n // 2, n, 10) >= least
