# SPDX-License-Identifier: BSD-3-Clause
"""The verdicts, the threshold of a change, the equivalence margin, and the limit that a user can set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from latlab.core.errors import UsageError
from latlab.core.shown import significant
from latlab.core.statistics.statistics import Shift


class Verdict(StrEnum):
    """Four words, one of them with a detail. A reader sees the word, and the detail in parentheses; files have both in fields.

    `unchanged`: equivalent within the threshold, in level and shape. With a detail: different by less than the threshold; equivalent in
    level, with too few samples for a result on the tail; of a whole only, some rows are inconclusive, and none of them can hide a large
    change. `inconclusive`: neither shown to differ nor equivalent.
    """

    REGRESSED = "regressed"
    IMPROVED = "improved"
    MOVED = "unchanged: less than the threshold"
    SAME_LEVEL = "unchanged: tail inconclusive"
    SAME = "unchanged"
    NOT_SHOWN = "unchanged: some rows inconclusive"
    CANNOT_TELL = "inconclusive"

    def __str__(self) -> str:
        return f"{self.word} ({self.detail})" if self.detail else self.word

    @property
    def word(self) -> str:
        """One of `WORDS`."""
        return self.value.partition(": ")[0]

    @property
    def detail(self) -> str:
        """What the word leaves out; empty for most."""
        return self.value.partition(": ")[2]


WORDS = ("regressed", "improved", "unchanged", "inconclusive")
CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)
SAME_LEVELS = frozenset({Verdict.SAME, Verdict.SAME_LEVEL})
WORST_FIRST = (Verdict.REGRESSED, Verdict.CANNOT_TELL, Verdict.IMPROVED, Verdict.MOVED, Verdict.SAME_LEVEL, Verdict.SAME)


@dataclass(frozen=True, slots=True)
class Limits:
    """The threshold of a change is the largest of `relative` times the baseline, `steps` resolutions and the uncertainty of the capture
    cost.

    Two captures make a span and each may be off by one tick, so two spans of equal length may differ by two printed ticks: `steps` is 2.
    Under the instruction clock figures are exact and the threshold is 0, unless `relative_exact` is given. `alpha` is the probability
    that any row of a metric is called changed if nothing changed. The same threshold is the equivalence margin of `unchanged`, for
    any number of boots. A change beyond `large` must be reported, and a largest wake-up beyond `large_maximum` times the other.
    """

    relative: float = 0.03
    steps: float = 2.0
    relative_exact: float = 0.0
    alpha: float = 0.0025
    large: float = 0.20
    large_maximum: float = 4.0

    def threshold(self, baseline: float, resolution: float, capture: float) -> float:
        return max(self.relative * abs(baseline), self.steps * resolution, capture)


def decide(shift: Shift, threshold: float, p_adjusted: float, alpha: float) -> Verdict:
    """The verdict on a shift for which more is worse. A significant shift has its detail, however small."""
    if p_adjusted < alpha and shift.value:
        return decide_exact(shift.value, threshold)
    if -threshold <= shift.low and shift.high <= threshold:
        return Verdict.SAME
    return Verdict.CANNOT_TELL


def decide_exact(difference: float, threshold: float) -> Verdict:
    if abs(difference) <= threshold:
        return Verdict.MOVED if difference else Verdict.SAME
    return Verdict.REGRESSED if difference > 0 else Verdict.IMPROVED


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of the verdicts on the parts of one row; `inconclusive` without any."""
    present = set(verdicts)
    return next((verdict for verdict in WORST_FIRST if verdict in present), Verdict.CANNOT_TELL)


def limits_of(tolerance_percent: float | None) -> Limits:
    """The limits with another relative threshold, for changes and for `unchanged`, under every clock. None keeps the defaults."""
    if tolerance_percent is None:
        return Limits()
    if not 0 <= tolerance_percent < 100:
        raise UsageError(f"--tolerance {significant(tolerance_percent)} is not a percentage", "use 0 to below 100", value=tolerance_percent)
    share = tolerance_percent / 100
    return Limits(relative=share, relative_exact=share)
