# SPDX-License-Identifier: BSD-3-Clause
"""Power analysis: the minimum detectable effect of a comparison, and how many more boots would detect a smaller one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.core.statistics.distributions import normal_quantile, t_quantile
from latlab.core.statistics.statistics import Shift

POWER = 0.9
MOST_MORE = 200
NEXT_PAIR = 1.12
TARGETS = (1.0, 0.5, 0.2, 0.1, 0.05)


@dataclass(frozen=True, slots=True)
class Detectable:
    """A change of `size` in `figure` would be detected with power `power`. With `more_units` more boots of each run, a change of `then`
    would be."""

    figure: str
    size: float
    power: float = POWER
    more_units: int | None = None
    then: float | None = None


def detectable(figure: str, shift: Shift, before: float, least: float, alpha: float, units: int) -> Detectable | None:
    """The minimum detectable effect of a figure. Its difference has the standard error of `shift` over `units` boots; a change must
    exceed `least` and have a p-value below `alpha`. None if the scatter is not known."""
    if not np.isfinite(shift.error) or shift.dof < 1:
        return None
    size = _size(shift.error, shift.dof, least, alpha)
    target = next((share * abs(before) for share in TARGETS if least < share * abs(before) < size), None)
    more = _more(shift, least, alpha, units, target) if target is not None else None
    return Detectable(figure, size, POWER, more, target if more else None)


def _size(error: float, dof: float, least: float, alpha: float) -> float:
    """The detectable size. The error is increased by its own uncertainty with few boots, and for heavy-tailed or autocorrelated noise in
    the next pair."""
    error *= NEXT_PAIR
    return max(least, t_quantile(1 - alpha / 2, dof) * error) + normal_quantile(POWER) * error


def _more(shift: Shift, least: float, alpha: float, units: int, target: float) -> int | None:
    """The number of additional boots of each run for this target; the error of a mean falls with the square root of the number of boots."""
    for more in range(1, MOST_MORE + 1):
        error = shift.error * (units / (units + more)) ** 0.5
        if _size(error, shift.dof + 2 * more, least, alpha) <= target:
            return more
    return None
