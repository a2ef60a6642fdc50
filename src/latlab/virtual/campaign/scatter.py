# SPDX-License-Identifier: BSD-3-Clause
"""How far releases lie from what a board's costs predict of them: the interval of a prediction.

Within a test and metric the logarithm of measured over predicted has a mean for each release and a scatter about it. The interval of one
span of a further release holds both, by Student's t with Satterthwaite's degrees of freedom.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import stats

from latlab.core.comparison.wording import count
from latlab.core.model.enums import Metric
from latlab.virtual.campaign.prediction import Prediction

CONFIDENCE = 0.9
FEWEST_RELEASES = 3

Errors = list[float]
Group = tuple[str, Metric]


def with_intervals(predictions: Sequence[Prediction], others: Sequence[Sequence[Prediction]]) -> tuple[Prediction, ...]:
    """Each with what holds the measured span with 90 %, by the predictions of other releases from the same costs; none for a test and
    metric that fewer than three of them have."""
    errors_by_group: dict[Group, list[Errors]] = defaultdict(list)
    for release in others:
        for group, errors in _by_group(release).items():
            errors_by_group[group].append(errors)
    factors = {group: _factors(errors) for group, errors in errors_by_group.items() if len(errors) >= FEWEST_RELEASES}
    return tuple(_placed(prediction, factors.get(prediction.key[:2])) for prediction in predictions)


def basis_of_intervals(others: Sequence[str]) -> str:
    """What the intervals rest on, by the names of the other releases; or what it would take to have any."""
    if len(others) >= FEWEST_RELEASES:
        return f"intervals of {CONFIDENCE:.0%} by {', '.join(others)}".replace("%", " %")
    release_names = f": {', '.join(others)}" if others else ""
    return (
        f"no interval: it takes {count(FEWEST_RELEASES, 'published release')} of the board besides the predicted and the fitted ones, "
        f"and there are {len(others)}{release_names}"
    )


def _placed(prediction: Prediction, factors: tuple[float, float] | None) -> Prediction:
    if factors is None:
        return prediction
    return replace(prediction, low_ns=prediction.predicted_ns * factors[0], high_ns=prediction.predicted_ns * factors[1])


def _by_group(predictions: Sequence[Prediction]) -> dict[Group, Errors]:
    by_group: dict[Group, Errors] = defaultdict(list)
    for prediction in predictions:
        if prediction.measured_ns > 0 and prediction.predicted_ns > 0:
            by_group[prediction.key[:2]].append(float(np.log(prediction.measured_ns / prediction.predicted_ns)))
    return by_group


def _factors(releases: list[Errors]) -> tuple[float, float]:
    means = np.array([np.mean(errors) for errors in releases])
    squares = sum(float(((np.array(errors) - np.mean(errors)) ** 2).sum()) for errors in releases)
    freedom = sum(len(errors) - 1 for errors in releases)
    size = float(np.mean([len(errors) for errors in releases]))
    within = squares / freedom if freedom else 0.0
    between, within_part = float(means.var(ddof=1)) * (1 + 1 / len(releases)), within * (1 - 1 / size)
    variance = between + within_part
    uncertain = between**2 / (len(releases) - 1) + (within_part**2 / freedom if freedom else 0.0)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, variance**2 / uncertain)) * variance**0.5 if uncertain else 0.0
    return float(np.exp(means.mean() - half)), float(np.exp(means.mean() + half))
