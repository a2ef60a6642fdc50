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
DRIFT_P = 1e-4
MOST_CARRIED = 0.9


def drift_of(cells: Cells, threshold: float) -> Drift | None:
    """The median over boots and cells by iteration, each boot around its own, so that one late span is no regime: a line or one switch,
    whichever leaves less, where it goes beyond the threshold and is no chance given what iterations carry over to the next."""
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
    return Drift(fit.size, iterations, fit.at) if abs(fit.size) > threshold and fit.p() < DRIFT_P else None


def differ(drifts: tuple[Drift | None, Drift | None], threshold: float) -> bool:
    before, after = (one.size if one is not None else 0.0 for one in drifts)
    return abs(after - before) > threshold


def explains(shift: Shift, drifts: tuple[Drift | None, Drift | None]) -> bool:
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
        """Of no drift, by Student's t; what iterations carry over leaves fewer of them, and a switch could have been anywhere."""
        n = len(self.left)
        carried = min(max(float(self.left[1:] @ self.left[:-1]) / max(self.squares, 1e-12), 0.0), MOST_CARRIED)
        independent = n * (1 - carried) / (1 + carried)
        deviation = (self.squares / (n - 2)) ** 0.5
        parts = 12.0 if self.at is None else n**2 / (self.at * (n - self.at))
        error = deviation * (parts / independent) ** 0.5
        if independent <= 3:
            return 1.0
        return min(1.0, (1 if self.at is None else n) * 2 * t_upper(abs(self.size) / max(error, 1e-12), independent - 2))


def _line(series: Floats) -> _Fit:
    place = np.arange(len(series)) - (len(series) - 1) / 2
    slope = float(place @ series / (place @ place))
    return _Fit(slope * (len(series) - 1), np.asarray(series - series.mean() - slope * place))


def _switch(series: Floats) -> _Fit:
    return min((_switch_at(series, at) for at in range(SHORTEST_REGIME, len(series) - SHORTEST_REGIME + 1)), key=lambda fit: fit.squares)


def _switch_at(series: Floats, at: int) -> _Fit:
    first, then = float(series[:at].mean()), float(series[at:].mean())
    return _Fit(then - first, series - np.where(np.arange(len(series)) < at, first, then), at)
