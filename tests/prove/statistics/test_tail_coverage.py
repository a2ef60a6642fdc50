# SPDX-License-Identifier: BSD-3-Clause
"""How often the interval of an estimated worst case holds the true one. docs/results/verdict-validation.md has the figures of more runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from latlab.core.comparison.by_kind import tails
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Sample, Tick
from support.runs import ONE_CORE, run_with

pytestmark = pytest.mark.slow

RUNS = 200
ONCE_IN = 1e6
SAMPLES = 10_000
TRUTHS = {
    "exponential": stats.expon(scale=1e6),
    "normal": stats.norm(1e7, 1e6),
    "lognormal": stats.lognorm(1.0, scale=1e6),
    "Pareto 3": stats.pareto(3, scale=1e6),
    "Pareto 2.5": stats.pareto(2.5, scale=1e6),
}


def _told(truth: Any, seed: int) -> Any:
    drawn = truth.rvs(SAMPLES, random_state=np.random.default_rng(seed))
    samples = tuple(Sample("t", Metric.TASK_WAKEUP, CoreId(0, 0), 0, i, int(value)) for i, value in enumerate(drawn))
    run = run_with(campaign="rt", topology=ONE_CORE, tick=Tick(Clock.TIME, 1.0), samples=samples, id="run")
    (found,) = tails(run, None, Metric.TASK_WAKEUP, ONCE_IN)
    return found


@pytest.mark.parametrize("name", TRUTHS)
def test_the_interval_holds_the_true_level_in_ninety_five_of_a_hundred(name: str) -> None:
    truth = TRUTHS[name]
    level = truth.isf(1 / ONCE_IN)
    given = [found for seed in range(RUNS) if (found := _told(truth, seed)).level is not None]
    share = sum(found.low <= level <= found.high_without_mode for found in given) / len(given)
    assert len(given) >= 0.8 * RUNS and 0.93 - 0.03 <= share <= 0.97 + 0.025


def test_a_rare_mode_is_never_left_out_of_an_interval_that_has_ends() -> None:
    level = _Mode.level()
    given = [found for seed in range(RUNS) if (found := _told(_Mode(), seed)).level is not None]
    assert len(given) >= 0.8 * RUNS
    assert all(found.low <= level and (found.high is None or level <= found.high) for found in given)


class _Mode:
    """Exponential, and once in `EVERY` samples later by `LATER`; all values are in ns."""

    SCALE = 1e6
    LATER = 1e7
    EVERY = 50_000

    @classmethod
    def level(cls) -> float:
        """What one sample in `ONCE_IN` exceeds: those of the mode and the rest together, both exponential beyond `LATER`."""
        return float(cls.SCALE * np.log(ONCE_IN * (1 + np.exp(cls.LATER / cls.SCALE) / cls.EVERY)))

    def rvs(self, size: int, random_state: np.random.Generator) -> Any:
        values = random_state.exponential(self.SCALE, size)
        return np.where(random_state.random(size) < 1 / self.EVERY, values + self.LATER, values)


def test_a_tail_without_a_variance_is_refused_nearly_always() -> None:
    assert sum(_told(stats.pareto(1.5, scale=1e6), seed).level is not None for seed in range(RUNS)) <= 0.12 * RUNS
