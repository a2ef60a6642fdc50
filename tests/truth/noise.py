# SPDX-License-Identifier: BSD-3-Clause
"""What is added to a span by chance, in four kinds, each with a standard deviation of one."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from truth.machines import Floats

BETWEEN, WITHIN = 0.5, 0.75**0.5
LIKELY_OF_SECOND_MODE = 0.25
ALIKE, CARRIED = 0.3, 0.6


class Noise(StrEnum):
    """`heavy`: Student's t of three degrees. `dependent`: three tenths of the variance are shared by all cores of a test in a boot, and
    iterations carry over. `bimodal`: one in four lies 2.3 deviations above the others."""

    GAUSSIAN = "gaussian"
    HEAVY = "heavy"
    DEPENDENT = "dependent"
    BIMODAL = "bimodal"
    NONE = "none"


def drawn(kind: Noise, rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    """For (boots, iterations, cores): with more than one iteration a quarter of the variance is the boot's own."""
    boots, iterations, cores = shape
    if kind is Noise.NONE:
        return np.zeros(shape)
    if kind is Noise.DEPENDENT:
        shared = rng.standard_normal((boots, 1, 1)) * ALIKE**0.5
        return np.asarray(shared + _carried(rng, shape) * (1 - ALIKE) ** 0.5)
    if iterations == 1:
        return _single(kind, rng, shape)
    return np.asarray(_single(kind, rng, (boots, 1, cores)) * BETWEEN + _single(kind, rng, shape) * WITHIN)


def _single(kind: Noise, rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    if kind is Noise.HEAVY:
        return rng.standard_t(3, shape) / 3**0.5
    if kind is Noise.BIMODAL:
        likely = LIKELY_OF_SECOND_MODE
        modes = (rng.random(shape) < likely) / (likely * (1 - likely)) ** 0.5 - (likely / (1 - likely)) ** 0.5
        return np.asarray(modes * 0.9**0.5 + rng.standard_normal(shape) * 0.1**0.5)
    return rng.standard_normal(shape)


def _carried(rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    steps = rng.standard_normal(shape)
    for i in range(1, shape[1]):
        steps[:, i] = CARRIED * steps[:, i - 1] + (1 - CARRIED**2) ** 0.5 * steps[:, i]
    return steps
