# SPDX-License-Identifier: BSD-3-Clause
"""From a comparison to pass or fail."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.analysis.base.comparison import Comparison, Row
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wording import percent, signed


@dataclass(frozen=True)
class Decision:
    """`failing` are the rows that fail; `exit_code` is 0 pass, 1 fail, 3 nothing can be told."""

    failing: tuple[Row, ...]
    exit_code: int
    lines: tuple[str, ...]


def decide_gate(comparison: Comparison, fail_on: frozenset[str]) -> Decision:
    """A single row of a failing verdict fails the gate. Rows that cannot be told pass, unless nothing at all can be told.

    What the candidate lacks or did not measure to its end passes nothing.
    """
    failing = tuple(row for row in comparison.rows if row.verdict in fail_on)
    caveat = f"; {comparison.caveat}" if comparison.caveat else ""
    untold = sum(row.verdict is Verdict.CANNOT_TELL for row in comparison.rows)
    counts = ", ".join(f"{sum(row.verdict is v for row in comparison.rows)} {v}" for v in Verdict)
    if failing:
        return Decision(failing, 1, (*(_line(row, comparison.unit_of(row.metric)) for row in failing), f"fail: {counts}{caveat}"))
    if untold == len(comparison.rows):
        return Decision((), 3, (f"cannot tell: none of {untold} rows can be told; take more boots of both{caveat}",))
    if comparison.gaps:
        return Decision((), 3, (*comparison.gaps, f"cannot tell: {counts}, and the above could not be judged{caveat}"))
    return Decision((), 0, (f"pass: {counts}{caveat}",))


def _line(row: Row, unit: str) -> str:
    return f"{row.verdict} {row.test} {row.metric} {row.name}: {signed(row.shift.value, unit)} ({percent(row.relative)})"
