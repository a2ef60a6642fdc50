# SPDX-License-Identifier: BSD-3-Clause
"""Smyth's moderated t: variances from few values, shrunk towards the variance of their kind.

G. K. Smyth, Linear models and empirical Bayes methods for assessing differential expression, 2004, sections 4 and 6.2. With the prior
s0^2 of d0 degrees of freedom, the moderated variance is (d0 s0^2 + d s^2) / (d0 + d). Its degrees of freedom are at most those of all
variances together, as in the package limma.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.core.statistics.distributions import t_quantile, t_upper
from latlab.core.statistics.sample_matrix import Floats
from latlab.core.statistics.statistics import Shift

MOST_DOF = 1e6
LEAST_P = 1e-6
"""No p-value is claimed to be less: what the model says of values that far out rests on tails that nobody has seen."""
OUTLIER_P = 0.002


@dataclass(frozen=True, slots=True)
class Prior:
    """The prior of the variances of one kind: `variance` with `dof` degrees of freedom. `most` is the sum of the degrees of freedom that
    it was fitted to, the upper limit for a moderated variance."""

    variance: float
    dof: float
    most: float = MOST_DOF

    def moderate(self, variance: float, dof: float) -> tuple[float, float]:
        """The moderated variance, and its degrees of freedom, of a variance with `dof` degrees of freedom."""
        if dof + self.dof <= 0:
            return float("nan"), 0.0
        whole = dof + self.dof
        return (self.dof * self.variance + dof * variance) / whole, min(whole, max(self.most, dof))


def fit_prior(variances: Floats, dof: float) -> Prior:
    """The scaled inverse chi-squared prior of `variances`, each with `dof` degrees of freedom, fitted by the moments of their
    logarithms.

    With fewer than three positive variances the prior has no weight.
    """
    positive = variances[variances > 0]
    if len(positive) < 3:
        return Prior(float(positive.mean()) if len(positive) else 0.0, 0.0)
    from scipy import special

    e = np.log(positive) - special.digamma(dof / 2) + np.log(dof / 2)
    mean = float(e.mean())
    spread = float(e.var(ddof=1)) - float(special.polygamma(1, dof / 2))
    if spread <= 0:
        return Prior(float(np.exp(mean)), MOST_DOF, dof * len(positive))
    half = _inverse_trigamma(spread)
    return Prior(float(np.exp(mean + special.digamma(half) - np.log(half))), 2 * half, dof * len(positive))


def t_shift(difference: float, variance: float, dof: float, confidence: float = 0.90) -> Shift:
    """A shift with the squared standard error `variance`, with its confidence interval and p-value by Student's t. There is no interval
    below one degree of freedom."""
    if dof < 1 or not np.isfinite(variance):
        return Shift(difference, -np.inf, np.inf, 1.0)
    error = variance**0.5
    if error == 0.0:
        return Shift(difference, difference, difference, LEAST_P if difference else 1.0, 0.0, dof)
    half = t_quantile((1 + confidence) / 2, dof) * error
    p = max(LEAST_P, 2 * t_upper(abs(difference) / error, dof))
    return Shift(difference, difference - half, difference + half, p, error, dof)


def steady_variance(values: Floats) -> tuple[float, int]:
    """The variance of `values` without outliers, and its degrees of freedom.

    Leaves out one value at a time, at most a third, while it lies outside the prediction interval (p = 0.002) of the others.
    """
    inliers = np.sort(values)
    for _ in range(len(values) // 3):
        ends = [inliers[1:], inliers[:-1]]
        far = [abs(inliers[0] - ends[0].mean()), abs(inliers[-1] - ends[1].mean())]
        end = int(np.argmax(far))
        others = ends[end]
        if len(others) < 3:
            break
        error = float(others.std(ddof=1)) * (1 + 1 / len(others)) ** 0.5
        if far[end] <= error * t_quantile(1 - OUTLIER_P / 2, len(others) - 1):
            break
        inliers = others
    dof = len(inliers) - 1
    return (float(inliers.var(ddof=1)), dof) if dof > 0 else (0.0, 0)


def _inverse_trigamma(value: float) -> float:
    """The x with trigamma(x) = `value`; trigamma falls from infinity to 0."""
    from scipy import special
    from scipy.optimize import brentq  # slow to load, and several boots alone need it

    return float(brentq(lambda x: float(special.polygamma(1, x)) - min(max(value, 1e-6), 1e7), 1e-8, 1e7, xtol=1e-12))
