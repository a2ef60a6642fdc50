# SPDX-License-Identifier: BSD-3-Clause
"""A designed experiment as plain data: factors with their levels, and what was measured at each combination of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Factor:
    """The first level is what the others are held against."""

    name: str
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrialFigure:
    """One figure of a run, named `TEST/METRIC/NAME`, in ns, instructions, or the unit of its metric."""

    path: str
    unit: str
    value: float


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of an experiment: a level of each factor in their order, which time this combination is run (from 0), and what came of it."""

    levels: tuple[str, ...]
    replicate: int
    run: str
    figures: tuple[TrialFigure, ...]
