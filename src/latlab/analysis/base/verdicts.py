# SPDX-License-Identifier: BSD-3-Clause
"""The verdicts, the limits beyond which a difference counts and those within which two figures are the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from latlab.analysis.base.statistics import Shift


class Verdict(StrEnum):
    """`same` is shown equivalent within the threshold, level and shape; `same level` where the samples cannot tell of the shape.

    What is shown to differ, but by no more than the threshold, is `moved`; what is neither shown different nor equivalent `cannot tell`.
    """

    REGRESSED = "regressed"
    IMPROVED = "improved"
    MOVED = "moved, within the margin"
    SAME_LEVEL = "same level, tail not told"
    SAME = "same"
    CANNOT_TELL = "cannot tell"

    def __str__(self) -> str:
        """As a reader sees it; `value` is its code in files."""
        return PRINTED.get(self, self.value)

    @property
    def word(self) -> str:
        """The verdict in a list of several, where its comma would be in the way."""
        return SHORT.get(self, str(self))

    @property
    def code(self) -> str:
        """What older versions printed for `word`."""
        return self.value.partition(",")[0]


PRINTED = {
    Verdict.MOVED: "changed, below threshold",
    Verdict.SAME_LEVEL: "equivalent median, tail inconclusive",
    Verdict.CANNOT_TELL: "inconclusive",
}
SHORT = {Verdict.MOVED: "below threshold", Verdict.SAME_LEVEL: "equivalent median"}


SAME_LEVELS = frozenset({Verdict.SAME, Verdict.SAME_LEVEL})
WORST_FIRST = (Verdict.REGRESSED, Verdict.CANNOT_TELL, Verdict.IMPROVED, Verdict.MOVED, Verdict.SAME_LEVEL, Verdict.SAME)


@dataclass(frozen=True, slots=True)
class Limits:
    """A difference counts beyond the largest of `relative` times the baseline, `steps` resolutions and the capture-cost uncertainty.

    Two captures make a span and each may be off by one tick, so two spans of the same length may print two ticks apart: `steps` is 2.
    Under the instruction clock figures are exact and the threshold is zero, unless `relative_exact` is given. `alpha` is the share of
    comparisons of one truth in which anything of a metric may be called changed. The one threshold is what a change must exceed and what
    `same` must lie within, however many boots there are. A change beyond `large` must not pass untold, nor a largest
    wake-up `large_maximum` times as late.
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
    """The verdict on a shift for which more is worse. What is shown to differ is never `same`, however little it moved."""
    if p_adjusted < alpha and shift.value:
        return decide_exact(shift.value, threshold)
    if -threshold <= shift.low and shift.high <= threshold:
        return Verdict.SAME
    return Verdict.CANNOT_TELL


def decide_exact(difference: float, threshold: float) -> Verdict:
    if abs(difference) <= threshold:
        return Verdict.MOVED if difference else Verdict.SAME
    return Verdict.REGRESSED if difference > 0 else Verdict.IMPROVED


def overall(verdicts: Iterable[Verdict], has_gaps: bool = False, breaks_rule: bool = False) -> Verdict:
    """The worst that was found; `same` only where everything is, and everything was there to be judged."""
    found = {*verdicts, *((Verdict.CANNOT_TELL,) if has_gaps else ()), *((Verdict.REGRESSED,) if breaks_rule else ())}
    return next((verdict for verdict in WORST_FIRST if verdict in found), Verdict.CANNOT_TELL)
