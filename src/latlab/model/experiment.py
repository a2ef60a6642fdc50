# SPDX-License-Identifier: BSD-3-Clause
"""A designed experiment as plain data: factors with their levels, and what was measured at each combination of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor of an experiment. The first level is the reference for the others."""

    name: str
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrialFigure:
    """One figure of a run, named `TEST/METRIC/NAME`. Its unit is ns, instructions, or the unit of its metric."""

    path: str
    unit: str
    value: float


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of an experiment: a level for each factor, in their order; the replicate, from 0; and the figures."""

    levels: tuple[str, ...]
    replicate: int
    run: str
    figures: tuple[TrialFigure, ...]
