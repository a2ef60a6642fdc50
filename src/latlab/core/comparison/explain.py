# SPDX-License-Identifier: BSD-3-Clause
"""What a run is made of, and why two runs differ, each kind by its own analysis."""

from __future__ import annotations

from dataclasses import replace

from latlab.core.comparison.comparison import Comparison, Statistic
from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.comparison.findings import ConditionsDiffer
from latlab.core.kinds.registry import kind_of, pairs_of
from latlab.core.model.run import Run


def explain_run(run: Run) -> tuple[Explanation, ...]:
    """Raises NotComparable where the run holds nothing to explain."""
    return kind_of(run).analysis.explain(run)


def explain_pair(comparison: Comparison) -> tuple[Explanation, ...]:
    """What differs beside the figures, one finding for each change, and one for what only looks like a change."""
    differ = comparison.differences.title
    explanations = [Explanation("", ConditionsDiffer(differ), Basis.EXACT, comparison.unit)] if differ else []
    explanations += [Explanation("", finding, Basis.EXACT, comparison.unit) for finding in comparison.missing]
    return (*explanations, *_of_kind(comparison))


def _of_kind(comparison: Comparison) -> tuple[Explanation, ...]:
    """Missing samples have a finding of their own, so that their rows are left out of those of the figures."""
    if comparison.missing:
        comparison = replace(comparison, rows=tuple(row for row in comparison.rows if row.statistic is not Statistic.COVERAGE))
    explained: tuple[Explanation, ...] = pairs_of(comparison).explain(comparison)
    return explained
