# SPDX-License-Identifier: BSD-3-Clause
"""The scatter of a metric's spans between boots and within a boot: variance components of a one-way layout."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from latlab.core.comparison import findings as f
from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.statistics.sample_matrix import METRICS, Columns, Floats, Ints
from latlab.psci.analysis.roles import is_parallel


def explain_scatter(columns: Columns, unit: str, left_out: frozenset[str]) -> Iterator[Explanation]:
    """One finding for each metric with several boots or iterations, without the tests in `left_out`.

    Parallel tests are sorted first, because their order of cores is random and not part of the scatter.
    """
    for metric in METRICS:
        spans: list[tuple[float | None, float | None]] = []
        boots: set[int] = set()
        iterations: set[int] = set()
        for test in columns.tests:
            matrix = columns.matrix(test, metric)
            if matrix is None or test in left_out or len(matrix.values) < 2:
                continue
            values = np.sort(matrix.values, axis=1) if is_parallel(test) else matrix.values
            spans += [components(matrix.boots, column) for column in values.T if column.mean() > 0]
            iteration_counts = np.unique(matrix.boots, return_counts=True)[1]
            boots.add(len(iteration_counts))
            iterations |= set(iteration_counts.tolist())
        if not spans:
            continue
        between = [value for value, _ in spans if value is not None]
        within = [value for _, value in spans if value is not None]
        counts = (min(boots), max(boots), min(iterations), max(iterations), len(spans))
        yield Explanation("", f.Scatter(metric, _middle(between), _middle(within), counts), Basis.EXACT, unit)


def components(boots: Ints, values: Floats) -> tuple[float | None, float | None]:
    """Standard deviations between boots and within a boot, each over the mean. None if one boot, or one value in each, cannot show them.

    Within: pooled. Between: the variance of the boots' means minus the part from the scatter within; unequal boots by the mean of 1/n.
    """
    parts = [values[boots == boot] for boot in np.unique(boots)]
    mean = float(values.mean())
    free = len(values) - len(parts)
    pooled = float(sum(((part - part.mean()) ** 2).sum() for part in parts)) / free if free else None
    within = np.sqrt(pooled) / mean if pooled is not None else None
    if len(parts) < 2:
        return None, within
    means = np.array([part.mean() for part in parts])
    of_means = float(means.var(ddof=1)) - (pooled or 0.0) * float(np.mean([1 / len(part) for part in parts]))
    return float(np.sqrt(max(0.0, of_means))) / mean, within


def _middle(shares: list[float]) -> tuple[float, float] | None:
    """The median and the largest of the shares; None for none."""
    return (float(np.median(shares)), max(shares)) if shares else None
