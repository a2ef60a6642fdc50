# SPDX-License-Identifier: BSD-3-Clause
"""The queue model of a parallel test, fitted to sorted spans: `base + k * step` at position k.

Cores that power down together queue for a lock or a power controller, in random order. Sorted, the spans increase by one step for each
core that was served before, and by an extra after the last core down of a cluster, whose cluster power-off occupies the queue for
longer. A test forms a queue if the fit is good and its step is large enough to be a wait.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.core.comparison.identity import checked_columns
from latlab.core.comparison.queue_model import BASE, STEP, Ladders, design_matrix
from latlab.core.comparison.summary import mark_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.statistics.sample_matrix import Bools, Columns, Floats, Ints
from latlab.psci.analysis.roles import Roles, is_parallel, roles_of

LEAST_STEP = 0.05

LEAST_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the model does not fit: the share of the variance that it explains, or the number of last cores down of a cluster."""

    share: float
    cluster: int | None = None
    last_men: int = 0


def queues_of(run: Run) -> dict[str, Ladders]:
    """The queue models that fit, by test, without tests in which cores take turns. Raises NotComparable if a run has no spans."""
    columns = checked_columns(run)
    roles = roles_of(columns, facts_of(run.platform).managed_by)
    tests = (test for test in columns.tests if is_parallel(test) and mark_of(run, test) is None)
    fitted = {test: ladders for test in tests if (ladders := fit_ladders(columns, roles, test)) is not None}
    return {
        test: queue_ladders
        for test, queue_ladders in fitted.items()
        if queue_ladders.dof[0] and refusal(queue_ladders) is None and _rises(queue_ladders)
    }


def _rises(ladders: Ladders) -> bool:
    """Whether the step is large enough beside the base to be a wait."""
    return float(np.nanmedian(ladders.terms[STEP])) > LEAST_STEP * float(np.nanmedian(ladders.terms[BASE]))


def fit_ladders(columns: Columns, roles: Roles, test: str) -> Ladders | None:
    """The queue models of a test by ordinary least squares, one for each iteration. None if the test has no powerdown spans or fewer
    than three cores.

    Iterations with the same pattern of last cores down share one pseudo-inverse.
    """
    powerdown = columns.matrix(test, Metric.POWERDOWN)
    if powerdown is None or len(powerdown.cores) < 3 or not len(powerdown.values):
        return None
    order = np.argsort(powerdown.values, axis=1, kind="stable")
    spans = np.take_along_axis(powerdown.values, order, axis=1)
    last = np.take_along_axis(roles.last_man(columns.matrix(test, Metric.CACHE_FLUSH), powerdown), order, axis=1)
    cluster = np.array([core.cluster for core in powerdown.cores])[order]
    head = _heads(spans, last)
    n = len(spans)
    out: dict[str, Floats] = {}
    scales: dict[str, Floats] = {}
    squares = np.full(len(spans), np.nan)
    predicted, rms, share, dof = spans.copy(), np.full(n, np.nan), np.full(n, np.nan), np.zeros(n, np.int64)
    pattern = np.column_stack([head, np.where(last, cluster + 1, 0)])
    kinds, which = np.unique(pattern, axis=0, return_inverse=True)
    for kind, row in enumerate(kinds):
        rows = np.flatnonzero(which.reshape(-1) == kind)
        h, marks = int(row[0]), row[1:]
        design = design_matrix(h, marks)
        freedom = len(design.matrix) - len(design.names)
        if freedom < 0:
            continue
        measured = spans[rows, h:]
        values = measured @ np.linalg.pinv(design.matrix).T
        fitted = values @ design.matrix.T
        residual = ((measured - fitted) ** 2).sum(axis=1)
        total = ((measured - measured.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        scale = np.sqrt(np.diag(np.linalg.inv(design.matrix.T @ design.matrix)))
        for i, name in enumerate(design.names):
            out.setdefault(name, np.full(n, np.nan))[rows] = values[:, i]
            scales.setdefault(name, np.full(n, np.nan))[rows] = scale[i]
        predicted[rows, h:] = fitted
        squares[rows] = residual
        rms[rows] = np.sqrt(residual / measured.shape[1])
        share[rows] = 1 - residual / np.where(total > 0, total, 1.0) if freedom else np.nan
        dof[rows] = freedom
    if not out:
        return None
    return Ladders(test, powerdown.cores, powerdown.boots, order, spans, last, out, scales, squares, predicted, dof, head, rms, share)


def refusal(ladders: Ladders) -> Refusal | None:
    """Why the model does not fit, None if it does: it explains too little of the variance, or several cores of a cluster pay as its last
    core down.

    A model with as many terms as spans fits any spans: its `share` is unknown, and it is not refused.
    """
    clusters = np.array([core.cluster for core in ladders.cores])[ladders.order]
    share = float(np.nanmedian(ladders.share)) if ladders.dof.any() else float("nan")
    for cluster in np.unique(clusters):
        most = int((ladders.last_man & (clusters == cluster)).sum(axis=1).max())
        if most > 1:
            return Refusal(share, int(cluster), most)
    return Refusal(share) if share < LEAST_SHARE else None


def is_refused(ladders: Ladders) -> bool:
    """Whether the model does not fit, or no core waits for as long as a power-down takes: sorted spans of any kind increase a little. A
    last core down takes longer, so that one that shortens the waits by half a step is none."""
    medians = {name: float(np.nanmedian(values)) for name, values in ladders.terms.items() if not np.isnan(values).all()}
    step, base = (medians.pop(name) for name in (STEP, BASE))
    return refusal(ladders) is not None or step * (len(ladders.cores) - 1) < base or min(medians.values(), default=0.0) < -step / 2


def _heads(spans: Floats, last: Bools) -> Ints:
    """The number of cores served before the queue began: leading increments of less than half the usual step are no wait."""
    increments = np.diff(spans, axis=1)
    usual = np.asarray(np.where(last[:, :-1], np.nan, increments))
    usual[last[:, -1], -1] = np.nan
    empty = np.isnan(usual).all(axis=1)
    step = np.where(empty, 0.0, np.nanmedian(np.where(empty[:, None], 0.0, usual), axis=1))
    small = increments < step[:, None] / 2
    leading = np.cumprod(small, axis=1).sum(axis=1)
    return np.asarray(np.where(leading <= spans.shape[1] - 4, leading, 0), np.int64)
