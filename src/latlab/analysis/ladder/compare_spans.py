# SPDX-License-Identifier: BSD-3-Clause
"""Two runs of spans compared by structure: the ladder of each parallel test, and like cores of every other span.

With enough boots a side each row is tested on its own. With fewer, a row can only stand on its neighbours: the sign test asks whether the
cells of a metric, of a metric in one test, or of a metric in one cluster moved together, and a row follows the level it belongs to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from latlab.analysis.base.columns import Columns, Floats, boot_medians
from latlab.analysis.base.comparison import Cell, Comparison, Level, Order, Row
from latlab.analysis.base.identity import Pair, pair_runs, resolution
from latlab.analysis.base.ladders import BASE, STEP, Ladders
from latlab.analysis.base.statistics import (
    Shift,
    effect_size,
    false_discovery_control,
    one_sample_shift,
    t_interval,
    two_sample_shift,
)
from latlab.analysis.base.verdicts import Limits, Verdict, decide, decide_exact, overall
from latlab.analysis.ladder.canonical import LEAST_SHARE, fit_ladders
from latlab.analysis.ladder.groups import Group, groups_of
from latlab.analysis.ladder.roles import inferred_lead, is_parallel, roles_of
from latlab.model.enums import Clock, Metric
from latlab.model.run import Run

_NO_SHIFT = Shift(0.0, 0.0, 0.0, 1.0)


def compare_spans(a: Run, b: Run, limits: Limits) -> Comparison:
    """Raises NotComparable where the runs do not belong together."""
    pair = pair_runs(a, b)
    roles_a, roles_b = roles_of(pair.columns_a), roles_of(pair.columns_b)
    lead_a = a.lead or inferred_lead(a, pair.columns_a, roles_a)
    lead_b = b.lead or inferred_lead(b, pair.columns_b, roles_b)
    notes = list(pair.notes)
    if lead_a != lead_b:
        leads = f"{lead_a or 'unknown'} and {lead_b or 'unknown'}"
        notes.append(f"the lead differs, {leads}: in serial tests other cores are last in their cluster")
    judge = _Judge(pair, limits)
    ladders: dict[str, tuple[Ladders, Ladders]] = {}
    rows: list[Row] = []
    for test, metric in pair.common:
        if metric is Metric.POWERDOWN and is_parallel(test):
            fitted = fit_ladders(pair.columns_a, roles_a, test), fit_ladders(pair.columns_b, roles_b, test)
            if fitted[0] and fitted[1] and _fits(fitted[0]) and _fits(fitted[1]):
                ladders[test] = fitted[0], fitted[1]
                rows += judge.ladder(test, fitted[0], fitted[1])
                continue
        groups, found = groups_of(pair, roles_a, roles_b, test, metric, same_lead=lead_a == lead_b)
        notes += [note for note in found if note not in notes]
        rows += [judge.group(group) for group in groups]
    rows, levels = judge.settle(judge.with_cell_verdicts(rows))
    orders = tuple(Order(test, before.names_in_order(), after.names_in_order()) for test, (before, after) in ladders.items())
    verdict = overall((row.verdict for row in rows), bool(pair.gaps))
    return Comparison(
        a,
        b,
        limits,
        pair.unit,
        verdict,
        tuple(rows),
        tuple(levels),
        orders,
        ladders,
        (lead_a, lead_b),
        judge.boots,
        tuple(notes),
        gaps=pair.gaps,
    )


def _fits(ladders: Ladders) -> bool:
    return bool(np.nanmedian(ladders.share) >= LEAST_SHARE)


@dataclass(frozen=True)
class _Judge:
    pair: Pair
    limits: Limits

    @property
    def exact(self) -> bool:
        """Instruction counts and virtual time are deterministic: a difference is never noise."""
        return self.pair.a.tick.clock is not Clock.TIME

    @property
    def identical(self) -> bool:
        a, b = self.pair.columns_a.matrices, self.pair.columns_b.matrices
        return a.keys() == b.keys() and all(np.array_equal(a[key].values, b[key].values) for key in a)

    @property
    def boots(self) -> tuple[int, int]:
        return _boots(self.pair.columns_a), _boots(self.pair.columns_b)

    def threshold(self, metric: Metric, baseline: float) -> float:
        a, b = self.pair.a, self.pair.b
        if a.tick.clock is Clock.INSTRUCTIONS:
            return self.limits.relative_exact * abs(baseline)
        capture = 0.0
        if a.capture_cost_ticks is not None and b.capture_cost_ticks is not None:
            capture = abs(a.capture_cost_ticks * a.tick.value - b.capture_cost_ticks * b.tick.value)
        return self.limits.threshold(baseline, max(resolution(a, metric), resolution(b, metric)), capture)

    def enough(self, n: int, m: int) -> bool:
        return min(n, m) >= self.limits.fewest_boots

    def ladder(self, test: str, before: Ladders, after: Ladders) -> list[Row]:
        rows = []
        for name in dict.fromkeys([*before.terms, *after.terms]):
            if name not in before.terms or name not in after.terms:
                continue
            rows.append(self._term(test, name, before, after))
        return rows

    def _term(self, test: str, name: str, before: Ladders, after: Ladders) -> Row:
        """An extra is a part of a rise that holds a step as well, so its threshold is relative to the larger of the two."""
        a, b = _term_by_boot(before, name), _term_by_boot(after, name)
        baseline, changed = float(np.median(a)), float(np.median(b))
        extra_to = 0.0 if name == BASE else float(np.median(_term_by_boot(before, STEP)))
        threshold = self.threshold(Metric.POWERDOWN, max(abs(baseline), extra_to))
        row = Row(test, Metric.POWERDOWN, name, None, baseline, changed, _NO_SHIFT, threshold, Verdict.CANNOT_TELL, "", is_term=True)
        if self.exact:
            return self._exact(row, a, b)
        if self.enough(len(a), len(b)):
            return replace(row, shift=two_sample_shift(a, b), basis=f"{len(a)} and {len(b)} boots", effect=effect_size(a, b))
        error = float(np.hypot(_median(before.errors[name]), _median(after.errors[name])))
        dof = _median(before.dof.astype(float)) + _median(after.dof.astype(float))
        exactly_fitted = any(np.isnan(x.rms).all() for x in (before, after))
        shift = t_interval(changed - baseline, error, 0 if exactly_fitted else dof)
        return replace(row, shift=shift, basis=f"fit, {dof:.0f} degrees of freedom")

    def group(self, group: Group) -> Row:
        before, after = float(np.median(group.a)), float(np.median(group.b))
        threshold = self.threshold(group.metric, before if group.own_work is None else group.own_work)
        cells = tuple(self._cell(group, i) for i in range(len(group.labels)))
        row = Row(group.test, group.metric, group.name, group.cluster, before, after, _NO_SHIFT, threshold, Verdict.CANNOT_TELL, "", cells)
        if self.exact:
            return self._exact(row, group.a, group.b)
        if self.enough(len(group.a), len(group.b)):
            a, b = np.median(group.a, axis=1), np.median(group.b, axis=1)
            return replace(row, shift=two_sample_shift(a, b), basis=f"{len(a)} and {len(b)} boots", effect=effect_size(a, b))
        return replace(row, shift=one_sample_shift(_differences(cells)), basis=_direction(cells))

    def _cell(self, group: Group, i: int) -> Cell:
        a, b = group.a[:, i], group.b[:, i]
        before, after = float(np.median(a)), float(np.median(b))
        if self.exact or not self.enough(len(a), len(b)):
            difference = after - before
            return Cell(group.labels[i], before, after, Shift(difference, -np.inf, np.inf, 1.0), Verdict.CANNOT_TELL)
        return Cell(group.labels[i], before, after, two_sample_shift(a, b), Verdict.CANNOT_TELL)

    def _exact(self, row: Row, a: Floats, b: Floats) -> Row:
        differences = _differences(row.cells) if row.cells else np.array([row.after - row.before])
        largest = float(differences[np.argmax(np.abs(differences))])
        low, high = float(differences.min()), float(differences.max())
        verdict = decide_exact(largest, row.threshold)
        basis = "exact"
        takes_turns = self.pair.a.tick.clock is Clock.INSTRUCTIONS and len(self.pair.a.topology.cores) > 1
        if verdict is not Verdict.SAME and is_parallel(row.test) and takes_turns:
            verdict, basis = Verdict.CANNOT_TELL, "cores take turns"
        cells = tuple(_exact_cell(cell, row.threshold) for cell in row.cells)
        return replace(row, shift=Shift(largest, low, high, 0.0 if largest else 1.0), verdict=verdict, basis=basis, cells=cells)

    def settle(self, rows: list[Row]) -> tuple[list[Row], list[Level]]:
        """Adjusts p-values over everything that is tested and gives each row its verdict."""
        if self.exact:
            return rows, []
        if not self.enough(*self.boots) and self.identical:
            return [replace(row, verdict=Verdict.SAME, basis="identical figures") for row in rows], []
        single = [row for row in rows if row.effect is None and not row.is_term]
        levels = _levels(single)
        tested = [row for row in rows if row.effect is not None or row.is_term]
        adjusted = false_discovery_control([*(row.shift.p for row in tested), *(level.shift.p for level in levels)])
        by_row = {id(row): p for row, p in zip(tested, adjusted, strict=False)}
        levels = [replace(level, p_adjusted=p) for level, p in zip(levels, adjusted[len(tested) :], strict=True)]
        return [self._settled(row, by_row.get(id(row)), levels) for row in rows], levels

    def _settled(self, row: Row, p_adjusted: float | None, levels: list[Level]) -> Row:
        if p_adjusted is not None:
            return replace(row, verdict=decide(row.shift, row.threshold, p_adjusted, self.limits.alpha))
        return self._by_level(row, [level for level in levels if level.holds(row)])

    def with_cell_verdicts(self, rows: list[Row]) -> list[Row]:
        """Verdicts of cells that have boots of their own, their p-values adjusted over all cells."""
        tested = [row for row in rows if row.effect is not None]
        adjusted = iter(false_discovery_control([cell.shift.p for row in tested for cell in row.cells]))
        out = []
        for row in rows:
            if row.effect is not None:
                row = replace(row, cells=tuple(self._settled_cell(cell, row, next(adjusted)) for cell in row.cells))
            out.append(row)
        return out

    def _settled_cell(self, cell: Cell, row: Row, p_adjusted: float) -> Cell:
        return replace(cell, p_adjusted=p_adjusted, verdict=decide(cell.shift, row.threshold, p_adjusted, self.limits.alpha))

    def _by_level(self, row: Row, levels: list[Level]) -> Row:
        """A row of single samples: moved with its level beyond the threshold, or inside it with a level that is shown to be."""
        differences = _differences(row.cells)
        up, down = bool((differences > 0).all()), bool((differences < 0).all())
        for level in levels:
            agrees = up if level.up > level.down else down
            if level.p_adjusted < self.limits.alpha and agrees and abs(row.shift.value) > row.threshold:
                verdict = Verdict.REGRESSED if up else Verdict.IMPROVED
                way = f"{max(level.up, level.down)} of {level.cells} cells {'up' if up else 'down'}"
                return replace(row, verdict=verdict, basis=f"with {_level_name(level)}, {way}")
        if not bool((np.abs(differences) <= row.threshold).all()):
            return row
        for level in levels:
            if level.in_thresholds.low >= -1 and level.in_thresholds.high <= 1:
                return replace(row, verdict=Verdict.SAME, basis=f"with {_level_name(level)}, within the threshold")
        return row


def _levels(rows: list[Row]) -> list[Level]:
    members: dict[tuple[Metric, str | None, int | None], list[Row]] = defaultdict(list)
    for row in rows:
        members[row.metric, None, None].append(row)
        members[row.metric, row.test, None].append(row)
        if row.cluster is not None:
            members[row.metric, None, row.cluster].append(row)
    levels = []
    for (metric, test, cluster), found in members.items():
        differences = np.concatenate([_differences(row.cells) for row in found])
        thresholds = np.concatenate([np.full(len(row.cells), row.threshold) for row in found])
        scaled = one_sample_shift(differences / np.where(thresholds > 0, thresholds, 1.0))
        up, down = int((differences > 0).sum()), int((differences < 0).sum())
        levels.append(Level(metric, test, cluster, len(differences), up, down, one_sample_shift(differences), scaled, 1.0))
    return levels


def _exact_cell(cell: Cell, threshold: float) -> Cell:
    difference = cell.difference
    return replace(cell, shift=Shift(difference, difference, difference, 0.0), verdict=decide_exact(difference, threshold))


def _level_name(level: Level) -> str:
    where = "" if level.test is None else f" in {level.test}"
    where += "" if level.cluster is None else f" of cluster {level.cluster}"
    return f"{level.metric}{where}"


def _differences(cells: Iterable[Cell]) -> Floats:
    return np.array([cell.difference for cell in cells])


def _direction(cells: tuple[Cell, ...]) -> str:
    up = sum(cell.difference > 0 for cell in cells)
    return f"{up} of {len(cells)} cells up"


def _boots(columns: Columns) -> int:
    return len({int(boot) for matrix in columns.matrices.values() for boot in np.unique(matrix.boots)})


def _term_by_boot(ladders: Ladders, name: str) -> Floats:
    values = boot_medians(ladders.boots, ladders.terms[name][:, None])[:, 0]
    return values[~np.isnan(values)]


def _median(values: Floats) -> float:
    kept = values[~np.isnan(values)]
    return float(np.median(kept)) if len(kept) else float("nan")
