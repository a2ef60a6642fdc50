# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of predictions by how other releases scatter, on releases whose scatter is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.virtual.campaign.accuracy import accuracy
from latlab.virtual.campaign.prediction import Prediction
from latlab.virtual.campaign.scatter import FEWEST_RELEASES, basis_of_intervals, with_intervals

CORES = [CoreId(0, core) for core in range(6)]


def release(rng: np.random.Generator, shift: float, between: float = 0.05, within: float = 0.02) -> list[Prediction]:
    """Measured spans lie off the predicted ones by one factor of the release and one of each core."""
    own = shift + between * rng.standard_normal()
    return [Prediction(("t", Metric.WAKEUP, core), 100.0 * np.exp(own + within * rng.standard_normal()), 100.0) for core in CORES]


@pytest.mark.parametrize(("between", "within"), [(0.05, 0.02), (0.0, 0.05), (0.2, 0.0)])
@pytest.mark.parametrize("shift", [0.0, 0.15])
@pytest.mark.parametrize("others", [3, 6])
def test_nine_of_ten_spans_of_a_further_release_lie_in_their_intervals(others: int, shift: float, between: float, within: float) -> None:
    rng = np.random.default_rng(5)
    found: list[bool | None] = []
    for _ in range(250):
        known = [release(rng, shift, between, within) for _ in range(others)]
        found += [one.is_inside for one in with_intervals(release(rng, shift, between, within), known)]
    assert 0.85 <= np.mean([bool(inside) for inside in found]) <= 0.96


def test_too_few_releases_give_no_interval_and_none_is_counted() -> None:
    rng = np.random.default_rng(6)
    spans = with_intervals(release(rng, 0.0), [release(rng, 0.0) for _ in range(FEWEST_RELEASES - 1)])
    assert all(one.is_inside is None for one in spans)
    assert [one.inside for one in accuracy(spans)] == [None, None]


def test_a_test_and_metric_has_the_scatter_of_its_own() -> None:
    rng = np.random.default_rng(7)
    others = [release(rng, 0.0) for _ in range(4)]
    (one,) = with_intervals([Prediction(("t", Metric.POWERDOWN, CORES[0]), 100.0, 100.0)], others)
    assert one.low_ns is None


def test_the_interval_lies_where_releases_lie_and_not_about_the_prediction() -> None:
    rng = np.random.default_rng(8)
    spans = with_intervals(release(rng, 0.3, 0.01), [release(rng, 0.3, 0.01) for _ in range(5)])
    assert all(one.low_ns is not None and one.low_ns > 1.2 * one.predicted_ns for one in spans)


def test_releases_without_scatter_inside_give_the_classical_prediction_interval() -> None:
    shifts = np.array([0.02, -0.01, 0.05, 0.03])
    others = [[Prediction(("t", Metric.WAKEUP, core), 100.0 * np.exp(shift), 100.0) for core in CORES] for shift in shifts]
    (one,) = with_intervals([Prediction(("t", Metric.WAKEUP, CORES[0]), 100.0, 100.0)], others)
    half = stats.t.ppf(0.95, 3) * shifts.std(ddof=1) * (1 + 1 / 4) ** 0.5
    assert (one.low_ns, one.high_ns) == pytest.approx((100 * np.exp(shifts.mean() - half), 100 * np.exp(shifts.mean() + half)))


def test_what_intervals_rest_on_is_said_and_what_it_would_take_to_have_any() -> None:
    assert basis_of_intervals(["a", "b", "c"]) == "intervals of 90 % by a, b, c"
    none, two = basis_of_intervals([]), basis_of_intervals(["a", "b"])
    assert none.startswith("no interval: it takes three published releases of the board") and none.endswith("and there are 0")
    assert two.endswith("and there are 2: a, b")
