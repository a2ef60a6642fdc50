# SPDX-License-Identifier: BSD-3-Clause
"""The rules of other tools: on figures whose answer is known from their formulas or from scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from peer_rules import (
    asv,
    interval_of_median,
    perfcompare_mann_whitney,
    perfcompare_t,
    pyperf,
    textbook,
    welch_p,
)

NAMES = tuple(f"point {number}" for number in range(20))
NONE: frozenset[str] = frozenset()


def samples(seed: int, factor: float = 1.0, count: int = 8, deviation: float = 0.5) -> dict:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(100, deviation, count) * (factor if name == NAMES[0] else 1.0) for name in NAMES}


@pytest.mark.parametrize("rule", [textbook, asv, pyperf, perfcompare_t, perfcompare_mann_whitney])
def test_a_fifth_more_is_found_and_a_run_is_not_changed_from_itself(rule):
    before, after = samples(1), samples(2, 1.2)
    assert NAMES[0] in rule(before, after)
    assert rule(before, before) == NONE


@pytest.mark.parametrize(
    ("rule", "share", "is_found"), [(textbook, 1.025, False), (textbook, 1.035, True), (asv, 1.095, False), (asv, 1.105, True)]
)
def test_what_is_below_the_margin_is_not_called_changed(rule, share, is_found):
    base = np.linspace(99.9, 100.1, 8)
    assert (rule({"point": base}, {"point": base * share}) == {"point"}) is is_found


def test_welch_agrees_with_scipy():
    a, b = np.random.default_rng(3).normal(10, 1, 5), np.random.default_rng(4).normal(11, 3, 9)
    assert welch_p(a, b) == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)


def test_pyperf_is_students_test_at_95_percent():
    for seed in range(40):
        a, b = np.random.default_rng(seed).normal(10, 1, 5), np.random.default_rng(seed + 100).normal(11, 1, 5)
        assert bool(pyperf({"point": a}, {"point": b})) is bool(stats.ttest_ind(a, b).pvalue <= 0.05)


def test_holm_stops_at_the_first_that_is_not_rejected():
    far, near = np.array([100.0, 101.0, 102.0]), np.array([100.0, 104.0, 109.0])
    before = {"far": far, **{f"near {number}": near for number in range(9)}}
    after = {"far": far * 2, **{f"near {number}": near * 1.09 for number in range(9)}}
    assert textbook(before, after) == {"far"}


def test_one_sample_is_judged_by_asv_by_its_factor_alone_and_by_the_textbook_not():
    before, after = {"point": np.array([100.0])}, {"point": np.array([111.0])}
    assert asv(before, after) == {"point"}
    assert textbook(before, after) == pyperf(before, after) == NONE


def test_perfherder_gives_one_sample_15_percent():
    before = {"point": np.array([100.0])}
    assert perfcompare_t(before, {"point": np.array([1000.0])}) == {"point"}
    assert perfcompare_t(before, {"point": np.array([200.0])}) == NONE


def test_asvs_interval_is_between_order_statistics_where_there_are_enough():
    values = np.arange(1.0, 10.0)
    assert interval_of_median(values) == (1.0, 9.0)
    low, high = interval_of_median(np.arange(1.0, 101.0))
    inside = stats.binom.cdf(high - 1, 100, 0.5) - stats.binom.cdf(low - 1, 100, 0.5)
    assert 0.99 <= inside < 0.995


def test_asvs_interval_of_few_values_is_the_posterior_of_a_laplace_location():
    """Two values: the density is 1 / (|x - a| + |x - b|) ** 2, whose quantiles are known: a quarter lies below the lower one."""
    low, high = interval_of_median(np.array([0.0, 1.0]))
    assert low == pytest.approx(-24.5, rel=0.01)
    assert high == pytest.approx(25.5, rel=0.01)
