# SPDX-License-Identifier: BSD-3-Clause
"""How far off predictions are, metric by metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from latlab.core.model.enums import Metric
from latlab.virtual.campaign.prediction import Prediction


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Absolute errors in percent over the spans of one metric; `test` is None for all tests together.

    `inside` are the spans that lie in their intervals; None where one has no interval.
    """

    test: str | None
    metric: Metric
    spans: int
    inside: int | None
    median_percent: float
    worst: Prediction


def accuracy(predictions: Sequence[Prediction]) -> tuple[Accuracy, ...]:
    """Every metric over all tests, then test by test."""
    tests = (None, *dict.fromkeys(p.key[0] for p in predictions))
    chosen = (
        (test, metric, [p for p in predictions if p.key[1] is metric and test in (None, p.key[0])]) for test in tests for metric in Metric
    )
    return tuple(
        Accuracy(
            test,
            metric,
            len(chosen_predictions),
            None if any(p.is_inside is None for p in chosen_predictions) else sum(bool(p.is_inside) for p in chosen_predictions),
            median(abs(p.error_percent) for p in chosen_predictions),
            max(chosen_predictions, key=lambda p: abs(p.error_percent)),
        )
        for test, metric, chosen_predictions in chosen
        if chosen_predictions
    )
