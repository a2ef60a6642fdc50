# SPDX-License-Identifier: BSD-3-Clause
"""The effects and interactions of an experiment: each with its interval, told or not.

A run is the sampling unit, whatever it held: two iterations of one boot are not two runs. Latencies scatter in proportion, so factors
between geometric means are what is judged where all values are positive; differences of means stand beside them. All effects are one family
of tests (Holm). Interactions are asked only where one of the two factors does something by itself (heredity), and are the second family.
The minimum detectable effect, and how many runs detect a smaller one, are by the noncentral t distribution of statsmodels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from latlab.core.errors import DataError
from latlab.core.model.experiment import Experiment, Factor, experiment_of
from latlab.core.model.run import Run
from latlab.core.statistics.distributions import t_quantile
from latlab.core.statistics.statistics import family_wise
from latlab.experiments.analysis.fits import ALPHA, Fit, fit
from latlab.experiments.analysis.order import combinations_of
from latlab.experiments.analysis.response import Response, response_of
from latlab.experiments.analysis.result import Analysis, Effect, EffectVerdict, Estimate, Interaction, Pairs, Sensitivity

SMALLEST_SHARE = 0.1

POWER = 0.9
MOST_REPLICATES = 200


def analyse(factors: Sequence[Factor], response: Response, smallest_share: float | None = None, as_ratio: bool = True) -> Analysis:
    """`smallest_share` of the mean is the smallest effect that matters; without it runs are counted for a tenth, and nothing is called
    small. A factor that
    has one level only among the trials is left out. Raises DataError where none is left."""
    used, response = _used(factors, response)
    exact = response.counts_instructions and _repeats(response)
    as_ratio = as_ratio and bool((response.values > 0).all())
    plain = fit(used, response.trials, response.values, exact)
    logs = fit(used, response.trials, np.log(response.values), exact) if as_ratio else None
    judged = logs or plain
    limit = None if smallest_share is None else _limit(smallest_share, as_ratio, response.mean)
    effects = _judged_effects(list(_effects(used, plain, logs, response)), judged, limit)
    interactions = _judged_interactions(list(_interactions(used, plain, logs, response, effects)), judged, limit)
    cells = combinations_of(used)
    return Analysis(
        response.path,
        response.unit,
        len(response.trials),
        len({trial.replicate for trial in response.trials}),
        response.mean,
        exact,
        as_ratio,
        max(map(len, judged.terms)),
        judged.free,
        _as_share(judged.noise, as_ratio, response.mean),
        tuple(effects),
        tuple(interactions),
        _sensitivity(judged, effects, len(cells), response, smallest_share or SMALLEST_SHARE, as_ratio),
        len(cells) - len({trial.levels for trial in response.trials}),
    )


def effects_of(run: Run) -> tuple[Analysis, Response]:
    """The effects on the figure that the experiment was made for."""
    experiment = experiment_of(run)
    assert experiment is not None
    return analysis_of(run, experiment)


def analysis_of(run: Run, experiment: Experiment, figure_name: str | None = None, as_ratio: bool = True) -> tuple[Analysis, Response]:
    """The experiment by the figure that it was made for, or by another one."""
    response = response_of(experiment.trials, figure_name or experiment.response, run.id)
    smallest = experiment.smallest_percent
    return analyse(experiment.factors, response, smallest / 100 if smallest else None, as_ratio), response


def _used(factors: Sequence[Factor], response: Response) -> tuple[tuple[Factor, ...], Response]:
    """The factors that differ among the trials, with the levels that were run, and the trials by these."""
    run = [
        Factor(factor.name, tuple(level for level in factor.levels if level in {trial.levels[at] for trial in response.trials}))
        for at, factor in enumerate(factors)
    ]
    varied = [at for at, factor in enumerate(run) if len(factor.levels) > 1]
    if not varied:
        raise DataError(
            f"all {len(response.trials)} runs with {response.path} have one combination of levels, so there is nothing to compare it with"
        )
    trials = tuple(replace(trial, levels=tuple(trial.levels[at] for at in varied)) for trial in response.trials)
    return tuple(run[at] for at in varied), replace(response, trials=trials)


def _repeats(response: Response) -> bool:
    """Whether every combination gave one value, however often it was run."""
    value_of: dict[tuple[str, ...], float] = {}
    return all(value_of.setdefault(trial.levels, value) == value for trial, value in zip(response.trials, response.values, strict=True))


def _limit(share: float, as_ratio: bool, mean: float) -> float:
    return float(np.log1p(share)) if as_ratio else share * abs(mean)


def _as_share(size: float, as_ratio: bool, mean: float) -> float:
    return float(np.expm1(size)) if as_ratio else size / abs(mean) if mean else 0.0


def _effects(used: Sequence[Factor], plain: Fit, logs: Fit | None, response: Response) -> Iterator[tuple[Effect, Estimate]]:
    """Each with the estimate that judges it."""
    for at, factor in enumerate(used):
        for level in factor.levels[1:]:
            judged = (logs or plain).main(at, level)
            pairs = _pairs(at, factor.levels[0], level, response)
            yield (
                Effect(
                    factor.name,
                    level,
                    factor.levels[0],
                    plain.main(at, level),
                    _times(judged if logs else None),
                    judged.p,
                    EffectVerdict.CANNOT_TELL,
                    pairs,
                ),
                judged,
            )


def _interactions(
    used: Sequence[Factor], plain: Fit, logs: Fit | None, response: Response, effects: Sequence[Effect]
) -> Iterator[tuple[Interaction, Estimate]]:
    """The effect is that of the factor which does more, at the levels of the other."""
    active = {effect.factor for effect in effects if effect.told in (EffectVerdict.RAISES, EffectVerdict.LOWERS)}
    weight = {factor.name: min(effect.p for effect in effects if effect.factor == factor.name) for factor in used}
    for first_factor in range(len(used)):
        for two in range(first_factor + 1, len(used)):
            if not plain.has(first_factor, two):
                continue
            at, other = sorted((first_factor, two), key=lambda place: (used[place].name not in active, weight[used[place].name]))
            for level in used[at].levels[1:]:
                for other_level in used[other].levels[1:]:
                    judged = (logs or plain).interaction(at, level, other, other_level)
                    first, second = (
                        _where(used, plain, logs, response, at, level, other, level_of_other)
                        for level_of_other in (used[other].levels[0], other_level)
                    )
                    yield (
                        Interaction(
                            used[at].name,
                            level,
                            used[at].levels[0],
                            used[other].name,
                            other_level,
                            used[other].levels[0],
                            plain.interaction(at, level, other, other_level),
                            _times(judged if logs else None),
                            judged.p,
                            EffectVerdict.CANNOT_TELL,
                            bool(active & {used[at].name, used[other].name}),
                            first,
                            second,
                        ),
                        judged,
                    )


def _where(
    used: Sequence[Factor], plain: Fit, logs: Fit | None, response: Response, at: int, level: str, other: int, other_level: str
) -> Effect:
    judged = (logs or plain).main_where(at, level, other, other_level)
    difference = plain.main_where(at, level, other, other_level)
    at_level = [number for number, trial in enumerate(response.trials) if trial.levels[other] == other_level]
    pairs = _pairs(at, used[at].levels[0], level, response.only(at_level))
    verdict = _direction(judged.value) if judged.p < ALPHA else EffectVerdict.CANNOT_TELL
    return Effect(
        used[at].name,
        level,
        used[at].levels[0],
        difference,
        _times(judged if logs else None),
        judged.p,
        verdict,
        pairs,
        (used[other].name, other_level),
    )


def _judged_effects(effects: list[tuple[Effect, Estimate]], judged: Fit, limit: float | None) -> list[Effect]:
    adjusted = family_wise([estimate.p for _, estimate in effects])
    return [
        replace(effect, p=p, told=_effect_verdict(estimate, p, judged, limit))
        for (effect, estimate), p in zip(effects, adjusted, strict=True)
    ]


def _judged_interactions(pairs: list[tuple[Interaction, Estimate]], judged: Fit, limit: float | None) -> list[Interaction]:
    p_values = [estimate.p for unjudged, estimate in pairs if unjudged.asked]
    adjusted = iter(family_wise(p_values))
    judged_interactions = []
    for interaction, estimate in pairs:
        if interaction.asked:
            p = next(adjusted)
            judged_interactions.append(replace(interaction, p=p, told=_effect_verdict(estimate, p, judged, limit)))
        elif judged.exact:
            judged_interactions.append(replace(interaction, told=_effect_verdict(estimate, estimate.p, judged, limit)))
        else:
            judged_interactions.append(replace(interaction, p=1.0))
    return judged_interactions


def _effect_verdict(estimate: Estimate, p: float, judged: Fit, limit: float | None) -> EffectVerdict:
    if judged.exact:
        return _direction(estimate.value) if estimate.p < ALPHA else EffectVerdict.NO_CHANGE
    if p < ALPHA:
        return _direction(estimate.value)
    within = limit is not None and -limit < estimate.low and estimate.high < limit
    return EffectVerdict.NONE_SO_LARGE if within else EffectVerdict.CANNOT_TELL


def _direction(value: float) -> EffectVerdict:
    return EffectVerdict.RAISES if value > 0 else EffectVerdict.LOWERS


def _times(estimate: Estimate | None) -> Estimate | None:
    """From logarithms to factors; the error stays that of the logarithm."""
    if estimate is None:
        return None
    with np.errstate(over="ignore"):
        value, low, high = (float(np.exp(end)) for end in (estimate.value, estimate.low, estimate.high))
    return replace(estimate, value=value, low=low, high=high)


def _pairs(at: int, base: str, level: str, response: Response) -> Pairs:
    """Runs of one replicate that differ in this factor alone."""
    value_of = {(trial.replicate, trial.levels): value for trial, value in zip(response.trials, response.values, strict=True)}
    signs = []
    for (replicate, levels), value in value_of.items():
        partner = (replicate, (*levels[:at], level, *levels[at + 1 :]))
        if levels[at] == base and partner in value_of:
            signs.append(np.sign(value_of[partner] - value))
    return Pairs(signs.count(-1), signs.count(0), signs.count(1))


def _sensitivity(judged: Fit, effects: Sequence[Effect], cells: int, response: Response, share: float, as_ratio: bool) -> Sensitivity:
    """Of the effects that are known least, and at the strictest level that Holm's method asks."""
    errors = [(effect.ratio or effect.difference).error for effect in effects]
    worst, alpha = max(errors), ALPHA / len(effects)
    size = seen_effect(worst, judged.free, alpha)
    replicates = None
    if not judged.exact and np.isfinite(worst):
        parameters = judged.matrix.shape[1] - (len({trial.replicate for trial in response.trials}) - 1)
        smallest = _limit(share, as_ratio, response.mean)
        now = len(response.trials) / cells
        replicates = replicates_for(smallest, worst, cells, now, parameters, alpha)
    runs = replicates * cells if replicates is not None else None
    return Sensitivity(_as_share(size, as_ratio, response.mean) if size is not None else None, share, runs, replicates)


def seen_effect(error: float, free: int, alpha: float) -> float | None:
    """The effect that is told with POWER where its estimate has this standard error; None where the noise is not known."""
    if not free or not np.isfinite(error) or error == 0.0:
        return None
    from scipy.optimize import brentq  # slow to load

    enough = error * 3 * (t_quantile(1 - alpha / 2, free) + 3)
    return float(brentq(lambda size: chance(size, error, free, alpha) - POWER, 0.0, enough))


def replicates_for(effect: float, error: float, cells: int, replicates: float, parameters: int, alpha: float) -> int | None:
    """How many replicates tell an effect of this size with POWER; `error` is that of the estimate over `replicates` now, `parameters` those
    of the model without blocks. None where it takes more than MOST_REPLICATES."""
    if error == 0.0:
        return 1
    for replicates_tried in range(1, MOST_REPLICATES + 1):
        free = cells * replicates_tried - parameters - (replicates_tried - 1)
        if free >= 1 and chance(effect, error * (replicates / replicates_tried) ** 0.5, free, alpha) >= POWER:
            return replicates_tried
    return None


def chance(effect: float, error: float, free: int, alpha: float) -> float:
    """How often an effect of this size is told."""
    from statsmodels.stats.power import ttest_power

    power = float(ttest_power(effect / error, 1, alpha, df=free))
    return 1.0 if np.isnan(power) else power  # the distribution has no figure for effects that are a hundred times their error
