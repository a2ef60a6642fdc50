# SPDX-License-Identifier: BSD-3-Clause
"""The shape of spans around their level: spread, quantiles, the largest value, and the whole distribution, with the boot as the sampling
unit.

Each figure is a distance from the median of its core in its boot, so a changed level is no change of shape. Shares of figures are
counted by boot (by parts of a boot if there are few). Their overdispersion widens every interval and weakens every test (Rao and Scott's
correction). The largest values are counted by event: late figures of one iteration or of neighbouring iterations are one event.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from latlab.core.comparison.comparison import Row, Statistic
from latlab.core.comparison.decision import Claim, ClaimLevel
from latlab.core.comparison.verdicts import CHANGED, Limits, Verdict, decide
from latlab.core.comparison.wording import count
from latlab.core.model.enums import Metric
from latlab.core.statistics.distributions import f_upper, normal_quantile
from latlab.core.statistics.histogram import exceedance_p
from latlab.core.statistics.moderated_t import LEAST_P, t_shift
from latlab.core.statistics.power_analysis import detectable
from latlab.core.statistics.sample_matrix import Bools, Cells, Floats, Ints, nan_median
from latlab.core.statistics.statistics import Shift, family_wise
from latlab.psci.analysis.drift import Drifts, differ, drift_of, explains
from latlab.psci.analysis.variance_estimate import UNJUDGED, Evidence

QUANTILES = ((Statistic.P90, 0.9), (Statistic.P99, 0.99), (Statistic.P99_9, 0.999))
FEWEST_ITERATIONS = 20
FEWEST_OF_BOOT = 5
FEWEST_ABOVE = 5
FEWEST_UNITS = 8
BINS = (0.1, 0.25, 0.5, 0.75, 0.9)
CAP = 0.95
SLOWEST = 0.1
LARGEST = 2.0
"""How many times the base's largest must not pass untold."""
HALF_OF_90 = float(normal_quantile(0.95))


@dataclass(frozen=True)
class _Side:
    """Distances from the median: `values` with the sampling unit and the iteration of each."""

    values: Floats
    units: Ints
    iterations: Ints

    @property
    def count(self) -> int:
        return len(self.values)

    def quantile(self, share: float) -> float:
        return float(np.quantile(self.values, share, method="inverted_cdf"))

    def by_unit(self, chosen: Bools) -> tuple[Floats, Floats]:
        """The number of chosen values in each sampling unit, and the number of all values."""
        size = int(self.units.max()) + 1
        return np.bincount(self.units[chosen], minlength=size).astype(float), np.bincount(self.units, minlength=size).astype(float)

    def events_above(self, level: float) -> tuple[int, float]:
        """The number of events above a level, with neighbouring iterations as one event, and the overdispersion of the units. A few
        units estimate it badly, so it is shrunk half-way to none (a prior with equal weight)."""
        late = np.unique(self.iterations[self.values > level])
        if not len(late):
            return 0, 1.0
        first = late[np.r_[True, np.diff(late) > 1]]
        unit_of = np.zeros(int(self.iterations.max()) + 1, np.int64)
        unit_of[self.iterations] = self.units
        counts = np.bincount(unit_of[first], minlength=int(self.units.max()) + 1).astype(float)
        mean = counts.mean()
        shown = float(((counts - mean) ** 2).sum() / mean / max(len(counts) - 1, 1))
        return len(first), max(1.0, (1.0 + shown) / 2)


@dataclass(frozen=True)
class Shape:
    """The figures of the shape of one row that both runs allow, without verdicts."""

    rows: tuple[Row, ...]
    maxima: tuple[float, float]

    def is_same(self, judged: Sequence[Row]) -> bool:
        """Whether all figures with an interval, the 99 % quantile among them, lie within the threshold, and none of the others changed
        or is large."""
        shown = {figure.statistic for figure in judged if figure.verdict is Verdict.SAME}
        open_ended = all(
            figure.verdict is Verdict.CANNOT_TELL for figure in judged if figure.statistic in (Statistic.MAXIMUM, Statistic.SHAPE)
        )
        return {Statistic.SPREAD, Statistic.P90, Statistic.P99} <= shown and open_ended and self.maxima[1] < LARGEST * self.maxima[0]


def judged_shapes(
    evidence: Sequence[Evidence], rows: Sequence[Row], drifting: Sequence[Drifts | None], limits: Limits
) -> tuple[list[Row], list[Row]]:
    """The rows of levels, `same` only if their shape is too, each followed by the figures of its shape that changed. Then the other figures
    of all shapes."""
    shapes = [_shape(row_evidence, row) if _has_shape(row_evidence) else None for row_evidence, row in zip(evidence, rows, strict=True)]
    figures = [figure for shape in shapes if shape is not None for figure in shape.rows]
    adjusted = dict(zip(map(id, figures), _adjusted(figures), strict=True))
    out: list[Row] = []
    unchanged: list[Row] = []
    for row_evidence, row, shape, drifts in zip(evidence, rows, shapes, drifting, strict=True):
        if drifts is not None:
            is_explained = explains(row.shift, drifts) or row.verdict is Verdict.SAME
            out.append(replace(row, verdict=Verdict.CANNOT_TELL if is_explained else row.verdict, drifts=drifts))
            unchanged += [replace(figure, basis=f"{figure.basis}, one run drifts") for figure in (shape.rows if shape is not None else ())]
            continue
        of_span = [
            other_drifts
            for other, other_drifts in zip(rows, drifting, strict=True)
            if other_drifts and (other.test, other.metric) == (row.test, row.metric)
        ]
        judged = [] if shape is None else [_decided(figure, adjusted[id(figure)], len(figures), limits) for figure in shape.rows]
        judged = [replace(figure, verdict=_beside(figure, of_span)) for figure in judged]
        differing = {id(figure) for figure in judged if figure.verdict in (*CHANGED, Verdict.MOVED)}
        is_same_shape = shape is not None and shape.is_same(judged)
        verdict = _beside(row, of_span) if row.verdict is not Verdict.SAME or is_same_shape else Verdict.SAME_LEVEL
        detectables = tuple(smallest for figure in judged for smallest in figure.detectable)
        maxima = shape.maxima if shape is not None else None
        out.append(replace(row, verdict=verdict, detectable=(*row.detectable, *detectables), maxima=maxima))
        out += [figure for figure in judged if id(figure) in differing]
        unchanged += [figure for figure in judged if id(figure) not in differing]
        unchanged += unjudged_figures(row_evidence, row, {figure.statistic for figure in judged})
    return out, unchanged


def unjudged_figures(row_evidence: Evidence, row: Row, judged: Collection[Statistic | None] = ()) -> Iterator[Row]:
    """The figures of the base's shape for which the second run has too few samples."""
    if row_evidence.row.is_whole or not _is_long(row_evidence.before):
        return
    samples = int(np.count_nonzero(~np.isnan(row_evidence.before.values)))
    for statistic in [Statistic.SPREAD, *_quantiles_of(samples), Statistic.MAXIMUM, Statistic.SHAPE]:
        if statistic not in judged:
            shift = Shift(np.nan, -np.inf, np.inf, 1.0)
            yield _row(row, statistic, np.nan, np.nan, shift, "too few samples of the second run")


def pooled_shapes(evidence: Sequence[Evidence], drifting: Sequence[Drifts | None], limits: Limits) -> list[Claim]:
    """The same figures over all rows of a metric together: forty rows of which each is too weak show what none shows alone. Distances are
    taken over the base's own spread of their row, and given in the median of these spreads. A boot, or a part of one, is the unit over all
    rows, so that what its rows share weakens every test."""
    claims: list[Claim] = []
    for metric in dict.fromkeys(row_evidence.row.metric for row_evidence in evidence):
        sides = [
            (row_evidence, drifts is None and _is_long(row_evidence.after), _side(row_evidence.before))
            for row_evidence, drifts in zip(evidence, drifting, strict=True)
            if row_evidence.row.metric is metric
            and not (row_evidence.row.is_term or row_evidence.row.is_whole)
            and _is_long(row_evidence.before)
        ]
        planned = [_Planned(*side, side[2].quantile(0.9) - side[2].quantile(0.1)) for side in sides]
        claims += _pooled_claims(metric, [part for part in planned if part.spread > 0])
    alpha_p = family_wise([claim.shift.p for claim in claims])
    return [
        replace(claim, p_adjusted=p, verdict=verdict, is_frontier=verdict in CHANGED)
        for claim, p in zip(claims, alpha_p, strict=True)
        for verdict in (decide(claim.shift, claim.threshold, p, limits.alpha),)
    ]


class _Planned(NamedTuple):
    """A row of which the base has a shape, and the distance of its 10 % and 90 % quantiles. It `is_judged` unless the second run has too
    few samples of it, or one run drifts."""

    of: Evidence
    is_judged: bool
    base: _Side
    spread: float


def _pooled_claims(metric: Metric, planned: Sequence[_Planned]) -> Iterator[Claim]:
    """The base says which figures there are. The rows that can be judged say what they are."""
    if len(planned) < 2:
        return
    scale = float(np.median([part.spread for part in planned]))
    judged = [part for part in planned if part.is_judged]
    figures: dict[Statistic, Figure] = {}
    if len(judged) > 1:
        a = _joined([_scaled(part.base, scale / part.spread) for part in judged])
        b = _joined([_scaled(_side(part.of.after), scale / part.spread) for part in judged])
        figures = {figure[0]: figure for figure in (_spread(a, b), *_quantiles(a, b), _slowest(a, b), _whole(a, b))}
    threshold = float(np.median([part.of.row.threshold * scale / part.spread for part in planned]))
    tests = len({part.of.row.test for part in planned})
    samples = sum(part.base.count for part in planned)
    for statistic in (Statistic.SPREAD, *_quantiles_of(samples), Statistic.SLOWEST, Statistic.SHAPE):
        _, before, after, shift, _ = figures.get(statistic, (statistic, np.nan, np.nan, UNJUDGED.shift, ""))
        name = f"{statistic} of {len(planned)} rows in {count(tests, 'test')}"
        place = ClaimLevel.METRIC, metric, "", name, before, after, shift, threshold, 1.0, Verdict.CANNOT_TELL
        yield Claim(*place, rows=len(planned))


def _scaled(side: _Side, factor: float) -> _Side:
    return replace(side, values=side.values * factor)


def _joined(sides: Sequence[_Side]) -> _Side:
    values, units, iterations = (np.concatenate([getattr(side, name) for side in sides]) for name in ("values", "units", "iterations"))
    return _Side(values, units, iterations)


def drifts_of(row_evidence: Evidence) -> Drifts | None:
    """The drifts of both runs, if they differ; None if they agree or the iterations are too few."""
    if not _has_shape(row_evidence):
        return None
    drifts = drift_of(row_evidence.before, row_evidence.row.threshold), drift_of(row_evidence.after, row_evidence.row.threshold)
    return drifts if differ(drifts, row_evidence.row.threshold) else None


def _has_shape(row_evidence: Evidence) -> bool:
    """Whether the row has enough iterations for figures of its shape."""
    return not row_evidence.row.is_whole and _is_long(row_evidence.before) and _is_long(row_evidence.after)


def _is_long(cells: Cells) -> bool:
    return min(len(cells.values), int(np.count_nonzero(~np.isnan(cells.values)))) >= FEWEST_ITERATIONS


def _beside(row: Row, of_span: Sequence[Drifts]) -> Verdict:
    """The verdict of a row. If other cells of the span drift within a run, an equally small change may be the same drift, undetected in
    fewer values."""
    is_explained = row.verdict in (*CHANGED, Verdict.MOVED) and any(explains(row.shift, drifts) for drifts in of_span)
    return Verdict.CANNOT_TELL if is_explained else row.verdict


def _adjusted(figures: Sequence[Row]) -> list[float]:
    """p-values adjusted over all figures of one metric."""
    out = [1.0] * len(figures)
    for metric in dict.fromkeys(figure.metric for figure in figures):
        indices = [i for i, figure in enumerate(figures) if figure.metric is metric]
        for i, p in zip(indices, family_wise([figures[i].shift.p for i in indices]), strict=True):
            out[i] = p
    return out


def _decided(figure: Row, p: float, family: int, limits: Limits) -> Row:
    smallest = detectable(str(figure.statistic), figure.shift, figure.before, figure.threshold, limits.alpha / family, 1)
    verdict = decide(figure.shift, figure.threshold, p, limits.alpha)
    return replace(figure, verdict=verdict, p_adjusted=p, detectable=(replace(smallest, more_units=None, then=None),) if smallest else ())


def _shape(row_evidence: Evidence, row: Row) -> Shape:
    a, b = _side(row_evidence.before), _side(row_evidence.after)
    figures = [_spread(a, b), *_quantiles(a, b), _largest(a, b), _whole(a, b)]
    rows = tuple(_row(row, *figure) for figure in figures)
    return Shape(rows, (float(np.nanmax(row_evidence.before.values)), float(np.nanmax(row_evidence.after.values))))


def _side(cells: Cells) -> _Side:
    """The distances from the median of each boot with enough iterations, else from the median of the run."""
    values, boots = cells.values, np.unique(cells.boots, return_inverse=True)[1]
    fewest = int(np.bincount(boots).min())
    centre = cells.by_boot[boots] if fewest >= FEWEST_OF_BOOT else np.broadcast_to(nan_median(values), values.shape)
    parts = max(1, -(-FEWEST_UNITS // (int(boots.max()) + 1)))
    place = np.arange(len(boots)) - np.searchsorted(boots, boots) if (np.diff(boots) >= 0).all() else np.zeros(len(boots), np.int64)
    length = np.bincount(boots)[boots]
    units = boots * parts + np.minimum(place * parts // length, parts - 1)
    distance = values - centre
    is_number = ~np.isnan(distance)
    iteration = np.broadcast_to((np.arange(len(boots)) + boots)[:, None], values.shape)
    unit = np.broadcast_to(units[:, None], values.shape)
    return _Side(distance[is_number], np.unique(unit[is_number], return_inverse=True)[1].reshape(-1), iteration[is_number])


Figure = tuple[Statistic, float, float, Shift, str]


def _row(row: Row, statistic: Statistic, before: float, after: float, shift: Shift, basis: str) -> Row:
    return replace(
        row, name=f"{row.name}, {statistic}", before=before, after=after, shift=shift, basis=basis, cells=(), statistic=statistic,
        effect=None, large=0.0, verdict=Verdict.CANNOT_TELL, detectable=(), is_term=False,
    )  # fmt: skip


def _spread(a: _Side, b: _Side) -> Figure:
    """The change of the distance from the 10 % to the 90 % quantile, with the relative change of the mean absolute deviation without its
    largest twentieth."""
    cap = float(np.quantile(np.abs(np.r_[a.values, b.values]), CAP))
    logs = []
    for side in (a, b):
        sums = np.bincount(side.units, weights=np.minimum(np.abs(side.values), cap))
        means = sums / np.bincount(side.units)
        logs.append(np.log(np.maximum(means, 1e-3)))
    dof = len(logs[0]) + len(logs[1]) - 2
    pooled = float(sum(((deviations - deviations.mean()) ** 2).sum() for deviations in logs)) / max(dof, 1)
    grown = t_shift(float(logs[1].mean() - logs[0].mean()), pooled * sum(1 / len(deviations) for deviations in logs), dof)
    before = a.quantile(0.9) - a.quantile(0.1)
    value, low, high = (before * float(np.expm1(min(end, 50.0))) for end in (grown.value, grown.low, grown.high))
    error = before * grown.error
    return Statistic.SPREAD, before, before + value, Shift(value, low, high, grown.p, error, grown.dof), _basis(a, b)


def _quantiles_of(samples: int) -> dict[Statistic, float]:
    """The quantiles that so many samples show."""
    return {name: share for name, share in QUANTILES if samples * (1 - share) >= FEWEST_ABOVE}


def _quantiles(a: _Side, b: _Side) -> Iterator[Figure]:
    for name, share in _quantiles_of(min(a.count, b.count)).items():
        level = float(np.quantile(np.r_[a.values, b.values], share, method="inverted_cdf"))
        p, excess, dof = _shares_differ(a, b, [a.values > level], [b.values > level])
        low_a, at_a, high_a = _ends(a, share, excess)
        low_b, at_b, high_b = _ends(b, share, excess)
        value = at_b - at_a
        low, high = value - float(np.hypot(high_a - at_a, at_b - low_b)), value + float(np.hypot(at_a - low_a, high_b - at_b))
        yield name, at_a, at_b, Shift(value, low, high, p, (high - low) / 2 / HALF_OF_90, dof), _basis(a, b)


def _ends(side: _Side, share: float, excess: float) -> tuple[float, float, float]:
    half = HALF_OF_90 * (excess * share * (1 - share) / side.count) ** 0.5
    low, at, high = np.quantile(side.values, [max(share - half, 0.0), share, min(share + half, 1.0)], method="inverted_cdf")
    return float(low), float(at), float(high)


def _slowest(a: _Side, b: _Side) -> Figure:
    """The mean of the slowest tenth of each unit. A second mode with a growing share moves it by more than any quantile that lies on one
    side of the mode in both runs."""
    means = [_slowest_means(side) for side in (a, b)]
    dof = sum(len(of_side) - 1 for of_side in means)
    pooled = sum(float(((of_side - of_side.mean()) ** 2).sum()) for of_side in means) / max(dof, 1)
    before, after = (float(of_side.mean()) for of_side in means)
    return Statistic.SLOWEST, before, after, t_shift(after - before, pooled * sum(1 / len(of_side) for of_side in means), dof), _basis(a, b)


def _slowest_means(side: _Side) -> Floats:
    by_unit = (np.sort(side.values[side.units == unit]) for unit in np.unique(side.units))
    return np.array([values[-max(1, round(SLOWEST * len(values))) :].mean() for values in by_unit])


def _largest(a: _Side, b: _Side) -> Figure:
    """How many events of one run are later than all of the other (Rosenbaum's test), with a correction for clustering in boots."""
    before, after = float(a.values.max()), float(b.values.max())
    later, other, limit = (b, a, before) if after > before else (a, b, after)
    events, excess = later.events_above(limit)
    n, m = (len(np.unique(side.iterations)) for side in (other, later))
    p = max(LEAST_P, exceedance_p(n, m, int(events / excess)))
    return (
        Statistic.MAXIMUM,
        before,
        after,
        Shift(after - before, -np.inf, np.inf, p),
        f"{events} of {m:,} iterations later than all of {n:,}",
    )


def _whole(a: _Side, b: _Side) -> Figure:
    """The test of the whole distribution: chi-squared over six bins with Rao and Scott's correction; its size is the mean distance of
    the two distributions."""
    edges = np.unique(np.quantile(np.r_[a.values, b.values], BINS))
    binned = [[np.searchsorted(edges, side.values, side="left") == i for i in range(len(edges) + 1)] for side in (a, b)]
    p, _, _ = _shares_differ(a, b, *binned)
    shares = np.linspace(0.025, 0.975, 20)
    apart = np.quantile(b.values, shares) - np.quantile(a.values, shares)
    size = float(np.abs(apart).mean()) * (1.0 if np.abs(b.values).mean() >= np.abs(a.values).mean() else -1.0)
    return Statistic.SHAPE, 0.0, size, Shift(size, -np.inf, np.inf, p), _basis(a, b)


def _shares_differ(a: _Side, b: _Side, in_a: Sequence[Bools], in_b: Sequence[Bools]) -> tuple[float, float, float]:
    """The p-value of equal shares in each bin, the overdispersion of the units of a run, and the degrees of freedom."""
    squares, within, bins = 0.0, 0.0, 0
    free = 0
    for mask_a, other in zip(in_a, in_b, strict=True):
        (count_a, of_a), (count_b, of_b) = a.by_unit(mask_a), b.by_unit(other)
        pooled = (count_a.sum() + count_b.sum()) / (a.count + b.count)
        if not 0 < pooled < 1:
            continue
        bins += 1
        chance = pooled * (1 - pooled)
        squares += (count_b.sum() / b.count - count_a.sum() / a.count) ** 2 / (chance * (1 / a.count + 1 / b.count)) * (1 - pooled)
        for chosen, of in ((count_a, of_a), (count_b, of_b)):
            share = chosen.sum() / of.sum()
            within += float(((chosen - of * share) ** 2 / of).sum()) / chance * (1 - pooled)
        free = len(of_a) + len(of_b) - 2
    if not bins or free < 1:
        return 1.0, 1.0, 0.0
    weight = sum(
        1 - (side_a.sum() + other.sum()) / (a.count + b.count)
        for side_a, other in zip(in_a, in_b, strict=True)
        if side_a.any() or other.any()
    )
    excess = max(1.0, within / (free * max(weight, 1e-9)))
    degrees = max(bins - 1, 1)
    return max(LEAST_P, f_upper(squares / max(weight, 1e-9) / excess, degrees, degrees * free)), excess, float(free)


def _basis(a: _Side, b: _Side) -> str:
    return f"{a.count:,} and {b.count:,} spans of {len(np.unique(a.units))} and {len(np.unique(b.units))} parts"
