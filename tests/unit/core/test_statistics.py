# SPDX-License-Identifier: BSD-3-Clause
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from latlab.core.statistics.moderated_t import LEAST_P, Prior, fit_prior, steady_variance, t_shift
from latlab.core.statistics.sample_matrix import nan_median
from latlab.core.statistics.statistics import cliffs_delta, false_discovery_control, singly, two_sample_shift

SMALL = st.lists(st.integers(min_value=0, max_value=6), min_size=2, max_size=6)


def enumerated_p(a, b):
    """Two-sided p-value of the rank sum by listing every split of the pooled values."""
    ranks = stats.rankdata([*a, *b])
    sums = [sum(chosen) for chosen in combinations(ranks, len(a))]
    found = sum(ranks[: len(a)])
    low, high = (sum(s <= found + 1e-9 for s in sums), sum(s >= found - 1e-9 for s in sums))
    return min(1.0, 2 * min(low, high) / len(sums))


@given(SMALL, SMALL)
def test_with_ties_the_p_value_is_that_of_every_split_listed(a, b):
    assert two_sample_shift(np.array(a, float), np.array(b, float)).p == pytest.approx(enumerated_p(a, b))


def test_without_ties_the_p_value_is_scipys_exact_one():
    a, b = np.array([1.0, 2.5, 3.0, 7.0]), np.array([4.0, 6.0, 8.0, 9.0, 11.0])
    expected = pytest.approx(stats.mannwhitneyu(a, b, method="exact").pvalue, rel=1e-14)
    assert two_sample_shift(a, b).p == expected and two_sample_shift(b, a).p == expected


def test_the_interval_of_ten_and_ten_leaves_out_the_tabled_23_differences_on_each_side():
    a, b = np.arange(10.0), np.arange(10.0) * 1.01 + 100
    ordered = np.sort(np.subtract.outer(b, a), axis=None)
    shift = two_sample_shift(a, b)
    assert (shift.low, shift.high) == (ordered[23], ordered[-24])


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


@pytest.mark.parametrize(("n", "m"), [(1, 1), (5, 5), (50, 50), (1, 80), (3, 1000)])
def test_values_that_are_all_one_value_have_no_shift(n, m):
    found = two_sample_shift(np.full(n, 7.0), np.full(m, 7.0))
    assert (found.value, found.p) == (0.0, 1.0)
    assert {found.low, found.high} in ({0.0}, {-np.inf, np.inf})


def test_effect_size_runs_from_minus_one_to_one():
    a = np.array([1.0, 2.0, 3.0])
    assert [cliffs_delta(singly(a), singly(a + moved)) for moved in (10, -10, 0)] == [1.0, -1.0, 0.0]


def test_adjusted_p_values_keep_their_order_and_never_fall():
    assert false_discovery_control([0.04, 0.001, 0.5]) == pytest.approx([0.06, 0.003, 0.5])
    assert false_discovery_control([]) == []


def test_without_freedom_there_is_no_interval():
    assert t_shift(5.0, 1.0, 0).low == -np.inf
    assert t_shift(5.0, 0.0, 4).p == LEAST_P and t_shift(0.0, 0.0, 4).p == 1.0


def test_a_shift_has_the_p_value_and_the_interval_of_students_t():
    shift = t_shift(3.0, 4.0, 5)
    assert shift.p == pytest.approx(2 * stats.t.sf(1.5, 5))
    assert (shift.low, shift.high) == pytest.approx(stats.t.interval(0.9, 5, loc=3.0, scale=2.0))


def test_the_prior_that_made_the_variances_is_found():
    """Variances of four degrees of freedom around 2.5, as sure as ten more."""
    rng = np.random.default_rng(3)
    true = 2.5 * 10 / rng.chisquare(10, 20_000)
    prior = fit_prior(true * rng.chisquare(4, 20_000) / 4, 4)
    assert prior.variance == pytest.approx(2.5, rel=0.03) and prior.dof == pytest.approx(10, rel=0.1)


def test_variances_that_scatter_no_more_than_by_chance_are_one():
    rng = np.random.default_rng(4)
    prior = fit_prior(7.0 * (rng.chisquare(6, 40) / 6) ** 0.5, 6)
    assert prior.dof > 1000
    assert fit_prior(np.array([0.0, 3.0, 5.0]), 4) == Prior(4.0, 0.0)


def test_a_variance_is_drawn_towards_the_prior_by_the_freedom_of_both():
    assert Prior(2.0, 6.0).moderate(5.0, 3.0) == (3.0, 9.0)
    assert Prior(2.0, 0.0).moderate(5.0, 3.0) == (5.0, 3.0)
    assert Prior(0.0, 0.0).moderate(0.0, 0.0)[1] == 0.0


def test_one_value_far_from_the_others_does_not_widen_their_spread():
    near = np.array([1.0, 1.2, 0.9, 1.1, 1.05])
    assert steady_variance(np.r_[near, 40.0]) == pytest.approx((near.var(ddof=1), 4))
    assert steady_variance(near) == pytest.approx((near.var(ddof=1), 4))
    assert steady_variance(np.array([2.0])) == (0.0, 0)


def test_a_comparison_of_published_tables_loads_nothing_that_takes_longer_than_itself():
    code = (
        "import sys\n"
        "from latlab.core.comparison.by_kind import compare\n"
        "from latlab.core.comparison.by_kind import explain_pair\n"
        "from latlab.core.store.references import load\n"
        "explain_pair(compare(load('published:tf-a/juno/v2.9'), load('published:tf-a/juno/v2.10')))\n"
        "print([name for name in ('scipy.stats', 'scipy.optimize', 'altair', 'sqlalchemy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


@given(arrays(float, st.tuples(st.integers(1, 9), st.integers(1, 4)), elements=st.one_of(st.just(np.nan), st.floats(-1e6, 1e6))))
@pytest.mark.filterwarnings("ignore:All-NaN slice")
def test_the_median_of_what_is_a_number_is_the_one_of_numpy(values):
    np.testing.assert_array_equal(nan_median(values), np.nanmedian(values, axis=0))
