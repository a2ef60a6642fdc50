# SPDX-License-Identifier: BSD-3-Clause
"""Compares two runs of spans by structure: the queue model of each parallel test, and like cores of all other spans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from latlab.core.comparison.comparison import Level, Row, SpanComparison
from latlab.core.comparison.identity import Pair, pair_runs, platform_of
from latlab.core.comparison.queue_model import Ladders
from latlab.core.comparison.summary import follows_order, takes_turns
from latlab.core.comparison.verdicts import Limits, Verdict, overall
from latlab.core.comparison.wording import count
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.statistics.sample_matrix import Columns
from latlab.core.statistics.statistics import NO_SHIFT, Shift
from latlab.psci.analysis.deterministic_rows import NO_COUNTERPART, ORDER, exact_row
from latlab.psci.analysis.groups import Grouping, groups_of, left_out
from latlab.psci.analysis.large_moves import LargeMove, large_moves
from latlab.psci.analysis.overlap import overlap_suspicions
from latlab.psci.analysis.queue_fit import fit_ladders, is_refused
from latlab.psci.analysis.roles import inferred_lead, is_parallel, roles_of, with_one_limit
from latlab.psci.analysis.rule_changes import rule_changes
from latlab.psci.analysis.shape import drifts_of, judged_shapes
from latlab.psci.analysis.span_tests import judge_rows
from latlab.psci.analysis.thresholds import Spacing
from latlab.psci.analysis.variance_estimate import Evidence, group_evidence, ladder_evidence


def compare_spans(a: Run, b: Run, limits: Limits) -> SpanComparison:
    """The comparison of two runs. Raises NotComparable if they cannot be compared."""
    whole = pair_runs(a, b)
    whole = replace(whole, suspicions=(*whole.suspicions, *overlap_suspicions(a), *overlap_suspicions(b)))
    pair = whole.without_suspect()
    boots = _boots(whole.columns_a), _boots(whole.columns_b)
    facts = facts_of(platform_of(a, b))
    roles_a, roles_b = with_one_limit(*(roles_of(columns, facts.managed_by) for columns in (pair.columns_a, pair.columns_b)))
    lead_a = a.lead or inferred_lead(a, pair.columns_a, roles_a)
    lead_b = b.lead or inferred_lead(b, pair.columns_b, roles_b)
    notes, gaps = list(pair.notes), list(pair.gaps)
    grouping = Grouping(pair, roles_a, roles_b, (lead_a, lead_b))
    if grouping.lead_moved:
        notes.append(f"the lead moved from {lead_a} to {lead_b}: in serial tests only cores with the same role are compared")
    spacing = Spacing(pair, limits, min(boots))
    ladders: dict[str, tuple[Ladders, Ladders]] = {}
    evidence: list[Evidence] = []
    for test, metric in pair.common:
        gaps += left_out(grouping, test, metric)
        if metric is Metric.POWERDOWN and is_parallel(test):
            before, after = fit_ladders(pair.columns_a, roles_a, test), fit_ladders(pair.columns_b, roles_b, test)
            if before and after and not is_refused(before) and not is_refused(after):
                ladders[test] = before, after
                shown, hidden = ladder_evidence(test, before, after, spacing)
                evidence += shown
                notes += [f"{test}: {name} is in one run only, because the cores queued in another order" for name in hidden]
                continue
        groups = groups_of(grouping, test, metric)
        notes += [note for note in groups.notes if note not in notes]
        gaps += [gap for gap in groups.gaps if gap not in gaps]
        evidence += [group_evidence(group, spacing) for group in groups.groups]
    rows, levels, moves = _judged(pair, evidence, boots, limits)
    gaps += [f"{row.test} {row.metric}, {row.name}: {NO_COUNTERPART}" for row in rows if _is_exact(pair) and _lacks_counterpart(row)]
    notes += _order_note(rows)
    rows += [_suspect_row(whole, *span) for span in whole.common if span in whole.suspect]
    changes = rule_changes(pair, facts)
    verdict = overall((row.verdict for row in rows if not _is_open(row)), bool(gaps), any(change.is_worse for change in changes))
    return SpanComparison(
        a=a,
        b=b,
        limits=limits,
        unit=pair.unit,
        verdict=Verdict.CANNOT_TELL if whole.suspicions else verdict,
        rows=tuple(rows),
        notes=tuple(notes),
        gaps=tuple(gaps),
        levels=tuple(levels),
        ladders=ladders,
        leads=(lead_a, lead_b),
        boots=boots,
        rule_changes=changes,
        suspicions=whole.suspicions,
        large_moves=moves,
    )


def _judged(
    pair: Pair, evidence: list[Evidence], boots: tuple[int, int], limits: Limits
) -> tuple[list[Row], list[Level], tuple[LargeMove, ...]]:
    """The rows with their verdicts. Instruction counts and virtual time are deterministic, and equal figures need no test."""
    if _is_exact(pair):
        return _exact_rows(pair, evidence, limits), [], ()
    if _identical(pair):
        return [_same(row_evidence.row) for row_evidence in evidence], [], ()
    drifting = [drifts_of(row_evidence) for row_evidence in evidence]
    rows, levels = judge_rows(evidence, boots, limits, apart=[i for i, drifts in enumerate(drifting) if drifts])
    moves = large_moves(evidence, rows, (pair.a.id, pair.b.id), boots, limits)
    return judged_shapes(evidence, rows, drifting, limits), levels, moves


def _exact_rows(pair: Pair, evidence: list[Evidence], limits: Limits) -> list[Row]:
    runs = pair.a, pair.b
    ordered = [any(follows_order(run, row_evidence.row.metric) for run in runs) for row_evidence in evidence]
    cells = sum(row_evidence.before.values.shape[1] for row_evidence, is_ordered in zip(evidence, ordered, strict=True) if is_ordered)
    order = replace(limits, alpha=limits.alpha / max(cells, 1))
    turns = [any(takes_turns(run, row_evidence.row.test) for run in runs) for row_evidence in evidence]
    return [
        exact_row(row_evidence, turn, order if is_ordered else None)
        for row_evidence, turn, is_ordered in zip(evidence, turns, ordered, strict=True)
    ]


def _order_note(rows: list[Row]) -> list[str]:
    untold = sum(row.basis == ORDER for row in rows)
    note = f"the figures of {count(untold, 'row')} differ {ORDER}, which is not the same in every run of the emulator"
    return [note] if untold else []


def _is_exact(pair: Pair) -> bool:
    return pair.a.tick.clock is not Clock.TIME


def _lacks_counterpart(row: Row) -> bool:
    """Whether one run has more figures than the other, the only reason for an inconclusive count without a difference."""
    return row.verdict is Verdict.CANNOT_TELL and not row.shift.value


def _suspect_row(pair: Pair, test: str, metric: Metric) -> Row:
    before, after = (float(np.median(columns.matrices[test, metric].values)) for columns in (pair.columns_a, pair.columns_b))
    shift = Shift(after - before, -np.inf, np.inf, 1.0)
    return Row(test, metric, "all cores", None, before, after, shift, 0.0, Verdict.CANNOT_TELL, "suspect figures")


def _is_open(row: Row) -> bool:
    return row.is_occasional and row.verdict is Verdict.CANNOT_TELL


def _same(row: Row) -> Row:
    return replace(row, shift=NO_SHIFT, verdict=Verdict.SAME, basis="identical figures")


def _identical(pair: Pair) -> bool:
    a, b = pair.columns_a.matrices, pair.columns_b.matrices
    return a.keys() == b.keys() and all(np.array_equal(a[key].values, b[key].values) for key in a)


def _boots(columns: Columns) -> int:
    return len({int(boot) for matrix in columns.matrices.values() for boot in np.unique(matrix.boots)})
