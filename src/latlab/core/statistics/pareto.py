# SPDX-License-Identifier: BSD-3-Clause
"""The generalised Pareto distribution of excesses over a high threshold (Pickands 1975), by likelihood.

A level far beyond the sample has a skew likelihood: its interval is read off the profile (Coles 2001), not put around the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.core.statistics.sample_matrix import Floats

SHAPES = np.linspace(-1.0, 1.5, 101) + 1e-4
LEVELS = 48
NEGLIGIBLE = 10.0
DEVIANCE = 4.2
NORMAL = 1.96


@dataclass(frozen=True, slots=True)
class Excesses:
    """Values above `threshold`, which a `share` of all values exceeds."""

    threshold: float
    share: float
    values: Floats


@dataclass(frozen=True, slots=True)
class TailLevel:
    """What a share of 1/once_in of all values exceeds, its 95 % interval, and the fit that says so."""

    level: float
    low: float
    high: float
    shape: float
    scale: float
    excesses: int

    @property
    def shape_interval(self) -> tuple[float, float]:
        """95 %, by the asymptotic variance of the maximum-likelihood estimate (Smith 1985)."""
        half = NORMAL * (1 + self.shape) / np.sqrt(self.excesses)
        return float(self.shape - half), float(self.shape + half)


def over(values: Floats, count: int, tick: float) -> Excesses:
    """The `count` largest values, fewer where ties lie across. The threshold is half a tick below the smallest that can exceed it."""
    ordered = np.sort(values)
    threshold = float(ordered[max(0, len(ordered) - count - 1)])
    above = ordered[ordered > threshold]
    threshold += min(tick / 2, float(above[0] - threshold) / 2) if len(above) else 0.0
    return Excesses(threshold, len(above) / len(values), above - threshold)


def level_of(excesses: Excesses, once_in: float) -> TailLevel:
    """`once_in` counts in the values of which the excesses are a share and must lie beyond the threshold.

    The interval takes in the values of the level whose profile deviance is below 4.2, a little more than chi-square's 3.84: estimates of
    some hundred excesses scatter more than in the limit. What the share itself is uncertain by is added in squares.
    """
    y = excesses.values / excesses.values.mean()
    ratio = max(excesses.share * once_in, 1 + 1e-9)
    levels = np.geomspace(0.02, 1e5, 2 * LEVELS)
    likely = _profile(y, ratio, levels).max(axis=1)
    near = np.flatnonzero(likely > likely.max() - NEGLIGIBLE)
    levels = np.geomspace(levels[max(0, near[0] - 1)], levels[min(len(levels) - 1, near[-1] + 1)], LEVELS)
    surface = _profile(y, ratio, levels)
    deviance, shapes = _peaks(surface)
    best = int(np.argmin(deviance))
    level, shape = float(levels[best]), float(shapes[best])
    low = float(np.interp(-DEVIANCE, -deviance[: best + 1], levels[: best + 1]))
    high = float(np.interp(DEVIANCE, deviance[best:], levels[best:]))
    scale = level * shape / float(np.expm1(shape * np.log(ratio)))
    by_share = NORMAL * scale * ratio**shape / float(np.sqrt(len(y)))
    unit, start = float(excesses.values.mean()), excesses.threshold
    low, high = level - float(np.hypot(level - low, by_share)), level + float(np.hypot(high - level, by_share))
    return TailLevel(start + level * unit, start + max(low, 0.0) * unit, start + high * unit, shape, scale * unit, len(y))


def _profile(y: Floats, ratio: float, levels: Floats) -> Floats:
    """Log likelihood for each level (row) and shape (column); minus infinity where an excess lies beyond the end of the distribution."""
    growth = np.expm1(SHAPES * np.log(ratio))
    theta = growth / levels[:, None]
    possible = 1 + theta * y.max() > 1e-9
    theta = np.where(possible, theta, 0.0)
    logs = np.zeros_like(theta)
    for i in range(len(levels)):
        logs[i] = np.log1p(np.multiply.outer(theta[i], y)).sum(axis=1)
    scale = SHAPES * levels[:, None] / growth
    return np.asarray(np.where(possible, -len(y) * np.log(scale) - (1 + 1 / SHAPES) * logs, -np.inf))


def _peaks(surface: Floats) -> tuple[Floats, Floats]:
    """Twice what each level's best shape falls short of the best of all, and that shape, by parabolas between the shapes tried."""
    rows = np.arange(len(surface))
    at = np.clip(surface.argmax(axis=1), 1, surface.shape[1] - 2)
    left, middle, right = (surface[rows, at + step] for step in (-1, 0, 1))
    with np.errstate(invalid="ignore"):
        bend = left - 2 * middle + right
        usable = np.isfinite(bend) & (bend < 0)
        move = np.where(usable, (left - right) / 2 / np.where(usable, bend, 1.0), 0.0)
        peak = np.where(usable, middle - (left - right) * move / 4, surface.max(axis=1))
    return 2 * (peak.max() - peak), SHAPES[at] + move * (SHAPES[1] - SHAPES[0])
