# SPDX-License-Identifier: BSD-3-Clause
"""The worst case beyond what was measured: extreme-value estimates with their diagnostics, and a refusal where a diagnostic fails.

Excesses over a high threshold follow a generalised Pareto distribution, block maxima a generalised extreme value distribution; the two
must agree. Of wake-ups the recorder keeps the late ones only, each with its time: these are an upper tail already, and once in N
wake-ups is once in N * late / all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special, stats

from latlab.core.comparison.wording import count, p_value
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Run
from latlab.core.shown import significant
from latlab.core.statistics.pareto import Excesses, TailLevel, level_of, over
from latlab.core.statistics.sample_matrix import Floats

FEWEST_EXCESSES = 50
FEWEST_DISTINCT = 20
FEWEST_BLOCKS = 30
MOST_AT_THE_END = 10
LARGEST_SHAPE = 0.7
SMALLEST_SHAPE = -0.5
ALPHA = 0.01
RULE_OF_THREE = 3
CLOSED_WITHIN = 0.1


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A figure, and where it did not pass why that forbids an estimate."""

    name: str
    passed: bool
    figure: str
    why: str = ""

    @property
    def text(self) -> str:
        return f"{self.name}: {self.figure}{f'; {self.why}' if self.why and not self.passed else ''}"


@dataclass(frozen=True, slots=True)
class Tail:
    """`level`, in ns or instructions, is exceeded once in `once_in` samples; None with the failed diagnostics where none may be given.

    `low` and `high` are its 95 % interval. A mode that comes more rarely than once in `detection_limit` samples would not have been seen
    (the rule of
    three), and no fit knows of it: an interval that such a mode could make false has no upper end, and `high` is None. What the end is if
    there is no such mode is `high_without_mode`.
    """

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
    high_without_mode: float | None = None

    @property
    def detection_limit(self) -> float:
        return self.samples / RULE_OF_THREE

    @property
    def refusal(self) -> str:
        return "; ".join(diagnostic.text for diagnostic in self.diagnostics if not diagnostic.passed)


NO_TAIL = Diagnostic(
    "clock", False, "counts of a deterministic clock have no tail distribution; their maximum is exact for the paths that ran"
)


def estimated(run: Run, blank: Tail, values: Floats, once_in: float, most: float, measured: int) -> Tail:
    """`once_in` counts in `values`, of which at most the share `most` are excesses; they are the upper end of so many `measured`."""

    def refused(*diagnostics: Diagnostic) -> Tail:
        return replace(blank, diagnostics=diagnostics)

    if run.tick.clock is Clock.INSTRUCTIONS:
        return refused(NO_TAIL)
    excess_count = _excesses_of(measured, most * len(values))
    enough = Diagnostic("excesses", excess_count >= FEWEST_EXCESSES, f"{excess_count} of {len(values)}, {FEWEST_EXCESSES} are needed")
    if not enough.passed:
        return refused(enough)
    free, end = _independence(values), _end(values, run.tick.value)
    if not end.passed:
        return refused(enough, free, end)
    excesses = over(values, excess_count, run.tick.value)
    distinct = len(np.unique(excesses.values))
    fine = Diagnostic(
        "distinct excesses", distinct >= FEWEST_DISTINCT, f"{distinct}, {FEWEST_DISTINCT} are needed", "the tick is too coarse"
    )
    if not fine.passed:
        return refused(enough, free, end, fine)
    level = level_of(excesses, once_in)
    checks = [enough, free, end, fine, _shape(level), _goodness(excesses, level)]
    checks.append(_stability(level_of(over(values, 2 * excess_count, run.tick.value), once_in), level))
    checks += _block_check(values, once_in, level.low, level.high)
    if not all(check.passed for check in checks):
        return refused(*checks)
    tail = replace(blank, level=level.level, low=level.low, high_without_mode=level.high, shape=level.shape, diagnostics=tuple(checks))
    return replace(tail, high=level.high if blank.once_in <= CLOSED_WITHIN * blank.detection_limit else None)


def _excesses_of(measured: int, most: float) -> int:
    """How many of the largest values are taken: more of a larger sample, but a smaller share, so that bias falls with the scatter.

    200 of 10,000 and 400 of 100,000: a tail that is no Pareto tail, such as the normal one, becomes like one only far out.
    """
    return int(min(most, 200 * (measured / 10_000) ** 0.3))


def _end(values: Floats, tick: float) -> Diagnostic:
    """A value that comes again and again as the largest is a bound, and what lies beyond it no extrapolation can tell."""
    largest = float(values.max())
    often = int((values > largest - tick / 2).sum())
    return Diagnostic("end", often < MOST_AT_THE_END, f"the largest value came {count(often, 'time')}", "the samples end there")


def _shape(level: TailLevel) -> Diagnostic:
    low, high = level.shape_interval
    text = f"{level.shape:.2f} ({low:.2f} to {high:.2f})"
    if level.shape < SMALLEST_SHAPE:
        return Diagnostic(
            "shape",
            False,
            text,
            f"the fitted distribution has an upper end shortly above the largest value; below {SMALLEST_SHAPE} no interval is valid",
        )
    return Diagnostic("shape", high < LARGEST_SHAPE, text, f"from {LARGEST_SHAPE} on few samples determine the fit")


def _compared(p: float) -> str:
    text = p_value(p)
    return text if text.startswith("<") else f"= {text}"


def _independence(values: Floats) -> Diagnostic:
    """Excesses that come in clusters make the sample smaller than it looks: lag-one rank correlation."""
    result = stats.spearmanr(values[:-1], values[1:])
    return Diagnostic(
        "independence",
        float(result.pvalue) >= ALPHA,
        f"lag-one rank correlation {result.statistic:.2f}, p {_compared(result.pvalue)}",
    )


def _goodness(excesses: Excesses, level: TailLevel) -> Diagnostic:
    """Anderson-Darling would weigh the tail more; Cramer-von Mises has a p-value that holds for a fit of this size."""
    result = stats.cramervonmises(excesses.values, "genpareto", args=(level.shape, 0.0, level.scale))
    return Diagnostic("fit", float(result.pvalue) >= ALPHA, f"Cramer-von Mises p {_compared(result.pvalue)}")


def _stability(lower: TailLevel, level: TailLevel) -> Diagnostic:
    """Twice as many excesses must tell a level that these allow."""
    inside = level.low <= lower.level <= level.high
    text = (
        f"{significant(lower.level, 6)} ns by twice as many excesses against {significant(level.low, 6)} to {significant(level.high, 6)} ns"
    )
    return Diagnostic("stability", inside, text)


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
    return [
        Diagnostic(
            "block maxima",
            agrees,
            f"{significant(level)} ns by maxima of {blocks} blocks against {significant(low)} to {significant(high)} ns by excesses",
        )
    ]


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
