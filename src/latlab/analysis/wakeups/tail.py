# SPDX-License-Identifier: BSD-3-Clause
"""The worst case beyond what was measured: extreme-value estimates with their diagnostics, and a refusal where a diagnostic fails.

Excesses over a high threshold follow a generalised Pareto distribution (Pickands 1975), block maxima a generalised extreme value
distribution; both are fitted by their moments and must agree. Of wake-ups the recorder keeps the late ones only, each with its time:
these are an upper tail already, and once in N wake-ups is once in N * late / all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special, stats

from latlab.analysis.base.columns import Floats
from latlab.analysis.base.identity import checked_columns
from latlab.analysis.wakeups.wakeup_identity import check_latencies
from latlab.model.enums import Clock, Kind, Metric
from latlab.model.run import CoreId, Distribution, Run

EVERY_SPAN = (0.93, 0.95, 0.97)
LATE_ONLY = (0.4, 0.5, 0.6)
FEWEST_EXCESSES = 50
FEWEST_DISTINCT = 20
FEWEST_BLOCKS = 30
LARGEST_SHAPE = 0.5
ALPHA = 0.01
BOOTSTRAPS = 400


@dataclass(frozen=True, slots=True)
class Diagnostic:
    name: str
    passed: bool
    figure: str


@dataclass(frozen=True, slots=True)
class Tail:
    """`level`, in ns or instructions, is exceeded once in `once_in` samples; None with the failed diagnostics where none may be given."""

    test: str
    metric: Metric
    core: CoreId
    samples: int
    largest: float
    once_in: float
    level: float | None
    low: float | None
    high: float | None
    shape: float | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def refusal(self) -> str:
        return "; ".join(f"{d.name}: {d.figure}" for d in self.diagnostics if not d.passed)


NO_TAIL = Diagnostic("clock", False, "counts of a deterministic clock have no tail; their maximum is exact for the paths that ran")


@dataclass(frozen=True, slots=True)
class _Pareto:
    threshold: float
    share: float
    shape: float
    scale: float

    def level(self, once_in: float) -> float:
        """The value that a share of 1/once_in of the samples exceeds."""
        ratio = self.share * once_in
        if abs(self.shape) < 1e-9:
            return self.threshold + self.scale * float(np.log(ratio))
        return self.threshold + self.scale / self.shape * (float(ratio**self.shape) - 1)


def tails(run: Run, test: str | None, metric: Metric, once_in: float, seed: int = 1) -> tuple[Tail, ...]:
    """One estimate for each core of each test that has the metric. Raises NotComparable where the run holds nothing."""
    if run.kind is Kind.WAKEUPS:
        check_latencies(run)
        wanted = [one for one in run.distributions if one.metric is metric and test in (None, one.test)]
        return tuple(_late_tail(run, one, once_in, seed) for one in wanted)
    columns = checked_columns(run)
    out = []
    for (name, kind), matrix in columns.matrices.items():
        if kind is not metric or test not in (None, name):
            continue
        for i, core in enumerate(matrix.cores):
            values = matrix.values[:, i]
            largest = float(values.max()) if len(values) else 0.0
            blank = Tail(name, kind, core, len(values), largest, once_in, None, None, None, None, ())
            out.append(_tail(run, blank, values, once_in, EVERY_SPAN, seed))
    return tuple(out)


def _late_tail(run: Run, one: Distribution, once_in: float, seed: int) -> Tail:
    """By the wake-ups that the recorder kept, in the order in which they came."""
    blank = Tail(one.test, one.metric, one.core, one.got, one.maximum_ticks * run.tick.value, once_in, None, None, None, None, ())
    if run.tick.clock is Clock.INSTRUCTIONS:
        return replace(blank, diagnostics=(NO_TAIL,))
    if one.late_dropped:
        return replace(blank, diagnostics=(Diagnostic("outliers", False, f"{one.late_dropped} were not kept; raise the threshold"),))
    if not one.late:
        said = "no wake-up was kept with its time; measure with the recorder, for longer or with a lower --threshold"
        return replace(blank, diagnostics=(Diagnostic("outliers", False, said),))
    values = np.array([late.late_ticks for late in sorted(one.late, key=lambda late: late.wake_ns)]) * run.tick.value
    return _tail(run, blank, values, max(once_in * len(values) / one.got, 1 + 1e-9), LATE_ONLY, seed)


def _tail(run: Run, blank: Tail, values: Floats, once_in: float, quantiles: tuple[float, float, float], seed: int) -> Tail:
    """`once_in` counts in `values`; the thresholds are their quantiles: the one that is used between two for its stability."""

    def refused(*diagnostics: Diagnostic) -> Tail:
        return replace(blank, diagnostics=diagnostics)

    if run.tick.clock is Clock.INSTRUCTIONS:
        return refused(NO_TAIL)
    threshold = float(np.quantile(values, quantiles[1])) if len(values) else 0.0
    excesses = values[values > threshold] - threshold
    enough = Diagnostic("excesses", len(excesses) >= FEWEST_EXCESSES, f"{len(excesses)} of {len(values)}, {FEWEST_EXCESSES} are needed")
    distinct = len(np.unique(excesses))
    fine = Diagnostic("distinct excesses", distinct >= FEWEST_DISTINCT, f"{distinct}, {FEWEST_DISTINCT} are needed; the tick is too coarse")
    if not enough.passed:
        return refused(enough)
    if not fine.passed:
        return refused(fine)
    fitted = _fit(values, threshold)
    checks = [enough, fine, _shape_check(fitted), _independence(values), _goodness(excesses, fitted)]
    checks.append(_stability(values, fitted, once_in, quantiles))
    estimate = fitted.level(once_in)
    low, high = _interval(values, threshold, once_in, seed)
    checks += _block_check(values, once_in, low, high)
    if not all(check.passed for check in checks):
        return refused(*checks)
    return replace(blank, level=estimate, low=low, high=high, shape=fitted.shape, diagnostics=tuple(checks))


def _fit(values: Floats, threshold: float) -> _Pareto:
    """Probability-weighted moments (Hosking and Wallis 1987): closed form, and steadier than maximum likelihood on few excesses."""
    excesses = np.sort(values[values > threshold] - threshold)
    n = len(excesses)
    mean = float(excesses.mean())
    weighted = float((excesses * (n - np.arange(1, n + 1))).sum() / (n * (n - 1)))
    gap = mean - 2 * weighted
    return _Pareto(threshold, n / len(values), 2 - mean / gap, 2 * mean * weighted / gap)


def _shape_check(fitted: _Pareto) -> Diagnostic:
    return Diagnostic("shape", fitted.shape < LARGEST_SHAPE, f"{fitted.shape:.2f}, below {LARGEST_SHAPE} the tail has a variance")


def _independence(values: Floats) -> Diagnostic:
    """Excesses that come in clusters make the sample smaller than it looks: lag-one rank correlation."""
    result = stats.spearmanr(values[:-1], values[1:])
    return Diagnostic(
        "independence", float(result.pvalue) >= ALPHA, f"lag-one rank correlation {result.statistic:.2f}, p = {result.pvalue:.2g}"
    )


def _goodness(excesses: Floats, fitted: _Pareto) -> Diagnostic:
    """Anderson-Darling would weigh the tail more; Cramer-von Mises has a p-value that holds for a fit of this size."""
    result = stats.cramervonmises(excesses, "genpareto", args=(fitted.shape, 0.0, fitted.scale))
    return Diagnostic("fit", float(result.pvalue) >= ALPHA, f"Cramer-von Mises p = {result.pvalue:.2g}")


def _stability(values: Floats, fitted: _Pareto, once_in: float, quantiles: tuple[float, float, float]) -> Diagnostic:
    """A threshold a little lower or higher must not move the level by half."""
    levels = [_fit(values, float(np.quantile(values, q))).level(once_in) for q in quantiles[::2]]
    beyond = fitted.level(once_in) - fitted.threshold
    moved = max(abs(level - fitted.level(once_in)) for level in levels) / beyond if beyond > 0 else np.inf
    low, _, high = (f"{q * 100:.0f} %" for q in quantiles)
    return Diagnostic("stability", moved <= 0.5, f"the level moves by {moved * 100:.0f} % between thresholds at {low} and {high}")


def _interval(values: Floats, threshold: float, once_in: float, seed: int) -> tuple[float, float]:
    """95 % interval by refitting resampled values."""
    rng = np.random.default_rng(seed)
    levels = []
    for _ in range(BOOTSTRAPS):
        drawn = rng.choice(values, len(values))
        if (drawn > threshold).sum() >= FEWEST_EXCESSES // 2:
            levels.append(_fit(drawn, threshold).level(once_in))
    low, high = np.quantile(levels, [0.025, 0.975])
    return float(low), float(high)


def _block_check(values: Floats, once_in: float, low: float, high: float) -> list[Diagnostic]:
    """The level by maxima of blocks must lie near the interval by excesses."""
    size = max(10, int(np.sqrt(len(values))))
    blocks = len(values) // size
    if blocks < FEWEST_BLOCKS:
        return []
    maxima = values[: blocks * size].reshape(blocks, size).max(axis=1)
    distribution = _extreme_value(maxima)
    level = float(distribution.isf(size / once_in)) if once_in > size else float(np.max(maxima))
    slack = high - low
    agrees = low - slack <= level <= high + slack
    return [Diagnostic("block maxima", agrees, f"{level:.6g} by maxima of {blocks} blocks against {low:.6g} to {high:.6g} by excesses")]


def _extreme_value(maxima: Floats) -> Any:
    """The generalised extreme value distribution with the L-moments of `maxima` (Hosking, Wallis and Wood 1985)."""
    ordered = np.sort(maxima)
    n = len(ordered)
    i = np.arange(n)
    b0, b1 = float(ordered.mean()), float((ordered * i).sum() / (n * (n - 1)))
    b2 = float((ordered * i * (i - 1)).sum() / (n * (n - 1) * (n - 2)))
    second, skewness = 2 * b1 - b0, (6 * b2 - 6 * b1 + b0) / (2 * b1 - b0)
    c = 2 / (3 + skewness) - np.log(2) / np.log(3)
    k = 7.8590 * c + 2.9554 * c**2
    gamma = float(special.gamma(1 + k))
    scale = second * k / ((1 - 2.0**-k) * gamma)
    return stats.genextreme(k, loc=b0 - scale * (1 - gamma) / k, scale=scale)
