# SPDX-License-Identifier: BSD-3-Clause
"""A second reader of latency tables, for recounts: lines and separators only, nothing of the package's own."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

METRICS = {5: ("powerdown", "wakeup", "cache_flush"), 4: ("powerdown", "wakeup", "cache_flush"), 3: ("psci_call",), 2: ("psci_call",)}
CELL = re.compile(r"^([0-9.]+)\s*(?:\(([+-][0-9.]+)%\))?$")


@dataclass
class PlainTable:
    """`rows` are the labels of a row (cluster and core, or a CPU) and its cells, each a value and the delta printed beside it."""

    line: int
    test: str
    release: str
    unit: str
    rows: list[tuple[tuple[int, ...], list[tuple[Decimal, Decimal | None]]]] = field(default_factory=list)


def plain_tables(text: str, read_file: Callable[[str], str]) -> list[PlainTable]:
    """Every table with figures of a core in each row, in the order of the document."""
    tables: list[PlainTable] = []
    heading, caption, start, file = "", "", 0, ""
    open_table: PlainTable | None = None
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if number < len(lines) and re.fullmatch(r"[~=-]{4,}", lines[number].strip()) and stripped and "|" not in stripped:
            heading, caption, open_table = stripped, "", None
        directive = re.match(r"\s*\.\. (?:csv-)?table::\s*(.*)", line)
        if directive:
            caption, start, open_table = directive[1], number, None
            if lines[number].strip() and not lines[number].strip().startswith((":", "+")):
                caption += " " + lines[number].strip()
        elif stripped.startswith(":file:"):
            file = stripped.removeprefix(":file:").strip()
            open_table = _begin(tables, start, heading, caption, "")
            _add(open_table, csv.reader(read_file(file).splitlines()))
            caption, open_table = "", None
        elif stripped.startswith("|") and "+" not in stripped[:1]:
            cells = [cell.strip() for cell in stripped.strip("|").split("|")]
            if open_table is None and len(cells) > 1:
                open_table = _begin(tables, start if caption else number, heading, caption, " ".join(cells))
            if open_table is not None:
                _add(open_table, [cells])
        elif not stripped and open_table is not None:
            caption, open_table = "", None
    return [table for table in tables if table.rows]


def _begin(tables: list[PlainTable], line: int, heading: str, caption: str, header: str) -> PlainTable:
    named = [part for part in re.findall(r"\(([^)]*)\)", caption) if part not in ("µs", "us", "ns")]
    unit = re.search(r"\((µs|us|ns)\)", caption + header)
    table = PlainTable(line, _test(f"{heading} {caption}"), named[-1] if named else "", unit[1].replace("µ", "u") if unit else "")
    tables.append(table)
    return table


def _test(words: str) -> str:
    if "_VERSION" in words:
        return "psci_version_parallel"
    if "CPU_OFF" in words:
        return "cpu_off_serial"
    depth = "susp_deep" if "deepest" in words else "cpu_susp"
    return f"{depth}_{'parallel' if 'parallel' in words else 'serial'}"


def _add(table: PlainTable, rows: Iterable[list[str]]) -> None:
    for cells in rows:
        found = [CELL.match(cell.strip()) for cell in cells]
        if len(cells) not in METRICS or not all(found) or not cells[0].strip().isdigit():
            continue
        labels = 1 if len(cells) in (2, 4) else 2
        figures = [(Decimal(f[1]), Decimal(f[2]) if f[2] else None) for f in found[labels:] if f]
        table.rows.append((tuple(int(cell) for cell in cells[:labels]), figures))


def recount(tables: list[PlainTable], release: str, base: str) -> Iterator[tuple[str, int, int, bool, bool]]:
    """For each delta printed in a table of `release`: its test, row and column, whether it is what the same labels of `base` give, and
    whether it is what the same row of it gives."""
    for table in (t for t in tables if t.release == release):
        for sibling in (t for t in tables if t.release == base and t.test == table.test and t.unit == table.unit):
            for row, (labels, figures) in enumerate(table.rows):
                own = [cells for other, cells in sibling.rows if other == labels]
                there = sibling.rows[row][1] if row < len(sibling.rows) else []
                for column, (value, delta) in enumerate(figures):
                    if delta is None:
                        continue
                    is_own = any(_gives(cells[column][0], value, delta) for cells in own)
                    yield table.test, row, column, is_own, bool(there) and _gives(there[column][0], value, delta)


def _gives(base: Decimal, value: Decimal, delta: Decimal) -> bool:
    return base != 0 and abs((value / base - 1) * 100 - delta) < Decimal("0.0101")
