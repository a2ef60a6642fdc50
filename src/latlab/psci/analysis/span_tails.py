# SPDX-License-Identifier: BSD-3-Clause
"""Extremes of spans, by all samples of a core."""

from __future__ import annotations

from latlab.core.comparison.identity import checked_columns
from latlab.core.comparison.tail import Tail, estimated
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run

MOST_OF_ALL = 0.05


def span_tails(run: Run, test: str | None, metric: Metric, once_in: float) -> tuple[Tail, ...]:
    """One estimate for each core of each test that has the metric. Raises NotComparable if the run has no samples."""
    columns = checked_columns(run)
    out = []
    for (name, kind), matrix in columns.matrices.items():
        if kind is not metric or test not in (None, name):
            continue
        for i, core in enumerate(matrix.cores):
            values = matrix.values[:, i]
            largest = float(values.max()) if len(values) else 0.0
            blank = Tail(name, kind, core, len(values), largest, once_in, None, None, None, None, ())
            out.append(estimated(run, blank, values, once_in, MOST_OF_ALL, len(values)))
    return tuple(out)
