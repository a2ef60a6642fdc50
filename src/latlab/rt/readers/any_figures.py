# SPDX-License-Identifier: BSD-3-Clause
"""Figures of any program whose file has a histogram or a table: read where the user says what they are (`--as histogram`, `--as samples`),
and names their unit and columns as far as the file does not."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, takewhile

import numpy as np

from latlab.benchmarks.model import Benchmark, Stated
from latlab.core.errors import DataError, UsageError
from latlab.core.model.amounts import Amount
from latlab.core.model.distributions import Distribution
from latlab.core.model.enums import Metric, RowKind
from latlab.core.readers.text_tables import COUNT, INTERVAL, MISSING, TextTable, interval_of, tables_of, unit_ns, unit_of
from latlab.core.shown import significant
from latlab.rt.model.wakeups import Wakeups, counted_values, cpu_row, in_blocks

HISTOGRAM, SAMPLES = "histogram", "samples"
COUNTS = (COUNT, "hitcount", "hits", "samples", "n")
LARGEST_NS = 10**15
DOCUMENT = re.compile(r"\s*(?:\{\s*[\"}\n]|\[\s*[\[{\"\n]|<[?\w])")
EVERY_SAMPLE = ("rows", "all samples of a column; the file does not name their CPUs")


def histograms_of(text: str) -> list[TextTable]:
    return [table for table in _tables(text) if len(table.intervals) > 0 and len(table.numbers) > (table.intervals[0] in table.numbers)]


def is_named_by_its_rows(text: str) -> bool:
    """Whether the first table has names beside its figures: such a table has benchmark metrics."""
    return any(table.numbers and _labels(table) for table in _tables(text)[:1])


def has_samples(text: str) -> bool:
    return any(table.numbers for table in _tables(text)) and not is_named_by_its_rows(text)


def offer(text: str, place: str) -> tuple[str, str] | None:
    """What shape a file has with its line, and the command that reads it; None of a text without a table."""
    table = next((table for table in _tables(text) if table.numbers), None)
    if table is None:
        return None
    is_histogram = table.intervals and (table.intervals[0] not in table.numbers or any(name.lower() in COUNTS for name in table.columns))
    form = HISTOGRAM if is_histogram else SAMPLES
    value = table.intervals[0] if is_histogram else next((name for name in table.numbers if unit_of(name)), table.numbers[0])
    is_alone = value == INTERVAL or (not is_histogram and len(table.numbers) == 1)
    column = "" if is_alone else f" --column {shlex.quote(value)}"
    unit = "" if _unit_in(table, value) else " --unit us"
    return f"{table.form} (line {table.line})", f"latlab import {shlex.quote(place)} --as {form}{unit}{column}"


def read_histogram(text: str, place: str, stated: Stated) -> Wakeups:
    """The first column that is named has the buckets, the others their counts. Entries of several keys are added up."""
    histograms = histograms_of(text)
    if len(histograms) != 1:
        raise DataError(f"{len(histograms)} histograms", "give a file with one, rows of a bucket and its count", place=place)
    (table,) = histograms
    value = _column(table, stated.columns[0], place) if stated.columns else table.intervals[0]
    if not all(map(interval_of, table.column(value))):
        raise DataError(
            f"column {value!r} names no buckets", f"name one of {', '.join(table.intervals)}", value=value, place=f"{place}:{table.line}"
        )
    counted = [_column(table, name, place) for name in stated.columns[1:]] or _counts_of(table, value)
    scale = _scale(table, value, stated, place)
    bounds = _bounds([interval_of(cell) or (0.0, 0.0) for cell in table.column(value)])
    cpus = tuple(_row(number, bounds, table.column(name), scale, f"{place}:{table.line}") for number, name in enumerate(counted))
    keys = [name for name in table.columns if name not in (value, *counted)]
    facts = (
        ("buckets", f"{value}, counted by {', '.join(counted)}"),
        *((("added up over", ", ".join(keys)),) if keys else ()),
        ("average and maximum", "computed from the buckets: their middles, and the end of the last one"),
    )
    rows = RowKind.ALL if len(counted) == 1 else RowKind.THREAD
    return Wakeups(HISTOGRAM, None, max(round(scale), 1), cpus, facts=facts, metric=Metric.DURATION, rows=rows)


def read_samples(text: str, place: str, stated: Stated) -> Wakeups:
    """Each column that is named is a row of the run."""
    table = _first(text, place)
    columns = _sampled(table, stated, place)
    cpus = []
    for number, name in enumerate(columns):
        values = np.array([float(cell) for cell in table.column(name) if cell.lower() not in MISSING])
        exact = values * _scale(table, name, stated, place)
        if exact.min() < 0 or exact.max() >= LARGEST_NS:
            raise DataError(
                f"column {name!r} has {significant(values.min())} to {significant(values.max())}, which are no durations",
                "name another",
                value=name,
                place=place,
            )
        scaled = np.round(exact).astype(np.int64)
        ends = int(scaled.min()), int(scaled.max())
        cpus.append(cpu_row(number, counted_values(scaled, 1), len(scaled), *ends, float(scaled.mean()), blocks=in_blocks(scaled, 1)))
    rows = RowKind.ALL if len(columns) == 1 else RowKind.THREAD
    facts = (("columns", ", ".join(columns)), EVERY_SAMPLE)
    return Wakeups(SAMPLES, None, 1, tuple(cpus), facts=facts, metric=Metric.DURATION, rows=rows)


def read_table(text: str, place: str, stated: Stated) -> Benchmark:
    """A quantity for each name of a row and each column; rows of one name are repetitions."""
    amounts: dict[str, list[float]] = {}
    columns: dict[str, None] = {}
    for table in [table for table in _tables(text) if table.numbers and _labels(table)]:
        labels = _labels(table)
        for name in _sampled(table, stated, place):
            columns[name] = None
            scale = _scale(table, name, stated, place)
            for row, cell in zip(table.rows, table.column(name), strict=True):
                if cell.lower() not in MISSING:
                    label = " ".join(row[table.columns.index(part)] for part in labels)
                    amounts.setdefault(f"{label}, {name}", []).append(float(cell) * scale)
    if not amounts:
        raise DataError("no table with a name and a figure in each row", "name another file", place=place)
    quantities = tuple(Amount(SAMPLES, Metric.DURATION, name, None, tuple(values)) for name, values in amounts.items())
    return Benchmark(SAMPLES, quantities, facts=(("columns", ", ".join(columns)),))


def _tables(text: str) -> list[TextTable]:
    """None in JSON and XML."""
    return [] if DOCUMENT.match(text) else tables_of(text)


def _labels(table: TextTable) -> list[str]:
    """The columns before the first one of numbers."""
    return list(takewhile(lambda name: name not in table.numbers, table.columns))


def _first(text: str, place: str) -> TextTable:
    table = next((table for table in _tables(text) if table.numbers), None)
    if table is None:
        raise DataError("no column of numbers", "give a table, CSV, or one number in each line", place=place)
    return table


def _column(table: TextTable, name: str, place: str) -> str:
    if name not in table.columns:
        raise UsageError(f"--column {name!r} is none of {place}", f"use one of {', '.join(table.columns)}", value=name)
    return name


def _sampled(table: TextTable, stated: Stated, place: str) -> Sequence[str]:
    """The columns that the user names, else those whose unit the file has, else the only one."""
    if stated.columns:
        return [_column(table, name, place) for name in stated.columns]
    with_unit = [name for name in table.numbers if unit_of(name)]
    columns = with_unit or list(table.numbers)
    if len(columns) > 1 and not _labels(table):
        raise DataError(f"several columns of numbers, {', '.join(columns)}", "name those of the samples with --column", place=place)
    return columns


def _unit_in(table: TextTable, column: str) -> str:
    return unit_of(column, table.title)


def _scale(table: TextTable, column: str, stated: Stated, place: str) -> float:
    """How many ns a unit of the column is."""
    unit = stated.unit or _unit_in(table, column)
    scale = unit_ns(unit)
    if scale is None:
        why = f"--unit {unit!r} is no unit" if unit else f"the file does not name the unit of {column!r}"
        raise DataError(
            str(why), "say it with --unit ns, us, ms, s, or a clock such as --unit 64MHz for its cycles", value=unit, place=place
        )
    return scale


def _counts_of(table: TextTable, value: str) -> list[str]:
    named = [name for name in table.numbers if name.lower() in COUNTS and name != value]
    return named or [name for name in table.numbers if name != value]


def _bounds(buckets: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Those of plain numbers are as wide as the smallest distance of two."""
    lows = sorted({low for low, high in buckets if low == high})
    width = min((after - before for before, after in pairwise(lows)), default=1.0)
    return [(low, high if high > low else low + width) for low, high in buckets]


def _row(number: int, bounds: Sequence[tuple[float, float]], cells: Sequence[str], scale: float, place: str) -> Distribution:
    total: Counter[tuple[int, int]] = Counter()
    for (low, high), cell in zip(bounds, cells, strict=True):
        if not cell.isdecimal():
            raise DataError(
                f"{cell[:20]!r} is no count of a bucket", "name the column of counts with a second --column", value=cell[:20], place=place
            )
        total[round(low * scale), round(high * scale)] += int(cell)
    used = sorted((low, high, n) for (low, high), n in total.items() if n)
    if not used or used[0][0] < 0 or used[-1][1] > LARGEST_NS:
        raise DataError("the histogram has no count, or buckets that are no durations", "give a whole one", place=place)
    if any(after < high for (_, high, _), (after, _, _) in pairwise(used)):
        raise DataError("buckets of the histogram overlap", "name the column of the buckets with --column", place=place)
    count = sum(n for _, _, n in used)
    average = sum((low + high) / 2 * n for low, high, n in used) / count
    return cpu_row(number, tuple(used), count, used[0][0], used[-1][1] - 1, average)
