# SPDX-License-Identifier: BSD-3-Clause
"""The history of figures: on the terminal, for other programs, and as a page with charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

from latlab.core.comparison.history import ChangePoint, Series
from latlab.core.comparison.wording import amount, bare, count, percent, said_p, signed
from latlab.core.report.history.words import answer, change_table
from latlab.core.report.page import Block, Folded, Item, Items, Page, Paragraph, Section
from latlab.core.report.renderers import json
from latlab.core.report.table import Table, Value, figures, words
from latlab.core.report.text import Style, Styled, soft, strong
from latlab.core.report.units import CLOCK_NAMES
from latlab.core.statistics.change_points import ChangeKind

SCHEMA = "latlab-history"
VERSION = 4
_ALSO = {
    ChangeKind.STEP: "",
    ChangeKind.ALONE: ", this run alone",
    ChangeKind.NEWEST: ", the newest run, which alone cannot say whether it stays",
}


def screen(all_series: tuple[Series, ...]) -> Page:
    """Each figure as a table of runs with the differences between them, and what its changes are made of."""
    return Page(
        "", sections=(*(Section("", tuple(_blocks(series))) for series in all_series), *_conditions(all_series)), answer=answer(all_series)
    )


def page(all_series: tuple[Series, ...], with_causes: bool = True) -> Page:
    """`with_causes` says beside each change what it is made of."""
    from latlab.core.report.history.charts import history_chart, history_drawing

    drawing, table = history_drawing(all_series), change_table(all_series)
    first = Section("", tuple(block for block in (drawing, table) if block is not None))
    folded = tuple(
        Folded(series.path, (*((history_chart(series, f"series-{n}"),) if _scatters(series) else ()), *_series_blocks(series, with_causes)))
        for n, series in enumerate(all_series)
    )
    lead = tuple(_lead(series) for series in all_series if series.points)[:1]
    sections = (first, Section("Every figure: what its changes rest on, and why", folded), *_conditions(all_series))
    return Page("History", lead, sections, name=f"History of {all_series[0].path}", answer=answer(all_series))


def _scatters(series: Series) -> bool:
    """Whether a run of it has boots that a chart can show beside their median."""
    return any(len(point.values) > 1 for point in series.points)


def _lead(series: Series) -> str:
    points = series.points
    clock = CLOCK_NAMES[points[-1].run.tick.clock]
    return f"{len(points)} runs, {points[0].run.id} to {points[-1].run.id}. Clock: {clock}."


def history_json(all_series: tuple[Series, ...]) -> str:
    return json.document(
        {
            "schema": SCHEMA,
            "version": VERSION,
            "series": [
                {
                    "path": series.path,
                    "unit": series.unit,
                    "simulated": series.is_simulated,
                    "points": [{"run": p.run.id, "firmware": p.run.build.firmware, "values": list(p.values)} for p in series.points],
                    "changes": [
                        {
                            "kind": c.kind.value,
                            "after_run": series.points[c.left].run.id,
                            "run": series.points[c.index].run.id,
                            "last_run": series.points[c.end - 1].run.id,
                            "before": c.before,
                            "after": c.after,
                            "p": c.p,
                            "verdict": c.verdict.word,
                            "rows": asdict(c.judged),
                            "figures": asdict(c.moved),
                            "explanations": [asdict(e) for e in c.explanations],
                        }
                        for c in series.changes
                    ],
                    "note": series.note,
                    "figures": list(series.figures),
                    "suspicions": [suspicion.sentence(series.unit) for suspicion in series.suspicions],
                    "missing": list(series.missing),
                    "differs": [{"run": series.points[k].run.id, "said": difference.title} for k, difference in series.differences],
                }
                for series in all_series
            ],
        }
    )


def certainty(p: float | None) -> str:
    """How far a change point is beyond chance."""
    return "exact" if p is None else said_p(p)


def _blocks(series: Series) -> Iterator[Block]:
    yield _table(series)
    yield from _series_blocks(series)


def _table(series: Series) -> Table:
    changes = {change.index: change for change in series.changes if change.kind is not ChangeKind.DRIFT}
    without_verdict = series.inconclusive
    rows: list[tuple[Value, ...]] = []
    previous = None
    has_commits = any(point.run.build.commit for point in series.points)
    for index, point in enumerate(series.points):
        difference = "" if previous is None else _difference(point.value, previous, series.unit)
        mark: Value = "inconclusive" if index in without_verdict else ""
        if index in changes:
            mark = strong(f"{changes[index].verdict}, {certainty(changes[index].p)}")
        commit = (point.run.build.commit,) if has_commits else ()
        rows.append((point.run.id, *commit, bare(point.value, series.unit), difference, mark))
        previous = point.value
    columns = (*words("Run", *(("Commit",) if has_commits else ())), *figures("Value", "Difference"), *words("Change"))
    together = f"median of {len(series.figures)} figures, " if series.figures else ""
    return Table(f"{series.path} ({together}{series.heading})", columns, tuple(rows))


def _series_blocks(series: Series, with_causes: bool = True) -> Iterator[Block]:
    if series.changes:
        changes = (_change(series, change) for change in series.changes)
        yield Items(tuple(item if with_causes else replace(item, below=()) for item in changes))
    for suspicion in series.suspicions:
        yield Paragraph((Styled("suspect", Style.BAD), f" {suspicion.sentence(series.unit)}"))
    for missing in series.missing:
        yield Paragraph((Styled("missing", Style.BAD), f" {missing}"))
    if series.note:
        yield Paragraph((Styled("note", Style.DOUBT), f" {series.note}"))


def _conditions(all_series: Iterable[Series]) -> tuple[Section, ...]:
    """Which differ between two neighbours, once for all figures."""
    lines = {
        f" {series.points[k - 1].run.id} to {series.points[k].run.id}: {difference.title}": None
        for series in all_series
        for k, difference in series.differences
    }
    return (Section("", tuple(Paragraph((Styled("conditions", Style.DOUBT), line)) for line in lines)),) if lines else ()


def _change(series: Series, change: ChangePoint) -> Item:
    levels = f"{amount(change.before, series.unit)} to {amount(change.after, series.unit)}, {certainty(change.p)}"
    if change.is_against_median:
        levels += " (the median of its figures went the other way than its rows)"
    below = tuple((e.sentence, soft(f" ({e.basis})")) for e in change.explanations)
    run = strong(series.points[change.index].run.id)
    if change.kind is ChangeKind.DRIFT:
        first = strong(series.points[change.left].run.id)
        return Item(("drift from ", first, " to ", run, f": {levels}; a trend fits better than a change point"), below)
    return Item(("at ", run, f"{_ALSO[change.kind]}: {change.verdict}, {levels}{_rested_on(change)}"), below)


def _rested_on(change: ChangePoint) -> str:
    """What a change stands on: the rows of the comparison with the run before, or the whole series; and how many figures moved."""
    judged, moved = change.judged, change.moved
    parts = [f"{len(rows)} {direction}" for rows, direction in ((judged.regressed, "regressed"), (judged.improved, "improved")) if rows]
    basis = f". Against the run before {' and '.join(parts)}, of {count(judged.rows, 'row')}" if parts else ", by the series"
    if not moved.figures:
        return basis
    return f"{basis}. {len(moved.rose)} of {count(moved.figures, 'figure')} rose and {len(moved.fell)} fell beyond the threshold"


def _difference(value: float, previous: float, unit: str) -> str:
    relative = f" ({percent(value / previous - 1)})" if previous else ""
    return signed(value - previous, unit) + relative
