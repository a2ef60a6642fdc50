# SPDX-License-Identifier: BSD-3-Clause
"""Published latency tables: what a grid of texts says, whatever document it was in.

Readers of a format (`rst_tables`, `csv_tables`) find the grid, its caption and its place; this module finds test, unit, release, core
identities and figures. A figure stays a decimal in the printed unit: `runs` converts it to ticks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Problem
from latlab.core.readers.dump.rt_instr import short_name

UNIT_NS = {"ns": Decimal(1), "us": Decimal(1000), "ms": Decimal(1000_000), "s": Decimal(1000_000_000)}

_FIGURE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*(?:\(\s*([+-]?\d{1,9}(?:\.\d{1,6})?)\s*%\s*\))?", re.ASCII)
_UNIT = re.compile(r"\((ns|us|µs|μs|ms|s|nsec|usec|msec|sec)s?\)")
_TEST_NAME = re.compile(r"(test_[a-z0-9_]+)\s*(?:\(([^)]*)\))?", re.ASCII)
_PARENTHESIS = re.compile(r"\(([^()]*)\)")
_CPU = re.compile(r"cpu\s*(\d{1,4})", re.IGNORECASE | re.ASCII)

_METRIC_COLUMNS = {
    "powerdown": Metric.POWERDOWN,
    "psci_entry": Metric.POWERDOWN,
    "wakeup": Metric.WAKEUP,
    "wakekup": Metric.WAKEUP,
    "psci_exit": Metric.WAKEUP,
    "cacheflush": Metric.CACHE_FLUSH,
    "cflush_overhead": Metric.CACHE_FLUSH,
    "latency": Metric.PSCI_CALL,
    "totaltime": Metric.PSCI_CALL,
}
_CYCLICTEST_ROWS = {"minimum": "cyclictest_min", "average": "cyclictest_avg", "maximum": "cyclictest_max"}


@dataclass(frozen=True, slots=True)
class PrintedFigure:
    """One printed figure; `printed_delta` is the percentage printed beside it, `row` its row of the table, from 0."""

    core: CoreId
    metric: Metric
    value: Decimal
    line: int
    printed_delta: Decimal | None = None
    row: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """The figures of one test of one release, in `unit` (empty if the document names none)."""

    test: str
    release: str
    unit: str
    line: int
    figures: tuple[PrintedFigure, ...]

    @property
    def rows(self) -> dict[int, CoreId]:
        """The core that each row names; a core that two rows name cannot be told apart by its name."""
        return {figure.row: figure.core for figure in self.figures}


@dataclass(frozen=True, slots=True)
class GridCell:
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as found: rows of cells, and the texts that may name its test, unit and release, nearest first."""

    rows: tuple[tuple[GridCell, ...], ...]
    line: int
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a document held. `skipped` are tables of something else; `problems` are losses inside tables that are ours."""

    tables: tuple[Table, ...]
    problems: tuple[Problem, ...] = ()
    skipped: tuple[Problem, ...] = ()
    lead: CoreId | None = None
    counter_hz: int | None = None
    title: str = ""


@dataclass(slots=True)
class _Findings:
    problems: list[Problem] = field(default_factory=list)

    def note(self, line: int, message: str) -> None:
        self.problems.append(Problem(line, message))


def test_of_title(title: str) -> str:
    """The test that a caption or a section title speaks of, or an empty string."""
    words = title.lower().replace("`", "")
    named = _TEST_NAME.search(words)
    if named:
        return short_name(named[1])
    if "cpu_off" in words:
        return "cpu_off_serial"
    if "psci_version" in words or "cpu_version" in words:
        return "psci_version_parallel"
    if "cpu_suspend" not in words:
        return ""
    order = "parallel" if "parallel" in words else "serial" if "serial" in words or "sequence" in words else ""
    depth = "susp_deep" if "deepest" in words else "cpu_susp" if "level 0" in words else ""
    return f"{depth}_{order}" if depth and order else ""


def unit_of_title(title: str) -> str:
    match = _UNIT.search(title)
    return _plain_unit(match[1]) if match else ""


def release_of_title(title: str) -> str:
    """The last parenthesis that is not a unit: `(v2.9)`, `(2.10)`, `(current release)`; a bare number gains its `v`."""
    for text in reversed(_PARENTHESIS.findall(title)):
        if _UNIT.fullmatch(f"({text})") or not text.strip():
            continue
        release = text.strip().removesuffix(" release")
        return f"v{release}" if re.fullmatch(r"\d+(\.\d+)+", release) else release
    return ""


def read_grid(grid: Grid, cpus: Mapping[int, CoreId]) -> tuple[list[Table], list[Problem], str]:
    """Tables of a grid, its problems, and (if it is not a latency table) the reason why it was skipped."""
    rows = list(grid.rows)
    titles = list(grid.titles)
    findings = _Findings()
    while rows and len(rows[0]) == 1:
        title = rows.pop(0)[0]
        titles.insert(0, title.text)
        if not _TEST_NAME.search(title.text.lower()):
            findings.note(title.line, f"the row {title.text.strip()[:60]!r} does not name a test and is left out")
    if not rows:
        return [], findings.problems, "it has no rows"
    header = [_column_name(cell.text) for cell in rows[0]]
    if header and header[0] == "latencies" and all(_CPU.fullmatch(cell.text.strip()) for cell in rows[0][1:]):
        return _read_cyclictest(grid, rows, cpus)
    if not ("cluster" in header and "core" in header) and "cpu" not in header:
        return [], [], "it has no Cluster and Core and no CPU column"
    columns = {i: _METRIC_COLUMNS[name] for i, name in enumerate(header) if name in _METRIC_COLUMNS}
    if not columns:
        return [], [], "it has no column of a known latency"
    for i, name in enumerate(header):
        if i not in columns and name not in ("cluster", "core", "cpu"):
            findings.note(rows[0][i].line, f"column {rows[0][i].text.strip()!r} is not a known latency; its figures are left out")
    test = next(filter(None, map(test_of_title, titles)), "")
    if not test:
        return [], [], f"no test is named by its caption {' / '.join(t for t in titles if t)!r}"
    _check_agreement(titles, test, grid.line, findings)
    release = next(filter(None, map(release_of_title, [*grid.titles, *titles])), "")
    unit = next(filter(None, map(unit_of_title, [*titles, *(cell.text for cell in rows[0])])), "")
    figures = _read_rows(rows[1:], header, columns, cpus, findings)
    return [Table(test, release, unit, grid.line, tuple(figures))], findings.problems, ""


def parse_figure(text: str) -> tuple[Decimal, Decimal | None] | None:
    """`242.66 (+132.03%)` is (242.66, 132.03), `104.58` is (104.58, None), anything else is None."""
    match = _FIGURE.fullmatch(text.strip())
    if not match:
        return None
    return Decimal(match[1]), Decimal(match[2]) if match[2] else None


def _plain_unit(unit: str) -> str:
    plain = unit.removesuffix("ec")
    return "us" if plain in ("µs", "μs") else plain


def _column_name(text: str) -> str:
    name = re.sub(r"\([^)]*\)", "", text).replace("`", "").strip().lower()
    return name if "_" in name else re.sub(r"\s+", "", name)


def _check_agreement(titles: Sequence[str], test: str, line: int, findings: _Findings) -> None:
    for title in titles[1:]:
        other = test_of_title(title)
        if other and other != test and _TEST_NAME.search(titles[0]):
            findings.note(line, f"the first row names {test} but the caption {title!r} speaks of {other}; the first row is used")
            return


def _read_rows(
    rows: Sequence[Sequence[GridCell]],
    header: Sequence[str],
    columns: Mapping[int, Metric],
    cpus: Mapping[int, CoreId],
    findings: _Findings,
) -> list[PrintedFigure]:
    figures: list[PrintedFigure] = []
    for number, row in enumerate(rows):
        line = row[0].line if row else 0
        if not any(cell.text.strip() for cell in row):
            continue
        if len(row) != len(header):
            findings.note(line, f"the row has {len(row)} cells, the header {len(header)}; the row is left out")
            continue
        core = _core_of(row, header, cpus)
        if isinstance(core, str):
            findings.note(line, f"{core}; the row is left out")
            continue
        for i, metric in columns.items():
            parsed = parse_figure(row[i].text)
            if parsed is None:
                findings.note(row[i].line, f"{row[i].text.strip()!r} for {metric} of core {core} is not a figure; the cell is left out")
            else:
                figures.append(PrintedFigure(core, metric, parsed[0], row[i].line, parsed[1], number))
    return figures


def _core_of(row: Sequence[GridCell], header: Sequence[str], cpus: Mapping[int, CoreId]) -> CoreId | str:
    numbers: dict[str, int] = {}
    for name in ("cluster", "core", "cpu"):
        if name not in header:
            continue
        text = row[header.index(name)].text.strip()
        if not re.fullmatch(r"[0-9]{1,4}", text):
            return f"{text!r} is not a {name} number"
        numbers[name] = int(text)
    if "cpu" in numbers:
        number = numbers["cpu"]
        return cpus.get(number) or f"CPU {number} has no (cluster, core): the document does not say to which cluster it belongs"
    return CoreId(numbers["cluster"], numbers["core"])


def _read_cyclictest(grid: Grid, rows: Sequence[Sequence[GridCell]], cpus: Mapping[int, CoreId]) -> tuple[list[Table], list[Problem], str]:
    numbers = [int(match[1]) for cell in rows[0][1:] if (match := _CPU.fullmatch(cell.text.strip()))]
    findings = _Findings()
    tables: list[Table] = []
    for row in rows[1:]:
        label = _column_name(row[0].text)
        test = _CYCLICTEST_ROWS.get(label)
        if test is None or len(row) != len(rows[0]):
            findings.note(row[0].line, f"the row {row[0].text!r} is not a minimum, average or maximum; the row is left out")
            continue
        figures = []
        for number, cell in zip(numbers, row[1:], strict=True):
            parsed = parse_figure(cell.text)
            if parsed is None:
                findings.note(cell.line, f"{cell.text!r} is not a figure; the cell is left out")
                continue
            figures.append(PrintedFigure(cpus.get(number, CoreId(0, number)), Metric.TASK_WAKEUP, parsed[0], cell.line, parsed[1]))
        release = next(filter(None, map(release_of_title, grid.titles)), "")
        tables.append(Table(test, release, unit_of_title(row[0].text), grid.line, tuple(figures)))
    return tables, findings.problems, "" if tables else "it has no row of a known statistic"
