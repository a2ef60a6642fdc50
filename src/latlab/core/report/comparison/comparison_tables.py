# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as tables: what changed, the queues, the printed deltas, every row and cell, and the new figures with their deltas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

import numpy as np

from latlab.core.comparison.cell_deltas import cell_delta
from latlab.core.comparison.comparison import Cell, Comparison, Row, SpanComparison, WakeupComparison
from latlab.core.comparison.decision import Claim, decide
from latlab.core.comparison.printed_deltas import DeltaJudgement, places
from latlab.core.comparison.verdicts import CHANGED, Verdict
from latlab.core.comparison.wording import (
    MEDIANS_AND_MEANS,
    MORE_IS_BETTER,
    PLAIN,
    amount,
    bare,
    heading_unit,
    p_value,
    percent,
    row_title,
    said_p,
    signed,
    signed_bare,
    span_of,
)
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.report.core_rows import caption, place
from latlab.core.report.page import Block, Paragraph
from latlab.core.report.table import Table, Value, figures, prose, words
from latlab.core.report.text import Style, Styled, Text, soft
from latlab.core.report.titles import METRIC_TITLES, title_of
from latlab.core.statistics.sample_matrix import columns_of

MOST_COLUMNS = 5
WAKEUP_TITLES = {Metric.TASK_WAKEUP: "Wake-up latency", Metric.STALL: "Stalls of a busy loop", Metric.CYCLE: "Cycles, from due to end"}
STYLES = {
    Verdict.REGRESSED: Style.BAD,
    Verdict.IMPROVED: Style.GOOD,
    Verdict.MOVED: Style.NEUTRAL,
    Verdict.SAME_LEVEL: Style.NEUTRAL,
    Verdict.SAME: Style.NEUTRAL,
    Verdict.NOT_SHOWN: Style.NEUTRAL,
    Verdict.CANNOT_TELL: Style.DOUBT,
}


def verdict_span(verdict: Verdict) -> Styled:
    """The verdict in its colour, short: it stands in a column."""
    return Styled(verdict.word, STYLES[verdict])


def title_verdict(verdict: Verdict) -> Styled:
    """The verdict in its colour and in full."""
    return Styled(str(verdict), STYLES[verdict])


def changes(comparison: Comparison) -> Iterator[tuple[Metric, Verdict, list[Row]]]:
    """The rows of each metric that changed one way, terms of queues left out."""
    for metric in Metric:
        for verdict in CHANGED:
            rows = [row for row in comparison.rows if row.metric == metric and row.verdict is verdict and not row.is_term]
            if rows:
                yield metric, verdict, rows


def change_tables(comparison: Comparison) -> list[Table]:
    """Sizes of what changed in one metric: a row for each test, a column for each group of cores."""
    return [_change_table(comparison, metric, verdict, rows) for metric, verdict, rows in changes(comparison)]


def queue_tables(comparison: Comparison) -> list[Table]:
    """The terms of every ladder; no table where there is none."""
    unit = comparison.unit
    rows = tuple(
        (
            row.test,
            row.title,
            bare(row.before, unit),
            bare(row.after, unit),
            signed_bare(row.shift.value, unit) + (f" ({percent(row.relative)})" if isfinite(row.shift.value) else ""),
            interval(row, unit),
            bare(row.threshold, unit),
            verdict_span(row.verdict),
        )
        for row in comparison.rows
        if row.is_term
    )
    columns = (
        *words("Test", "Term"),
        *figures("Before", "After", "Shift", f"{comparison.interval_percent} % interval", "Threshold"),
        *words("Verdict"),
    )
    return [Table(f"Powerdown queues ({comparison.heading})", columns, rows)] if rows else []


def delta_blocks(deltas: list[DeltaJudgement], verbose: bool = False) -> list[Block]:
    """The printed deltas, judged; those that are no deltas of the two runs in one sentence, or each with `verbose`."""
    shown = deltas if verbose else [delta for delta in deltas if not delta.of_other_runs]
    out: list[Block] = []
    if len(shown) < len(deltas):
        others = len(deltas) - len(shown)
        out.append(Paragraph(f"{others} of {len(deltas)} percentages printed beside the second run's figures are of other runs"))
    if not shown:
        return out
    regressions = sum(delta.verdict is Verdict.REGRESSED for delta in shown)
    rows = tuple((delta.test, str(delta.core), delta.printed, verdict_span(delta.verdict), delta.reason) for delta in shown)
    columns = (*words("Test"), *figures("Core", "Printed"), *words("Verdict"), prose("Why"))
    title = f"{len(shown)} percentages printed beside the second run's figures, {regressions or 'none'} of them regressed"
    return [*out, Table(title, columns, rows)]


def row_tables(comparison: Comparison) -> list[tuple[str, Table]]:
    """Every row and below it its cells, a table for each test."""
    tests = dict.fromkeys(row.test for row in comparison.rows)
    return [(test, _row_table(comparison, test)) for test in tests]


def decision_table(comparison: Comparison) -> Table:
    """The tree of the claims from the whole to the parts above the rows, each with what it rests on; rows and data points are in the tables
    of the tests. Parts that changed without any of their rows are marked."""
    decision = decide(comparison)
    whole = ("whole", decision.reason.value, "", "", "", "", title_verdict(decision.verdict))
    columns = (*words("Level", "Part"), *figures("Shift", "Interval", "Threshold", "p"), *words("Verdict"))
    title = f"Decision, {comparison.account.sentence}" if comparison.account else "Decision"
    return Table(title, columns, (whole, *(_claim_row(claim, comparison.unit_of(claim.metric)) for claim in comparison.claims)))


def _claim_row(claim: Claim, unit: str) -> tuple[Value, ...]:
    is_known = isfinite(claim.shift.low) and isfinite(claim.threshold)
    figures_of = (
        signed(claim.shift.value, unit),
        span_of(bare(claim.shift.low, unit), bare(claim.shift.high, unit)),
        bare(claim.threshold, unit),
        p_value(claim.p_adjusted),
    )
    name = f"{claim.metric} {row_title(claim.name)}{', no single row' if claim.is_frontier else ''}"
    return (claim.level.value, name, *(figures_of if is_known else ("-",) * 4), verdict_span(claim.verdict))


def equal_tests(comparison: Comparison) -> tuple[str, ...]:
    """The tests of which no row and no cell has another figure in the second run."""
    moved = {row.test for row in comparison.rows if _differs(row)}
    return tuple(test for test in dict.fromkeys(row.test for row in comparison.rows) if test not in moved)


def equal_table(comparison: Comparison, tests: Sequence[str]) -> Table:
    """The rows of these tests, whose figures are the same in both runs, each said once."""
    rows = tuple(
        (
            row.test,
            str(row.metric),
            row.title,
            amount(row.before, comparison.unit_of(row.metric)),
            verdict_span(row.verdict),
            row.basis,
        )
        for row in comparison.rows
        if row.test in tests
    )
    columns = (*words("Test", "Metric", "Cores"), *figures("In both"), *words("Verdict"), prose("Basis"))
    return Table("", columns, rows)


def _differs(row: Row) -> bool:
    is_certain = not (row.shift.value or row.shift.low or row.shift.high)
    moved = row.before != row.after or any(cell.before != cell.after for cell in row.cells)
    return moved or not is_certain or row.verdict is not Verdict.SAME


def place_table(comparison: SpanComparison, test: str) -> Table:
    """Each core's place in both queues, and its span against the ladder of the first run."""
    unit = comparison.unit
    rows = tuple(
        (
            str(cell.core),
            str(cell.place_before + 1),
            bare(cell.before, unit),
            str(cell.place_after + 1),
            bare(cell.after, unit),
            bare(cell.expected, unit) if cell.expected is not None else "-",
            percent(cell.after / cell.expected - 1) if cell.expected else "-",
        )
        for cell in places(comparison, test)
    )
    names = ("Position before", "Before", "Position after", "After", "First run's queue model", "Difference")
    return Table(f"Powerdown by queue position in {test} ({comparison.heading})", (*words("Core"), *figures(*names)), rows)


def wakeup_tables(comparison: WakeupComparison) -> list[tuple[str, Table]]:
    """A line for each figure of each CPU, a table for each tool."""
    titled_tables = []
    shift = f"{comparison.interval_percent} % interval of the shift"
    columns = (*words("Figure"), *figures("Before", "After", shift), *words("Unit", "Verdict"))
    for test in dict.fromkeys(row.test for row in comparison.rows):
        of_test = [row for row in comparison.rows if row.test == test]
        rows = tuple(_wakeup_row(row, comparison.unit_of(row.metric)) for row in of_test)
        titled_tables.append((test, Table(f"{_measured(of_test)} by {test}", columns, rows)))
    return titled_tables


def figure_table(comparison: SpanComparison, test: str) -> Table | None:
    """The second run's figures as the reference document prints them, a delta only beside what is shown to have changed."""
    columns = columns_of(comparison.b)
    matrices = {metric: m for metric in Metric if (m := columns.matrix(test, metric)) is not None and len(m.values)}
    if not matrices:
        return None
    rows: list[tuple[Value, ...]] = []
    for core in sorted({core for m in matrices.values() for core in m.cores}):
        cells = []
        for metric, matrix in matrices.items():
            value = float(np.median(matrix.by_boot[:, matrix.cores.index(core)])) if core in matrix.cores else None
            cells.append("" if value is None else bare(value, comparison.unit) + _delta(comparison, test, metric, core, value))
        rows.append((*place(core), *cells))
    title = caption(title_of(test), len(matrices), comparison.heading)
    names = ("Cluster", "Core", *(METRIC_TITLES[metric] for metric in matrices))
    return Table(title, figures(*names), tuple(rows), detail=comparison.b.build.firmware)


def interval(row: Row, unit: str) -> str:
    """The row's interval, or a dash where the samples are too few for one."""
    if row.shift.low == float("-inf"):
        return "-"
    return span_of(bare(row.shift.low, unit), bare(row.shift.high, unit))


def _change_table(comparison: Comparison, metric: Metric, verdict: Verdict, rows: list[Row]) -> Table:
    unit = comparison.unit_of(metric)
    title = _change_title(comparison, metric, verdict, rows)
    names = list(dict.fromkeys(row.title for row in sorted(rows, key=lambda row: (row.cluster is None, row.name))))
    if len(names) > MOST_COLUMNS:
        lines = tuple((row.test, row.title, signed(row.shift.value, unit), percent(row.relative)) for row in rows)
        return Table(title, (*words("Test", "Cores"), *figures("Shift", "Share")), lines)
    by_key = {(row.test, row.title): row for row in rows}
    tests = dict.fromkeys(row.test for row in rows)
    sizes = tuple((test, *(_size(by_key.get((test, name)), unit) for name in names)) for test in tests)
    return Table(title, (*words("Test"), *figures(*names)), sizes)


def _change_title(comparison: Comparison, metric: Metric, verdict: Verdict, rows: list[Row]) -> Text:
    cells = [cell.shift.value for row in rows for cell in row.cells] or [row.shift.value for row in rows]
    is_up = (verdict is Verdict.REGRESSED) != (metric in MORE_IS_BETTER)
    moved = sum((value > 0) == is_up for value in cells)
    way = "rose" if is_up else "fell"
    p = max(row.p_adjusted for row in rows)
    size = f": {moved} of {len(cells)} data point{'s' * (len(cells) != 1)} {way}" + (f", {said_p(p)}" if p < 1 else "")
    return f"{metric} ", verdict_span(verdict), size


def _size(row: Row | None, unit: str) -> str:
    if row is None:
        return ""
    share = f" ({percent(row.relative)})" if isfinite(row.relative) else ""
    return f"{signed_bare(row.shift.value, unit)}{share}"


def _row_table(comparison: Comparison, test: str) -> Table:
    rows: list[tuple[Value, ...]] = []
    for row in (row for row in comparison.rows if row.test == test):
        rows.append(_row(row, comparison.unit_of(row.metric)))
        rows += [_cell(row, cell, comparison.unit) for cell in row.cells]
    columns = (
        *words("Metric", "Cores"),
        *figures("Before", "After", "Shift", f"{comparison.interval_percent} % interval", "Threshold"),
        *words("Verdict"),
        prose("Basis"),
    )
    is_apart = any(row.is_of_some_cores for row in comparison.rows if row.test == test)
    return Table(f"{test} ({comparison.heading})", columns, tuple(rows), notes=(f"{MEDIANS_AND_MEANS}.",) * is_apart)


def _row(row: Row, unit: str) -> tuple[Value, ...]:
    effect = f", effect {row.effect:+.2f}" if row.effect is not None else ""
    return (
        f"{row.metric} ({unit})" if unit in PLAIN else str(row.metric),
        row.title,
        bare(row.before, unit),
        bare(row.after, unit),
        signed(row.shift.value, unit),
        interval(row, unit),
        bare(row.threshold, unit),
        verdict_span(row.verdict),
        "; ".join(filter(None, (row.verdict.detail, row.basis + effect))),
    )


def _cell(row: Row, cell: Cell, unit: str) -> tuple[Value, ...]:
    """A cell has a verdict of its own only where it was tested alone."""
    verdict: Value = verdict_span(cell.verdict) if row.effect is not None else ""
    shown = (f"  {cell.label}", bare(cell.before, unit), bare(cell.after, unit), signed(cell.difference, unit))
    low, high = cell.shift.low, cell.shift.high
    ends = span_of(bare(low, unit), bare(high, unit)) if isfinite(low) and row.effect is not None else ""
    return ("", *map(soft, shown), soft(ends), soft(bare(cell.threshold, unit)) if cell.threshold else "", verdict, "")


def _measured(rows: Sequence[Row]) -> str:
    spans = next((row.metric for row in rows if row.metric in WAKEUP_TITLES), Metric.TASK_WAKEUP)
    return WAKEUP_TITLES[spans]


def _wakeup_row(row: Row, unit: str) -> tuple[Value, ...]:
    of_row = heading_unit(unit)
    return row.title, bare(row.before, unit), bare(row.after, unit), interval(row, unit), of_row, verdict_span(row.verdict)


def _delta(comparison: SpanComparison, test: str, metric: Metric, core: CoreId, value: float) -> str:
    """As the reference document prints it."""
    delta = cell_delta(comparison, test, metric, core, value)
    if delta is None:
        return ""
    return f" ({delta.share * 100:+.2f}%{' at its position' if delta.at_its_place else ''})"
