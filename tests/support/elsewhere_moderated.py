# SPDX-License-Identifier: BSD-3-Clause
"""Moderated variances against their definition, integrated by scipy, and the t-tests of scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from latlab.core.statistics.moderated_t import Prior, fit_prior, steady_variance, t_shift


def a_pooled_variance_gives_the_p_value_of_scipy_and_the_interval_of_statsmodels(inputs: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(inputs):
        a, b = (rng.standard_normal(n) * 3 for n in rng.integers(2, 12, 2))
        b = b + rng.choice([0.0, 4.0])
        n, m = len(a), len(b)
        pooled = ((n - 1) * a.var(ddof=1) + (m - 1) * b.var(ddof=1)) / (n + m - 2)
        found = t_shift(float(b.mean() - a.mean()), float(pooled * (1 / n + 1 / m)), n + m - 2)
        assert found.p == pytest.approx(float(stats.ttest_ind(b, a).pvalue), rel=1e-9)
        ends = CompareMeans(DescrStatsW(b), DescrStatsW(a)).tconfint_diff(alpha=0.10)
        assert (found.low, found.high) == pytest.approx(tuple(float(end) for end in ends), rel=1e-9, abs=1e-12)


def log_moments(prior: Prior, dof: int) -> tuple[float, float]:
    """Mean and variance of the logarithm of a variance under the prior: scale * F(dof, prior.dof), or chi-squared where all are one."""
    ratio = stats.chi2(dof, scale=1 / dof) if prior.dof >= 1e5 else stats.f(dof, prior.dof)
    mean = float(ratio.expect(np.log))
    return mean + float(np.log(prior.variance)), float(ratio.expect(lambda x: (np.log(x) - mean) ** 2))


def the_prior_has_the_moments_of_the_logarithms_that_it_was_fitted_to(inputs: int) -> None:
    """By numerical integration over scipy's F distribution. Where the variances scatter less than chance, only the mean can be met."""
    rng = np.random.default_rng(2)
    weighty = 0
    for _ in range(max(20, inputs // 10)):
        dof, own = int(rng.integers(2, 9)), float(rng.uniform(2.5, 12))
        variances = rng.uniform(0.5, 5) * stats.f(dof, own).rvs(int(rng.integers(6, 40)), random_state=rng)
        prior = fit_prior(variances, dof)
        logs = np.log(variances)
        mean, spread = log_moments(prior, dof)
        assert mean == pytest.approx(float(logs.mean()), rel=1e-4, abs=1e-4)
        if prior.dof < 1e5:
            weighty += 1
            assert spread == pytest.approx(float(logs.var(ddof=1)), rel=1e-3)
        else:
            assert spread >= float(logs.var(ddof=1)) - 1e-6
    assert weighty > 8


def a_variance_is_drawn_to_the_prior_by_the_weights_of_both(inputs: int) -> None:
    rng = np.random.default_rng(5)
    for _ in range(inputs):
        s0, s, d0, d = (float(x) for x in rng.uniform(0.1, 20, 4))
        value, dof = Prior(s0, d0).moderate(s, d)
        assert value == pytest.approx(float(np.average([s0, s], weights=[d0, d])), rel=1e-12)
        assert dof == pytest.approx(d0 + d)
    value, dof = Prior(0.0, 0.0).moderate(3.0, 0)
    assert np.isnan(value) and dof == 0.0


def steadied(values: np.ndarray) -> tuple[float, int]:
    """Leaves out the farthest value while it lies outside the rest's prediction interval, by statsmodels' mean and deviation."""
    kept = sorted(values)
    for _ in range(len(values) // 3):

        def distance(i: int, kept: list[float] = kept) -> float:
            return abs(kept[i] - DescrStatsW(kept[:i] + kept[i + 1 :]).mean)

        far = max((0, len(kept) - 1), key=distance)
        rest = kept[:far] + kept[far + 1 :]
        if len(rest) < 3:
            break
        own = DescrStatsW(rest)
        low, high = stats.t.interval(1 - 0.002, len(rest) - 1, own.mean, (own.var_ddof(1) * (1 + 1 / len(rest))) ** 0.5)
        if low <= kept[far] <= high:
            break
        kept = rest
    return (float(DescrStatsW(kept).var_ddof(1)), len(kept) - 1) if len(kept) > 1 else (0.0, 0)


def the_steady_variance_leaves_out_what_the_prediction_interval_of_the_rest_does_not_hold(inputs: int) -> None:
    rng = np.random.default_rng(6)
    left_out = 0
    for _ in range(inputs):
        values = rng.standard_normal(int(rng.integers(1, 16)))
        for _ in range(int(rng.integers(0, 3))):
            values[rng.integers(len(values))] += rng.choice([-30, 8, 200])
        found = steady_variance(values)
        assert found == pytest.approx(steadied(values), rel=1e-9)
        left_out += found[1] < len(values) - 1
    assert left_out > inputs // 20


CHECKS = (
    a_pooled_variance_gives_the_p_value_of_scipy_and_the_interval_of_statsmodels,
    the_prior_has_the_moments_of_the_logarithms_that_it_was_fitted_to,
    a_variance_is_drawn_to_the_prior_by_the_weights_of_both,
    the_steady_variance_leaves_out_what_the_prediction_interval_of_the_rest_does_not_hold,
)
