# SPDX-License-Identifier: BSD-3-Clause
"""The CSV form of a latency table: `cluster,core,powerdown,wakeup,cache_flush`, with or without header, quotes and deltas."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Problem
from latlab.core.readers.published.printed_tables import Grid, GridCell, Reading, Table, read_grid

_HEADERS = {5: ("Cluster", "Core", "Powerdown", "Wakeup", "Cache Flush"), 3: ("Cluster", "Core", "Latency")}
_HEADINGS = {Metric.POWERDOWN: "Powerdown", Metric.WAKEUP: "Wakeup", Metric.CACHE_FLUSH: "Cache Flush", Metric.PSCI_CALL: "Latency"}


def parse(text: str, title: str, cpus: Mapping[int, CoreId] | None = None) -> Reading:
    """Read one table. `title` names test, unit and release as a caption does; a file's name may name its test."""
    rows, problems = _rows(text)
    if not rows:
        return Reading((), (*problems, Problem(0, "the file has no rows; is it empty?")))
    width = len(rows[0])
    if rows[0][0].text.strip().isdigit():
        header = _HEADERS.get(width)
        if header is None:
            return Reading(
                (), (*problems, Problem(rows[0][0].line, f"{width} columns and no header: only 3 or 5 need none; add a header line"))
            )
        rows.insert(0, tuple(GridCell(name, 0) for name in header))
    tables, unreadable, skipped = read_grid(Grid(tuple(rows), 1, (title,)), cpus or {})
    problems += unreadable
    if skipped:
        problems.append(Problem(1, f"this is not a latency table: {skipped}"))
    return Reading(tuple(tables), tuple(problems))


def render(table: Table) -> str:
    """The table as CSV with a header, and deltas beside their figures as printed."""
    metrics = list(dict.fromkeys(figure.metric for figure in table.figures))
    cells = {(figure.core, figure.metric): figure for figure in table.figures}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["Cluster", "Core", *(_HEADINGS[metric] for metric in metrics)])
    for core in dict.fromkeys(figure.core for figure in table.figures):
        row = [cells.get((core, metric)) for metric in metrics]
        writer.writerow([core.cluster, core.core, *("" if f is None else figure_text(f.value, f.printed_delta) for f in row)])
    return out.getvalue()


def figure_text(value: object, delta: object = None) -> str:
    return f"{value}" if delta is None else f"{value} ({delta:+}%)"


def _rows(text: str) -> tuple[list[tuple[GridCell, ...]], list[Problem]]:
    rows: list[tuple[GridCell, ...]] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            cells = next(csv.reader([line], skipinitialspace=True, strict=True))
        except (csv.Error, StopIteration) as error:
            problems.append(Problem(number, f"the line is not CSV ({error}); it is left out"))
            continue
        rows.append(tuple(GridCell(cell, number) for cell in cells))
    return rows, problems
