# SPDX-License-Identifier: BSD-3-Clause
"""Every sample of a run as one line of CSV; of wake-ups, every interval of their histograms; of a benchmark, every value; of an
experiment, every figure of its runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from latlab.analysis.base.wording import said_mode, unit_of
from latlab.model.enums import Kind, Metric
from latlab.model.run import Experiment, Run
from latlab.report.renderers import csv

COLUMNS = ("test", "metric", "cluster", "core", "boot", "iteration", "value_ticks", "value", "unit")
AMOUNTS = ("test", "metric", "cluster", "core", "name", "repetition", "value", "unit", "over_s")
ATTACKS = ("family", "attack", "outcome", "tries", "sentence", "evidence")
TRIALS = ("replicate", "run", "figure", "value", "unit")
COUNTED = ("test", "metric", "cluster", "core", "low", "high", "count", "unit", "mode")

Line = tuple[Any, ...]


def render(run: Run) -> str:
    return csv.lines(*columns_and_lines(run))


def columns_and_lines(run: Run) -> tuple[tuple[str, ...], Iterator[Line]]:
    """The names of the columns, and the lines, by what the run holds."""
    if run.kind is Kind.WAKEUPS:
        return COUNTED, _counts(run)
    if run.kind is Kind.AMOUNTS:
        return AMOUNTS, _amounts(run)
    if run.kind is Kind.ATTACKS:
        return ATTACKS, _attacks(run)
    if run.experiment is not None:
        return (*(factor.name for factor in run.experiment.factors), *TRIALS), _trials(run.experiment)
    return COLUMNS, _samples(run)


def _samples(run: Run) -> Iterator[Line]:
    unit = f"simulated {run.tick.unit}" if run.is_simulated else run.tick.unit
    for s in run.samples:
        value = f"{s.value_ticks * run.tick.value:.12g}"
        yield s.test, s.metric.value, s.core.cluster, s.core.core, s.boot, s.iteration, s.value_ticks, value, unit


def _amounts(run: Run) -> Iterator[Line]:
    """As the tool printed them, times in ns; what is of no core has none, and `over_s` is how long a value was counted."""
    for amount in run.amounts:
        where = (amount.core.cluster, amount.core.core) if amount.core else ("", "")
        unit = {Metric.EVENTS: "events"}.get(amount.metric) or unit_of(amount.metric, run.tick.unit)
        over = "" if amount.over_s is None else f"{amount.over_s:.12g}"
        for repetition, value in enumerate(amount.values):
            yield amount.test, amount.metric.value, *where, amount.name, repetition, f"{value:.12g}", unit, over


def _attacks(run: Run) -> Iterator[Line]:
    for result in run.attacks:
        evidence = ", ".join(f"{name} {value}" for name, value in result.evidence)
        yield result.family.value, result.name, result.outcome.value, result.tries, result.sentence, evidence


def _trials(experiment: Experiment) -> Iterator[Line]:
    for trial in experiment.trials:
        for figure in trial.figures:
            yield *trial.levels, trial.replicate, trial.run, figure.path, f"{figure.value:.12g}", figure.unit


def _counts(run: Run) -> Iterator[Line]:
    """Intervals from `low` to below `high`, in ns or instructions; what was clipped has no `high`. Each line says what the figures are."""
    mode = said_mode(run.conditions.mode)
    for distribution in run.distributions:
        where = (distribution.test, distribution.metric.value, distribution.core.cluster, distribution.core.core)
        for low, high, n in distribution.counts:
            yield *where, f"{low * run.tick.value:.12g}", f"{high * run.tick.value:.12g}", n, run.tick.unit, mode
        if distribution.beyond:
            last = distribution.counts[-1][1] * run.tick.value if distribution.counts else 0.0
            yield *where, f"{last:.12g}", "", distribution.beyond, run.tick.unit, mode
