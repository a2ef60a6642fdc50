# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment tells: effects, interactions, what cannot be told and what it would take."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from pandas import DataFrame
from scipy import stats
from scipy.optimize import brentq
from statsmodels.formula.api import ols

from latlab.core.errors import DataError, UsageError
from latlab.core.model.experiment import Factor, Trial, TrialFigure, experiment_of
from latlab.core.store.references import load
from latlab.experiments.analysis.effects import analyse, replicates_for
from latlab.experiments.analysis.order import combinations_of, order_of
from latlab.experiments.analysis.response import Response, response_of
from latlab.experiments.analysis.result import Analysis, EffectVerdict
from support.experiments import PATH, drawn_truth, hits, run_once, trial, two_levels

SDK_CORE_1 = "sdk/task_wakeup/CPU-1-maximum"


def published(path: str = SDK_CORE_1, as_ratio: bool = True) -> Analysis:
    experiment = experiment_of(load("published:ti/am62l/factors-2026"))
    assert experiment is not None
    return analyse(experiment.factors, response_of(experiment.trials, path, "am62l"), None, as_ratio)


def measured(value_of: Callable[..., float], factors: tuple[Factor, ...], replicates: int = 2, unit: str = "ns") -> Response:
    trials = [
        trial(levels, replicate, value_of(*levels), unit=unit) for replicate in range(replicates) for levels in combinations_of(factors)
    ]
    return response_of(trials, PATH, "made")


def test_the_published_generator_lowers_core_1_by_45_us_in_eight_of_eight_pairs() -> None:
    optee = published().effects[0]
    assert (optee.factor, optee.level, optee.told) == ("optee", "prng", EffectVerdict.LOWERS)
    assert optee.difference.value == pytest.approx(-45_000) and (optee.pairs.lower, optee.pairs.count) == (8, 8)


def test_pairs_of_runs_are_counted_whichever_of_the_two_is_later() -> None:
    later, other, idle = analyse(
        two_levels(3), measured(lambda a, b, c: 100.0 + 10 * (a == "on") - (b == "on"), two_levels(3)), None, False
    ).effects
    assert [(one.lower, one.equal, one.higher, one.count) for one in (later.pairs, other.pairs, idle.pairs)] == [
        (0, 0, 8, 8),
        (8, 0, 0, 8),
        (0, 8, 0, 8),
    ]


def test_the_published_generator_does_more_where_the_core_is_isolated() -> None:
    one = published().interactions[0]
    assert (one.factor, one.other, one.told) == ("optee", "isolation", EffectVerdict.LOWERS)
    assert one.at_level.difference.value == pytest.approx(-62_250) and one.at_base.difference.value == pytest.approx(-27_750)


def test_file_system_and_memory_settings_of_the_published_runs_cannot_be_told() -> None:
    for path in (SDK_CORE_1, "sdk/task_wakeup/CPU-0-maximum"):
        told = {effect.factor: effect.told for effect in published(path).effects}
        assert told["filesystem"] is told["ddr"] is EffectVerdict.CANNOT_TELL and told["optee"] is EffectVerdict.LOWERS


def test_what_could_have_been_seen_and_what_it_takes_are_said() -> None:
    seen = published().seen
    assert seen.share is not None and 0.3 < seen.share < 1.0
    assert seen.replicates is not None and seen.runs == 16 * seen.replicates and seen.replicates > 1


@pytest.mark.parametrize("noise", [3.0, 5.0, 10.0])
def test_one_factor_in_blocks_of_two_runs_takes_what_a_paired_t_test_takes(noise: float) -> None:
    """Power of the noncentral t for as many pairs; the first number of them that reaches 90 % at 5 %."""
    values = {(0, "off"): 100.0, (0, "on"): 100.0 + noise, (1, "off"): 110.0, (1, "on"): 110.0 - noise}
    trials = [trial((level,), replicate, value) for (replicate, level), value in values.items()]
    share = 0.2
    seen = analyse(two_levels(1), response_of(trials, PATH, "made"), share, False).seen
    deviation, effect = 2**0.5 * noise, share * 105.0

    def power(pairs: int) -> float:
        at = stats.t.isf(0.025, pairs - 1)
        return float(stats.nct.sf(at, pairs - 1, effect / deviation * pairs**0.5))

    assert seen.replicates == next(pairs for pairs in range(2, 200) if power(pairs) >= 0.9)


def test_estimates_and_intervals_are_those_of_a_formula_of_statsmodels() -> None:
    random = np.random.default_rng(3)
    factors = (Factor("a", ("x", "y", "z")), Factor("b", ("m", "n")))
    response = measured(lambda a, b: 1000 * np.exp({"x": 0, "y": 0.3, "z": -0.2}[a] + 0.1 * (b == "n") + random.normal(0, 0.1)), factors, 3)
    rows = DataFrame(
        {
            "y": np.log(response.values),
            "a": [one.levels[0] for one in response.trials],
            "b": [one.levels[1] for one in response.trials],
            "r": [str(one.replicate) for one in response.trials],
        }
    )
    theirs = ols("y ~ C(a, Sum) * C(b, Sum) + C(r, Sum)", rows).fit()
    first, second = theirs.params.filter(like="C(a, Sum)")[:2]
    ours = analyse(factors, response).effects
    assert ours[0].ratio is not None and ours[1].ratio is not None
    assert np.log(ours[0].ratio.value) == pytest.approx(second - first)
    assert np.log(ours[1].ratio.value) == pytest.approx(-2 * first - second)
    tested = theirs.t_test("C(a, Sum)[S.y] - C(a, Sum)[S.x] = 0")
    low, high = np.squeeze(tested.conf_int())
    assert (np.log(ours[0].ratio.low), np.log(ours[0].ratio.high)) == (pytest.approx(low), pytest.approx(high))


def test_two_hundred_replicates_are_promised_and_not_one_more() -> None:
    """One factor in pairs: the error at which the noncentral t of 200 pairs has 90 %, and one that is a little larger."""

    def power(error: float) -> float:
        at = stats.t.isf(0.025, 199)
        return float(stats.nct.sf(at, 199, 1.0 / error))

    error = float(brentq(lambda one: power(one) - 0.9, 0.1, 1.0))
    assert replicates_for(1.0, error * 0.9999, 2, 200, 2, 0.05) == 200
    assert replicates_for(1.0, error * 1.0001, 2, 200, 2, 0.05) is None


def test_counts_that_repeat_are_exact_and_so_is_what_does_nothing() -> None:
    factors = two_levels(3)
    found = analyse(factors, measured(lambda a, b, c: 1000.0 + 70 * (a == "on") + 30 * (a == b == "on"), factors, unit="insns"))
    assert found.exact and [effect.told for effect in found.effects] == [
        EffectVerdict.RAISES,
        EffectVerdict.RAISES,
        EffectVerdict.NO_CHANGE,
    ]
    assert found.effects[0].difference.value == pytest.approx(85) and found.effects[0].difference.error == 0.0
    assert found.interactions[0].difference.value == pytest.approx(30) and found.interactions[1].told is EffectVerdict.NO_CHANGE


def test_counts_that_do_not_repeat_are_measured_like_any_others() -> None:
    factors, random = two_levels(2), np.random.default_rng(1)
    assert not analyse(factors, measured(lambda *_: random.normal(1000, 5), factors, unit="insns")).exact


def test_what_drifts_from_one_replicate_to_the_next_is_no_noise() -> None:
    factors, random = two_levels(2), np.random.default_rng(5)
    drift = iter([1.0] * 4 + [2.0] * 4 + [4.0] * 4)
    found = analyse(factors, measured(lambda a, b: next(drift) * (1.3 if a == "on" else 1.0) * np.exp(random.normal(0, 0.02)), factors, 3))
    assert found.noise_share < 0.05 and found.effects[0].told is EffectVerdict.RAISES


def test_an_effect_below_the_smallest_that_matters_is_called_that() -> None:
    factors, random = two_levels(2), np.random.default_rng(2)
    found = analyse(factors, measured(lambda *_: 1000 * np.exp(random.normal(0, 0.01)), factors, 4), smallest_share=0.1)
    assert {effect.told for effect in found.effects} == {EffectVerdict.NONE_SO_LARGE}


def test_values_that_are_not_positive_are_judged_by_their_differences() -> None:
    factors, random = two_levels(2), np.random.default_rng(2)
    found = analyse(factors, measured(lambda a, b: random.normal(0, 1) + 50 * (a == "on"), factors, 3))
    assert not found.as_ratio and found.effects[0].ratio is None and found.effects[0].told is EffectVerdict.RAISES


def test_too_few_runs_to_know_the_noise_tell_nothing() -> None:
    factors = two_levels(1)
    found = analyse(factors, measured(lambda a: 10.0 if a == "on" else 5.0, factors, 1))
    assert found.free == 0 and found.effects[0].told is EffectVerdict.CANNOT_TELL and found.seen.share is None
    assert np.isinf(found.effects[0].difference.high)


def test_a_combination_that_was_never_run_leaves_the_rest() -> None:
    found = published("customer/task_wakeup/CPU-0-maximum")
    assert [effect.factor for effect in found.effects] == ["optee", "isolation", "ddr"] and found.missing == 2
    assert {effect.told for effect in found.effects} == {EffectVerdict.CANNOT_TELL} and found.effects[0].pairs.lower == 3


def test_one_combination_alone_is_refused() -> None:
    factors = two_levels(2)
    trials = [trial(("on", "off"), replicate, 5.0) for replicate in range(4)]
    with pytest.raises(DataError, match="one combination"):
        analyse(factors, response_of(trials, PATH, "made"))


def test_a_figure_that_no_run_has_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="CPU-0-maximum"):
        response_of([trial(("on",), 0, 1.0)], "recorder/task_wakeup/CPU-9-maximum", "made")


def test_figures_of_two_units_are_not_averaged() -> None:
    mixed = Trial(("on",), 0, "r", (TrialFigure("t/value/a", "ns", 1.0), TrialFigure("t/value/b", "insns", 1.0)))
    with pytest.raises(DataError, match="ns"):
        response_of([mixed], "t/value", "made")


def test_every_combination_comes_once_in_each_replicate_and_the_seed_draws_the_order() -> None:
    factors = two_levels(3)
    first, second = order_of(factors, 7, 0), order_of(factors, 7, 1)
    assert sorted(first) == sorted(second) == sorted(combinations_of(factors)) and first != second
    assert first == order_of(factors, 7, 0) != order_of(factors, 8, 0)


def test_some_simulated_experiments_are_told_rightly() -> None:
    """The whole count of them is for the proofs; a wrong formula shows in these."""
    held = []
    for seed in range(30):
        random = np.random.default_rng([1, seed])
        truth = drawn_truth(random)
        held += [hold for _, hold, _ in hits(truth, run_once(truth, random))]
    assert 0.9 < np.mean(held) < 0.99


def test_an_interval_that_reaches_beyond_the_smallest_effect_leaves_it_untold() -> None:
    """Its estimate is small, and a larger effect would have looked the same."""
    factors, random = two_levels(2), np.random.default_rng(5)
    found = analyse(factors, measured(lambda *_: 1000 * np.exp(random.normal(0, 0.2)), factors, 2), smallest_share=0.1)
    assert {effect.told for effect in found.effects} == {EffectVerdict.CANNOT_TELL}
