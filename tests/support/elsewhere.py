# SPDX-License-Identifier: BSD-3-Clause
"""Every statistic against what somebody else programmed, scipy, statsmodels and numpy, on as many random inputs as the caller wants."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportions_ztest
from statsmodels.stats.rates import test_poisson_2indep as poisson_2indep
from statsmodels.stats.weightstats import DescrStatsW

from latlab.core.statistics import distributions
from latlab.core.statistics.histogram import Histogram, exceedance_p, quantile_shift, rate_p, shift_effect, weighted_shift
from latlab.core.statistics.statistics import cliffs_delta, false_discovery_control, family_wise, singly, two_sample_shift
from latlab.rt.model.wakeups import cpu_row, intervals


def pairs(inputs: int, seed: int, most: int, ties: bool, least: int = 2) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Two samples of `least` to `most` values, the second moved a little; whole numbers from a few where there are ties."""
    rng = np.random.default_rng(seed)
    for _ in range(inputs):
        n, m = rng.integers(least, most + 1, 2)
        shift = rng.choice([0.0, 0.5, 2.0])
        if ties:
            yield rng.integers(0, 6, n).astype(float), rng.integers(0, 6, m) + float(round(2 * shift))
        else:
            yield rng.standard_normal(n), rng.standard_normal(m) + shift


def two_means_differ_as_scipys_welch_test_says(inputs: int) -> None:
    for a, b in pairs(inputs, 23, 12, ties=False):
        test = stats.ttest_ind(b, a, equal_var=False)
        interval = test.confidence_interval(0.95)
        due = (float(interval.low), float(interval.high), float(test.pvalue))
        assert distributions.welch(a, b, 0.95) == pytest.approx(due, rel=1e-9, abs=1e-12)


def the_shift_is_the_median_of_all_differences(inputs: int) -> None:
    for a, b in pairs(inputs, 1, 12, ties=False):
        assert two_sample_shift(a, b).value == pytest.approx(float(np.median([y - x for x in a for y in b])), rel=1e-9, abs=1e-12)


def without_ties_the_p_value_is_scipys(inputs: int) -> None:
    for a, b in pairs(inputs, 2, 14, ties=False):
        assert two_sample_shift(a, b).p == pytest.approx(float(stats.mannwhitneyu(a, b, method="exact").pvalue), rel=1e-9, abs=1e-12)


def of_many_values_the_p_value_is_scipys_approximation(inputs: int) -> None:
    for a, b in pairs(inputs, 3, 80, ties=False, least=51):
        assert len(a) * len(b) > 2500
        assert two_sample_shift(a, b).p == pytest.approx(float(stats.mannwhitneyu(a, b, method="asymptotic").pvalue), rel=1e-9, abs=1e-12)


def with_ties_the_p_value_is_that_of_all_permutations(inputs: int) -> None:
    for a, b in pairs(inputs, 4, 4, ties=True):
        every = stats.PermutationMethod(n_resamples=np.inf)
        due = 1.0 if np.ptp(np.r_[a, b]) == 0 else float(stats.mannwhitneyu(a, b, method=every).pvalue)
        assert two_sample_shift(a, b).p == pytest.approx(due, rel=1e-9)


def of_many_values_with_ties_the_p_value_is_normal_with_the_ties_taken_out_of_the_variance(inputs: int) -> None:
    for a, b in pairs(inputs, 5, 60, ties=True, least=31):
        n, m = len(a), len(b)
        u = float((np.sign(np.subtract.outer(b, a)) + 1).sum() / 2)
        ranks = stats.rankdata(np.r_[a, b])
        variance = n * m * (n + m + 1) / 12 * stats.tiecorrect(ranks)
        due = 2 * stats.norm.sf((abs(u - n * m / 2) - 0.5) / variance**0.5)
        assert two_sample_shift(a, b).p == pytest.approx(min(1.0, float(due)), rel=1e-9)


def the_interval_holds_just_the_shifts_that_the_exact_test_does_not_refuse(inputs: int) -> None:
    """Scipy's exact test of the second sample, moved back by a shift a little inside and a little outside each end."""
    for number, (a, b) in enumerate(pairs(inputs, 6, 9, ties=False)):
        confidence = (0.90, 0.95)[number % 2]
        shift = two_sample_shift(a, b, confidence)

        def p(moved: float, a: np.ndarray = a, b: np.ndarray = b) -> float:
            return float(stats.mannwhitneyu(a, b - moved, method="exact").pvalue)

        if not np.isfinite(shift.low):
            assert shift.high == np.inf
            assert p(-1e6) > 1 - confidence, "no shift at all could have been refused"
            continue
        step = 1e-9
        assert p(shift.low - step) <= 1 - confidence < p(shift.low + step)
        assert p(shift.high + step) <= 1 - confidence < p(shift.high - step)


def of_many_values_the_interval_ends_where_the_approximate_test_begins_to_refuse(inputs: int) -> None:
    for a, b in pairs(inputs, 7, 80, ties=False, least=51):
        shift = two_sample_shift(a, b)
        for inside, outside in ((shift.low + 1e-9, shift.low - 0.02), (shift.high - 1e-9, shift.high + 0.02)):
            assert float(stats.mannwhitneyu(a, b - inside, method="asymptotic", use_continuity=False).pvalue) >= 0.049
            assert float(stats.mannwhitneyu(a, b - outside, method="asymptotic", use_continuity=False).pvalue) <= 0.055


def the_effect_size_is_that_of_mann_and_whitneys_u(inputs: int) -> None:
    for a, b in (*pairs(inputs, 8, 20, ties=True), *pairs(inputs, 9, 20, ties=False)):
        u = float(stats.mannwhitneyu(a, b).statistic) if np.ptp(np.r_[a, b]) else len(a) * len(b) / 2
        assert cliffs_delta(singly(a), singly(b)) == pytest.approx(1 - 2 * u / (len(a) * len(b)), rel=1e-9, abs=1e-12)


def adjusted_p_values_are_those_of_statsmodels(inputs: int) -> None:
    rng = np.random.default_rng(10)
    for _ in range(inputs):
        p = rng.uniform(size=rng.integers(1, 60)) ** rng.choice([1, 4])
        assert family_wise(list(p)) == pytest.approx(list(multipletests(p, method="holm")[1]), rel=1e-9, abs=1e-12)
        assert false_discovery_control(list(p)) == pytest.approx(list(multipletests(p, method="fdr_bh")[1]), rel=1e-9, abs=1e-12)
    assert false_discovery_control([]) == family_wise([]) == []


def the_distributions_are_those_of_scipy(inputs: int) -> None:
    rng = np.random.default_rng(19)
    for _ in range(inputs):
        share, x = float(rng.uniform(1e-6, 1 - 1e-6)), float(rng.normal(0, 3))
        dof, other = (float(n) for n in rng.uniform(1, 60, 2))
        assert distributions.normal_quantile(share) == pytest.approx(float(stats.norm.ppf(share)), rel=1e-9)
        assert distributions.normal_upper(x) == pytest.approx(float(stats.norm.sf(x)), rel=1e-9)
        assert distributions.t_quantile(share, dof) == pytest.approx(float(stats.t.ppf(share, dof)), rel=1e-8)
        assert distributions.t_upper(x, dof) == pytest.approx(float(stats.t.sf(x, dof)), rel=1e-8)
        assert distributions.f_upper(abs(x), dof, other) == pytest.approx(float(stats.f.sf(abs(x), dof, other)), rel=1e-6)


def histogram(rng: np.random.Generator, most: int) -> tuple[Histogram, np.ndarray]:
    """Up to `most` whole numbers, counted in intervals of one, and the numbers themselves."""
    values = np.sort(rng.poisson(rng.uniform(5, 40), rng.integers(2, most + 1))).astype(float)
    levels, counts = np.unique(values, return_counts=True)
    rows = intervals(levels.astype(int), levels.astype(int) + 1, counts)
    return Histogram(cpu_row(0, rows, len(values), int(levels[0]), int(levels[-1]), float(values.mean()))), values


def histograms(inputs: int, seed: int, most: int = 300) -> Iterator[tuple[Histogram, np.ndarray, Histogram, np.ndarray]]:
    rng = np.random.default_rng(seed)
    for _ in range(inputs):
        yield (*histogram(rng, most), *histogram(rng, most))


def a_counted_quantile_is_numpys_of_the_values_one_by_one(inputs: int) -> None:
    rng = np.random.default_rng(11)
    for _ in range(inputs):
        one, values = histogram(rng, 400)
        share = float(rng.uniform(0.001, 1))
        assert one.quantile(share) == float(np.quantile(values, share, method="inverted_cdf"))
        assert one.total == len(values)
        level = float(rng.choice(values))
        assert one.above(level) == int((values > level).sum())


def a_counted_mean_and_its_error_are_those_of_statsmodels(inputs: int) -> None:
    rng = np.random.default_rng(12)
    for _ in range(inputs):
        one, _ = histogram(rng, 400)
        elsewhere = DescrStatsW(one.middles, weights=one.counts, ddof=0)
        mean, error = one.mean_and_error
        assert (mean, error) == pytest.approx((float(elsewhere.mean), float(elsewhere.std) / one.total**0.5), rel=1e-9, abs=1e-12)


def counted_values_are_compared_as_scipy_compares_them_one_by_one(inputs: int) -> None:
    for a, x, b, y in histograms(inputs, 13):
        if len(x) + len(y) <= 60:
            continue
        found = weighted_shift(a, b)
        differences = np.sort(np.subtract.outer(y, x), axis=None)
        n, m = len(x), len(y)
        half = stats.norm.ppf(0.975) * (n * m * (n + m + 1) / 12) ** 0.5
        at = [int(np.ceil(max(rank, 1))) - 1 for rank in (n * m / 2, n * m / 2 - half, n * m / 2 + half)]
        assert (found.value, found.low, found.high) == tuple(float(differences[min(i, n * m - 1)]) for i in at)
        assert found.p == pytest.approx(float(stats.mannwhitneyu(x, y, method="asymptotic").pvalue), rel=1e-6, abs=1e-300)


def a_few_counted_values_are_compared_as_the_values_themselves(inputs: int) -> None:
    for a, x, b, y in histograms(inputs, 14, most=30):
        assert weighted_shift(a, b) == two_sample_shift(x, y)


def counted_dominance_is_that_of_mann_and_whitneys_u(inputs: int) -> None:
    for a, x, b, y in histograms(inputs, 15):
        u = float(stats.mannwhitneyu(x, y).statistic) if np.ptp(np.r_[x, y]) else len(x) * len(y) / 2
        assert shift_effect(a, b) == pytest.approx(1 - 2 * u / (len(x) * len(y)), rel=1e-9, abs=1e-12)


def the_shift_of_a_quantile_has_the_p_value_of_two_shares_by_statsmodels(inputs: int) -> None:
    """And ends that order statistics of the values one by one give, joined as Zou and Donner say."""
    judged = 0
    for a, x, b, y in histograms(inputs, 16, most=400):
        found = quantile_shift(a, b, 0.9)
        if found is None:
            continue
        judged += 1
        together = np.sort(np.r_[x, y])
        level = together[int(np.ceil(len(together) * 0.9)) - 1]
        above = [int((y > level - 1e-9).sum() - (y == level).sum()), int((x > level - 1e-9).sum() - (x == level).sum())]
        due = 1.0 if not sum(above) else float(proportions_ztest(above, [len(y), len(x)])[1])
        assert found.p == pytest.approx(due, rel=1e-6, abs=1e-12)
        (la, va, ha), (lb, vb, hb) = (_order_ends(values, 0.9) for values in (x, y))
        assert found.value == vb - va
        assert found.low == pytest.approx(vb - va - ((ha - va) ** 2 + (vb - lb) ** 2) ** 0.5, rel=1e-9, abs=1e-12)
        assert found.high == pytest.approx(vb - va + ((va - la) ** 2 + (hb - vb) ** 2) ** 0.5, rel=1e-9, abs=1e-12)
    assert judged > inputs // 2


def _order_ends(values: np.ndarray, share: float) -> tuple[float, float, float]:
    n = len(values)
    half = stats.norm.ppf(0.975) * (n * share * (1 - share)) ** 0.5
    at = (int(np.floor(n * share - half)), int(np.ceil(n * share)), int(np.ceil(n * share + half)) + 1)
    low, middle, high = (float(values[min(max(rank, 1), n) - 1]) for rank in at)
    return low, middle, high


def the_p_value_of_later_ones_is_that_of_drawing_them_all_from_one_run(inputs: int) -> None:
    rng = np.random.default_rng(17)
    for _ in range(inputs):
        below, others = (int(n) for n in rng.integers(1, 500, 2))
        above = int(rng.integers(1, min(others, 12) + 1))
        drawn = stats.hypergeom(below + others, others, above)
        assert exceedance_p(below, others, above) == pytest.approx(min(1.0, 2 * float(drawn.pmf(above))), rel=1e-9)
    assert exceedance_p(0, 5, 3) == exceedance_p(5, 5, 0) == 1.0


def two_rates_are_compared_as_statsmodels_compares_poisson_counts(inputs: int) -> None:
    rng = np.random.default_rng(18)
    for _ in range(inputs):
        events = [int(n) for n in rng.integers(0, 40, 2)]
        of = [int(n) for n in rng.integers(1000, 100_000, 2)]
        with np.errstate(divide="ignore"):
            due = 1.0 if not sum(events) else float(poisson_2indep(events[1], of[1], events[0], of[0], method="exact-cond").pvalue)
        assert rate_p(events[0], of[0], events[1], of[1]) == pytest.approx(due, rel=1e-9)


CHECKS = (
    the_distributions_are_those_of_scipy,
    two_means_differ_as_scipys_welch_test_says,
    the_shift_is_the_median_of_all_differences,
    without_ties_the_p_value_is_scipys,
    of_many_values_the_p_value_is_scipys_approximation,
    with_ties_the_p_value_is_that_of_all_permutations,
    of_many_values_with_ties_the_p_value_is_normal_with_the_ties_taken_out_of_the_variance,
    the_interval_holds_just_the_shifts_that_the_exact_test_does_not_refuse,
    of_many_values_the_interval_ends_where_the_approximate_test_begins_to_refuse,
    the_effect_size_is_that_of_mann_and_whitneys_u,
    adjusted_p_values_are_those_of_statsmodels,
    a_counted_quantile_is_numpys_of_the_values_one_by_one,
    a_counted_mean_and_its_error_are_those_of_statsmodels,
    counted_values_are_compared_as_scipy_compares_them_one_by_one,
    a_few_counted_values_are_compared_as_the_values_themselves,
    counted_dominance_is_that_of_mann_and_whitneys_u,
    the_shift_of_a_quantile_has_the_p_value_of_two_shares_by_statsmodels,
    the_p_value_of_later_ones_is_that_of_drawing_them_all_from_one_run,
    two_rates_are_compared_as_statsmodels_compares_poisson_counts,
)
