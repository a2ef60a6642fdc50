# SPDX-License-Identifier: BSD-3-Clause
"""The one decision on a comparison. Verdict, exit code and reason of `compare`, `gate` and of every page and file are read from here.

What is judged, the claims, is data that the analysis made. Explanations and sentences decide nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from latlab.core.comparison.verdicts import CHANGED, Verdict
from latlab.core.model.enums import Metric
from latlab.core.statistics.statistics import Shift

if TYPE_CHECKING:
    from latlab.core.comparison.comparison import Compared, Row

REGRESSED: frozenset[str] = frozenset({Verdict.REGRESSED.word})
UNCHANGED, FAILED, INCONCLUSIVE = 0, 1, 3


class ClaimLevel(StrEnum):
    """Where in the tree a claim lies, from the whole to its parts. Rows are claims too, in `Compared.rows`."""

    METRIC = "metric"
    GROUP = "group"
    CORE = "core"
    TEST = "test"
    CELL = "data point"


@dataclass(frozen=True, slots=True)
class Claim:
    """What was judged of a node above or below the rows. `test` is empty if the node has several tests.

    Amounts are in the unit of the metric, NaN if nothing of the node can be judged. A shift beyond `threshold` with an adjusted p-value
    below alpha is a change. `rows` and `cells` are the numbers of rows and data points of the node. `is_frontier`: it changed, and none
    of its parts did by itself.
    """

    level: ClaimLevel
    metric: Metric
    test: str
    name: str
    before: float
    after: float
    shift: Shift
    threshold: float
    p_adjusted: float
    verdict: Verdict
    rows: int = 0
    cells: int = 0
    is_frontier: bool = False

    @property
    def relative(self) -> float:
        """The shift as a share of the same node's value before; infinite if that is 0."""
        return self.shift.value / self.before if self.before else float("inf") if self.shift.value else 0.0


class Reason(StrEnum):
    """Why the decision is what it is; the first that holds."""

    WARNING = "data-quality warning"
    RULE = "broken rule"
    ROW = "failing row"
    CLAIM = "failing part"
    MISSING = "missing data"
    LARGE = "large but inconclusive"
    NOTHING = "no row has a verdict"
    PASSED = "no change beyond its threshold"


@dataclass(frozen=True, slots=True)
class Decision:
    """`verdict` is that of the whole. `rows` and `claims` are those that fail, or the claims that stop for `Reason.LARGE`. `exit_code` is
    0, 1 or 3."""

    verdict: Verdict
    exit_code: int
    reason: Reason
    rows: tuple[Row, ...] = ()
    claims: tuple[Claim, ...] = ()


def decide(comparison: Compared, fail_on: Collection[str] = REGRESSED) -> Decision:
    """`fail_on` are the words of the verdicts that fail.

    Under a data-quality warning nothing is decided. A failing row, part or rule fails, whatever else is inconclusive. Missing data and a
    large difference that is inconclusive pass nothing, and a comparison without any verdict neither.
    """
    rows = tuple(row for row in comparison.rows if row.verdict.word in fail_on)
    claims = tuple(claim for claim in comparison.claims if claim.is_frontier and claim.verdict.word in fail_on)
    if comparison.suspicions:
        return Decision(Verdict.CANNOT_TELL, INCONCLUSIVE, Reason.WARNING)
    if any(change.is_worse for change in comparison.rule_changes):
        return Decision(Verdict.REGRESSED, FAILED, Reason.RULE, rows, claims)
    if rows or claims:
        verdict = _worst({*(row.verdict for row in rows), *(claim.verdict for claim in claims)})
        return Decision(verdict, FAILED, Reason.ROW if rows else Reason.CLAIM, rows, claims)
    reason = _stops(comparison)
    if reason is not None:
        return Decision(Verdict.CANNOT_TELL, INCONCLUSIVE, reason, claims=_stopping(comparison) if reason is Reason.LARGE else ())
    return Decision(_passed(comparison), UNCHANGED, Reason.PASSED)


def _stops(comparison: Compared) -> Reason | None:
    """What is missing, large without a verdict, or not judged at all passes nothing."""
    if comparison.gaps:
        return Reason.MISSING
    if comparison.stops or _stopping(comparison):
        return Reason.LARGE
    return Reason.NOTHING if _verdicts(comparison) <= {Verdict.CANNOT_TELL} else None


def _stopping(comparison: Compared) -> tuple[Claim, ...]:
    """Parts that changed together, which these runs cannot call a change of the firmware."""
    return tuple(claim for claim in comparison.claims if claim.is_frontier and claim.verdict is Verdict.CANNOT_TELL)


def _verdicts(comparison: Compared) -> set[Verdict]:
    """Of the rows, and of the parts that changed without any of them."""
    return {row.verdict for row in comparison.rows} | {claim.verdict for claim in comparison.claims if claim.is_frontier}


def _passed(comparison: Compared) -> Verdict:
    """A tail that is inconclusive leaves the level."""
    verdicts = _verdicts(replace(comparison, rows=tuple(row for row in comparison.rows if row.is_of_level or row.verdict in CHANGED)))
    if any(row.verdict is Verdict.CANNOT_TELL for row in comparison.rows if not row.is_of_level):
        verdicts |= {Verdict.SAME_LEVEL}
    return Verdict.IMPROVED if Verdict.IMPROVED in verdicts else _worst(verdicts)


def _worst(verdicts: Collection[Verdict]) -> Verdict:
    """Of those that pass, one that is inconclusive makes the whole `not shown`: no change is shown and none that is large can hide."""
    order = (Verdict.REGRESSED, Verdict.IMPROVED, Verdict.CANNOT_TELL, Verdict.MOVED, Verdict.SAME_LEVEL, Verdict.SAME)
    worst = next(verdict for verdict in order if verdict in verdicts)
    return Verdict.NOT_SHOWN if worst is Verdict.CANNOT_TELL else worst
