# SPDX-License-Identifier: BSD-3-Clause
"""Series of releases with known changes, and samples with known tails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from latlab.core.comparison.by_kind import tails
from latlab.core.comparison.history import Series, history
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Run, Sample, Tick, Topology
from support.runs import run_with

LEVEL_NS = 20_000.0
NOISE = 0.025
TEST = "cpu_susp_serial"
ONE = CoreId(0, 0)


@dataclass(frozen=True)
class Truth:
    """A series of `n` releases: each one's level as a multiple of the first's, and the releases at which a change should be named."""

    name: str
    n: int
    level: Callable[[np.ndarray, int], np.ndarray]
    changes: Callable[[int], tuple[int, ...]] = lambda at: (at,)
    heavy: bool = False
    at: Callable[[np.random.Generator, int], int] = lambda rng, n: int(rng.integers(n // 3, n - n // 3 + 1))


@dataclass
class Found:
    series: int
    counts: Counter[str]

    def share(self, name: str) -> float:
        return self.counts[name] / self.series

    def interval(self, name: str) -> tuple[float, float]:
        low, high = proportion_confint(self.counts[name], self.series, method="wilson")
        return float(low), float(high)

    @property
    def said(self) -> str:
        parts = []
        for name in ("found", "any", "drift named", "others"):
            low, high = self.interval(name)
            parts.append(f"{name} {self.share(name):.3f} [{low:.3f} {high:.3f}]")
        return "  ".join(parts)


def _flat(i: np.ndarray, at: int) -> np.ndarray:
    return np.ones(len(i))


def _step(size: float) -> Callable[[np.ndarray, int], np.ndarray]:
    return lambda i, at: 1.0 + size * (i >= at)


def _bump(size: float, length: int) -> Callable[[np.ndarray, int], np.ndarray]:
    return lambda i, at: 1.0 + size * ((i >= at) & (i < at + length))


def _drift(per_release: float) -> Callable[[np.ndarray, int], np.ndarray]:
    return lambda i, at: 1.0 + per_release * i


SERIES = tuple(
    one
    for heavy in (False, True)
    for n in (8, 12, 20)
    for tail in (", heavy tails" if heavy else "",)
    for one in (
        Truth(f"no change, n = {n}{tail}", n, _flat, lambda at: (), heavy),
        Truth(f"step of 10 %, n = {n}{tail}", n, _step(0.10), heavy=heavy),
        Truth(f"up and back 20 % (3 releases), n = {n}{tail}", n, _bump(0.20, 3), lambda at: (at, at + 3), heavy,
              lambda rng, n: int(rng.integers(2, n - 4))),
        Truth(f"one release 20 %, back, n = {n}{tail}", n, _bump(0.20, 1), lambda at: (at, at + 1), heavy,
              lambda rng, n: int(rng.integers(2, n - 2))),
        Truth(f"newest release 20 %, n = {n}{tail}", n, _step(0.20), heavy=heavy, at=lambda rng, n: n - 1),
        Truth(f"drift of 2 % a release, n = {n}{tail}", n, _drift(0.02), lambda at: (), heavy),
    )
)  # fmt: skip


def release(value_ns: float, number: int) -> Run:
    sample = Sample(TEST, Metric.WAKEUP, ONE, 0, 0, round(value_ns))
    return run_with(platform="bench", topology=Topology((1,)), tick=Tick(Clock.TIME, 1.0), lead=ONE, samples=[sample], id=f"r{number}")


def series_of(truth: Truth, rng: np.random.Generator) -> tuple[Series, tuple[int, ...]]:
    at = truth.at(rng, truth.n)
    noise = rng.standard_t(3, truth.n) / 3**0.5 if truth.heavy else rng.standard_normal(truth.n)
    values = LEVEL_NS * (truth.level(np.arange(truth.n), at) + NOISE * noise)
    (found,) = history([release(value, i) for i, value in enumerate(values)], f"{TEST}/wakeup/*")
    return found, truth.changes(at)


def found_in_series(truth: Truth, count: int, seed: int) -> Found:
    """`found`: every change is named within one release. `others`: a change is named that is none; a drift is none and is named as such.

    What left its level and came back names both its ends.
    """
    rng = np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    for _ in range(count):
        series, due = series_of(truth, rng)
        drifts = [change for change in series.changes if change.kind == "drift"]
        named = [end for change in series.changes if change not in drifts for end in (change.index, change.end) if end < truth.n]
        counts["found"] += bool(due) and all(any(abs(index - at) <= 1 for index in named) for at in due)
        counts["any"] += bool(series.changes)
        counts["others"] += any(all(abs(index - at) > 1 for at in due) for index in named)
        counts["drift named"] += bool(drifts)
    return Found(count, counts)


@dataclass(frozen=True)
class Tailed:
    name: str
    n: int
    distribution: Any


TAILS = tuple(
    Tailed(f"{name}, n = {n:,}", n, distribution)
    for n in (10_000, 100_000)
    for name, distribution in (
        ("exponential", stats.expon(scale=2_000)),
        ("normal", stats.norm(0, 1_000)),
        ("lognormal (0.5)", stats.lognorm(0.5, scale=4_000)),
        ("Pareto 3", stats.pareto(3, scale=4_000)),
        ("Pareto 2.5", stats.pareto(2.5, scale=4_000)),
        ("Pareto 1.5", stats.pareto(1.5, scale=4_000)),
        ("uniform", stats.uniform(0, 5_000)),
    )
)


@dataclass
class Coverage:
    runs: int
    answered: int
    covered: int
    low_missed: int
    refusals: Counter[str]

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the coverage; everything where nothing was answered."""
        if not self.answered:
            return 0.0, 1.0
        low, high = proportion_confint(self.covered, self.answered, method="wilson")
        return float(low), float(high)

    @property
    def said(self) -> str:
        if not self.answered:
            return f"n={self.runs} answered 0  refusals {self.refusals.most_common(2)}"
        low, high = self.interval
        share = self.covered / self.answered
        return (
            f"n={self.runs} answered {self.answered / self.runs:.3f}  covered {share:.3f} [{low:.3f} {high:.3f}]  "
            f"interval too low {self.low_missed / self.answered:.3f}  refusals {self.refusals.most_common(2)}"
        )


def tail_coverage(tailed: Tailed, count: int, seed: int, once_in: float = 1e6) -> Coverage:
    rng = np.random.default_rng(seed)
    due = 20_000 + float(tailed.distribution.isf(1 / once_in))
    found = Coverage(count, 0, 0, 0, Counter())
    for _ in range(count):
        values = 20_000 + tailed.distribution.rvs(tailed.n, random_state=rng)
        samples = [Sample(TEST, Metric.WAKEUP, ONE, 0, i, round(value)) for i, value in enumerate(values)]
        run = run_with(platform="bench", topology=Topology((1,)), tick=Tick(Clock.TIME, 1.0), lead=ONE, samples=samples, id="tail")
        (tail,) = tails(run, None, Metric.WAKEUP, once_in)
        if tail.level is None or tail.low is None or tail.high is None:
            found.refusals[tail.refusal.split(":")[0]] += 1
            continue
        found.answered += 1
        found.covered += tail.low <= due <= tail.high
        found.low_missed += tail.high < due
    return found
