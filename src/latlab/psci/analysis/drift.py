# SPDX-License-Identifier: BSD-3-Clause
"""Drift within a run: a span that drifts or switches over the iterations is no change between two runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.core.comparison.iterations import Drift
from latlab.core.statistics.distributions import t_upper
from latlab.core.statistics.sample_matrix import Cells, Floats, nan_median
from latlab.core.statistics.statistics import Shift

FEWEST_ITERATIONS = 10
SHORTEST_REGIME = 5
FEWEST_SERIES, MANY_SERIES = 3, 8
P_OF_FEW = 0.01
DRIFT_P = 1e-4
MOST_CARRIED = 0.9
Drifts = tuple[Drift | None, Drift | None]
"""Of the base and of the other run."""


def drift_of(cells: Cells, threshold: float) -> Drift | None:
    """The drift of the median over boots and cells by iteration, each boot relative to its own median; None if there is none.

    The better of a line and one switch counts, if it is beyond the threshold and significant. With many cells and boots the significance
    comes from the scatter between them, independent of autocorrelation; with few it takes the autocorrelation of the iterations into
    account.
    """
    boots, counts = np.unique(cells.boots, return_counts=True)
    iterations = int(counts.min())
    if iterations < FEWEST_ITERATIONS or len(cells.values) == 0:
        return None
    level = cells.by_boot[np.searchsorted(boots, cells.boots)]
    place = np.arange(len(cells.boots)) - np.searchsorted(cells.boots, cells.boots)
    apart = cells.values - level
    parts = [nan_median(apart[place == i].reshape(-1, 1))[0] for i in range(iterations)]
    series = np.array(parts)
    if np.isnan(series).any():
        return None
    fit = min((_line(series), _switch(series)), key=lambda fit: fit.squares)
    if abs(fit.size) <= threshold:
        return None
    boot_series = np.concatenate([apart[(cells.boots == boot) & (place < iterations)].T for boot in boots])
    boot_series = boot_series[~np.isnan(boot_series).any(axis=1)]
    is_shown = fit.is_of_all(boot_series) and (len(boot_series) >= MANY_SERIES or fit.p() < DRIFT_P)
    return Drift(fit.size, iterations, fit.at) if is_shown else None


def differ(drifts: Drifts, threshold: float) -> bool:
    before, after = (drift.size if drift is not None else 0.0 for drift in drifts)
    return abs(after - before) > threshold


def explains(shift: Shift, drifts: Drifts) -> bool:
    """Whether one of the runs drifts by at least the difference of the two."""
    return abs(shift.value) <= max((abs(drift.size) for drift in drifts if drift is not None), default=0.0)


@dataclass(frozen=True)
class _Fit:
    """A fit of one model of the drift: its size, the iteration of the switch, and the residuals."""

    size: float
    residuals: Floats
    at: int | None = None

    @property
    def squares(self) -> float:
        return float(self.residuals @ self.residuals)

    def p(self) -> float:
        """The p-value of no drift, by Student's t. Autocorrelation reduces the effective number of iterations, with the usual correction
        for the residuals of a line. A switch is tested at every place."""
        n = len(self.residuals)
        carried = float(self.residuals[1:] @ self.residuals[:-1]) / max(self.squares, 1e-12)
        carried = min(max(carried + (2 + 4 * carried) / n, 0.0), MOST_CARRIED)
        independent = n * (1 - carried) / (1 + carried)
        deviation = (self.squares / (n - 2)) ** 0.5
        parts = 12.0 if self.at is None else n**2 / (self.at * (n - self.at))
        error = deviation * (parts / independent) ** 0.5
        if independent <= 3:
            return 1.0
        return min(1.0, (1 if self.at is None else n) * 2 * t_upper(abs(self.size) / max(error, 1e-12), independent - 2))

    def is_of_all(self, series: Floats) -> bool:
        """Whether the series (rows: cells of all boots) agree in the drift, or are too few for a test."""
        if len(series) < FEWEST_SERIES:
            return True
        sizes = series @ _contrast(series.shape[1], self.at)
        error = float(np.std(sizes, ddof=1)) / len(series) ** 0.5
        places = 1 if self.at is None else series.shape[1]
        p = places * 2 * t_upper(abs(float(sizes.mean())) / max(error, 1e-12), len(series) - 1)
        return p < (DRIFT_P if len(series) >= MANY_SERIES else P_OF_FEW)


def _contrast(iterations: int, at: int | None) -> Floats:
    """The weights that give the size of a line, or of a switch after `at` iterations, as a weighted sum of the series."""
    place = np.arange(iterations)
    if at is not None:
        return np.where(place < at, -1.0 / at, 1.0 / (iterations - at))
    centred = place - place.mean()
    return np.asarray(centred * (iterations - 1) / (centred @ centred))


def _line(series: Floats) -> _Fit:
    size = float(_contrast(len(series), None) @ series)
    return _Fit(size, np.asarray(series - series.mean() - size * np.linspace(-0.5, 0.5, len(series))))


def _switch(series: Floats) -> _Fit:
    return min((_switch_at(series, at) for at in range(SHORTEST_REGIME, len(series) - SHORTEST_REGIME + 1)), key=lambda fit: fit.squares)


def _switch_at(series: Floats, at: int) -> _Fit:
    first, then = float(series[:at].mean()), float(series[at:].mean())
    return _Fit(then - first, series - np.where(np.arange(len(series)) < at, first, then), at)
