# SPDX-License-Identifier: BSD-3-Clause
"""Which amounts of two runs differ. Why they do, the amounts do not say."""

from __future__ import annotations

from math import isfinite

from latlab.benchmarks.analysis import amount_findings as a
from latlab.core.comparison import findings as f
from latlab.core.comparison.comparison import AmountComparison
from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.comparison.verdicts import Verdict


def explain_amount_pair(comparison: AmountComparison) -> tuple[Explanation, ...]:
    """What may be large first, then each amount that changed, or how many could not be told."""
    out: list[Explanation] = []
    for finding in comparison.notable:
        out.append(Explanation("", finding, Basis.INFERRED, comparison.unit_of(finding.metric)))
    for row in comparison.rows:
        if row.verdict in (Verdict.REGRESSED, Verdict.IMPROVED):
            moved = a.AmountMoved(row.name, row.metric, row.verdict, row.before, row.after, row.relative)
            out.append(Explanation(row.test, moved, Basis.INFERRED, comparison.unit))
    untold = [row for row in comparison.rows if row.verdict is Verdict.CANNOT_TELL]
    if untold:
        largest = max((row.relative for row in untold if isfinite(row.relative)), key=abs, default=float("inf"))
        out.append(Explanation("", a.AmountsNotTold(len(untold), len(comparison.rows), largest), Basis.INFERRED, comparison.unit))
    return tuple(out) or (Explanation("", f.NothingMoved(), Basis.INFERRED, comparison.unit),)
