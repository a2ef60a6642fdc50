# SPDX-License-Identifier: BSD-3-Clause
"""Figures that cannot be what they are said to be: in another unit, in each other's column, or of zero where something was measured."""

from __future__ import annotations

import numpy as np

from latlab.analysis.base.columns import Columns
from latlab.model.enums import Clock, Metric
from latlab.model.run import Run

_UNIT_RATIO = 300.0
_APART = 2.0
_ALIKE = 0.1


def zero_cells(a: Run, b: Run, columns_a: Columns, columns_b: Columns, common: tuple[tuple[str, Metric], ...]) -> list[str]:
    """A span takes time: one of zero beside others of its core was not measured. Under the instruction clock it may be empty."""
    if a.tick.clock is not Clock.TIME:
        return []
    found = []
    for test, metric in common:
        for run, matrix in ((a, columns_a.matrix(test, metric)), (b, columns_b.matrix(test, metric))):
            cores = [] if matrix is None else [str(core) for core, v in zip(matrix.cores, matrix.values.T, strict=True) if (v == 0).any()]
            if cores:
                found.append(f"{test} {metric} of core {', '.join(cores)} is 0 in {run.id}, which no span is")
    return found


def slip_of(a: Run, b: Run, columns_a: Columns, columns_b: Columns, common: tuple[tuple[str, Metric], ...]) -> str | None:
    """Of all figures, and of those of one test and metric: hundreds of times the other's is another unit, zero throughout no figure.

    Under a clock that counts exactly one test may well have gone from nothing to something.
    """
    known = [(key, *_middles(columns_a, columns_b, key)) for key in common]
    largest = [_largest(columns, common) for columns in (columns_a, columns_b)]
    if min(largest) == 0 < max(largest):
        return f"unit suspect: every figure of {(a if largest[0] == 0 else b).id} is 0; read the log again"
    ratios = [after / before for _, before, after in known if before > 0 and after > 0]
    slip = _far_ratio(a, b, float(np.median(ratios)) if ratios else 1.0, "figures")
    if slip or a.tick.clock is not Clock.TIME:
        return slip
    for (test, metric), before, after in known:
        if min(before, after) == 0 < max(before, after):
            return f"unit suspect: {test} {metric} of {(a if before == 0 else b).id} is 0; read the log again"
        if before > 0 and (slip := _far_ratio(a, b, after / before, f"{test} {metric}")):
            return slip
    return _exchange(a, b, {key: (before, after) for key, before, after in known})


def _far_ratio(a: Run, b: Run, ratio: float, what: str) -> str | None:
    if 1 / _UNIT_RATIO <= ratio <= _UNIT_RATIO:
        return None
    larger, factor = (b, ratio) if ratio > 1 else (a, 1 / ratio)
    of = f"figures of {larger.id} are" if what == "figures" else f"{what} of {larger.id} is"
    return f"unit suspect: {of} {factor:.0f} times the other's; check its unit (ns labelled as us?)"


def _exchange(a: Run, b: Run, middles: dict[tuple[str, Metric], tuple[float, float]]) -> str | None:
    """Two columns of a test that differ by far and stand in each other's place."""
    for test in dict.fromkeys(test for test, _ in middles):
        metrics = [metric for other, metric in middles if other == test]
        for i, one in enumerate(metrics):
            for two in metrics[i + 1 :]:
                (x, x_after), (y, y_after) = middles[test, one], middles[test, two]
                if min(x, y) > 0 and max(x, y) > _APART * min(x, y) and _near(x, y_after) and _near(y, x_after):
                    return (
                        f"columns suspect: in {test} {one} and {two} of {b.id} stand in each other's place against {a.id}; "
                        "check the columns of both"
                    )
    return None


def _near(one: float, two: float) -> bool:
    return abs(one - two) <= _ALIKE * one


def _middles(columns_a: Columns, columns_b: Columns, key: tuple[str, Metric]) -> tuple[float, float]:
    ours, theirs = columns_a.matrix(*key), columns_b.matrix(*key)
    return (float(np.median(ours.values)) if ours else 0.0), (float(np.median(theirs.values)) if theirs else 0.0)


def _largest(columns: Columns, common: tuple[tuple[str, Metric], ...]) -> float:
    return max(float(matrix.values.max()) for key in common if (matrix := columns.matrix(*key)) is not None)
