# SPDX-License-Identifier: BSD-3-Clause
"""Which figure of its runs an experiment is asked about, as one value for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from latlab.analysis.base.columns import Floats
from latlab.analysis.base.figure_names import FigureName, refusal
from latlab.errors import DataError
from latlab.model.experiment import Trial, TrialFigure


@dataclass(frozen=True)
class Response:
    """`values` belong to `trials` one by one, in `unit`."""

    path: str
    unit: str
    counts_instructions: bool
    trials: tuple[Trial, ...]
    values: Floats

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    def only(self, kept: Sequence[int]) -> Response:
        return replace(self, trials=tuple(self.trials[at] for at in kept), values=self.values[list(kept)])


def response_of(trials: Sequence[Trial], asked: str, where: str) -> Response:
    """The mean over the figures that the text means, of each trial that has any. Raises UsageError where none has, DataError
    where the units differ."""
    if not trials:
        raise DataError(f"{where} has no finished run; `latlab design run` continues it")
    held = [(trial, [figure for figure in trial.figures if _name(figure).asked_by(asked)]) for trial in trials]
    found = [(trial, figures) for trial, figures in held if figures]
    if not found:
        raise refusal(asked, (_name(figure) for figure in trials[0].figures), where)
    units = {figure.unit for _, figures in found for figure in figures}
    if len(units) > 1:
        raise DataError(f"{asked!r} means figures of {' and '.join(sorted(units))} in {where}; name one of them")
    unit = units.pop()
    values = np.array([fmean(figure.value for figure in figures) for _, figures in found])
    paths = {figure.path for _, figures in found for figure in figures}
    return Response(paths.pop() if len(paths) == 1 else asked, unit, unit == "insns", tuple(trial for trial, _ in found), values)


def _name(figure: TrialFigure) -> FigureName:
    test, metric, name = figure.path.split("/", 2)
    return FigureName(test, metric, name)
