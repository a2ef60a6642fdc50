# SPDX-License-Identifier: BSD-3-Clause
"""How often the intervals of an experiment hold what was planted, and how often a factor that does nothing is called one that does."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from support.experiments import drawn_truth, hits, run_once

pytestmark = pytest.mark.slow

EXPERIMENTS = 500


def test_intervals_hold_the_truth_and_idle_factors_are_left_alone() -> None:
    held, wrong = defaultdict(list), defaultdict(list)
    for seed in range(EXPERIMENTS):
        random = np.random.default_rng([20260, seed])
        truth = drawn_truth(random)
        for what, hold, is_wrong in hits(truth, run_once(truth, random)):
            held[what].append(hold)
            wrong[what].append(is_wrong)
    everything = np.concatenate([np.array(one) for one in held.values()])
    assert 0.93 <= everything.mean() <= 0.97
    for what, one in held.items():
        sampling = 3 * (0.95 * 0.05 / len(one)) ** 0.5
        assert 0.95 - sampling <= np.mean(one) <= 0.95 + sampling, what
    assert np.mean(wrong["idle"]) <= 0.05 and np.mean(wrong["idle interaction"]) <= 0.05 and not any(wrong["effect"])
