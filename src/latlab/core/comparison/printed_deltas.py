# SPDX-License-Identifier: BSD-3-Clause
"""Checks the differences that a document printed beside its figures against the queue model and the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.core.comparison.comparison import Row, SpanComparison
from latlab.core.comparison.queue_model import predict
from latlab.core.comparison.verdicts import SAME_LEVELS, Verdict
from latlab.core.comparison.wording import amount, percent, signed
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run

MOST_SHOWN = 4


@dataclass(frozen=True, slots=True)
class DeltaJudgement:
    """`of_other_runs`: the printed difference does not follow from the two compared runs, so it cannot be judged."""

    test: str
    metric: Metric
    core: CoreId
    printed: str
    verdict: Verdict
    reason: str
    of_other_runs: bool = False


@dataclass(frozen=True, slots=True)
class PlaceCell:
    """A core in the queues of two runs; `expected` is the prediction of the first run's model for the core's position in the second."""

    core: CoreId
    place_before: int
    place_after: int
    before: float
    after: float
    expected: float | None


def places(comparison: SpanComparison, test: str, row: int = 0) -> list[PlaceCell]:
    """The cores of a parallel test in the order of the second run's queue, in its first iteration."""
    before, after = comparison.ladders[test]
    terms = {name: float(values[row]) for name, values in before.terms.items()}
    expected = predict(after, terms, row)
    out = []
    for place, core in enumerate(after.names_in_order(row)):
        was = before.place(core, row)
        expected_ns = None if np.isnan(expected[place]) else float(expected[place])
        out.append(PlaceCell(core, was, place, float(before.spans[row, was]), float(after.spans[row, place]), expected_ns))
    return out


def judge_printed_deltas(comparison: SpanComparison) -> list[DeltaJudgement]:
    """One judgement for each printed difference of the second run. A difference to another release has no verdict."""
    before, after = (_figures(run) for run in (comparison.a, comparison.b))
    out = []
    error = _print_error(comparison.b)
    for printed in comparison.b.printed_deltas:
        key = printed.test, printed.metric, printed.core
        right = _percent(before.get(key), after.get(key))
        other = right is not None and abs(right - printed.percent) > error
        if other:
            verdict, reason = Verdict.CANNOT_TELL, f"it is not relative to {comparison.a.id}, which gives {right:+.2f} %"
        else:
            verdict, reason = _judge(comparison, *key)
        out.append(DeltaJudgement(*key, f"{printed.percent:+.2f} %", verdict, reason, other))
    return out


def _figures(run: Run) -> dict[tuple[str, Metric, CoreId], float]:
    """The value of each (test, metric, core) that has exactly one, as in published tables."""
    by_cell: dict[tuple[str, Metric, CoreId], list[float]] = {}
    for sample in run.samples:
        by_cell.setdefault((sample.test, sample.metric, sample.core), []).append(sample.value_ticks * run.tick.value)
    return {key: values[0] for key, values in by_cell.items() if len(values) == 1}


def _percent(before: float | None, after: float | None) -> float | None:
    return (after - before) / before * 100 if before and after is not None else None


def _print_error(run: Run) -> float:
    """The largest rounding error of a correct percentage: one unit in the last place, at two decimals unless all are whole numbers."""
    return 1.001 if all(printed.percent == int(printed.percent) for printed in run.printed_deltas) else 0.011


def _judge(comparison: SpanComparison, test: str, metric: Metric, core: CoreId) -> tuple[Verdict, str]:
    if metric is Metric.POWERDOWN and test in comparison.ladders:
        return _by_ladder(comparison, test, core)
    row = _row_of(comparison, test, metric, core)
    if row is None:
        return Verdict.CANNOT_TELL, "the data point has no counterpart in the first run"
    if not row.cells:
        return Verdict.CANNOT_TELL, "its figures have a data-quality warning"
    if metric is Metric.PSCI_CALL and all(cell.label != str(core) for cell in row.cells):
        return Verdict.CANNOT_TELL, "it is the outlying first caller in one run only"
    moved = [cell.difference for cell in row.cells]
    shown = ", ".join(signed(value, comparison.unit) for value in (moved if len(moved) <= MOST_SHOWN else (min(moved), max(moved))))
    cells = shown if len(moved) <= MOST_SHOWN else shown.replace(", ", " to ")
    return row.verdict, f"its like cores moved {cells}" + (": no common shift" if row.verdict is Verdict.CANNOT_TELL else "")


def _by_ladder(comparison: SpanComparison, test: str, core: CoreId) -> tuple[Verdict, str]:
    """The verdict of the core's span against the first run's queue model at the position at which the core was served in the second."""
    cell = next((cell for cell in places(comparison, test) if cell.core == core), None)
    if cell is None:
        return Verdict.CANNOT_TELL, "the core has no counterpart in the first run"
    expected = cell.expected
    same_place = cell.place_before == cell.place_after
    moved = f"still at position {cell.place_after + 1}" if same_place else f"position {cell.place_before + 1} to {cell.place_after + 1}"
    if expected is None:
        return Verdict.CANNOT_TELL, f"{moved} of the queue, for which the first run's queue model has no term"
    row = next((r for r in comparison.rows if r.test == test and r.name == "step"), None)
    off = cell.after - expected
    threshold = max(comparison.limits.relative * expected, row.threshold if row else 0.0)
    reason = f"{moved}; first run's queue model: {amount(expected, comparison.unit)} there ({percent(off / expected)})"
    if abs(off) <= threshold:
        return Verdict.SAME, reason
    terms_changed = {r.verdict for r in comparison.rows if r.test == test and r.is_term} - {*SAME_LEVELS, Verdict.MOVED}
    return (terms_changed.pop() if len(terms_changed) == 1 else Verdict.CANNOT_TELL), reason


def _row_of(comparison: SpanComparison, test: str, metric: Metric, core: CoreId) -> Row | None:
    rows = [row for row in comparison.rows if row.test == test and row.metric == metric and row.cluster in (None, core.cluster)]
    by_core = [row for row in rows if any(cell.label == str(core) for cell in row.cells)]
    return next(iter(by_core or rows), None)
