# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of runs of any kind: comparison, explanation, figures, extremes and rules, each by the kind's own analysis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import TYPE_CHECKING

from latlab.core.comparison.check import Check
from latlab.core.comparison.comparison import Comparison, Statistic
from latlab.core.comparison.conditions import differences
from latlab.core.comparison.coverage import absences, counted, coverage_rows, missing_samples, shortfalls
from latlab.core.comparison.decision import Claim
from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.comparison.figure import Figure, refusal
from latlab.core.comparison.findings import PartChanged
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.verdicts import Limits
from latlab.core.errors import UsageError
from latlab.core.kinds.registry import kind_of, kind_of_pair, pairs_of
from latlab.core.model.enums import Metric, ProblemKind, RunStatus
from latlab.core.model.run import Run

if TYPE_CHECKING:
    from latlab.core.comparison.tail import Tail


def compare(a: Run, b: Run, limits: Limits | None = None, earlier: Sequence[Run] = (), across: Iterable[str] = ()) -> Comparison:
    """`earlier` are other runs of wake-ups of the same thing, `across` names conditions that may differ. Raises NotComparable where the two
    do not belong together."""
    if (pairs := kind_of_pair(a, b).pairs) and pairs.aligned:
        a, b = pairs.aligned(a, b), pairs.aligned(b, a)
    differ = differences(a, b, across)
    comparison = _compared(a, b, limits or Limits(), earlier)
    return replace(_with_coverage(comparison), differences=differ, notes=(*differ.notes, *comparison.notes))


def _with_coverage(comparison: Comparison) -> Comparison:
    """No samples where the base had some are missing data. Fewer than were due are a regression where chance does not explain it, otherwise
    missing data too."""
    counts = counted(comparison.a), counted(comparison.b), comparison.limits
    absent, short = absences(*counts), shortfalls(*counts, kind_of(comparison.a).analysis.burst)
    if any(_is_unfinished(run) for run in (comparison.a, comparison.b)):
        short = tuple(shortfall for shortfall in short if shortfall.is_scheduled)
    if not absent and not short:
        return comparison
    rows = coverage_rows(short, comparison.limits)
    missing = (*absent, *map(missing_samples, short))
    untold = (*absent, *(missing_samples(shortfall) for shortfall in short if not shortfall.is_significant))
    gaps = (*(finding.sentence(comparison.unit) for finding in untold), *comparison.gaps)
    return replace(comparison, rows=(*comparison.rows, *rows), gaps=gaps, missing=missing)


def _is_unfinished(run: Run) -> bool:
    """Whether it ended early, or goes on: its tests have then different numbers of samples, and only a schedule tells what was due."""
    return run.status is RunStatus.RUNNING or any(problem.kind is ProblemKind.UNFINISHED for problem in run.problems)


def _compared(a: Run, b: Run, limits: Limits, earlier: Sequence[Run]) -> Comparison:
    kind = kind_of_pair(a, b)
    if kind.pairs is None:
        raise NotComparable(kind.incomparable)
    comparison: Comparison = kind.pairs.compare(a, b, limits, earlier)
    return comparison


def explain_run(run: Run) -> tuple[Explanation, ...]:
    """Raises NotComparable where the run holds nothing to explain."""
    return kind_of(run).analysis.explain(run)


def explain_pair(comparison: Comparison) -> tuple[Explanation, ...]:
    """One finding for each change, and one for what only looks like a change. The conditions that differ are the comparison's `caveat`."""
    explanations = [Explanation("", finding, Basis.EXACT, comparison.unit) for finding in comparison.missing]
    parts = [claim for claim in comparison.claims if claim.is_frontier]
    explanations += [Explanation("", _changed(claim, comparison), Basis.INFERRED, comparison.unit_of(claim.metric)) for claim in parts]
    return (*explanations, *_explained(comparison))


def _changed(claim: Claim, comparison: Comparison) -> PartChanged:
    return PartChanged(claim.metric, claim.test, claim.name, claim.verdict, claim.before, claim.shift.value, comparison.what_shows_more)


def _explained(comparison: Comparison) -> tuple[Explanation, ...]:
    """Missing samples have a finding of their own, so that their rows are left out of those of the figures."""
    if comparison.missing:
        comparison = replace(comparison, rows=tuple(row for row in comparison.rows if row.statistic is not Statistic.COVERAGE))
    explained: tuple[Explanation, ...] = pairs_of(comparison).explain(comparison)
    return explained


def figures_of(run: Run) -> tuple[Figure, ...]:
    """Raises NotComparable where the run holds nothing to follow."""
    analysis = kind_of(run).analysis
    if analysis.figures is None:
        raise NotComparable(analysis.without_figures)
    return analysis.figures(run)


def figure_value(run: Run, text: str) -> float | None:
    """One number for what the text names, the mean over its figures; None where it names none."""
    values = [median(figure.values) for figure in figures_of(run) if figure.called.asked_by(text)]
    return fmean(values) if values else None


def no_figure(run: Run, text: str) -> UsageError:
    return refusal(text, (figure.called for figure in figures_of(run)), run.id)


def tails(run: Run, test: str | None, metric: Metric, once_in: float) -> tuple[Tail, ...]:
    """One estimate for each row of each test that has the metric. Raises NotComparable if the run has none."""
    estimate = kind_of(run).analysis.tails
    if estimate is None:
        raise NotComparable(f"{run.id} has no samples for this analysis", "run the campaign again or name another run")
    return estimate(run, test, metric, once_in)


def check_invariants(run: Run) -> tuple[Check, ...]:
    """Raises NotComparable where the run holds nothing to check."""
    return kind_of(run).analysis.rules(run)
