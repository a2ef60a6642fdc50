# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the CSV export of samples."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.core.kinds.kind import Line, Lines
from latlab.core.model.run import Run

COLUMNS = ("test", "metric", "cluster", "core", "boot", "iteration", "value_ticks", "value", "unit")


def sample_lines(run: Run) -> Lines:
    return COLUMNS, _samples(run)


def _samples(run: Run) -> Iterator[Line]:
    unit = f"simulated {run.tick.unit}" if run.is_simulated else run.tick.unit
    for s in run.samples:
        value = f"{s.value_ticks * run.tick.value:.12g}"
        yield s.test, s.metric.value, s.core.cluster, s.core.core, s.boot, s.iteration, s.value_ticks, value, unit
