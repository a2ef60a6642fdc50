# SPDX-License-Identifier: BSD-3-Clause
"""Tables and histograms of any program, recognised by their shape: columns of text, CSV, Markdown, the buckets of bcc and bpftrace, the
entries of the kernel's hist triggers."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

Cells = tuple[str, ...]
NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,18})?(?:[eE][-+]?\d{1,2})?", re.ASCII)
INTERVAL, COUNT = "interval", "count"
TRIGGERED = "a histogram of the kernel's hist trigger"
BCC = re.compile(r"^ *(\d{1,18} -> \d{1,18}) +: (\d{1,18}) +\|[* ]*\|\s*$", re.ASCII)
BPFTRACE = re.compile(r"^(\[[^\])|]{1,50}[\])]|\(\.\.\., ?[^)|]{1,25}\)) +(\d{1,18}) \|[@ ]*\|\s*$", re.ASCII)
TRIGGER = re.compile(r"^\{ (\S.*?) +\} hitcount: +(\d{1,18})(?: .*)?$", re.ASCII)
TRIGGER_KEY = re.compile(r"(?:^|, )([\w.]{1,40}): +")
LABELLED = re.compile(r"^ *(\S.{0,100}?) *: *((?:[-\w./]{1,30} *, *)+[-\w./]{1,30})\s*$")
TITLED = re.compile(r"\[(\w+(?:, ?\w+)+)\]")
RULE = re.compile(r"^[\s|+:=-]*$")
RANGE = re.compile(
    r"(?:~ )?\[?(-?\d{1,18}(?:\.\d{1,9})?)([KMGT]?)(?: ?-> ?|, |-|\.\.)(-?\d{1,18}(?:\.\d{1,9})?)([KMGT]?)([\])]?)", re.ASCII
)
POWER = re.compile(r"~ 2\^(\d{1,2})", re.ASCII)
SINGLE = re.compile(r"\[(-?\d{1,18})([KMGT]?)\]", re.ASCII)
MISSING = ("", "-", "n/a", "nan")
INDEX = ("", "#", "id", "index", "no", "nr", "row", "unnamed: 0")
SCALE = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
UNIT = re.compile(
    r"(?:\b|_)(?:(?P<ns>ns|nsecs?|nanosec(?:ond)?s?)|(?P<us>us|µs|usecs?|microsec(?:ond)?s?)|(?P<ms>ms|msecs?|millisec(?:ond)?s?))(?:\b|_)"
)
UNIT_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
MHZ = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)MHz", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TextTable:
    """The cells of each row as printed, the line of the first row, and the line above it, which may name what it is of."""

    form: str
    columns: Cells
    rows: tuple[Cells, ...]
    line: int
    title: str = ""

    def column(self, name: str) -> Cells:
        return tuple(row[self.columns.index(name)] for row in self.rows)

    @property
    def numbers(self) -> Cells:
        """The columns of numbers, perhaps with cells that lack one, without a column that only counts the rows."""
        return tuple(name for name in self.columns if self._has_numbers(name) and not self._counts_rows(name))

    @property
    def intervals(self) -> Cells:
        """The columns that can name the buckets of a histogram, those that are no plain numbers first."""
        columns = [name for name in self.columns if all(map(interval_of, self.column(name)))]
        return tuple(sorted(columns, key=lambda name: name in self.numbers))

    def _has_numbers(self, name: str) -> bool:
        cells = [cell for cell in self.column(name) if cell.lower() not in MISSING]
        return bool(cells) and all(map(NUMBER.fullmatch, cells))

    def _counts_rows(self, name: str) -> bool:
        return name.lower() in INDEX and self.column(name) in (tuple(str(first + n) for n in range(len(self.rows))) for first in (0, 1))


def interval_of(cell: str) -> tuple[float, float] | None:
    """The bounds [low, high) of a bucket by its name; those of a plain number are equal. None of a cell that names none."""
    if NUMBER.fullmatch(cell):
        return float(cell), float(cell)
    if match := POWER.fullmatch(cell):
        end = 1 << int(match[1])
        return (0, 2) if end == 1 else (end // 2 + 1, end + 1)
    if match := SINGLE.fullmatch(cell):
        only = int(match[1]) * SCALE[match[2]]
        return only, only + 1
    if (match := RANGE.fullmatch(cell)) is None:
        return None
    low, high = float(match[1]) * SCALE[match[2]], float(match[3]) * SCALE[match[4]] + (match[5] != ")")
    return (low, high) if low < high else None


def unit_of(*texts: str) -> str:
    """The unit that a title or the name of a column has; empty where none does."""
    return next((str(match.lastgroup) for text in texts if (match := UNIT.search(text))), "")


def unit_ns(unit: str) -> float | None:
    """How many ns a unit is: ns, us, ms, s, or a cycle of a clock such as 64MHz. None of any other word."""
    clock = MHZ.fullmatch(unit)
    return 1e3 / float(clock[1]) if clock and float(clock[1]) else UNIT_NS.get(unit.replace("µ", "u"))


def tables_of(text: str) -> list[TextTable]:
    """Every table, in the order of the text."""
    tables: list[TextTable] = []
    form = ""
    above: tuple[str, Cells] = "", ()
    for number, line in enumerate(text.split("\n"), 1):
        name, cells, columns = _shape(line)
        is_row = any(map(interval_of, cells)) or (bool(cells[1:]) and all(cell.lower() in MISSING for cell in cells[1:]))
        is_more = is_row and name == form and tables and len(cells) == len(tables[-1].columns)
        if is_more:
            tables[-1] = replace(tables[-1], rows=(*tables[-1].rows, cells))
        elif name and is_row:
            header = columns or (above[1] if len(above[1]) == len(cells) else _named(above[0], len(cells)))
            tables.append(TextTable(name, header, (cells,), number, above[0]))
        if name or not RULE.match(line):
            form, above = name if is_row else "", (line.strip(), cells or tuple(line.split()))
        elif not line.strip() and name != form:
            form = form if form == TRIGGERED else ""
    return [table for table in tables if len(table.rows) > 1]


def _named(title: str, width: int) -> Cells:
    titled = TITLED.search(title)
    names = tuple(part.strip() for part in titled[1].split(",")) if titled else ()
    return ("name", *names) if names and len(names) == width - 1 else tuple(str(number) for number in range(1, width + 1))


def _shape(line: str) -> tuple[str, Cells, Cells]:
    """The form of a line, its cells, and the names of its columns where the line has them; empty for a line of no table."""
    for name, split in SHAPES:
        if (parts := split(line)) is not None:
            return name, *parts
    return "", (), ()


def _buckets(form: re.Pattern[str]) -> Callable[[str], tuple[Cells, Cells] | None]:
    return lambda line: ((match[1], match[2]), (INTERVAL, COUNT)) if (match := form.match(line)) else None


def _trigger(line: str) -> tuple[Cells, Cells] | None:
    if (match := TRIGGER.match(line)) is None:
        return None
    parts = TRIGGER_KEY.split(match[1])
    return (*(cell.strip() for cell in parts[2::2]), match[2]), (*parts[1::2], "hitcount")


def _table(line: str) -> tuple[Cells, Cells] | None:
    """Of a page too, and without the bar that a quotation begins with."""
    parts = line.strip().strip("|").split("|")
    if len(parts) < 2 or RULE.match(line):
        return None
    return tuple(cell.strip().strip("`*") for cell in parts), ()


def _labelled(line: str) -> tuple[Cells, Cells] | None:
    match = LABELLED.match(line)
    return ((match[1], *(cell.strip() for cell in match[2].split(","))), ()) if match else None


def _separated(sign: str) -> Callable[[str], tuple[Cells, Cells] | None]:
    def split(line: str) -> tuple[Cells, Cells] | None:
        if sign not in line:
            return None
        try:
            cells = next(csv.reader([line.rstrip()], delimiter=sign, skipinitialspace=True))
        except (csv.Error, StopIteration):
            return None
        return tuple(cell.strip() for cell in cells), ()

    return split


def _columns(line: str) -> tuple[Cells, Cells] | None:
    words = tuple(line.split())
    if words and all(map(NUMBER.fullmatch, words)):
        return words, ()
    parts = tuple(re.split(r"\s{2,}|\t", line.strip()))
    return (parts, ()) if len(parts) > 1 and any(map(NUMBER.fullmatch, parts[1:])) else None


SHAPES: tuple[tuple[str, Callable[[str], tuple[Cells, Cells] | None]], ...] = (
    ("a histogram of bcc", _buckets(BCC)),
    ("a histogram of bpftrace", _buckets(BPFTRACE)),
    (TRIGGERED, _trigger),
    ("a table", _table),
    ("a list of named figures", _labelled),
    ("columns apart by tabs", _separated("\t")),
    ("CSV", _separated(";")),
    ("CSV", _separated(",")),
    ("columns of numbers", _columns),
)
