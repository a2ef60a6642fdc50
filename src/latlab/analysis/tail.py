"""The worst case beyond what was measured: extreme-value estimates with their diagnostics, and a refusal where a diagnostic fails.

Excesses over a high threshold follow a generalised Pareto distribution (Pickands 1975), block maxima a generalised extreme value
distribution; both are fitted by their moments and must agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

from latlab.analysis.columns import Floats
from latlab.analysis.identity import checked_columns
from latlab.model import Clock, CoreId, Metric, Run

THRESHOLD_QUANTILE = 0.95
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
    """`level` is exceeded once in `once_in` samples; None with the failed diagnostics where no estimate may be given. In ns."""

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
    columns = checked_columns(run)
    out = []
    for (name, kind), matrix in columns.matrices.items():
        if kind is not metric or test not in (None, name):
            continue
        for i, core in enumerate(matrix.cores):
            out.append(_tail(run, name, kind, core, matrix.values[:, i], once_in, seed))
    return tuple(out)


def _tail(run: Run, test: str, metric: Metric, core: CoreId, values: Floats, once_in: float, seed: int) -> Tail:
    largest = float(values.max()) if len(values) else 0.0

    def refused(*diagnostics: Diagnostic) -> Tail:
        return Tail(test, metric, core, len(values), largest, once_in, None, None, None, None, diagnostics)

    if run.tick.clock is Clock.INSTRUCTIONS:
        return refused(
            Diagnostic("clock", False, "counts of a deterministic clock have no tail; their maximum is exact for the paths that ran")
        )
    threshold = float(np.quantile(values, THRESHOLD_QUANTILE)) if len(values) else 0.0
    excesses = values[values > threshold] - threshold
    enough = Diagnostic("excesses", len(excesses) >= FEWEST_EXCESSES, f"{len(excesses)} of {len(values)}, {FEWEST_EXCESSES} are needed")
    distinct = len(np.unique(excesses))
    fine = Diagnostic("distinct excesses", distinct >= FEWEST_DISTINCT, f"{distinct}, {FEWEST_DISTINCT} are needed; the tick is too coarse")
    if not enough.passed:
        return refused(enough)
    if not fine.passed:
        return refused(fine)
    fitted = _fit(values, threshold)
    checks = [enough, fine, _shape_check(fitted), _independence(values), _goodness(excesses, fitted), _stability(values, fitted, once_in)]
    estimate = fitted.level(once_in)
    low, high = _interval(values, threshold, once_in, seed)
    checks += _block_check(values, once_in, low, high)
    if not all(check.passed for check in checks):
        return refused(*checks)
    return Tail(test, metric, core, len(values), largest, once_in, estimate, low, high, fitted.shape, tuple(checks))


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


def _stability(values: Floats, fitted: _Pareto, once_in: float) -> Diagnostic:
    """A threshold a little lower or higher must not move the level by half."""
    levels = [_fit(values, float(np.quantile(values, q))).level(once_in) for q in (0.93, 0.97)]
    beyond = fitted.level(once_in) - fitted.threshold
    moved = max(abs(level - fitted.level(once_in)) for level in levels) / beyond if beyond > 0 else np.inf
    return Diagnostic("stability", moved <= 0.5, f"the level moves by {moved * 100:.0f} % between thresholds at 93 % and 97 %")


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
