# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison could have seen: how large a change had to be to be found, and how many boots more would show a smaller one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.analysis.base.distributions import normal_quantile, t_quantile
from latlab.analysis.base.statistics import Shift

POWER = 0.9
MOST_MORE = 200
NEXT_PAIR = 1.12
TARGETS = (1.0, 0.5, 0.2, 0.1, 0.05)


@dataclass(frozen=True, slots=True)
class Detectable:
    """A change of `size` in `figure` would have been found with `power`; `more_units` boots more of each run would find one of `then`."""

    figure: str
    size: float
    power: float = POWER
    more_units: int | None = None
    then: float | None = None


def detectable(figure: str, shift: Shift, before: float, least: float, alpha: float, units: int) -> Detectable | None:
    """Of a figure whose difference has the standard error of `shift` over `units` boots, where a change must exceed `least` and have a
    p-value below `alpha`. None where its scatter is not known."""
    if not np.isfinite(shift.error) or shift.dof < 1:
        return None
    size = _size(shift.error, shift.dof, least, alpha)
    target = next((share * abs(before) for share in TARGETS if least < share * abs(before) < size), None)
    more = _more(shift, least, alpha, units, target) if target is not None else None
    return Detectable(figure, size, POWER, more, target if more else None)


def _size(error: float, dof: float, least: float, alpha: float) -> float:
    """The error is as uncertain as few boots leave it, and noise that is heavier or carries over leaves it larger in the next pair."""
    error *= NEXT_PAIR
    return max(least, t_quantile(1 - alpha / 2, dof) * error) + normal_quantile(POWER) * error


def _more(shift: Shift, least: float, alpha: float, units: int, target: float) -> int | None:
    """Boots more of each run, whose mean scatters by the root of their number."""
    for more in range(1, MOST_MORE + 1):
        error = shift.error * (units / (units + more)) ** 0.5
        if _size(error, shift.dof + 2 * more, least, alpha) <= target:
            return more
    return None
