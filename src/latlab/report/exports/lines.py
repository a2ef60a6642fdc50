# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a run's CSV export, for each kind: samples, values, attacks, figures of an experiment, intervals of a histogram."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.analysis.base.wording import said_mode, unit_of
from latlab.kinds.kind import Line, Lines
from latlab.model.amounts import amounts_of
from latlab.model.attacks import attacks_of
from latlab.model.distributions import distributions_of
from latlab.model.enums import Metric
from latlab.model.experiment import Experiment, experiment_of
from latlab.model.run import Run

COLUMNS = ("test", "metric", "cluster", "core", "boot", "iteration", "value_ticks", "value", "unit")
AMOUNTS = ("test", "metric", "cluster", "core", "name", "repetition", "value", "unit", "over_s")
ATTACKS = ("family", "attack", "outcome", "tries", "sentence", "evidence")
TRIALS = ("replicate", "run", "figure", "value", "unit")
COUNTED = ("test", "metric", "cluster", "core", "low", "high", "count", "unit", "mode")


def sample_lines(run: Run) -> Lines:
    return COLUMNS, _samples(run)


def amount_lines(run: Run) -> Lines:
    return AMOUNTS, _amounts(run)


def attack_lines(run: Run) -> Lines:
    return ATTACKS, _attacks(run)


def trial_lines(run: Run) -> Lines:
    experiment = experiment_of(run)
    assert experiment is not None
    return (*(factor.name for factor in experiment.factors), *TRIALS), _trials(experiment)


def interval_lines(run: Run) -> Lines:
    return COUNTED, _counts(run)


def _samples(run: Run) -> Iterator[Line]:
    unit = f"simulated {run.tick.unit}" if run.is_simulated else run.tick.unit
    for s in run.samples:
        value = f"{s.value_ticks * run.tick.value:.12g}"
        yield s.test, s.metric.value, s.core.cluster, s.core.core, s.boot, s.iteration, s.value_ticks, value, unit


def _amounts(run: Run) -> Iterator[Line]:
    """As the tool printed them, times in ns; what is of no core has none, and `over_s` is how long a value was counted."""
    for amount in amounts_of(run):
        where = (amount.core.cluster, amount.core.core) if amount.core else ("", "")
        unit = {Metric.EVENTS: "events"}.get(amount.metric) or unit_of(amount.metric, run.tick.unit)
        over = "" if amount.over_s is None else f"{amount.over_s:.12g}"
        for repetition, value in enumerate(amount.values):
            yield amount.test, amount.metric.value, *where, amount.name, repetition, f"{value:.12g}", unit, over


def _attacks(run: Run) -> Iterator[Line]:
    for result in attacks_of(run):
        evidence = ", ".join(f"{name} {value}" for name, value in result.evidence)
        yield result.family.value, result.name, result.outcome.value, result.tries, result.sentence, evidence


def _trials(experiment: Experiment) -> Iterator[Line]:
    for trial in experiment.trials:
        for figure in trial.figures:
            yield *trial.levels, trial.replicate, trial.run, figure.path, f"{figure.value:.12g}", figure.unit


def _counts(run: Run) -> Iterator[Line]:
    """Intervals from `low` to below `high`, in ns or instructions; what was clipped has no `high`. Each line says what the figures are."""
    mode = said_mode(run.conditions.mode)
    for distribution in distributions_of(run):
        where = (distribution.test, distribution.metric.value, distribution.core.cluster, distribution.core.core)
        for low, high, n in distribution.counts:
            yield *where, f"{low * run.tick.value:.12g}", f"{high * run.tick.value:.12g}", n, run.tick.unit, mode
        if distribution.beyond:
            last = distribution.counts[-1][1] * run.tick.value if distribution.counts else 0.0
            yield *where, f"{last:.12g}", "", distribution.beyond, run.tick.unit, mode
