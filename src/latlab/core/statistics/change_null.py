# SPDX-License-Identifier: BSD-3-Clause
"""The null distribution of the change-point statistic: its largest value over all intervals of a series without a change, by Monte Carlo
with a fixed seed.

A release may depend on the one before it, so a series without a change wanders. The statistic is the log-likelihood ratio of two levels
against one, with first-order autoregressive errors, each at its maximum-likelihood correlation. The null draws normal errors with
correlation 0, 0.5 and 0.8, and Student's t errors (3 degrees of freedom) with correlation 0 and 0.5. The largest p-value of these
counts, because a dozen values cannot tell which of them applies. Heavy-tailed errors with correlation 0.8 are left out: in a dozen
values they look like steps, and one series in ten would then be reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

import numpy as np

from latlab.core.statistics.sample_matrix import Floats, Ints

ALPHA = 0.05
MOST_POINTS = 60
DRAWS = 2000
FEWEST_DRAWS = 1000
AT_ONCE = 1_000_000
SEED = 20040422
CORRELATIONS = (0.0, 0.4, 0.8)
DRAWN = ((0.0, False), (0.5, False), (0.8, False), (0.0, True), (0.5, True))
"""Correlation, and whether tails are heavy."""
ROUNDING = 1e-18


class NullShape(StrEnum):
    """The shapes of a change. Chance produces them at different rates, so each is tested by itself."""

    NEWEST = "newest"
    ALONE = "alone"
    STEP = "step"
    RETURNS = "returns"
    STAIRS = "stairs"
    LINE = "line"


SHARES = {
    NullShape.NEWEST: 0.28,
    NullShape.ALONE: 0.08,
    NullShape.STEP: 0.34,
    NullShape.RETURNS: 0.12,
    NullShape.STAIRS: 0.1,
    NullShape.LINE: 0.08,
}
OF_PAIRS = (NullShape.RETURNS, NullShape.STAIRS)


@dataclass(frozen=True, slots=True)
class Best:
    """The strongest change of one shape: its levels begin at 0 and at each of `borders`; and its statistic."""

    shape: NullShape
    borders: tuple[int, ...]
    statistic: float


@dataclass(frozen=True)
class _Shapes:
    """The candidate changes of n points. `design` has a column for each single change, and `of_shape` gives its shape; the first n - 1
    columns are the steps. The pairs of steps leave at least two points on each of three levels: a level that returns, or stairs."""

    design: Floats
    borders: tuple[tuple[int, ...], ...]
    of_shape: dict[NullShape, Ints]
    first: Ints
    second: Ints


@lru_cache(maxsize=64)
def _shapes(n: int, has_newest: bool) -> _Shapes:
    points = np.arange(n)
    steps = [(points >= at).astype(float) for at in range(1, n)]
    alone = [(points == at).astype(float) for at in range(1, n - 1)]
    design = np.array([*steps, *alone, points / n]).T
    borders = (*((at,) for at in range(1, n)), *((at, at + 1) for at in range(1, n - 1)), ())
    ends = {0} if has_newest else {0, n - 2}
    of_shape = {
        NullShape.NEWEST: np.array([n - 2] if has_newest else [], int),
        NullShape.ALONE: np.array([*sorted(ends), *range(n - 1, 2 * n - 3)], int),
        NullShape.STEP: np.arange(1, n - 2),
        NullShape.LINE: np.array([2 * n - 3] if n > 2 else [], int),
    }
    first, second = (part + 1 for part in np.triu_indices(max(n - 3, 0), 2))
    return _Shapes(design, borders, {shape: which for shape, which in of_shape.items() if len(which)}, first, second)


def strongest(values: Floats, floor: float, has_newest: bool, correlations: tuple[float, ...] = CORRELATIONS) -> list[Best]:
    """The strongest change of each shape in `values`, whose errors have a variance of at least `floor`."""
    shapes = _shapes(len(values), has_newest)
    least, (single,), *pairs = _squares(values[None, :], shapes, floor, correlations)
    out = []

    def add(shape: NullShape, borders: tuple[int, ...], squares: float) -> None:
        out.append(Best(shape, borders, float(_statistic(least[0], squares, len(values)))))

    for shape, which in shapes.of_shape.items():
        at = int(which[np.argmin(single[which])])
        add(shape, shapes.borders[at], single[at])
    for shape, (of_pairs,) in zip(OF_PAIRS, pairs, strict=True):
        if len(of_pairs):
            at = int(np.argmin(of_pairs))
            add(shape, (int(shapes.first[at]) + 1, int(shapes.second[at]) + 1), of_pairs[at])
    return out


def _statistic(level: Floats, squares: Floats | float, n: int) -> Floats:
    """The log-likelihood ratio of a model with residuals `squares` against one level."""
    return np.asarray(np.maximum(n / 2 * np.log(level / squares), 0.0))


def p_value(n: int, has_newest: bool, best: Best) -> float:
    """The probability that a series of n points without a change shows a change of any shape as rare as this one is in its shape."""
    return _null(min(n, MOST_POINTS), has_newest).p_value(best.shape, best.statistic)


@dataclass(frozen=True, slots=True)
class _Null:
    """Series without a change, for each kind of errors: the sorted largest statistics of each shape, and the sorted smallest rarities.

    The rarity of a change is its p-value in the null of its shape, under the errors that make it largest, divided by the share of the
    shape.
    """

    largest: dict[NullShape, tuple[Floats, ...]]
    rarest: tuple[Floats, ...] = ()

    def rarity(self, shape: NullShape, statistic: Floats | float) -> Floats:
        of_each = [
            (1 + len(distribution) - np.searchsorted(distribution, statistic)) / (1 + len(distribution))
            for distribution in self.largest[shape]
        ]
        return np.asarray(np.max(of_each, axis=0) / SHARES[shape])

    def p_value(self, shape: NullShape, statistic: float) -> float:
        rarity = self.rarity(shape, statistic)
        return max((1 + int(np.searchsorted(distribution, rarity, side="right"))) / (1 + len(distribution)) for distribution in self.rarest)


@lru_cache(maxsize=256)
def _null(n: int, has_newest: bool) -> _Null:
    shapes = _shapes(n, has_newest)
    distributions = []
    for correlation, is_heavy in DRAWN:
        pieces = [_largest(series, shapes) for series in _noise(n, correlation, is_heavy)]
        distributions.append({shape: np.concatenate([piece[shape] for piece in pieces]) for shape in pieces[0]})
    null = _Null({shape: tuple(np.sort(by_shape[shape]) for by_shape in distributions) for shape in distributions[0]})
    return replace(
        null,
        rarest=tuple(np.sort(np.min([null.rarity(shape, by_shape[shape]) for shape in by_shape], axis=0)) for by_shape in distributions),
    )


def _largest(series: Floats, shapes: _Shapes) -> dict[NullShape, Floats]:
    level, single, *pairs = _squares(series, shapes, 0.0, CORRELATIONS)
    least = {shape: single[:, which].min(axis=1) for shape, which in shapes.of_shape.items()}
    least |= {shape: of_pairs.min(axis=1) for shape, of_pairs in zip(OF_PAIRS, pairs, strict=True) if of_pairs.size}
    return {shape: _statistic(level, squares, series.shape[1]) for shape, squares in least.items()}


def _noise(n: int, correlation: float, is_heavy: bool) -> Iterator[Floats]:
    """Series of n points without a change, in parts that fit into memory."""
    rng = np.random.default_rng(SEED)
    pairs = n**2 // 2 + 1
    draws = max(FEWEST_DRAWS, min(DRAWS, 8 * AT_ONCE // pairs))
    size = max(1, min(draws, AT_ONCE // pairs))
    for first in range(0, draws, size):
        shape = (min(size, draws - first), n)
        yield _dependent(rng.standard_t(3, shape) if is_heavy else rng.standard_normal(shape), correlation)


def _dependent(errors: Floats, correlation: float) -> Floats:
    """A stationary first-order autoregressive series with variance 1, from independent errors."""
    out = errors.copy()
    for i in range(1, errors.shape[1]):
        out[:, i] = correlation * out[:, i - 1] + (1 - correlation**2) ** 0.5 * errors[:, i]
    return out


def _squares(series: Floats, shapes: _Shapes, floor: float, correlations: tuple[float, ...]) -> list[Floats]:
    """Residual sums of squares of each series (row): for one level, for each column of the design, and for each pair of steps as a
    return and as stairs.

    Each is taken at the correlation with the largest likelihood, and scaled so that likelihoods at different correlations are
    comparable.
    """
    rows, n = series.shape
    centred = series - series.mean(axis=1, keepdims=True)
    least = (n * floor + ROUNDING * (1e-280 + (series**2).sum(axis=1)))[:, None]
    sizes = (1, shapes.design.shape[1], len(shapes.first), len(shapes.first))
    minima = [np.full((rows, size), np.inf) for size in sizes]
    for correlation in correlations:
        dearer = (1 - correlation**2) ** (-1 / n)
        for best, squares in zip(minima, _residual_squares(centred, shapes, correlation), strict=True):
            np.minimum(best, dearer * np.maximum(squares, least), out=best)
    return [minima[0][:, 0], *minima[1:]]


def _residual_squares(centred: Floats, shapes: _Shapes, correlation: float) -> tuple[Floats, ...]:
    """Residual sums of squares of one level, of one level plus each column, and of each pair of steps as a return and as stairs, after
    whitening with this correlation."""
    design = _whitened(shapes.design.T, correlation)
    level = _whitened(np.ones((1, len(shapes.design))), correlation)[0]
    level /= np.linalg.norm(level)
    white = _whitened(centred, correlation)
    white -= np.outer(white @ level, level)
    design -= np.outer(design @ level, level)
    squares, products = (design**2).sum(axis=1), white @ design.T
    whole = (white**2).sum(axis=1, keepdims=True)
    first, second = shapes.first, shapes.second
    across = (design[first] * design[second]).sum(axis=1)
    a, b, p, q = squares[first], squares[second], products[:, first], products[:, second]
    returns = (p - q) ** 2 / (a + b - 2 * across)
    stairs = (b * p**2 - 2 * across * p * q + a * q**2) / (a * b - across**2)
    return whole, whole - products**2 / squares, whole - returns, whole - stairs


def _whitened(rows: Floats, correlation: float) -> Floats:
    out = rows.astype(float)
    out[:, 1:] -= correlation * rows[:, :-1]
    out[:, 0] *= (1 - correlation**2) ** 0.5
    return out
