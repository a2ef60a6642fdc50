# SPDX-License-Identifier: BSD-3-Clause
"""A designed experiment as plain data: factors with their levels, and what was measured at each combination of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from latlab.core.model.run import Contents, Run


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


@dataclass(frozen=True, slots=True)
class Experiment(Contents):
    """The contents of a designed experiment: its factors, its trials in the order of their runs, and the figure it was made for. The
    trials of a stored experiment are available once its runs are read."""

    kind: ClassVar[str] = "design"

    factors: tuple[Factor, ...] = ()
    trials: tuple[Trial, ...] = ()
    response: str = ""
    smallest_percent: float | None = None
    wanted: int = 0


def experiment_of(run: Run) -> Experiment | None:
    """The factors and trials of a designed experiment; None for another kind."""
    return run.contents if isinstance(run.contents, Experiment) else None
