# SPDX-License-Identifier: BSD-3-Clause
"""Whether a span drifts or switches inside a run: what a run does over its iterations is no change between two runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.analysis.base.columns import Cells, Floats, nan_median
from latlab.analysis.base.distributions import t_upper
from latlab.analysis.base.iterations import Drift
from latlab.analysis.base.statistics import Shift

FEWEST_ITERATIONS = 10
SHORTEST_REGIME = 5
FEWEST_SERIES, MANY_SERIES = 3, 8
P_OF_FEW = 0.01
DRIFT_P = 1e-4
MOST_CARRIED = 0.9
Drifts = tuple[Drift | None, Drift | None]
"""Of the base and of the other run."""


def drift_of(cells: Cells, threshold: float) -> Drift | None:
    """The median over boots and cells by iteration, each boot around its own, so that one late span is no regime: a line or one switch,
    whichever leaves less, where it goes beyond the threshold and is no chance. Cells and boots enough say that by how they differ in it,
    whatever iterations carry over to the next; few ones only given what these carry."""
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
    each = np.concatenate([apart[(cells.boots == boot) & (place < iterations)].T for boot in boots])
    each = each[~np.isnan(each).any(axis=1)]
    is_shown = fit.is_of_all(each) and (len(each) >= MANY_SERIES or fit.p() < DRIFT_P)
    return Drift(fit.size, iterations, fit.at) if is_shown else None


def differ(drifts: Drifts, threshold: float) -> bool:
    before, after = (one.size if one is not None else 0.0 for one in drifts)
    return abs(after - before) > threshold


def explains(shift: Shift, drifts: Drifts) -> bool:
    """Whether one of the runs does inside itself as much as the two differ by."""
    return abs(shift.value) <= max((abs(one.size) for one in drifts if one is not None), default=0.0)


@dataclass(frozen=True)
class _Fit:
    """What a run does over its iterations by one model: by how much, after which iteration, and what that leaves."""

    size: float
    left: Floats
    at: int | None = None

    @property
    def squares(self) -> float:
        return float(self.left @ self.left)

    def p(self) -> float:
        """Of no drift, by Student's t; what iterations carry over leaves fewer of them, and a switch could have been anywhere. What is left
        by a fit carries over less than what was fitted: the usual correction for a line."""
        n = len(self.left)
        carried = float(self.left[1:] @ self.left[:-1]) / max(self.squares, 1e-12)
        carried = min(max(carried + (2 + 4 * carried) / n, 0.0), MOST_CARRIED)
        independent = n * (1 - carried) / (1 + carried)
        deviation = (self.squares / (n - 2)) ** 0.5
        parts = 12.0 if self.at is None else n**2 / (self.at * (n - self.at))
        error = deviation * (parts / independent) ** 0.5
        if independent <= 3:
            return 1.0
        return min(1.0, (1 if self.at is None else n) * 2 * t_upper(abs(self.size) / max(error, 1e-12), independent - 2))

    def is_of_all(self, each: Floats) -> bool:
        """Whether the series of the cells of all boots (rows) differ too little in it for chance, or are too few to tell."""
        if len(each) < FEWEST_SERIES:
            return True
        sizes = each @ _contrast(each.shape[1], self.at)
        error = float(np.std(sizes, ddof=1)) / len(each) ** 0.5
        places = 1 if self.at is None else each.shape[1]
        p = places * 2 * t_upper(abs(float(sizes.mean())) / max(error, 1e-12), len(each) - 1)
        return p < (DRIFT_P if len(each) >= MANY_SERIES else P_OF_FEW)


def _contrast(iterations: int, at: int | None) -> Floats:
    """What makes of a series its size by a line, or by a switch after so many iterations."""
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
