# SPDX-License-Identifier: BSD-3-Clause
"""How strong a change chance makes: the largest statistic over all intervals of a level series, by Monte Carlo from a fixed seed.

Errors are drawn as normal and as Student's t with three degrees of freedom, and the larger p-value holds: an outlier is what a heavy
tail makes, and nothing in a dozen values tells which of the two it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

import numpy as np

from latlab.analysis.base.columns import Floats, Ints

ALPHA = 0.05
MOST_POINTS = 200
DRAWS = 4000
FEWEST_DRAWS = 1000
AT_ONCE = 2_000_000
SEED = 20040422


class Lasting(StrEnum):
    """What chance makes unequally often is judged apart: the newest point differs, one point, all from one on, or some in between."""

    NEWEST = "newest"
    ALONE = "alone"
    STAYS = "stays"
    RETURNS = "returns"


SHARES = {Lasting.NEWEST: 0.35, Lasting.ALONE: 0.1, Lasting.STAYS: 0.4, Lasting.RETURNS: 0.15}


@dataclass(frozen=True, slots=True)
class Best:
    """The strongest of one kind: points `start` to below `end`, its statistic, and the sum of squares that it leaves."""

    lasting: Lasting
    start: int
    end: int
    statistic: float
    squares: float


@dataclass(frozen=True, slots=True)
class _Intervals:
    """Every way to set some neighbouring points of n apart from the others; a border that cuts the series in two has its end at n."""

    starts: Ints
    ends: Ints
    lasting: dict[Lasting, Ints]

    @property
    def single_border(self) -> Ints:
        return np.flatnonzero(self.ends == self.ends.max(initial=0))


@lru_cache(maxsize=64)
def _intervals(n: int, has_newest: bool) -> _Intervals:
    starts, ends = (part + 1 for part in np.triu_indices(n - 1))
    starts, ends = starts, ends + 1
    one = (ends - starts == 1) | ((starts == 1) & (ends == n))
    newest = (starts == n - 1) & has_newest
    more = ~one & ~newest
    kinds = {Lasting.NEWEST: newest, Lasting.ALONE: one & ~newest, Lasting.STAYS: more & (ends == n), Lasting.RETURNS: more & (ends < n)}
    return _Intervals(starts, ends, {kind: np.flatnonzero(which) for kind, which in kinds.items() if which.any()})


def variance(squares: Floats, within: Floats | float, n: int, values: int, floor: float, parameters: int = 2) -> Floats:
    """Of one boot: the larger of what the points scatter about their levels and what this is together with the boots inside the points."""
    between = squares / (n - parameters) if n > parameters else np.zeros_like(squares)
    pooled = (squares + within) / (values - parameters) if values > n else np.zeros_like(squares)
    return np.asarray(np.maximum(np.maximum(between, pooled), floor))


def strongest(medians: Floats, weights: Floats, within: float, floor: float, has_newest: bool) -> list[Best]:
    """The strongest change of each kind."""
    n = len(medians)
    intervals = _intervals(n, has_newest)
    gain, total = _gains(medians[None, :], weights, intervals)
    squares = np.maximum(total[:, None] - gain, 0.0)
    statistic = _ratio(gain, variance(squares, within, n, int(weights.sum()), floor))[0]
    out = []
    for kind, which in intervals.lasting.items():
        at = which[int(np.argmax(statistic[which]))]
        out.append(Best(kind, int(intervals.starts[at]), int(intervals.ends[at]), float(statistic[at]), float(squares[0, at])))
    return out


def p_value(key: tuple[int, ...], has_newest: bool, best: Best) -> float:
    """How often chance makes a change of any kind that is as rare as this one among its own kind, for points of so many boots each."""
    return _null(key, has_newest).p_value(best.lasting, best.statistic)


def critical(key: tuple[int, ...], has_newest: bool, lasting: Lasting, level: float) -> float:
    """The statistic from which on a change of a kind is shown."""
    return _null(key, has_newest).critical(lasting, level)


@lru_cache(maxsize=256)
def extra_edge(key: tuple[int, ...]) -> float:
    """How many times the sum of squares of the best single border is that of the best two in 95 % of series that have one large step."""
    n, weights = len(key), np.array(key, float)
    intervals = _intervals(n, False)
    ratios = []
    for noise in _noise(key, np.random.default_rng(SEED + 1)):
        medians = noise.medians
        at = np.random.default_rng(SEED + 2).integers(min(2, n - 1), max(n - 1, 2), len(medians))
        gain, total = _gains(medians + 1000.0 * (np.arange(n) >= at[:, None]), weights, intervals)
        left = np.maximum(total[:, None] - gain, 1e-12)
        ratios.append(left[:, intervals.single_border].min(axis=1) / left.min(axis=1))
    return float(np.quantile(np.concatenate(ratios), 0.95))


@dataclass(frozen=True, slots=True)
class _Null:
    """Of level series with normal errors and with heavy-tailed ones, sorted: the largest statistic of each kind, and the least rarity.

    The rarity of a change is its p-value among those of its kind, under the errors that make it larger, divided by the kind's share.
    """

    largest: dict[Lasting, tuple[Floats, Floats]]
    rarest: tuple[Floats, Floats] = (np.empty(0), np.empty(0))

    def rarity(self, lasting: Lasting, statistic: Floats | float) -> Floats:
        of_each = [(1 + len(drawn) - np.searchsorted(drawn, statistic)) / (1 + len(drawn)) for drawn in self.largest[lasting]]
        return np.asarray(np.maximum(*of_each) / SHARES[lasting])

    def p_value(self, lasting: Lasting, statistic: float) -> float:
        rarity = self.rarity(lasting, statistic)
        return max((1 + int(np.searchsorted(drawn, rarity, side="right"))) / (1 + len(drawn)) for drawn in self.rarest)

    def critical(self, lasting: Lasting, level: float) -> float:
        share = min(float(np.quantile(drawn, level)) for drawn in self.rarest) * SHARES[lasting]
        return max(float(np.quantile(drawn, max(0.0, 1 - share))) for drawn in self.largest[lasting])


@lru_cache(maxsize=256)
def _null(key: tuple[int, ...], has_newest: bool) -> _Null:
    n, weights = len(key), np.array(key, float)
    intervals = _intervals(n, has_newest)
    pieces: tuple[list[Floats], list[Floats]] = ([], [])
    for noise in _noise(key, np.random.default_rng(SEED)):
        gain, total = _gains(noise.medians, weights, intervals)
        left = np.maximum(total[:, None] - gain, 0.0)
        statistic = _ratio(gain, variance(left, noise.within[:, None], n, int(weights.sum()), 0.0))
        pieces[noise.heavy].append(np.stack([statistic[:, which].max(axis=1) for which in intervals.lasting.values()]))
    drawn = [dict(zip(intervals.lasting, np.concatenate(piece, axis=1), strict=True)) for piece in pieces]
    null = _Null({kind: (np.sort(drawn[0][kind]), np.sort(drawn[1][kind])) for kind in intervals.lasting})
    normal, heavy = (np.sort(np.min([null.rarity(kind, own[kind]) for kind in own], axis=0)) for own in drawn)
    return replace(null, rarest=(normal, heavy))


@dataclass(frozen=True, slots=True)
class _Noise:
    heavy: int
    medians: Floats
    within: Floats


def _noise(key: tuple[int, ...], rng: np.random.Generator) -> Iterator[_Noise]:
    """Level series of points with so many boots each, a few thousand of each sort, in pieces that fit into memory."""
    pairs = len(key) ** 2 // 2 + 1
    draws = max(FEWEST_DRAWS, min(DRAWS, 8 * AT_ONCE // pairs))
    size = max(1, min(draws, AT_ONCE // pairs))
    for heavy in (0, 1):
        for first in range(0, draws, size):
            shape = (min(size, draws - first), sum(key))
            values = rng.standard_t(3, shape) if heavy else rng.standard_normal(shape)
            yield _reduced(heavy, values, key)


def _reduced(heavy: int, values: Floats, key: tuple[int, ...]) -> _Noise:
    if max(key) == 1:
        return _Noise(heavy, values, np.zeros(len(values)))
    parts = np.split(values, np.cumsum(key)[:-1], axis=1)
    medians = np.stack([np.median(part, axis=1) for part in parts], axis=1)
    within = np.sum([((part - np.median(part, axis=1, keepdims=True)) ** 2).sum(axis=1) for part in parts], axis=0)
    return _Noise(heavy, medians, within)


def _gains(medians: Floats, weights: Floats, intervals: _Intervals) -> tuple[Floats, Floats]:
    """By how much two levels leave less than one, for each series (row) and interval (column); and what one level leaves."""
    total = weights.sum()
    offset = medians - np.median(medians, axis=1, keepdims=True)
    centred = offset - (offset @ weights / total)[:, None]
    sums = np.concatenate([np.zeros((len(medians), 1)), np.cumsum(centred * weights, axis=1)], axis=1)
    before = np.r_[0.0, np.cumsum(weights)]
    inside = before[intervals.ends] - before[intervals.starts]
    gain = (sums[:, intervals.ends] - sums[:, intervals.starts]) ** 2 * (total / (inside * (total - inside)))
    return gain, (centred**2) @ weights


def _ratio(gain: Floats, scatter: Floats) -> Floats:
    return np.asarray(np.where(gain > 0, gain / np.where(scatter > 0, scatter, 1e-300), 0.0))
