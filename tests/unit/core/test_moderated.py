# SPDX-License-Identifier: BSD-3-Clause
"""Moderated variances where there is little to moderate by, and where there is much."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from latlab.core.statistics.moderated_t import LEAST_P, Prior, fit_prior, t_shift


def test_the_interval_is_as_wide_as_the_confidence_asks():
    wide, narrow = t_shift(1.0, 4.0, 5, 0.95), t_shift(1.0, 4.0, 5, 0.5)
    assert (wide.low, wide.high) == pytest.approx(tuple(1.0 + 2.0 * stats.t(5).ppf(q) for q in (0.025, 0.975)))
    assert (narrow.low, narrow.high) == pytest.approx(tuple(1.0 + 2.0 * stats.t(5).ppf(q) for q in (0.25, 0.75)))


@pytest.mark.parametrize(("variance", "dof"), [(1.0, 0.5), (float("nan"), 5), (float("inf"), 5)])
def test_without_a_variance_there_is_no_interval_and_no_evidence(variance, dof):
    found = t_shift(3.0, variance, dof)
    assert (found.value, found.low, found.high, found.p) == (3.0, -np.inf, np.inf, 1.0)


def test_without_scatter_a_difference_is_as_certain_as_any():
    assert t_shift(0.0, 0.0, 3).p == 1.0
    found = t_shift(2.0, 0.0, 3)
    assert (found.low, found.high, found.p) == (2.0, 2.0, LEAST_P)


def test_a_prior_is_found_again_in_many_variances_drawn_from_it():
    rng = np.random.default_rng(3)
    for dof, own, scale in ((3, 6.0, 2.0), (6, 12.0, 0.04), (14, 4.0, 9.0)):
        found = fit_prior(scale * stats.f(dof, own).rvs(50_000, random_state=rng), dof)
        assert (found.variance, found.dof) == pytest.approx((scale, own), rel=0.15)


def test_variances_that_are_all_one_make_a_prior_as_sure_as_it_can_be():
    found = fit_prior(np.linspace(1.99, 2.01, 50), 5)
    assert found.dof > 1e5
    assert found.moderate(50.0, 5) == pytest.approx((found.variance, 250.0), rel=1e-3)


def test_no_variance_is_surer_than_all_of_its_kind_together():
    assert fit_prior(np.array([1.0, 1.1, 1.05]), 6).moderate(1.0, 6)[1] == 18.0
    assert Prior(1.0, 1e5, most=4.0).moderate(1.0, 6)[1] == 6.0


@pytest.mark.parametrize("variances", [[], [1.0], [1.0, 2.0], [0.0, 0.0, 3.0, 4.0]])
def test_fewer_than_three_positive_variances_make_no_prior(variances):
    assert fit_prior(np.array(variances), 4).dof == 0.0
