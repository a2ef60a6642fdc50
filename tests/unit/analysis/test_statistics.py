# SPDX-License-Identifier: BSD-3-Clause
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from latlab.analysis.base.statistics import (
    effect_size,
    false_discovery_control,
    one_sample_shift,
    sign_test,
    t_interval,
    two_sample_shift,
)

SMALL = st.lists(st.integers(min_value=0, max_value=6), min_size=2, max_size=6)


def enumerated_p(a, b):
    """Two-sided p-value of the rank sum by listing every split of the pooled values."""
    ranks = stats.rankdata([*a, *b])
    sums = [sum(chosen) for chosen in combinations(ranks, len(a))]
    found = sum(ranks[: len(a)])
    low, high = (sum(s <= found + 1e-9 for s in sums), sum(s >= found - 1e-9 for s in sums))
    return min(1.0, 2 * min(low, high) / len(sums))


@given(SMALL, SMALL)
@settings(deadline=None)
def test_with_ties_the_p_value_is_that_of_every_split_listed(a, b):
    assert two_sample_shift(np.array(a, float), np.array(b, float)).p == pytest.approx(enumerated_p(a, b))


def test_without_ties_the_p_value_is_scipys_exact_one():
    a, b = np.array([1.0, 2.5, 3.0, 7.0]), np.array([4.0, 6.0, 8.0, 9.0, 11.0])
    assert two_sample_shift(a, b).p == stats.mannwhitneyu(a, b, method="exact").pvalue


def test_the_interval_of_ten_and_ten_leaves_out_the_tabled_23_differences_on_each_side():
    a, b = np.arange(10.0), np.arange(10.0) * 1.01 + 100
    ordered = np.sort(np.subtract.outer(b, a), axis=None)
    shift = two_sample_shift(a, b)
    assert (shift.low, shift.high) == (ordered[23], ordered[-24])


def test_the_signed_rank_interval_of_ten_leaves_out_the_tabled_8_averages():
    d = np.array([1.0, 2.2, 3.1, 4.7, 5.3, 6.9, 7.1, 8.8, 9.4, 10.6])
    i, j = np.triu_indices(10)
    walsh = np.sort((d[i] + d[j]) / 2)
    shift = one_sample_shift(d)
    assert (shift.low, shift.high) == (walsh[8], walsh[-9])


@pytest.mark.parametrize(("n", "m"), [(3, 3), (1, 8)])
def test_too_few_values_have_no_interval(n, m):
    shift = two_sample_shift(np.arange(n, dtype=float), np.arange(m) + 50.0)
    assert shift.low == -np.inf and shift.high == np.inf


def test_the_interval_covers_the_true_shift_as_often_as_it_says():
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(600):
        shift = two_sample_shift(rng.exponential(size=7), rng.exponential(size=7) + 0.7)
        covered += shift.low <= 0.7 <= shift.high
    assert covered >= 0.94 * 600


def test_the_sign_test_leaves_zeros_out():
    assert sign_test(np.array([1.0, 2.0, 0.0, 3.0, 0.0, 1.0, 2.0, 3.0])) == pytest.approx(2 / 2**6)
    assert sign_test(np.zeros(5)) == 1.0


def test_effect_size_runs_from_minus_one_to_one():
    a = np.array([1.0, 2.0, 3.0])
    assert effect_size(a, a + 10) == 1.0 and effect_size(a, a - 10) == -1.0 and effect_size(a, a) == 0.0


def test_adjusted_p_values_keep_their_order_and_never_fall():
    assert false_discovery_control([0.04, 0.001, 0.5]) == pytest.approx([0.06, 0.003, 0.5])
    assert false_discovery_control([]) == []


def test_a_fit_without_freedom_has_no_interval():
    assert t_interval(5.0, 1.0, 0).low == -np.inf
    assert t_interval(5.0, 0.0, 4).p == 0.0
