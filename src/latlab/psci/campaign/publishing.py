# SPDX-License-Identifier: BSD-3-Clause
"""Figures of a test run into the data folder from which TF-A's performance pages are made.

The folder holds `current` and `previous`, each with one file for each test: rows of cluster, core and figures in ns, every cell quoted, a
percentage beside a figure that changed. What was current becomes previous. Two things differ from doing that by hand: rows are paired by
their core, and a percentage is printed only where the comparison shows that its cell changed. The percentages of what becomes previous
are dropped, because the figures that they were taken against are no longer in the document.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from statistics import median_low

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.comparison import Comparison
from latlab.core.comparison.verdicts import CHANGED
from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run, Topology
from latlab.core.readers.dump import console_log
from latlab.core.readers.dump.rt_instr import CALL_METRICS, POWER_METRICS
from latlab.core.readers.published import csv_tables
from latlab.core.readers.published import runs as published
from latlab.core.readers.published.printed_tables import PrintedFigure, Reading, Table
from latlab.core.store.inside import text_inside, write_beside
from latlab.core.store.reading import read_file

CURRENT, PREVIOUS = "current", "previous"
PREFIX = "test_rt_instr_"

Cells = dict[tuple[CoreId, Metric], int]


@dataclass(frozen=True, slots=True)
class Publication:
    """What was written: files, the percentages beside figures, and those that stay away because nothing shows that their cell changed."""

    files: tuple[Path, ...]
    deltas: int
    left_out: int
    notes: tuple[str, ...]


def publish_tf_a(logs: Sequence[Path], data: Path, topology: Topology | None = None) -> Publication:
    """Raises before anything is written if a log is not whole or the folder's files are not of its dialect."""
    fresh = _figures_of_logs(logs, topology)
    current = _figures_of_folder(data)
    notes: list[str] = []
    comparison = _compared(current, fresh, notes) if current else None
    files = {data / CURRENT / _file(test): _text(test, cells, current.get(test, {}), comparison) for test, cells in fresh.items()}
    files |= {data / PREVIOUS / _file(test): _text(test, cells, {}, None) for test, cells in current.items()}
    printed = sum(text.count("%") for text in files.values())
    paired = sum(1 for test, cells in fresh.items() for key, value in cells.items() if current.get(test, {}).get(key, value) != value)
    gone = [data / CURRENT / _file(test) for test in current if test not in fresh]
    notes += [f"{path.name} has no figures in the logs; it is now only in the previous table" for path in gone]
    _write(data, files, gone)
    return Publication(tuple(files), printed, paired - printed, tuple(notes))


def _figures_of_logs(logs: Sequence[Path], topology: Topology | None) -> dict[str, Cells]:
    """The median of each cell over the iterations of all logs; the lower of two middle ones, so that it is one that was measured."""
    values_of: dict[str, dict[tuple[CoreId, Metric], list[int]]] = {}
    for log in logs:
        run = console_log.parse(read_file(log), str(log), topology)
        if run.problems:
            first = run.problems[0]
            where = f"{log}:{first.line}" if first.line else str(log)
            raise DataError(str(first.message), "publish a whole run", place=where)
        if run.is_simulated:
            raise DataError("simulated in virtual time on a model of a board", "publish what the board itself measured", place=log)
        for sample in run.samples:
            values_of.setdefault(sample.test, {}).setdefault((sample.core, sample.metric), []).append(sample.value_ticks)
    return {test: {key: median_low(values) for key, values in cells.items()} for test, cells in values_of.items()}


def _figures_of_folder(data: Path) -> dict[str, Cells]:
    by_test: dict[str, Cells] = {}
    for path in sorted((data / CURRENT).glob(f"{PREFIX}*.csv")):
        reading = csv_tables.parse(_text_of(data, path), path.name)
        if reading.problems or len(reading.tables) != 1:
            reason = reading.problems[0].message if reading.problems else "it holds no latency table"
            raise DataError(str(reason), "correct the file first", place=path)
        table = reading.tables[0]
        cells = {(figure.core, figure.metric): int(figure.value) for figure in table.figures}
        if len(cells) < len(table.figures):
            raise DataError("a core is in more than one row, so its figures cannot be paired", "correct the file first", place=path)
        by_test[table.test] = cells
    return by_test


def _text_of(data: Path, path: Path) -> str:
    try:
        return text_inside(data, str(path.relative_to(data)))
    except (OSError, ValueError) as error:
        raise DataError(f"it cannot be read: {error}", "correct the file first", place=path) from None


def _compared(before: Mapping[str, Cells], after: Mapping[str, Cells], notes: list[str]) -> Comparison | None:
    shapes = [{core for cells in side.values() for core, _ in cells} for side in (before, after)]
    if shapes[0] != shapes[1]:
        notes.append("the cores differ from those of the figures before; no percentage is printed")
        return None
    return compare(_run(PREVIOUS, before), _run(CURRENT, after))


def _run(name: str, figures: Mapping[str, Cells]) -> Run:
    tables = tuple(
        Table(test, name, "ns", 0, tuple(PrintedFigure(core, metric, Decimal(value), 0) for (core, metric), value in cells.items()))
        for test, cells in figures.items()
    )
    return published.run_of(Reading(tables), name, published.Source("published", name))


def _text(test: str, cells: Cells, before: Cells, comparison: Comparison | None) -> str:
    """One file in TF-A's dialect."""
    metrics = [metric for metric in (*POWER_METRICS, *CALL_METRICS) if any(key[1] is metric for key in cells)]
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    for core in sorted({core for core, _ in cells}):
        row = [_cell(cells[core, m], before.get((core, m)), _changed(comparison, test, m, core)) for m in metrics]
        writer.writerow([core.cluster, core.core, *row])
    return out.getvalue()


def _cell(value: int, before: int | None, has_changed: bool) -> str:
    if not has_changed or not before or before == value:
        return str(value)
    return f"{value} ({(value - before) / before * 100:+.2f}%)"


def _changed(comparison: Comparison | None, test: str, metric: Metric, core: CoreId) -> bool:
    """Is it shown that this core's own cell changed? Cells that are compared by their place in a queue have none of their own."""
    if comparison is None:
        return False
    rows = [row for row in comparison.rows if row.test == test and row.metric == metric and not row.is_term]
    return any(row.verdict in CHANGED and any(cell.label == str(core) for cell in row.cells) for row in rows)


def _file(test: str) -> str:
    return f"{PREFIX}{test}.csv"


def _write(data: Path, files: Mapping[Path, str], gone: Sequence[Path]) -> None:
    """Every file is complete beside its place before the first one moves there."""
    fresh = {path: write_beside(data, str(path.relative_to(data)), text.encode()) for path, text in files.items()}
    for path, ready in fresh.items():
        os.replace(ready, path)
    for path in gone:
        path.unlink()


def folder_of(data: Path) -> Path:
    """Raises UsageError where the folder does not exist: a mistyped path would begin a new history."""
    if not data.is_dir():
        raise UsageError(f"{data} is no folder", "name the board's, such as docs/perf/data/juno")
    return data
