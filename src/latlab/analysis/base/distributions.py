# SPDX-License-Identifier: BSD-3-Clause
"""Normal, Student's t and F distributions by scipy.special, which loads in a fifth of the time that scipy.stats takes."""

from __future__ import annotations

from types import ModuleType


def _special() -> ModuleType:
    """Loaded where one is asked for: that takes as long as most comparisons take without it."""
    from scipy import special

    loaded: ModuleType = special
    return loaded


def normal_quantile(share: float) -> float:
    return float(_special().ndtri(share))


def normal_upper(z: float) -> float:
    """How often a standard normal value lies above z."""
    return float(_special().ndtr(-z))


def t_quantile(share: float, dof: float) -> float:
    return float(_special().stdtrit(dof, share))


def t_upper(t: float, dof: float) -> float:
    """How often Student's t lies above t."""
    return float(_special().stdtr(dof, -t))


def f_exceeded(share: float, above_dof: float, below_dof: float) -> float:
    """What the ratio of two variances of such degrees of freedom exceeds in a share of all cases."""
    return float(_special().fdtri(above_dof, below_dof, 1 - share))


def f_upper(ratio: float, above_dof: float, below_dof: float) -> float:
    """How often the ratio of two variances of such degrees of freedom lies above this one."""
    return float(_special().fdtrc(above_dof, below_dof, ratio))
