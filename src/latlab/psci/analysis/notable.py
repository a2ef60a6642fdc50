# SPDX-License-Identifier: BSD-3-Clause
"""What has to be named with the verdict on two runs of spans, from the judged rows: large differences, largest values, drifts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from latlab.core.comparison import findings as f
from latlab.core.comparison.comparison import Row, large_untold
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run
from latlab.psci.analysis.shape import LARGEST


def notable_of(rows: Sequence[Row], runs: tuple[Run, Run]) -> tuple[f.Notable, ...]:
    """For each metric the largest value that grew most; each drift; the rows that may hold a large difference."""
    return (*_grown(rows), *_drifts(rows, runs), *_large(rows))


def _grown(rows: Sequence[Row]) -> Iterator[f.LargestGrew]:
    """For each metric, the row whose largest value grew most, independent of its p-value."""
    regressed = {(row.test, row.metric, row.cluster) for row in rows if row.verdict is Verdict.REGRESSED}
    grown: dict[Metric, f.LargestGrew] = {}
    for row in rows:
        if row.statistic is None and row.maxima is not None and row.maxima[1] > LARGEST * row.maxima[0] > 0:
            finding = f.LargestGrew(row.metric, row.test, row.name, *row.maxima, (row.test, row.metric, row.cluster) in regressed)
            largest = grown.get(row.metric)
            if largest is None or (largest.is_told, -largest.ratio) > (finding.is_told, -finding.ratio):
                grown[row.metric] = finding
    yield from grown.values()


def _drifts(rows: Sequence[Row], runs: tuple[Run, Run]) -> Iterator[f.DriftInside]:
    for row in rows:
        for run, level, drift in zip(runs, (row.before, row.after), row.drifts, strict=True):
            if drift is not None:
                yield f.DriftInside(row.metric, row.test, row.name, run.id, level, drift)


def _large(rows: Sequence[Row]) -> Iterator[f.LargeUntold]:
    untold = large_untold(rows)
    if not untold:
        return
    row = untold[0]
    cell = max(row.cells, key=lambda cell: abs(cell.difference), default=None)
    is_cell = cell is not None and abs(cell.difference) > abs(row.shift.value)
    before = cell.before if cell is not None and is_cell else row.before
    name = f"{row.name} ({cell.label})" if cell is not None and is_cell and len(row.cells) > 1 else row.name
    yield f.LargeUntold(row.metric, row.test, name, before, row.largest, len(untold))
