# SPDX-License-Identifier: BSD-3-Clause
"""Every sample of a run as one line of CSV; of wake-ups, every interval of their histograms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from latlab.analysis.base.wording import said_mode
from latlab.model.enums import Kind
from latlab.model.run import Run
from latlab.report.renderers import csv

COLUMNS = ("test", "metric", "cluster", "core", "boot", "iteration", "value_ticks", "value", "unit")
COUNTED = ("test", "metric", "cluster", "core", "low", "high", "count", "unit", "mode")

Line = tuple[Any, ...]


def render(run: Run) -> str:
    if run.kind is Kind.WAKEUPS:
        return csv.lines(COUNTED, _counts(run))
    return csv.lines(COLUMNS, _samples(run))


def _samples(run: Run) -> Iterator[Line]:
    for s in run.samples:
        value = f"{s.value_ticks * run.tick.value:.12g}"
        yield s.test, s.metric.value, s.core.cluster, s.core.core, s.boot, s.iteration, s.value_ticks, value, run.tick.unit


def _counts(run: Run) -> Iterator[Line]:
    """Intervals from `low` to below `high`, in ns or instructions; what was clipped has no `high`. Each line says what the figures are."""
    mode = said_mode(run.conditions.mode)
    for one in run.distributions:
        where = (one.test, one.metric.value, one.core.cluster, one.core.core)
        for low, high, n in one.counts:
            yield *where, f"{low * run.tick.value:.12g}", f"{high * run.tick.value:.12g}", n, run.tick.unit, mode
        if one.beyond:
            last = one.counts[-1][1] * run.tick.value if one.counts else 0.0
            yield *where, f"{last:.12g}", "", one.beyond, run.tick.unit, mode
