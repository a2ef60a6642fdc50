# SPDX-License-Identifier: BSD-3-Clause
"""Why two runs of spans differ: one finding for each change, and one for each apparent change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from latlab.core.comparison import findings as f
from latlab.core.comparison import span_findings as s
from latlab.core.comparison.check import RuleChange
from latlab.core.comparison.comparison import Order, Row, SpanComparison, Statistic
from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.comparison.queue_findings import Suspect
from latlab.core.comparison.queue_model import STEP, predict
from latlab.core.comparison.summary import mark_of
from latlab.core.comparison.verdicts import CHANGED, SAME_LEVELS, Verdict
from latlab.core.model.enums import Clock, CodePart, Metric
from latlab.core.statistics.power_analysis import Detectable
from latlab.psci.analysis.counted import counted_beside
from latlab.psci.analysis.deterministic_rows import ORDER

if TYPE_CHECKING:
    from latlab.psci.analysis.decompose import PartName

_HIGHEST_FIRST = (Statistic.P99_9, Statistic.P99, Statistic.P90)
_STEP_SUSPECTS = (Suspect.SLOWER_MESSAGE, Suspect.HELD_LONGER)


def explain_span_pair(comparison: SpanComparison) -> tuple[Explanation, ...]:
    out = [_explanation(comparison, "", f.Suspected(suspicion)) for suspicion in comparison.suspicions]
    out += [_explanation(comparison, change.check.test, _rule(comparison, change)) for change in comparison.rule_changes]
    firsts = (f.LargestGrew, f.DriftInside)
    out += [_explanation(comparison, "", finding) for finding in comparison.notable if isinstance(finding, firsts)]
    changed = [row for row in comparison.rows if row.verdict in CHANGED]
    for metric in dict.fromkeys(row.metric for row in changed):
        for verdict in CHANGED:
            rows = [row for row in changed if row.metric == metric and row.verdict == verdict and not row.is_term and row.statistic is None]
            if rows:
                out.append(_explanation(comparison, "", _metric(comparison, metric, verdict, rows)))
    out += [_explanation(comparison, "", finding) for finding in _shapes(comparison, [row for row in changed if row.statistic is not None])]
    some = [(row, row.in_iterations) for row in changed if row.in_iterations]
    out += [_explanation(comparison, "", s.InSomeIterations(row.metric, row.test, row.name, iterations)) for row, iterations in some]
    out += _terms(comparison, [row for row in changed if row.is_term])
    out += [_explanation(comparison, "", finding) for finding in comparison.notable if not isinstance(finding, firsts)]
    out += _parts(comparison, changed)
    out += _functions(comparison)
    out += [Explanation("", finding, Basis.INFERRED, "insns") for finding in counted_beside(comparison)]
    out += [_explanation(comparison, order.test, _order(comparison, order)) for order in comparison.orders if order.changed]
    detectable = list(_detectable_findings(comparison))
    if (
        not changed
        and not comparison.rule_changes
        and not comparison.suspicions
        and not any(isinstance(finding, f.TailNotTold) and not finding.is_rest for finding in detectable)
    ):
        quiet = _quiet(comparison)
        by_order = isinstance(quiet, f.NotTold) and quiet.by_order
        out.append(Explanation("", quiet, Basis.INFERRED if by_order else _basis(comparison), comparison.unit))
    out += [_explanation(comparison, "", finding) for finding in detectable]
    return tuple(out)


def _detectable_findings(comparison: SpanComparison) -> Iterator[f.TailNotTold | f.CouldHaveSeen]:
    """The minimum detectable effect of the level, and of the highest quantile of the shape that the samples allow."""
    untold = sum(row.verdict is Verdict.SAME_LEVEL for row in comparison.rows)
    if untold:
        others = {row.verdict for row in comparison.rows} - {Verdict.SAME, Verdict.SAME_LEVEL}
        yield f.TailNotTold(untold, len(comparison.rows), bool(others))
    by_figure: dict[str, list[tuple[float, Detectable]]] = defaultdict(list)
    for row in (row for row in comparison.rows if row.statistic is None and row.before > 0):
        for smallest in row.detectable:
            by_figure[smallest.figure].append((smallest.size / row.before, smallest))
    highest = next((name for name in _HIGHEST_FIRST if name in by_figure), None)
    for figure in ("level", highest):
        if figure is not None and figure in by_figure:
            shares = sorted(by_figure[figure], key=lambda pair: pair[0])
            share, middle = shares[(len(shares) - 1) // 2]
            then = middle.then / middle.size * share if middle.then else None
            yield f.CouldHaveSeen(figure, len(shares), share, middle.power, middle.more_units, then)


def _shapes(comparison: SpanComparison, rows: list[Row]) -> Iterator[s.ShapeMoved]:
    """One finding for the figures of one row's shape that changed in one direction."""
    by_row: dict[tuple[Metric, str, str, Verdict], list[Row]] = defaultdict(list)
    for row in rows:
        by_row[row.metric, row.test, row.name.removesuffix(f", {row.statistic}"), row.verdict].append(row)
    for key, row_figures in by_row.items():
        figures = tuple((str(row.statistic), row.before, row.after) for row in row_figures if row.statistic is not Statistic.SHAPE)
        yield s.ShapeMoved(*key, figures)


def _rule(comparison: SpanComparison, change: RuleChange) -> f.RuleChanged:
    return f.RuleChanged(change.check, change.is_worse, comparison.a.id, comparison.b.id)


def _quiet(comparison: SpanComparison) -> f.NothingMoved | f.NotTold:
    untold = [row for row in comparison.rows if row.verdict is Verdict.CANNOT_TELL]
    if not untold:
        return f.NothingMoved(any(row.verdict is Verdict.SAME_LEVEL for row in comparison.rows))
    largest = max((row.relative for row in untold if isfinite(row.relative)), key=abs, default=float("inf"))
    return f.NotTold(len(untold), len(comparison.rows), largest, all(row.basis == ORDER for row in untold))


def _explanation(comparison: SpanComparison, test: str, finding: f.Finding, suspects: tuple[Suspect, ...] = ()) -> Explanation:
    return Explanation(test, finding, _basis(comparison), comparison.unit, suspects)


def _metric(comparison: SpanComparison, metric: Metric, verdict: Verdict, rows: list[Row]) -> s.MetricMoved:
    """The finding on a changed metric: its range, and whether it changed in all tests."""
    rows = [row for row in rows if not row.is_whole] or rows
    is_exact = comparison.a.tick.clock is not Clock.TIME
    sizes: dict[int | None, list[float]] = defaultdict(list)
    for row in rows:
        sizes[row.cluster] += [cell.shift.value for cell in row.cells if not is_exact or cell.verdict is verdict]
    differences = [size for by_test in sizes.values() for size in by_test]
    untouched = tuple(m for m in Metric if m != metric and _untouched(comparison, m)) if verdict is Verdict.REGRESSED else ()
    return s.MetricMoved(
        metric,
        verdict,
        tests=tuple(dict.fromkeys(row.test for row in rows)),
        everywhere=not comparison.gaps
        and {row.test for row in rows} == {r.test for r in comparison.rows if r.metric == metric and not r.is_term},
        low=min(differences),
        high=max(differences),
        cells=len(differences),
        by_cluster=tuple(sorted((cluster, float(np.median(d))) for cluster, d in sizes.items() if cluster is not None and d)),
        in_iterations=any(row.in_iterations for row in rows),
        untouched=untouched,
    )


def _terms(comparison: SpanComparison, rows: list[Row]) -> list[Explanation]:
    """One finding for a term of the queue model that changed alike in several tests."""
    out = []
    by_name: dict[tuple[str, Verdict], list[Row]] = defaultdict(list)
    for row in rows:
        by_name[row.name, row.verdict].append(row)
    traced = bool(comparison.a.traces and comparison.b.traces)
    for (name, verdict), term_rows in by_name.items():
        tests = tuple(row.test for row in term_rows)
        moved = s.TermMoved(name, verdict, tests, tuple((row.before, row.after) for row in term_rows), term_rows[0].relative)
        suspects = _STEP_SUSPECTS if name == STEP and verdict is Verdict.REGRESSED and not traced else ()
        out.append(_explanation(comparison, tests[0] if len(tests) == 1 else "", moved, suspects))
    return out


def _parts(comparison: SpanComparison, changed: list[Row]) -> list[Explanation]:
    """The changed parts of each changed span, if both runs have traces or both have the probe's counts."""
    runs = comparison.a, comparison.b
    if bool(comparison.a.traces) != bool(comparison.b.traces) or not any(run.traces or run.functions for run in runs):
        return []
    from latlab.psci.analysis.explain_trace import part_medians

    out = []
    for metric in dict.fromkeys(row.metric for row in changed if row.metric is not Metric.CACHE_FLUSH):
        before, after = part_medians(comparison.a, metric), part_medians(comparison.b, metric)
        for test in dict.fromkeys(row.test for row in changed if row.metric == metric):
            moved: dict[PartName, list[float]] = defaultdict(list)
            for key in before:
                if key[0] == test and key in after:
                    for part in dict.fromkeys((*before[key], *after[key])):
                        moved[part].append(after[key].get(part, 0.0) - before[key].get(part, 0.0))
            medians = [(str(name), float(np.median(d))) for name, d in moved.items()]
            largest = tuple(sorted(((name, d) for name, d in medians if d), key=lambda part: -abs(part[1]))[:3])
            says_nothing = [name for name, _ in largest] == [CodePart.OTHER.value] and comparison.a.functions
            if largest and not says_nothing:  # the functions are named instead
                out.append(Explanation(test, s.PartsMoved(metric, largest), Basis.EXACT, comparison.unit))
    return out


def _functions(comparison: SpanComparison) -> list[Explanation]:
    """One finding for tests whose functions changed alike in one metric, if the probe counted both runs. If cores take turns, or the
    verdict rests on the order of the cores, waits appear as instructions, so only the spans with a verdict are named."""
    run = comparison.a
    if not run.functions or not comparison.b.functions:
        return []
    from latlab.calls.analysis.span_functions import findings_of, moves_of

    changed = {(row.test, row.metric) for row in comparison.rows if row.verdict in CHANGED}
    ordered = {(row.test, row.metric) for row in comparison.rows if row.basis == ORDER}
    moves = moves_of(run, comparison.b, moved_cores_only=True)
    shown = {
        key: core_moves for key, core_moves in moves.items() if key in changed or (mark_of(run, key[0]) is None and key not in ordered)
    }
    return [
        Explanation(finding.tests[0] if len(finding.tests) == 1 else "", finding, Basis.EXACT, comparison.unit)
        for finding in findings_of(shown)
    ]


def _order(comparison: SpanComparison, order: Order) -> s.OrderChanged:
    before, after = comparison.ladders[order.test]
    terms = {name: float(values[0]) for name, values in before.terms.items()}
    expected, spans = predict(after, terms), after.spans[0]
    is_known = ~np.isnan(expected)
    largest = None
    if is_known.any():
        off = float((np.abs(spans[is_known] - expected[is_known]) / expected[is_known]).max())
        largest = off if off <= comparison.limits.relative else None
    return s.OrderChanged(order.before, order.after, largest)


def _untouched(comparison: SpanComparison, metric: Metric) -> bool:
    """Whether all of the metric is shown to have the same level."""
    verdicts = {row.verdict for row in comparison.rows if row.metric == metric and not row.is_whole}
    return bool(verdicts) and verdicts <= SAME_LEVELS


def _basis(comparison: SpanComparison) -> Basis:
    return Basis.EXACT if comparison.a.tick.clock is not Clock.TIME else Basis.INFERRED
