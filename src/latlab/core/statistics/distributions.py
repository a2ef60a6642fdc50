# SPDX-License-Identifier: BSD-3-Clause
"""The normal distribution, and Student's t and F from scipy.special, which loads in a fifth of the time of scipy.stats."""

from __future__ import annotations

from math import erfc, exp, inf, lgamma, log, nan, sqrt
from statistics import NormalDist
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

TAIL_DOF = (2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0, 50.0, 200.0)
TAIL_STEPS = 30
_NORMAL = NormalDist()


def _special() -> ModuleType:
    """scipy.special, loaded at its first use: the import takes as long as most comparisons take without it."""
    from scipy import special

    loaded: ModuleType = special
    return loaded


def normal_quantile(share: float) -> float:
    """By the standard library: comparisons of exact counts need no other distribution, and load no scipy for it."""
    if not 0 < share < 1:
        return {0.0: -inf, 1.0: inf}.get(share, nan)
    return _NORMAL.inv_cdf(share)


def normal_upper(z: float) -> float:
    """P(Z > z) for a standard normal Z."""
    return erfc(z / sqrt(2)) / 2


def t_quantile(share: float, dof: float) -> float:
    return float(_special().stdtrit(dof, share))


def t_upper(t: float, dof: float) -> float:
    """P(T > t) for Student's t."""
    return float(_special().stdtr(dof, -t))


def welch(before: NDArray[np.float64], after: NDArray[np.float64], level: float) -> tuple[float, float, float]:
    """The interval of the difference of two means, and its two-sided p-value (Welch 1947). Each needs two values, one of them a spread."""
    parts = [float(np.var(values, ddof=1)) / len(values) for values in (before, after)]
    error = sum(parts) ** 0.5
    dof = sum(parts) ** 2 / sum(part**2 / (len(values) - 1) for part, values in zip(parts, (before, after), strict=True))
    difference, reach = float(np.mean(after) - np.mean(before)), t_quantile((1 + level) / 2, dof) * error
    return difference - reach, difference + reach, 2 * t_upper(abs(difference) / error, dof)


def t_tail(value: float, others: NDArray[np.float64]) -> float:
    """P(T > value) for Student's t around 0, with the maximum-likelihood scale of `others` (Lange, Little and Taylor 1989). The degrees
    of freedom are averaged, weighted by their likelihood, because few values do not show whether tails are heavy."""
    fits = [_fitted(others, dof) for dof in TAIL_DOF]
    most = max(likelihood for likelihood, _, _ in fits)
    if not np.isfinite(most):
        return 1.0
    weights = [exp(likelihood - most) for likelihood, _, _ in fits]
    return sum(w * t_upper(value / scale, dof) for w, (_, scale, dof) in zip(weights, fits, strict=True)) / sum(weights)


def _fitted(values: NDArray[np.float64], dof: float) -> tuple[float, float, float]:
    """The log-likelihood up to a constant, and the scale, by the EM algorithm."""
    squares, variance = values**2, float(np.mean(values**2))
    if variance == 0:
        return -np.inf, 0.0, dof
    for _ in range(TAIL_STEPS):
        variance = float(np.mean((dof + 1) / (dof + squares / variance) * squares))
    constant = lgamma((dof + 1) / 2) - lgamma(dof / 2) - log(dof * variance) / 2
    likelihood = len(values) * constant - (dof + 1) / 2 * float(np.log1p(squares / (dof * variance)).sum())
    return likelihood, variance**0.5, dof


def f_upper(ratio: float, above_dof: float, below_dof: float) -> float:
    """P(F > ratio)."""
    return float(_special().fdtrc(above_dof, below_dof, ratio))
