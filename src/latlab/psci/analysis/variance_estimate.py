# SPDX-License-Identifier: BSD-3-Clause
"""The data behind the verdict on a row of spans: its values by boot and cell in both runs, and their variance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from latlab.core.comparison.comparison import Cell, Row
from latlab.core.comparison.queue_model import BASE, STEP, Ladders
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import row_title
from latlab.core.model.enums import Metric
from latlab.core.statistics.moderated_t import t_shift
from latlab.core.statistics.sample_matrix import Cells, Floats, nan_median
from latlab.core.statistics.statistics import NO_SHIFT, Shift
from latlab.psci.analysis.groups import FEWEST_FOR_ROLES, WHOLE, Group
from latlab.psci.analysis.queue_fit import is_refused
from latlab.psci.analysis.roles import is_parallel
from latlab.psci.analysis.thresholds import Spacing

FEWEST_IN_QUEUE = 5
"""Cores whose spans show a queue: those of fewer may rise evenly by chance, as in 7 of 96 drawn pairs of N1SDP."""
TERM = "term"
HIDDEN = "the order of the second run's queue hides it"

Kind = tuple[Metric, str, bool]
"""What scatters alike: a metric, a part that a core plays, and whether the cores run at once."""


@dataclass(frozen=True)
class Pooled:
    """The common shift of several parts, with their value before and their threshold, pooled with the same weights."""

    shift: Shift
    before: float
    threshold: float


UNJUDGED = Pooled(t_shift(0.0, np.inf, 0), np.nan, np.nan)
"""Of parts that show no scatter."""


@dataclass(frozen=True)
class Evidence:
    """`before` and `after` have every iteration of each cell; `role` is the role of the cells.

    `scale` of a term is its standard error for a residual of 1. `residual` is the residual sum of squares of its fits and their degrees
    of freedom.
    """

    row: Row
    before: Cells
    after: Cells
    role: str
    scale: float | None = None
    residual: tuple[float, float] = (0.0, 0.0)

    @cached_property
    def a(self) -> Floats:
        """The values of the first run: a row for each boot, a column for each cell."""
        return self.before.by_boot

    @cached_property
    def b(self) -> Floats:
        return self.after.by_boot

    @cached_property
    def kind(self) -> Kind:
        return self.row.metric, self.role, is_parallel(self.row.test)

    @cached_property
    def cells_a_boot(self) -> float:
        """The number of cells in the mean of one boot: the harmonic mean, because variances add."""
        counts = np.concatenate([(~np.isnan(values)).sum(axis=1) for values in (self.a, self.b)])
        return float(1 / np.mean(1 / counts[counts > 0]))

    @cached_property
    def by_boot(self) -> tuple[Floats, Floats]:
        """The mean over the cells of each boot that has any, for both runs."""
        return _means(self.a), _means(self.b)

    @cached_property
    def of_cells(self) -> float:
        """The smallest plausible variance of one boot's value: the residual mean square of the cells over their number. 0 if it is not
        known."""
        squares, free = (sum(sums) for sums in zip(*map(_left_of_cells, (self.a, self.b)), strict=True))
        return squares / free / self.cells_a_boot if free > 0 else 0.0

    @cached_property
    def differences(self) -> Floats:
        """The difference of each cell, by its median over the boots."""
        return nan_median(self.b) - nan_median(self.a)


def group_evidence(group: Group, spacing: Spacing) -> Evidence:
    a, b = group.a.by_boot, group.b.by_boot
    before, after = _median(a), _median(b)
    cells = tuple(_cell(group.metric, label, a[:, i], b[:, i], spacing) for i, label in enumerate(group.labels))
    is_whole = group.role == WHOLE
    threshold, large = spacing.threshold(group.metric, before), 0.0 if is_whole else spacing.large(group.metric, before)
    place = group.test, group.metric, group.name, group.cluster
    row = Row(*place, before, after, NO_SHIFT, threshold, Verdict.CANNOT_TELL, "", cells, large=large, is_whole=is_whole)
    return Evidence(row, group.a, group.b, group.role)


@dataclass(frozen=True)
class Terms:
    """The terms of the base's queue model: evidence of those that both runs have, and of those that are unjudged. `after` is the second
    run's model, None if it does not fit."""

    evidence: list[Evidence]
    unjudged: list[Evidence]
    notes: list[str]
    gaps: list[str]
    after: Ladders | None


def terms_of(before: Ladders, after: Ladders | None, spacing: Spacing) -> Terms:
    """Which terms there are depends on the base alone. The order of the second run's queue may hide one, and its model may not fit."""
    names = [name for name in before.terms if _has_term(before, name)]
    if after is None or is_refused(after):
        reason = "the queue model does not fit the second run"
        rows = [unjudged(_term(before.test, name, before, before, spacing), np.nan, reason) for name in names]
        sentence = [f"{before.test} powerdown: {reason}, so that its samples are compared by position alone"]
        is_chance = len(before.spans) < FEWEST_FOR_ROLES or len(before.cores) < FEWEST_IN_QUEUE
        return Terms([], rows, sentence if is_chance else [], [] if is_chance else sentence, None)
    shared = [name for name in names if _has_term(after, name)]
    hidden = [name for name in names if name not in shared]
    rows = [unjudged(_term(before.test, name, before, before, spacing), np.nan, HIDDEN) for name in hidden]
    only = [*hidden, *(name for name in after.terms if name not in names and _has_term(after, name))]
    notes = [f"{before.test}: the {row_title(name)} is in one run only, because the cores queued in another order" for name in only]
    return Terms([_term(before.test, name, before, after, spacing) for name in shared], rows, notes, [], after)


def unjudged(evidence: Evidence, after: float, reason: str) -> Evidence:
    """Of a row of which nothing can be judged; `after` is NaN if the second run does not show it."""
    row, after = evidence.row, after if np.isfinite(after) else np.nan
    shift = Shift(after - row.before if np.isfinite(after) else np.nan, -np.inf, np.inf, 1.0)
    return replace(evidence, row=replace(row, after=after, shift=shift, large=0.0, cells=(), basis=reason))


def _term(test: str, name: str, before: Ladders, after: Ladders, spacing: Spacing) -> Evidence:
    """The evidence of a term. The limits of an extra are relative to the larger of extra and step, because the increase contains both."""
    a, b = _cells(before, name), _cells(after, name)
    baseline, changed = _median(a.by_boot), _median(b.by_boot)
    extra_to = 0.0 if name == BASE else _median(_cells(before, STEP).by_boot)
    larger = max(abs(baseline), extra_to)
    threshold, large = spacing.threshold(Metric.POWERDOWN, larger), spacing.large(Metric.POWERDOWN, larger)
    place = test, Metric.POWERDOWN, name, None
    row = Row(*place, baseline, changed, NO_SHIFT, threshold, Verdict.CANNOT_TELL, "", is_term=True, large=large)
    scale = float(np.hypot(_median(before.scales[name]), _median(after.scales[name])))
    residual = (_median(before.residuals) + _median(after.residuals), _median(before.dof.astype(float)) + _median(after.dof.astype(float)))
    return Evidence(row, a, b, f"{TERM} {name}", scale, residual)


def _cells(ladders: Ladders, name: str) -> Cells:
    """The values of a term, in the iterations that have it."""
    shown = ~np.isnan(ladders.terms[name])
    return Cells(ladders.boots[shown], ladders.terms[name][shown, None])


def _has_term(ladders: Ladders, name: str) -> bool:
    return name in ladders.terms and not bool(np.isnan(ladders.terms[name]).all())


def _cell(metric: Metric, label: str, a: Floats, b: Floats, spacing: Spacing) -> Cell:
    before, after = _median(a), _median(b)
    shift = Shift(after - before, -np.inf, np.inf, 1.0)
    threshold, large = spacing.threshold(metric, before), spacing.large(metric, before)
    return Cell(label, before, after, shift, Verdict.CANNOT_TELL, threshold=threshold, large=large)


def _left_of_cells(values: Floats) -> tuple[float, int]:
    """The residual sum of squares of the two-way layout of boots (rows) by cells (columns), and its degrees of freedom. NaN is missing
    data."""
    if values.shape[1] < 2:
        return 0.0, 0
    values = values[~np.isnan(values).all(axis=1)][:, ~np.isnan(values).all(axis=0)]
    is_number = ~np.isnan(values)
    residual = values - _mean(values, 1)[:, None]
    residual = residual - _mean(residual, 0)
    return float((residual[is_number] ** 2).sum()), int(is_number.sum()) - sum(values.shape) + 1


def _mean(values: Floats, axis: int) -> Floats:
    """The mean of the numbers along an axis. numpy's function takes many times as long for the few values of a table."""
    is_number = ~np.isnan(values)
    return np.asarray(np.where(is_number, values, 0.0).sum(axis=axis) / is_number.sum(axis=axis))


def _means(values: Floats) -> Floats:
    """The mean over the cells of each boot that has any."""
    whole = values[~np.isnan(values).all(axis=1)]
    return np.asarray(np.nanmean(whole, axis=1))


def _median(values: Floats) -> float:
    return float(nan_median(values.reshape(-1, 1))[0]) if values.size else float("nan")
