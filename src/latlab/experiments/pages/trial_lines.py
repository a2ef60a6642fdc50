# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the CSV export of an experiment's figures."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.core.kinds.kind import Line, Lines
from latlab.core.model.experiment import Experiment, experiment_of
from latlab.core.model.run import Run

TRIALS = ("replicate", "run", "figure", "value", "unit")


def trial_lines(run: Run) -> Lines:
    experiment = experiment_of(run)
    assert experiment is not None
    return (*(factor.name for factor in experiment.factors), *TRIALS), _trials(experiment)


def _trials(experiment: Experiment) -> Iterator[Line]:
    for trial in experiment.trials:
        for figure in trial.figures:
            yield *trial.levels, trial.replicate, trial.run, figure.path, f"{figure.value:.12g}", figure.unit
