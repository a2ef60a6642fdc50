# SPDX-License-Identifier: BSD-3-Clause
"""When other benchmark tools call two samples different: their documented rules, in code of our own.

Samples are positive numbers for which more is worse. Each rule gets the samples of all data points of two runs and returns the data points
that it calls changed. A rule that tests one data point after the other corrects for nothing, as its tool does.
"""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
Samples = Mapping[str, Floats]
Rule = Callable[[Samples, Samples], frozenset[str]]

TEXTBOOK_ALPHA, TEXTBOOK_MARGIN = 0.05, 0.03
ASV_P, ASV_FACTOR, ASV_CONFIDENCE = 0.002, 1.1, 0.99
PYPERF_CONFIDENCE = 0.95
PERFHERDER_LEAST, PERFHERDER_T, PERFHERDER_DEVIATION = 1.02, 5.0, 0.15
MANN_WHITNEY_P, LEAST_DELTA = 0.05, 0.15
GRID = 20_001


def textbook(before: Samples, after: Samples) -> frozenset[str]:
    """Welch's t-test of each data point, Holm's correction for all of them at 5 %, and means that differ by 3 % or more."""
    if min(map(len, (*before.values(), *after.values()))) < 2:
        return frozenset()
    p_values = {name: welch_p(before[name], after[name]) for name in before}
    rejected = set()
    for rank, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        if not p_values[name] <= TEXTBOOK_ALPHA / (len(p_values) - rank):
            break
        rejected.add(name)
    return frozenset(name for name in rejected if abs(after[name].mean() / before[name].mean() - 1) >= TEXTBOOK_MARGIN)


def welch_p(a: Floats, b: Floats) -> float:
    """Two-sided, with Satterthwaite's degrees of freedom; 1 for two constants that are equal, 0 for two others."""
    parts = np.array([a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)])
    shift = abs(float(b.mean() - a.mean()))
    if not parts.sum():
        return float(not shift)
    freedom = parts.sum() ** 2 / (parts**2 / np.array([len(a) - 1, len(b) - 1])).sum()
    return 2 * float(stats.t.sf(shift / math.sqrt(parts.sum()), freedom))


def asv(before: Samples, after: Samples) -> frozenset[str]:
    """airspeed velocity, `asv compare`: medians that differ by a factor of 1.1, and samples that differ.

    They differ by the Mann-Whitney test at p < 0.002 if so few samples can reach that, otherwise if the 99 % intervals of the medians
    do not overlap. With one sample only the factor counts (asv/commands/compare.py, asv_runner/statistics.py).
    """

    def differs(a: Floats, b: Floats) -> bool:
        if len(a) == 1 or len(b) == 1:
            return True
        if 1 / math.comb(len(a) + len(b), min(len(a), len(b))) < ASV_P:
            return bool(stats.mannwhitneyu(a, b, alternative="two-sided").pvalue < ASV_P)
        (low_a, high_a), (low_b, high_b) = interval_of_median(a), interval_of_median(b)
        return low_b > high_a or high_b < low_a

    def is_changed(a: Floats, b: Floats) -> bool:
        middle_a, middle_b = float(np.median(a)), float(np.median(b))
        return (middle_b > middle_a * ASV_FACTOR or middle_a > middle_b * ASV_FACTOR) and differs(a, b)

    return _each(is_changed, before, after)


def pyperf(before: Samples, after: Samples) -> frozenset[str]:
    """`pyperf compare_to`: Student's t-test with pooled variance, two-sided at 95 % (pyperf/_utils.py, is_significant)."""

    def is_changed(a: Floats, b: Floats) -> bool:
        freedom = len(a) + len(b) - 2
        if not freedom:
            return False
        pooled = float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()) / freedom
        error = math.sqrt(pooled * (1 / len(a) + 1 / len(b)))
        critical = float(stats.t.ppf(0.5 + PYPERF_CONFIDENCE / 2, freedom))
        return abs(float(b.mean() - a.mean())) >= critical * error > 0

    return _each(is_changed, before, after)


def perfcompare_t(before: Samples, after: Samples) -> frozenset[str]:
    """Mozilla's Perfherder and PerfCompare, the older rule: means that differ by 2 %, and a t value of 5 or more.

    One sample alone is given the other run's relative deviation, or 15 % (treeherder, ui/perfherder/perf-helpers/helpers.js).
    """

    def deviation(own: Floats, other: Floats) -> float:
        if len(own) > 1:
            return float(own.std(ddof=1))
        share = float(other.std(ddof=1) / other.mean()) if len(other) > 1 else PERFHERDER_DEVIATION
        return share * float(own[0])

    def is_changed(a: Floats, b: Floats) -> bool:
        error = math.hypot(deviation(a, b) / math.sqrt(len(a)), deviation(b, a) / math.sqrt(len(b)))
        ratio = float(b.mean() / a.mean())
        return max(ratio, 1 / ratio) >= PERFHERDER_LEAST and abs(float(b.mean() - a.mean())) >= PERFHERDER_T * error

    return _each(is_changed, before, after)


def perfcompare_mann_whitney(before: Samples, after: Samples) -> frozenset[str]:
    """PerfCompare's newer rule: the Mann-Whitney test at 5 %, and Cliff's delta of 0.15 or more (treeherder, treeherder/perf)."""

    def is_changed(a: Floats, b: Floats) -> bool:
        test = stats.mannwhitneyu(b, a, alternative="two-sided")
        delta = 2 * float(test.statistic) / (len(a) * len(b)) - 1
        return bool(test.pvalue <= MANN_WHITNEY_P) and abs(delta) >= LEAST_DELTA

    return _each(is_changed, before, after)


def benchstat(before: Samples, after: Samples) -> frozenset[str]:
    """golang.org/x/perf/cmd/benchstat itself, with its defaults: what it prints a difference for and no `~`."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "before.txt", Path(folder) / "after.txt"]
        names = list(before)
        for path, samples in zip(files, (before, after), strict=True):
            lines = [f"BenchmarkPoint{number} 1 {value:g} ns/op" for number, name in enumerate(names) for value in samples[name]]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run(["benchstat", "-format", "csv", *map(str, files)], capture_output=True, text=True, check=True)
    rows = [line.split(",") for line in done.stdout.splitlines()]
    changed = [row[0] for row in rows if len(row) > 5 and row[0].startswith("Point") and row[5].strip("~ ?")]
    return frozenset(names[int(name.removeprefix("Point").partition("-")[0])] for name in changed)


RULES: dict[str, Rule] = {
    "textbook": textbook, "asv": asv, "pyperf": pyperf, "perfcompare, t": perfcompare_t,
    "perfcompare, Mann-Whitney": perfcompare_mann_whitney,
}  # fmt: skip


def rules_here() -> dict[str, Rule]:
    """All rules, and benchstat's where it is installed."""
    return RULES | ({"benchstat": benchstat} if shutil.which("benchstat") else {})


def _each(is_changed: Callable[[Floats, Floats], bool], before: Samples, after: Samples) -> frozenset[str]:
    return frozenset(name for name in before if is_changed(before[name], after[name]))


def interval_of_median(values: Floats) -> tuple[float, float]:
    """asv's 99 % interval: between order statistics of a binomial distribution. An end that so few values do not have is that of the
    posterior of a location with Laplace noise, whose density is sum(|x - location|) ** -n, and no nearer than the outermost value."""
    ordered, half = np.sort(values), (1 - ASV_CONFIDENCE) / 2
    below = stats.binom.cdf(np.arange(len(ordered)), len(ordered), 0.5)
    low = ordered[np.nonzero(below <= half)[0][-1]] if below[0] <= half else None
    high = ordered[np.argmax(below >= 1 - half)] if len(ordered) > 1 and below[-2] >= 1 - half else None
    if low is None or high is None:
        tails = _laplace_quantiles(ordered, (half, 1 - half))
        low = min(tails[0], ordered[0]) if low is None else low
        high = max(tails[1], ordered[-1]) if high is None else high
    return float(low), float(high)


def _laplace_quantiles(ordered: Floats, shares: tuple[float, float]) -> tuple[float, float]:
    """By the trapezoid rule over tan(u), which reaches far into the tails."""
    middle = float(np.median(ordered))
    scale = float(np.abs(ordered - middle).mean())
    if not scale:
        return middle, middle
    angle = np.linspace(-1, 1, GRID)[1:-1] * math.pi / 2
    at = middle + scale * np.tan(angle)
    distance = np.abs(at[:, None] - ordered[None, :]).sum(axis=1) / (scale * len(ordered))
    density = distance ** -float(len(ordered)) / np.cos(angle) ** 2
    steps = [(right - left) for left, right in pairwise(angle)]
    mass = np.concatenate(([0.0], np.cumsum((density[1:] + density[:-1]) / 2 * steps)))
    return float(np.interp(shares[0] * mass[-1], mass, at)), float(np.interp(shares[1] * mass[-1], mass, at))
