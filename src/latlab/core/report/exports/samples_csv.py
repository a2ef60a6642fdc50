# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run as CSV: a line for each sample, interval, value, attack or figure, by its kind."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.core.kinds.kind import Line, Lines
from latlab.core.kinds.registry import kind_of
from latlab.core.model.run import Run
from latlab.core.report.renderers import csv


def render(run: Run) -> str:
    return csv.lines(*kind_of(run).forms.lines(run))


COLUMNS = ("test", "metric", "cluster", "core", "boot", "iteration", "value_ticks", "value", "unit")


def sample_lines(run: Run) -> Lines:
    return COLUMNS, _samples(run)


def _samples(run: Run) -> Iterator[Line]:
    unit = f"simulated {run.tick.unit}" if run.is_simulated else run.tick.unit
    for s in run.samples:
        value = f"{s.value_ticks * run.tick.value:.12g}"
        yield s.test, s.metric.value, s.core.cluster, s.core.core, s.boot, s.iteration, s.value_ticks, value, unit
