# SPDX-License-Identifier: BSD-3-Clause
"""Do the outliers keep time? Rayleigh's test of their phases (Mardia and Jupp, Directional Statistics, 2000, 6.3.1)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latlab.rt.analysis.attribution import Attributed

FEWEST = 5
SIGNIFICANCE = 0.001
COMMON_S = (0.001, 0.004, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 300.0)
KEEPS_TIME = 0.7
HARMONIC_SLACK = 0.05


@dataclass(frozen=True, slots=True)
class Period:
    """`concentration` is the mean resultant length: 1 where every outlier falls on the same phase, near 0 by chance."""

    period_s: float
    phase_s: float
    concentration: float
    outliers: int


def find_period(times_ns: Sequence[int], grid_ns: int = 0) -> Period | None:
    """The longest period that the outliers keep, None where there are too few or they keep none. `times_ns` rise; where they lie on a grid,
    as times at which something was due do, its own period is no finding.

    Tried are common periods and those that the gaps between the outliers suggest. A period's own fractions keep time as well as it does,
    so of those that are as good as the best, the longest wins; a multiple splits the outliers over several phases and is not as good.
    """
    if len(times_ns) < FEWEST:
        return None
    times = (np.asarray(times_ns, dtype=np.int64) - times_ns[0]) / 1e9
    span = float(times[-1] - times[0])
    candidates = [period for period in (*COMMON_S, *_from_gaps(times)) if 1.5 * grid_ns / 1e9 < period <= span / 2]
    if not candidates:
        return None
    scored = [(_concentration(times, period), period) for period in candidates]
    threshold = math.sqrt(-math.log(SIGNIFICANCE / len(candidates)) / len(times))
    best = max(score for score, _ in scored)
    if best < max(min(threshold, 1.0), KEEPS_TIME):
        return None
    score, period = max((pair for pair in scored if pair[0] >= best - HARMONIC_SLACK), key=lambda pair: pair[1])
    angle = float(np.angle(np.exp(2j * np.pi * (np.asarray(times_ns, dtype=np.int64) / 1e9 % period) / period).mean()))
    return Period(period, angle / (2 * math.pi) % 1 * period, score, len(times))


def period_without_cause(attributed: Iterable[Attributed], grid_ns: int = 0) -> Period | None:
    """The period of the late wake-ups of which no cause is proven."""
    late = [entry.outlier for entry in attributed if not entry.explained]
    return find_period(sorted(outlier.wake_ns - outlier.late_ns for outlier in late), grid_ns)


def _concentration(times: NDArray[np.float64], period: float) -> float:
    return float(abs(np.exp(2j * np.pi * times / period).mean()))


def _from_gaps(times: NDArray[np.float64]) -> list[float]:
    gaps = np.diff(times)
    gaps = gaps[gaps > 0]
    return [float(np.median(gaps)), float(gaps.min())] if len(gaps) else []
