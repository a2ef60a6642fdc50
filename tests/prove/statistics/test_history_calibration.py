# SPDX-License-Identifier: BSD-3-Clause
"""How often a history names a change where there is none, and where there is one: series drawn from known truths.

Noise is 2.5 % of the level, one boot each, and each release may depend on the one before it.
docs/results/verdict-validation.md has more figures.
"""

from __future__ import annotations

import numpy as np
import pytest

from latlab.core.statistics.change_points import ChangeKind, changes_of

pytestmark = pytest.mark.slow

SERIES = 600
NOISE = 2.5
TAILS = pytest.mark.parametrize("tails", ["normal", "heavy"])


def _noise(rng: np.random.Generator, n: int, tails: str, correlation: float = 0.0) -> np.ndarray:
    drawn = rng.standard_normal(n) if tails == "normal" else rng.standard_t(3, n) / np.sqrt(3)
    for i in range(1, n):
        drawn[i] = correlation * drawn[i - 1] + np.sqrt(1 - correlation**2) * drawn[i]
    return np.asarray(100 + NOISE * drawn)


def _starts(values: np.ndarray) -> dict[int, ChangeKind]:
    found = changes_of(values.tolist(), lambda a, b: abs(b - a) > 0.03 * abs(a), 0.02)
    return {change.start: change.kind for change in found}


def _share_found(n: int, tails: str, start: int, end: int, size: float, correlation: float = 0.0) -> float:
    rng = np.random.default_rng(20)
    edges = {start, end} - {n}
    hits = 0
    for _ in range(SERIES):
        values = _noise(rng, n, tails, correlation)
        values[start:end] += size
        steps = [at for at, kind in _starts(values).items() if kind is not ChangeKind.DRIFT]
        hits += all(any(abs(at - edge) <= 1 for at in steps) for edge in edges)
    return hits / SERIES


@pytest.mark.parametrize(("tails", "correlation"), [("normal", 0.0), ("normal", 0.5), ("normal", 0.8), ("heavy", 0.0), ("heavy", 0.5)])
@pytest.mark.parametrize("n", [8, 12, 20])
def test_a_level_series_has_a_change_in_at_most_five_percent(n: int, tails: str, correlation: float) -> None:
    rng = np.random.default_rng(19)
    wrong = sum(bool(_starts(_noise(rng, n, tails, correlation))) for _ in range(SERIES))
    assert wrong / SERIES <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / SERIES)


@TAILS
@pytest.mark.parametrize("n", [8, 12, 20])
def test_the_newest_release_is_found_where_it_is_a_fifth_longer(n: int, tails: str) -> None:
    assert _share_found(n, tails, n - 1, n, 20) >= (0.95 if n > 8 else 0.93) - 0.018


@TAILS
@pytest.mark.parametrize("n", [8, 12, 20])
def test_a_third_of_the_releases_that_was_a_fifth_longer_is_found_at_both_ends(n: int, tails: str) -> None:
    assert _share_found(n, tails, n // 3, 2 * n // 3, 20) >= (0.95 if n > 8 else 0.89) - 0.018


@TAILS
@pytest.mark.parametrize(("n", "least"), [(8, 0.30), (12, 0.50), (20, 0.75)])
def test_a_step_of_a_tenth_in_the_middle_is_found_in_so_many(n: int, least: float, tails: str) -> None:
    assert _share_found(n, tails, n // 2, n, 10) >= least


@TAILS
@pytest.mark.parametrize("n", [8, 12, 20])
def test_a_step_of_a_fifth_in_the_middle_is_found(n: int, tails: str) -> None:
    assert _share_found(n, tails, n // 2, n, 20) >= (0.95 if n > 8 else 0.90) - 0.018


@pytest.mark.parametrize("correlation", [0.5, 0.8])
@pytest.mark.parametrize(("n", "least"), [(8, 0.46), (12, 0.60), (20, 0.65)])
def test_dependent_releases_do_not_hide_a_step_of_a_tenth(n: int, least: float, correlation: float) -> None:
    assert _share_found(n, "normal", n // 2, n, 10, correlation) >= least


@pytest.mark.parametrize("n", [12, 20])
def test_two_steps_the_same_way_are_hardly_ever_a_drift_and_a_drift_is_one(n: int) -> None:
    rng = np.random.default_rng(22)
    at = np.arange(n)
    steps, drift = 20 * (at >= n // 3) + 20 * (at >= 2 * n // 3), 40 * at / (n - 1)
    shares = {}
    for name, shape in (("steps", steps), ("drift", drift)):
        kinds = [_starts(_noise(rng, n, "normal") + shape).values() for _ in range(SERIES)]
        shares[name] = sum(ChangeKind.DRIFT in one for one in kinds) / SERIES
    assert shares["steps"] <= 0.05 and shares["drift"] >= 0.9
