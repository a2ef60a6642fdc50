# SPDX-License-Identifier: BSD-3-Clause
"""Two runs compared, each kind by its own analysis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from latlab.core.comparison.comparison import Comparison, SpanComparison
from latlab.core.comparison.conditions import differences
from latlab.core.comparison.coverage import absences, coverage_rows, missing_samples, shortfalls
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.verdicts import Limits, Verdict, overall
from latlab.core.kinds.registry import kind_of_pair
from latlab.core.model.run import Run


def compare(a: Run, b: Run, limits: Limits | None = None, earlier: Sequence[Run] = (), across: Iterable[str] = ()) -> Comparison:
    """`earlier` are other runs of wake-ups of the same thing, `across` names conditions that may differ. Raises NotComparable where the two
    do not belong together."""
    if (pairs := kind_of_pair(a, b).pairs) and pairs.aligned:
        a, b = pairs.aligned(a, b), pairs.aligned(b, a)
    differ = differences(a, b, across)
    comparison = _of_kind(a, b, limits or Limits(), earlier)
    return replace(_with_coverage(comparison), differences=differ, notes=(*differ.notes, *comparison.notes))


def _with_coverage(comparison: Comparison) -> Comparison:
    """No samples where the base had some are missing data. Fewer than were due are a regression where chance does not explain it, otherwise
    missing data too."""
    pair = comparison.a, comparison.b, comparison.limits
    absent, short = absences(*pair), shortfalls(*pair)
    if not absent and not short:
        return comparison
    rows = coverage_rows(short, comparison.limits)
    missing = (*absent, *map(missing_samples, short))
    untold = (*absent, *(missing_samples(shortfall) for shortfall in short if not shortfall.is_significant))
    gaps = (*(finding.sentence(comparison.unit) for finding in untold), *comparison.gaps)
    is_suspect = isinstance(comparison, SpanComparison) and bool(comparison.suspicions)
    verdict = Verdict.CANNOT_TELL if is_suspect else overall((comparison.verdict, *(row.verdict for row in rows)), bool(gaps))
    return replace(comparison, rows=(*comparison.rows, *rows), gaps=gaps, missing=missing, verdict=verdict)


def _of_kind(a: Run, b: Run, limits: Limits, earlier: Sequence[Run]) -> Comparison:
    kind = kind_of_pair(a, b)
    if kind.pairs is None:
        raise NotComparable(kind.incomparable)
    comparison: Comparison = kind.pairs.compare(a, b, limits, earlier)
    return comparison
