# SPDX-License-Identifier: BSD-3-Clause
"""Dose and response: a straight line through the maxima, by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.stats import linregress


@dataclass(frozen=True, slots=True)
class DoseResponse:
    """`slope` in us per us, `intercept_us` what is left without a dose."""

    slope: float
    intercept_us: float
    r_squared: float


def fit(doses_us: Sequence[float], responses_us: Sequence[float]) -> DoseResponse:
    line = linregress(doses_us, responses_us)
    return DoseResponse(float(line.slope), float(line.intercept), float(line.rvalue) ** 2)
