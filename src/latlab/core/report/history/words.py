# SPDX-License-Identifier: BSD-3-Clause
"""The verdict of a history in a sentence, and its change points as one table with function and commit."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.core.comparison.counted_findings import CountedBeside
from latlab.core.comparison.findings import FunctionsMoved
from latlab.core.comparison.history import ChangePoint, Series
from latlab.core.comparison.wording import amount, bare, count, percent, signed
from latlab.core.report.comparison.comparison_tables import verdict_span
from latlab.core.report.table import Table, Value, figures, words
from latlab.core.report.text import code
from latlab.core.statistics.change_points import ChangeKind

MOST_TOLD = 3
COMMIT_LETTERS = 12


def release_names(series: Series) -> list[str]:
    """The runs without the catalogue's folder that all of them are in."""
    ids = [point.run.id for point in series.points]
    folders = {run_id.rpartition("/")[0] for run_id in ids}
    return [run_id.rpartition("/")[2] for run_id in ids] if len(folders) == 1 else ids


def answer(all_series: Sequence[Series]) -> str:
    """Of the figure that changed most: each change, and how the newest run compares with the first."""
    shown = [series for series in all_series if series.points]
    if not shown:
        return ""
    changed = [series for series in shown if series.changes]
    if not changed:
        names = release_names(shown[0])
        return f"No change of {_path(shown)} from {names[0]} to {names[-1]}."
    series = max(changed, key=lambda series_changed: max(map(_size, series_changed.changes)))
    names = release_names(series)
    largest = sorted(series.changes, key=_size, reverse=True)[:MOST_TOLD]
    change_texts = [_told(change, names, series.unit) for change in sorted(largest, key=lambda change: change.index)]
    more_changes = len(series.changes) - len(change_texts)
    more = f" and {count(more_changes, 'smaller change')}" if more_changes else ""
    first, last = series.points[0], series.points[-1]
    now = f"{names[-1]} has {amount(last.value, series.unit)}"
    if first.value:
        now += f", {percent(last.value / first.value - 1)} against {names[0]}"
    others = f" {len(changed)} of {len(shown)} figures changed." if len(shown) > 1 else ""
    return f"{series.path}: {', '.join(change_texts)}{more}; {now}.{_without_verdict(series, names)}{others}"


def _without_verdict(series: Series, names: Sequence[str]) -> str:
    """The steps that are as large as a change and that nothing can be told of, with the largest of them."""
    steps = series.inconclusive
    if not steps:
        return ""
    values = [point.value for point in series.points]
    largest = max(steps, key=lambda k: abs(values[k] - values[k - 1]))
    share = f" ({percent(values[largest] / values[largest - 1] - 1)})" if values[largest - 1] else ""
    largest_text = f"{signed(values[largest] - values[largest - 1], series.unit)}{share} at {names[largest]}"
    if len(steps) == 1:
        return f" The difference of {largest_text} is inconclusive."
    return f" {count(len(steps), 'further difference')} are inconclusive, the largest of {largest_text}."


def cause_of(change: ChangePoint) -> tuple[str, str]:
    """The function that counts most in a change, and the commit known to have moved it; empty where neither is known. Where the processors
    of a board have other functions, each is named, and no commit."""
    counts: dict[str, str] = {}
    for explanation in change.explanations:
        match explanation.finding:
            case FunctionsMoved(functions=(first, *_)):
                return first.name, ""
            case CountedBeside(functions=(_, *_), verdict=verdict) as counted if verdict is change.verdict:
                name, _ = counted.largest_with_time or counted.functions[0]
                counts.setdefault(name, next((commit.id for commit in counted.commits if name in commit.functions), ""))
    return ", ".join(counts), next(iter(counts.values())) if len(counts) == 1 else ""


def change_table(all_series: Sequence[Series]) -> Table | None:
    """A row for each change point, in the order of the runs; None where nothing changed."""
    rows: list[tuple[int, tuple[Value, ...]]] = []
    shown = [series for series in all_series if series.points]
    for series in shown:
        names = release_names(series)
        rows += [(change.index, _row(series, change, names, len(shown) > 1)) for change in series.changes]
    if not rows:
        return None
    of = words("Figure") if len(shown) > 1 else ()
    units = {series.heading for series in shown}
    unit = units.pop() if len(units) == 1 else ""
    columns = (*words("Release"), *of, *figures("From", "To", unit=unit), *figures("Change"), *words("Verdict", "Function", "Commit"))
    return Table("", columns, tuple(row for _, row in sorted(rows, key=lambda row: row[0])))


def _row(series: Series, change: ChangePoint, names: Sequence[str], has_figure: bool) -> tuple[Value, ...]:
    function, commit = cause_of(change)
    of = (series.path,) if has_figure else ()
    share = percent(change.after / change.before - 1) if change.before else ""
    sizes = (bare(change.before, series.unit), bare(change.after, series.unit), share)
    built = series.points[change.index].run.build.commit.partition(" ")[0]
    return (
        _when(change, names),
        *of,
        *sizes,
        verdict_span(change.verdict),
        code(function) if function else "",
        (commit or built)[:COMMIT_LETTERS],
    )


def _when(change: ChangePoint, names: Sequence[str]) -> str:
    if change.kind is ChangeKind.DRIFT:
        return f"{names[change.left]} to {names[change.index]}"
    return f"{names[change.index]} alone" if change.kind is ChangeKind.ALONE else names[change.index]


def _told(change: ChangePoint, names: Sequence[str], unit: str) -> str:
    """With both levels: a share alone cannot be followed beside the differences of the table, which are from run to run."""
    way = "over" if change.kind is ChangeKind.DRIFT else "at"
    if change.is_against_median:
        return f"{change.verdict} {way} {_when(change, names)} against the median ({percent(change.after / change.before - 1)})"
    levels = f"{amount(change.before, unit)} to {amount(change.after, unit)}"
    share = f" ({percent(change.after / change.before - 1)})" if change.before else ""
    return f"{levels}{share} {way} {_when(change, names)}"


def _size(change: ChangePoint) -> float:
    return abs(change.after / change.before - 1) if change.before else float("inf")


def _path(shown: Sequence[Series]) -> str:
    return shown[0].path if len(shown) == 1 else f"any of {len(shown)} figures"
