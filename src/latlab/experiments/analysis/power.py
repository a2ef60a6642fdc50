# SPDX-License-Identifier: BSD-3-Clause
"""What so many runs of an experiment could have seen, and how many it takes, by the noncentral t distribution of statsmodels."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.stats import t

POWER = 0.9
MOST_REPLICATES = 200


def seen_effect(error: float, free: int, alpha: float) -> float | None:
    """The effect that is told with POWER where its estimate has this standard error; None where the noise is not known."""
    if not free or not np.isfinite(error) or error == 0.0:
        return None
    enough = error * 3 * (float(t.isf(alpha / 2, free)) + 3)
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
