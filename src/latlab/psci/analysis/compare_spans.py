# SPDX-License-Identifier: BSD-3-Clause
"""Compares two runs of spans by structure: the queue model of each parallel test, and like cores of all other spans.

Verdicts on rows of spans under a clock with scatter. The sampling unit is the boot if the runs have four or more together
(by_boot.py), otherwise the core (by_core.py). Alpha is the error rate of one metric.

The claims of one metric are a tree: groups of rows, cores over all tests, rows, data points. Each level has a share of alpha, and Holm's
method (1979) adjusts within it: together they are a closed test by weights (Marcus, Peritz and Gabriel 1976).

1. Groups are the rows of the metric, those of each role and those of each cluster, cores the data points of one core in all tests. Both
   are tested by the common shift of their parts.
2. A data point counts by itself, against a threshold of its own value. What its row found or not does not matter.
3. The rows of a group that changed are found top down, as Meinshausen (2008) does but at fixed levels: parts of like rows at 0.5 %, then
   the rows of a part at 5 %, each by Holm's method. A row must lie beyond its threshold by itself, in the direction of its part. Its
   p-value is then the one of its group. The error rate of this step is measured, not derived: docs/results/verdict-validation.md.
4. What is rejected is reported at the deepest level that is itself rejected: a group without a row, or a core without a data point, is a
   claim of its own (`is_frontier`), so nothing that a parent found vanishes.
5. Equivalence: two one-sided tests at 5 %, so the 90 % interval lies within the threshold (Schuirmann 1987).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Protocol

import numpy as np

from latlab.core.comparison.check import Check, RuleChange
from latlab.core.comparison.comparison import Cell, Row, SpanComparison
from latlab.core.comparison.decision import Claim, ClaimLevel
from latlab.core.comparison.identity import Pair, pair_runs, platform_of
from latlab.core.comparison.queue_model import Ladders
from latlab.core.comparison.summary import follows_order, takes_turns
from latlab.core.comparison.verdicts import CHANGED, SAME_LEVELS, Limits, Verdict, decide, decide_exact, worst
from latlab.core.comparison.wording import count
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.platforms import PlatformFacts
from latlab.core.model.run import CoreId, Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.statistics.power_analysis import detectable
from latlab.core.statistics.sample_matrix import Columns
from latlab.core.statistics.statistics import NO_SHIFT, Shift, by_family, family_wise
from latlab.psci.analysis.account import account_of
from latlab.psci.analysis.by_boot import ByBoot
from latlab.psci.analysis.by_core import ByCore
from latlab.psci.analysis.deterministic_rows import NO_COUNTERPART, ORDER, exact_row
from latlab.psci.analysis.groups import MEDIAN, PLACE, WHOLE, Grouping, groups_of, left_out, whole_of
from latlab.psci.analysis.image_note import image_note
from latlab.psci.analysis.large_moves import LargeMove, beyond_order, large_moves, moved_everywhere, off_the_queue
from latlab.psci.analysis.notable import notable_of
from latlab.psci.analysis.overlap import overlap_suspicions
from latlab.psci.analysis.queue_fit import fit_ladders, is_refused
from latlab.psci.analysis.roles import inferred_lead, is_parallel, roles_of
from latlab.psci.analysis.shape import drifts_of, judged_shapes, pooled_shapes, unjudged_figures
from latlab.psci.analysis.span_invariants import check_columns
from latlab.psci.analysis.thresholds import Spacing
from latlab.psci.analysis.usual_boots import without_usual_boots
from latlab.psci.analysis.variance_estimate import UNJUDGED, Evidence, Pooled, group_evidence, terms_of, unjudged

FEWEST_DOF = 2
OF_ROWS, OF_GROUPS, OF_CORES, OF_CELLS = 0.4, 0.3, 0.1, 0.2
"""Shares of alpha."""
PART_P, ROW_P = 0.005, 0.05

Group = tuple[int, ...]


class Tests(Protocol):
    """The tests of one sampling unit. A row is named by its index in the evidence, a data point by its row's and its own; shifts are in ns
    or instructions. `stop_p` is the p-value below which a group stops a gate and blames nobody, 0 if groups are blamed."""

    stop_p: float

    def shifts(self) -> list[Shift]:
        """The shift of each row, tested by itself."""

    def cells(self) -> list[list[Shift]]:
        """The shifts of the data points of each row, each tested by itself."""

    def of_group(self, group: Group) -> Pooled:
        """The common shift of several rows."""

    def of_cells(self, cells: Sequence[tuple[int, int]]) -> Pooled:
        """The common shift of several data points."""

    def own_p(self, row: int) -> float:
        """The p-value of a row within a group that changed."""

    def least(self, row: int) -> float:
        """The smallest shift that counts if no other test changed with the row."""

    def least_together(self, row: int) -> float:
        """The smallest shift of a row that counts if other tests changed with it."""

    def shown(self, row: int) -> Row:
        """The row with its basis, its effect size and its cells."""


def compare_spans(a: Run, b: Run, limits: Limits) -> SpanComparison:
    """The comparison of two runs. Raises NotComparable if they cannot be compared."""
    whole = pair_runs(a, b)
    whole = replace(whole, suspicions=(*whole.suspicions, *overlap_suspicions(a), *overlap_suspicions(b)))
    pair, of_boots = without_usual_boots(whole.without_suspect(), limits)
    boots = _boots(pair.columns_a), _boots(pair.columns_b)
    facts = facts_of(platform_of(a, b))
    roles_a, roles_b = (roles_of(columns, facts.managed_by) for columns in (pair.columns_a, pair.columns_b))
    lead_a = a.lead or inferred_lead(a, pair.columns_a, roles_a)
    lead_b = b.lead or inferred_lead(b, pair.columns_b, roles_b)
    notes, gaps = [*pair.notes, *of_boots], list(pair.gaps)
    grouping = Grouping(pair, roles_a, roles_b, (lead_a, lead_b))
    if grouping.lead_moved:
        notes.append(f"the lead moved from {lead_a} to {lead_b}: in serial tests only cores with the same role are compared")
    spacing = Spacing(pair, limits, min(boots))
    ladders: dict[str, tuple[Ladders, Ladders]] = {}
    evidence: list[Evidence] = []
    without: list[Evidence] = []
    apart: dict[tuple[str, Metric], tuple[CoreId, ...]] = {}
    for test, metric in pair.common:
        gaps += left_out(grouping, test, metric)
        before = fit_ladders(pair.columns_a, roles_a, test) if metric is Metric.POWERDOWN and is_parallel(test) else None
        if before is not None and not is_refused(before):
            terms = terms_of(before, fit_ladders(pair.columns_b, roles_b, test), spacing)
            evidence += terms.evidence
            without += terms.unjudged
            notes, gaps = [*notes, *terms.notes], [*gaps, *terms.gaps]
            if terms.after is not None:
                ladders[test] = before, terms.after
            if terms.after is None or takes_turns(a, test):
                evidence += [group_evidence(group, spacing) for group in whole_of(grouping, test, metric)]
            continue
        groups = groups_of(grouping, test, metric)
        gaps += [gap for gap in groups.gaps if gap not in gaps]
        apart[test, metric] = groups.apart
        for group in groups.groups:
            of_group = group_evidence(group, spacing)
            if group.unjudged:
                without.append(unjudged(of_group, of_group.row.after, group.unjudged))
            else:
                evidence.append(of_group)
    judged = _judged(pair, evidence, without, boots, limits)
    rows = [*judged.rows, *(row_evidence.row for row_evidence in without)]
    gaps += [f"{row.test} {row.metric}, {row.name}: {NO_COUNTERPART}" for row in rows if _is_exact(pair) and _lacks_counterpart(row)]
    notes += [*_order_note(rows), *image_note(a, b, rows)]
    claims = (*judged.claims, *_whole_tests(rows))
    rows = [row for row in rows if not row.is_whole]
    rows += [_suspect_row(whole, *span) for span in whole.common if span in whole.suspect]
    return SpanComparison(
        a=a,
        b=b,
        limits=limits,
        unit=pair.unit,
        rows=tuple(rows),
        notes=tuple(notes),
        gaps=tuple(gaps),
        account=account_of(whole, pair, evidence, apart),
        figures=(*judged.figures, *_unjudged_figures(pair, without)),
        claims=claims,
        ladders=ladders,
        leads=(lead_a, lead_b),
        boots=boots,
        rule_changes=rule_changes(pair, facts),
        suspicions=whole.suspicions,
        notable=(*notable_of(rows, (a, b)), *judged.moves, *off_the_queue(ladders, rows, limits)),
    )


def _unjudged_figures(pair: Pair, without: Sequence[Evidence]) -> Iterator[Row]:
    for row_evidence in () if _is_exact(pair) else without:
        yield from unjudged_figures(row_evidence, row_evidence.row)


@dataclass(frozen=True)
class Judged:
    """Every row with its verdict, those of single data points that changed otherwise than their row among them; the figures of shapes that
    did not change; the claims above the rows; and what is large without a verdict."""

    rows: list[Row]
    claims: tuple[Claim, ...] = ()
    figures: Sequence[Row] = ()
    moves: tuple[LargeMove, ...] = ()


def _judged(pair: Pair, evidence: list[Evidence], without: list[Evidence], boots: tuple[int, int], limits: Limits) -> Judged:
    """Instruction counts and virtual time are deterministic, and equal figures need no test. What the second run is `without` has no
    verdict, and a place in the tree."""
    if _is_exact(pair):
        rows = _exact_rows(pair, evidence, limits)
        return Judged(rows, moves=tuple(beyond_order(evidence, rows, [row.basis == ORDER for row in rows], limits)))
    drifting = [drifts_of(row_evidence) for row_evidence in evidence]
    levels = judge_rows(evidence, boots, limits, [i for i, drifts in enumerate(drifting) if drifts], without)
    rows, figures = judged_shapes(evidence, levels.rows, drifting, limits)
    if _identical(pair):
        claims = (*levels.claims, *pooled_shapes(evidence, drifting, limits))
        return Judged(list(map(_same, rows)), tuple(replace(claim, verdict=Verdict.SAME) for claim in claims), figures)
    moves = large_moves(evidence, levels.rows, (pair.a.id, pair.b.id), boots, limits)
    has_shape = {row.metric for row in rows if row.statistic is not None and row.verdict in CHANGED}
    shapes = [
        replace(claim, is_frontier=claim.is_frontier and claim.metric not in has_shape)
        for claim in pooled_shapes(evidence, drifting, limits)
    ]
    return Judged([*rows, *levels.cells], (*levels.claims, *shapes), figures, moves)


def _whole_tests(rows: Sequence[Row]) -> Iterator[Claim]:
    """All samples of a parallel test by position, the parent of its rows. What its order moves is explained by the terms of a queue model
    that fits both runs, so that the whole is rejected with any of them."""
    changed = {(row.test, row.metric) for row in rows if row.verdict in CHANGED and not row.is_whole}
    wholes = {(row.test, row.metric): row for row in rows if row.is_whole}
    for row in wholes.values():
        is_frontier = row.verdict in CHANGED and (row.test, row.metric) not in changed
        before = row.before if row.of is None else row.of
        place = ClaimLevel.TEST, row.metric, row.test, row.name, before, row.after if row.of is None else before + row.shift.value
        yield Claim(*place, row.shift, row.threshold, row.p_adjusted, row.verdict, 1, len(row.cells), is_frontier)
    for test in dict.fromkeys(row.test for row in rows if row.is_term and (row.test, row.metric) not in wholes):
        terms = [row for row in rows if row.is_term and row.test == test]
        row = max(terms, key=lambda term: (term.verdict in CHANGED, abs(term.shift.value) if isfinite(term.shift.value) else 0.0))
        place = ClaimLevel.TEST, row.metric, test, WHOLE, row.before, row.after
        yield Claim(*place, row.shift, row.threshold, row.p_adjusted, worst(term.verdict for term in terms), len(terms))


def _exact_rows(pair: Pair, evidence: list[Evidence], limits: Limits) -> list[Row]:
    runs = pair.a, pair.b
    ordered = [any(follows_order(run, row_evidence.row.metric) for run in runs) for row_evidence in evidence]
    cells = sum(row_evidence.before.values.shape[1] for row_evidence, is_ordered in zip(evidence, ordered, strict=True) if is_ordered)
    order = replace(limits, alpha=limits.alpha / max(cells, 1))
    turns = [any(takes_turns(run, row_evidence.row.test) for run in runs) for row_evidence in evidence]
    rows = [
        exact_row(row_evidence, turn, order if is_ordered else None)
        for row_evidence, turn, is_ordered in zip(evidence, turns, ordered, strict=True)
    ]
    return [_everywhere(row, row_evidence, limits) for row, row_evidence in zip(rows, evidence, strict=True)]


def _everywhere(row: Row, row_evidence: Evidence, limits: Limits) -> Row:
    """A test of which every position moved one way is changed, whatever the order."""
    moved = moved_everywhere(row_evidence, limits) if row.verdict is Verdict.CANNOT_TELL else 0.0
    if not moved:
        return row
    return replace(
        row, shift=Shift(moved, moved, moved, 0.0), p_adjusted=0.0, verdict=decide_exact(moved, row.threshold), basis="every position"
    )


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


def _same(row: Row) -> Row:
    return replace(row, shift=NO_SHIFT, verdict=Verdict.SAME, basis="identical figures", detectable=())


def _identical(pair: Pair) -> bool:
    a, b = pair.columns_a.matrices, pair.columns_b.matrices
    return a.keys() == b.keys() and all(np.array_equal(a[key].values, b[key].values) for key in a)


def _boots(columns: Columns) -> int:
    return len({int(boot) for matrix in columns.matrices.values() for boot in np.unique(matrix.boots)})


@dataclass(frozen=True)
class Levels:
    """Every row with its verdict, rows of single data points that changed otherwise than their row, and the claims above the rows."""

    rows: list[Row]
    cells: list[Row]
    claims: tuple[Claim, ...]


def judge_rows(
    evidence: Sequence[Evidence], boots: tuple[int, int], limits: Limits, apart: Collection[int] = (), without: Sequence[Evidence] = ()
) -> Levels:
    """What is `apart` drifts inside a run, and the second run is `without` other rows. Groups and cores are judged by what remains of them,
    and what is `apart` has no verdicts on its data points."""
    if not evidence:
        return Levels([], [], ())
    tests: Tests = ByBoot(evidence, sum(boots)) if sum(boots) - 2 >= FEWEST_DOF else ByCore(evidence)
    rows = _by_themselves(evidence, tests, min(boots), limits)
    metrics = dict.fromkeys(row_evidence.row.metric for row_evidence in evidence)
    tree = [*evidence, *without]
    planned = [group for metric in metrics for group in _groups(tree, metric)]
    groups = [tuple(i for i in group if i not in apart and i < len(evidence)) for group in planned]
    pooled = [tests.of_group(group) if len(group) > 1 else UNJUDGED for group in groups]
    claims = _adjusted([_claim(tree, group, of_group) for group, of_group in zip(planned, pooled, strict=True)], OF_GROUPS, limits)
    for group, claim in zip(groups, claims, strict=True):
        _name_rows(evidence, tests, group, claim, rows, limits)
    cells = _changed_cells(evidence, rows, {evidence[i].row.test for i in apart})
    planned_cores = _cores(evidence)
    cores = [[place for place in places if place[0] not in apart] for places in planned_cores]
    of_cores = [tests.of_cells(places) if len(places) > 1 else UNJUDGED for places in cores]
    core_claims = _adjusted([_core_claim(tree, *claimed) for claimed in zip(planned_cores, of_cores, strict=True)], OF_CORES, limits)
    if tests.stop_p:
        claims = [_stopping(claim, tests.stop_p, OF_GROUPS, is_first) for claim, is_first in zip(claims, _firsts(claims), strict=True)]
        core_claims = [_stopping(claim, tests.stop_p, OF_CORES) if abs(claim.relative) > limits.large else claim for claim in core_claims]
    shown = tuple(_with_frontier(evidence, rows, cells, groups, claims, cores, core_claims))
    if tests.stop_p:
        shown = tuple(_less_sure(claim, limits) for claim in shown)
    for i, _ in cells:
        if rows[i].verdict in SAME_LEVELS:
            rows[i] = replace(rows[i], verdict=Verdict.MOVED)
    return Levels(rows, [row for _, row in cells], shown)


def _firsts(claims: Sequence[Claim]) -> list[bool]:
    """Whether a claim is the first of its metric, of all its rows."""
    metrics = [claim.metric for claim in claims]
    return [metrics.index(metric) == i for i, metric in enumerate(metrics)]


def _stopping(claim: Claim, stop_p: float, share: float, is_whole_metric: bool = False) -> Claim:
    """A claim with a verdict at the level at which it stops a gate: all rows of a metric together, which need no correction for the groups
    that they contain; those groups, and cores that moved far, by Holm's method at half of it."""
    p = claim.shift.p if is_whole_metric else 2 * share * claim.p_adjusted
    return replace(claim, verdict=decide(claim.shift, claim.threshold, p, stop_p))


def _with_frontier(
    evidence: Sequence[Evidence],
    rows: Sequence[Row],
    cells: Sequence[tuple[int, Row]],
    groups: Sequence[Group],
    claims: Sequence[Claim],
    cores: Sequence[Sequence[tuple[int, int]]],
    core_claims: Sequence[Claim],
) -> Iterator[Claim]:
    """The claims, with those that changed and hold no part that did: of a group no row, data point or larger group, of a core no row,
    data point or group of them."""
    changed = {i for i, row in enumerate(rows) if row.verdict in CHANGED}
    held = changed | {i for i, _ in cells}
    tops = [set(group) for group, claim in zip(groups, claims, strict=True) if claim.verdict in CHANGED]
    moved = set(changed)
    for group, claim in zip(groups, claims, strict=True):
        is_frontier = claim.verdict in CHANGED and not held & set(group) and not any(top < set(group) for top in tops)
        moved |= set(group) if is_frontier else set()
        yield replace(claim, is_frontier=is_frontier)
    shown_cells = {(i, row.cells[0].label) for i, row in cells}
    for places, claim in zip(cores, core_claims, strict=True):
        is_held = any(i in moved or (i, evidence[i].row.cells[j].label) in shown_cells for i, j in places)
        yield replace(claim, is_frontier=claim.verdict in CHANGED and not is_held)


def _less_sure(claim: Claim, limits: Limits) -> Claim:
    """One boot of each run does not show what all rows of a boot share: a part of which no row can be named is inconclusive then."""
    is_sure = claim.p_adjusted < limits.alpha and not claim.is_frontier
    return replace(claim, verdict=Verdict.CANNOT_TELL) if claim.verdict in CHANGED and not is_sure else claim


def _by_themselves(evidence: Sequence[Evidence], tests: Tests, boots: int, limits: Limits) -> list[Row]:
    """Rows and their data points, each level adjusted within its metric."""
    metrics = [row_evidence.row.metric for row_evidence in evidence]
    shifts, sizes = tests.shifts(), Counter(metrics)
    adjusted = by_family([shift.p for shift in shifts], metrics, family_wise, OF_ROWS)
    of_cells = tests.cells()
    cell_metrics = [metric for metric, cells in zip(metrics, of_cells, strict=True) for _ in cells]
    cell_p = iter(by_family([shift.p for cells in of_cells for shift in cells], cell_metrics, family_wise, OF_CELLS))
    rows = []
    for i, (shift, p, metric) in enumerate(zip(shifts, adjusted, metrics, strict=True)):
        row, least = tests.shown(i), tests.least(i)
        verdict = decide(shift, row.threshold, p, limits.alpha)
        if verdict in CHANGED and abs(shift.value) <= least:
            verdict = Verdict.CANNOT_TELL
        cells = [_judged_cell(cell, cell_shift, next(cell_p), limits) for cell, cell_shift in zip(row.cells, of_cells[i], strict=True)]
        smallest = detectable("level", shift, row.before, least, limits.alpha * OF_ROWS / sizes[metric], boots)
        detectables = (smallest,) if smallest else ()
        rows.append(replace(row, shift=shift, p_adjusted=p, verdict=verdict, cells=tuple(cells), detectable=detectables))
    return rows


def _judged_cell(cell: Cell, shift: Shift, p: float, limits: Limits) -> Cell:
    """One boot leaves the shift that is shown with the row, and no verdict."""
    if not np.isfinite(shift.error):
        return cell
    return replace(cell, shift=shift, p_adjusted=p, verdict=decide(shift, cell.threshold, p, limits.alpha))


def _changed_cells(evidence: Sequence[Evidence], rows: Sequence[Row], drifting: Collection[str]) -> list[tuple[int, Row]]:
    """A row for each data point that changed otherwise than its row; those of tests that drift have none."""
    out = []
    for i, row in enumerate(rows):
        for cell in row.cells if row.test not in drifting else ():
            if cell.verdict in CHANGED and cell.verdict is not row.verdict:
                name = f"{row.name} ({cell.label})" if len(row.cells) > 1 else row.name
                place = row.test, row.metric, name, row.cluster, cell.before, cell.after, cell.shift, cell.threshold, cell.verdict
                out.append((i, Row(*place, f"one data point, {row.basis}", (cell,), is_cell=True, p_adjusted=cell.p_adjusted)))
    return out


def _name_rows(evidence: Sequence[Evidence], tests: Tests, group: Group, claim: Claim, rows: list[Row], limits: Limits) -> None:
    """The verdicts of the rows that are named as those that moved in a group that did."""
    shifts = [row.shift for row in rows]
    named = list(_named(evidence, shifts, group, tests)) if claim.p_adjusted < limits.alpha else []
    is_of_tests = len({rows[i].test for i in named}) > 1
    for row, i in ((rows[i], i) for i in named if rows[i].verdict not in CHANGED):
        if is_of_tests or abs(row.shift.value) > tests.least(i):
            changed, basis = decide_exact(row.shift.value, row.threshold), f"{row.basis}, with {claim.rows} rows alike"
            rows[i] = replace(row, verdict=changed, p_adjusted=claim.p_adjusted, basis=basis)


def _adjusted(claims: Sequence[Claim], share: float, limits: Limits) -> list[Claim]:
    """With p-values adjusted over the claims of one metric and level, and the verdicts that they make."""
    adjusted = by_family([claim.shift.p for claim in claims], [claim.metric for claim in claims], family_wise, share)
    return [
        replace(claim, p_adjusted=p, verdict=decide(claim.shift, claim.threshold, p, limits.alpha))
        for claim, p in zip(claims, adjusted, strict=True)
    ]


def _groups(evidence: Sequence[Evidence], metric: Metric) -> Iterator[Group]:
    """All rows, those of each role and those of each cluster; terms of ladders are groups of their own."""
    indices = [i for i, row_evidence in enumerate(evidence) if row_evidence.row.metric is metric and not row_evidence.row.is_whole]
    for rows in _split(indices, lambda i: evidence[i].row.is_term):
        roles, clusters = _split(rows, lambda i: evidence[i].role), _split(rows, lambda i: evidence[i].row.cluster)
        whole = [] if evidence[rows[0]].row.is_term else [rows]
        yield from (group for group in dict.fromkeys((*whole, *roles, *clusters)) if len(group) > 1)


def _split(rows: Iterable[int], key: Callable[[int], Hashable]) -> list[Group]:
    by_key: dict[Hashable, Group] = defaultdict(tuple)
    for i in rows:
        by_key[key(i)] += (i,)
    return list(by_key.values())


def _claim(evidence: Sequence[Evidence], group: Group, pooled: Pooled) -> Claim:
    members = [evidence[i] for i in group]
    tests = len({member.row.test for member in members})
    names = {member.row.name for member in members}
    clusters, roles = {member.row.cluster for member in members}, {member.role for member in members}
    where = "" if len(clusters) > 1 or None in clusters else f"of cluster {clusters.pop()}"
    role = members[0].row.name if members[0].row.is_term and len(names) == 1 else next(iter(roles)) if len(roles) == 1 else ""
    name = " ".join(filter(None, (where, role and f"as {role}", f"in {count(tests, 'test')}")))
    cells = sum(len(member.row.cells) for member in members)
    return _pooled_claim(ClaimLevel.GROUP, members[0].row.metric, name, pooled, len(members), cells)


def _pooled_claim(level: ClaimLevel, metric: Metric, name: str, pooled: Pooled, rows: int, cells: int) -> Claim:
    after = pooled.before + pooled.shift.value
    place = level, metric, "", name, pooled.before, after, pooled.shift, pooled.threshold, 1.0, Verdict.CANNOT_TELL
    return Claim(*place, rows=rows, cells=cells)


def _cores(evidence: Sequence[Evidence]) -> list[list[tuple[int, int]]]:
    """The data points of one core in several tests, for each metric."""
    by_core: dict[tuple[Metric, str], list[tuple[int, int]]] = defaultdict(list)
    for i, row_evidence in enumerate(evidence):
        row = row_evidence.row
        if not row.is_whole and not row.is_term and row_evidence.role != PLACE:
            for j, cell in enumerate(row.cells):
                by_core[row.metric, cell.label].append((i, j))
    return [places for (_, label), places in by_core.items() if label != MEDIAN and len({evidence[i].row.test for i, _ in places}) > 1]


def _core_claim(evidence: Sequence[Evidence], places: Sequence[tuple[int, int]], pooled: Pooled) -> Claim:
    """It is of all tests that have the core, also of those in which it waits in one run."""
    i, j = places[0]
    core, first = evidence[i].row.cells[j].label, evidence[i].row
    of_core = [
        other.row.test
        for other in evidence
        if other.row.metric is first.metric and not (other.row.is_whole or other.row.is_term) and _may_have(other, core)
    ]
    name = f"of core {core} in {count(len(set(of_core)), 'test')}"
    return _pooled_claim(ClaimLevel.CORE, first.metric, name, pooled, len(places), len(places))


def _may_have(row_evidence: Evidence, core: str) -> bool:
    return row_evidence.role != PLACE and row_evidence.row.cluster in (None, int(core.partition(".")[0]))


def _named(evidence: Sequence[Evidence], shifts: Sequence[Shift], group: Group, tests: Tests) -> Iterator[int]:
    """The rows of a group that moved: those of each part of it that did, the way that the part did."""
    parts = _split(group, lambda i: (evidence[i].kind, evidence[i].row.cluster))
    tested = [tests.of_group(part).shift if len(part) > 1 else shifts[part[0]] for part in parts]
    for part, moved, p in zip(parts, tested, family_wise([shift.p for shift in tested]), strict=True):
        for i, of_row in zip(part, family_wise([tests.own_p(i) for i in part]), strict=True):
            is_beyond = shifts[i].value * moved.value > 0 and abs(shifts[i].value) > tests.least_together(i)
            if p < PART_P and of_row < ROW_P and is_beyond:
                yield i


def rule_changes(pair: Pair, facts: PlatformFacts) -> tuple[RuleChange, ...]:
    """The changed rules, the worse first. A rule on similar times is left to the rows, which know their scatter."""
    before, after = _by_key(pair.a, pair.columns_a, facts), _by_key(pair.b, pair.columns_b, facts)
    pairs = [(before[key], after[key]) for key in before if key in after and before[key].applicable and after[key].applicable]
    worse = [RuleChange(new, True) for old, new in pairs if old.holds and not new.holds and new.rule.decides]
    better = [RuleChange(old, False) for old, new in pairs if new.holds and not old.holds and old.rule.decides]
    return (*worse, *better)


def _by_key(run: Run, columns: Columns, facts: PlatformFacts) -> dict[tuple[str, str], Check]:
    return {(check.test, check.rule.id): check for check in check_columns(run, columns, facts)}
