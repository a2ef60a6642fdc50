# SPDX-License-Identifier: BSD-3-Clause
"""The change that may be printed beside a single figure of the second run."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from latlab.core.comparison.comparison import Row, SpanComparison
from latlab.core.comparison.printed_deltas import places
from latlab.core.comparison.verdicts import CHANGED
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId


@dataclass(frozen=True, slots=True)
class CellDelta:
    """A share of the first run's figure; `at_its_place`: relative to the first run's queue model at the core's position."""

    share: float
    at_its_place: bool = False


def cell_delta(comparison: SpanComparison, test: str, metric: Metric, core: CoreId, value: float) -> CellDelta | None:
    """The change of the figure, which is `value` in the second run. None if the comparison does not show that it changed."""
    if metric is Metric.POWERDOWN and test in comparison.ladders:
        return _in_queue(comparison, test, core)
    rows = [r for r in comparison.rows if r.test == test and r.metric == metric and r.cluster in (None, core.cluster)]
    by_core = [row for row in rows if any(cell.label == str(core) for cell in row.cells)]
    row = min(by_core or rows, key=lambda r: abs(r.after - value), default=None)
    if row is None or row.verdict not in CHANGED:
        return None
    share = _relative(row, core)
    return CellDelta(share) if isfinite(share) else None


def _in_queue(comparison: SpanComparison, test: str, core: CoreId) -> CellDelta | None:
    if not any(row.verdict in CHANGED for row in comparison.rows if row.test == test and row.is_term):
        return None
    cell = next((cell for cell in places(comparison, test) if cell.core == core), None)
    return CellDelta(cell.after / cell.expected - 1, at_its_place=True) if cell and cell.expected else None


def _relative(row: Row, core: CoreId) -> float:
    own_cell = next((cell for cell in row.cells if cell.label == str(core)), None)
    return own_cell.difference / own_cell.before if own_cell and own_cell.before else row.relative
