# SPDX-License-Identifier: BSD-3-Clause
"""An experiment as JSON and as CSV lines; docs/reference/export-schema.md has both. An end of an interval that is not known is null."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from latlab.core.kinds.kind import Line, Lines
from latlab.core.model.experiment import Experiment, experiment_of
from latlab.core.model.run import Run
from latlab.experiments.analysis.result import Analysis

SCHEMA, VERSION = "latlab-design", 1


class _Document(msgspec.Struct):
    schema: str
    version: int
    run: str
    analysis: Analysis


def analysis_json(run: Run, analysis: Analysis) -> str:
    return msgspec.json.encode(_Document(SCHEMA, VERSION, run.id, analysis)).decode() + "\n"


TRIALS = ("replicate", "run", "figure", "value", "unit")


def trial_lines(run: Run) -> Lines:
    experiment = experiment_of(run)
    assert experiment is not None
    return (*(factor.name for factor in experiment.factors), *TRIALS), _trials(experiment)


def _trials(experiment: Experiment) -> Iterator[Line]:
    for trial in experiment.trials:
        for figure in trial.figures:
            yield *trial.levels, trial.replicate, trial.run, figure.path, f"{figure.value:.12g}", figure.unit
