# SPDX-License-Identifier: BSD-3-Clause
"""Which figure of its runs an experiment is asked about, as one value for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from latlab.core.comparison.figure import FigureName, refusal
from latlab.core.errors import DataError
from latlab.core.model.experiment import Trial, TrialFigure
from latlab.core.statistics.sample_matrix import Floats


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

    def only(self, indices: Sequence[int]) -> Response:
        return replace(self, trials=tuple(self.trials[at] for at in indices), values=self.values[list(indices)])


def response_of(trials: Sequence[Trial], name: str, where: str) -> Response:
    """The mean over the figures that the text means, of each trial that has any. Raises UsageError where none has, DataError
    where the units differ."""
    if not trials:
        raise DataError(f"{where} has no finished run", "`latlab design run` continues it")
    held = [(trial, [figure for figure in trial.figures if _name(figure).asked_by(name)]) for trial in trials]
    named = [(trial, figures) for trial, figures in held if figures]
    if not named:
        raise refusal(name, (_name(figure) for figure in trials[0].figures), where)
    units = {figure.unit for _, figures in named for figure in figures}
    if len(units) > 1:
        raise DataError(f"{name!r} means figures of {' and '.join(sorted(units))} in {where}", "name one of them", value=name)
    unit = units.pop()
    values = np.array([fmean(figure.value for figure in figures) for _, figures in named])
    paths = {figure.path for _, figures in named for figure in figures}
    return Response(paths.pop() if len(paths) == 1 else name, unit, unit == "insns", tuple(trial for trial, _ in named), values)


def _name(figure: TrialFigure) -> FigureName:
    test, metric, name = figure.path.split("/", 2)
    return FigureName(test, metric, name)
