# SPDX-License-Identifier: BSD-3-Clause
"""Latency tables in reStructuredText documents: grid tables, `.. table::`, `.. csv-table::` inline and by file.

docutils does the reading. What it cannot read is repaired first: a grid table that lost its column padding is padded again, a `:file:`
option is replaced by the file's lines (through the caller's `read_file`, so that this module opens nothing).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from functools import cache

from docutils import frontend, nodes, utils
from docutils.frontend import Values
from docutils.parsers.rst import Parser

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Problem
from latlab.core.readers.published.csv_tables import figure_text
from latlab.core.readers.published.printed_tables import Grid, GridCell, Reading, Table, read_grid
from latlab.core.readers.published.releases import consolidated

ReadFile = Callable[[str], str]

_CPU_RANGE = re.compile(r"CPUs?\s+(\d{1,4})\s*-\s*(\d{1,4})\s+refer\s+to\s+CPUs\s+in\s+the\s+(\w+)\s+cluster")
_LEAD_CPU = re.compile(r"CPU\s+(\d{1,4})\s+is\s+the\s+lead")
_COUNTER = re.compile(r"counter\b[^.]{0,120}?(\d+(?:\.\d+)?)\s*MHz")
_AS_OF = re.compile(r"as of \d{1,2}/\d{1,2}/(\d{4})")
_SOURCE_TREE = re.compile(r"\bTF-A \[?`{0,2}(v\d[\w.-]*)")
_CSV_TABLE = re.compile(r"^(\s*)\.\.\s+csv-table::")
_FILE_OPTION = re.compile(r"^\s+:file:\s*(\S.*?)\s*$")
_GRID_RULE = re.compile(r"\+-[-+]*\+")
_HEADINGS = {
    Metric.POWERDOWN: "Powerdown",
    Metric.WAKEUP: "Wakeup",
    Metric.CACHE_FLUSH: "Cache Flush",
    Metric.PSCI_CALL: "Latency",
    Metric.TASK_WAKEUP: "Task wakeup",
}


def parse(text: str, read_file: ReadFile | None = None) -> Reading:
    """Read every latency table of a document. Lines of problems are lines of `text`."""
    problems: list[Problem] = []
    lines = _padded(text.splitlines(), problems)
    lines, moved, names = _with_files_inlined(lines, read_file, problems)
    document = _doctree(lines, moved, problems)
    grids = [_grid(table, moved, names) for table in document.findall(nodes.table)]
    prose = re.sub(r"\s+", " ", text)
    shape = _shape(grids)
    cpus = _cpu_map(prose, shape, problems)
    tables: list[Table] = []
    skipped: list[Problem] = []
    readings = [(node, grid, read_grid(grid, cpus)) for node, grid in zip(document.findall(nodes.table), grids, strict=True)]
    of_latencies = {node for node, _, (read, _, _) in readings if read}
    for node, grid, (read, losses, reason) in readings:
        problems += losses
        tables += [_with_release(table, node, of_latencies) for table in read]
        if reason:
            skipped.append(Problem(grid.line, f"the table is left out: {reason}"))
    problems += [Problem(_at(moved, m.get("line", 0)), _sentence(m)) for m in document.findall(nodes.system_message) if _is_loss(m)]
    named, renamed = consolidated(tables)
    problems += renamed
    lead = _LEAD_CPU.search(prose)
    counter = _COUNTER.search(prose)
    return Reading(
        tuple(named),
        tuple(sorted(problems, key=lambda p: p.line)),
        tuple(skipped),
        lead=cpus.get(int(lead[1])) if lead else None,
        counter_hz=round(float(counter[1]) * 1e6) if counter else None,
        title=next((t.astext() for t in document.findall(nodes.title)), ""),
    )


def render(table: Table, caption: str) -> str:
    """The table as `.. table::` with a grid, in the layout of the reference document."""
    metrics = list(dict.fromkeys(figure.metric for figure in table.figures))
    cells = {(figure.core, figure.metric): figure for figure in table.figures}
    rows = [["Cluster", "Core", *(_HEADINGS[metric] for metric in metrics)]]
    for core in dict.fromkeys(figure.core for figure in table.figures):
        row = [cells.get((core, metric)) for metric in metrics]
        rows.append([str(core.cluster), str(core.core), *("" if f is None else figure_text(f.value, f.printed_delta) for f in row)])
    return table_directive(caption, rows)


def table_directive(caption: str, rows: list[list[str]]) -> str:
    """`.. table::` with a grid table whose first row is the header."""
    return "\n".join((f".. table:: {caption}", "", *(f"    {line}" for line in grid(rows[0], rows[1:])))) + "\n"


def grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    """A grid table with every cell centred. Wide characters count twice, as docutils reads them."""
    body = [list(row) for row in rows]
    widths = [max(utils.column_width(row[i]) for row in (header, *body)) + 2 for i in range(len(header))]
    rule = "+" + "+".join("-" * width for width in widths) + "+"
    yield rule
    yield _grid_line(header, widths)
    yield rule.replace("-", "=")
    for row in body:
        yield _grid_line(row, widths)
        yield rule


def _grid_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    centred = (cell.center(width - utils.column_width(cell) + len(cell)) for cell, width in zip(cells, widths, strict=True))
    return "|" + "|".join(centred) + "|"


def _doctree(lines: list[str], moved: list[int], problems: list[Problem]) -> nodes.document:
    """docutils fails an assertion on some grids whose corners do not meet: those tables are left out and reported."""
    try:
        return _parsed(lines)
    except AssertionError:
        pass
    blocks = list(_grid_blocks(lines))
    broken = [block for block in blocks if not _is_readable([line.strip() for line in lines[slice(*block)]])]
    kept_lines = list(lines)
    for start, end in broken or blocks:
        kept_lines[start:end] = [""] * (end - start)
        problems.append(Problem(_at(moved, start + 1), "the corners of the grid do not meet, so its table is left out; redraw its rules"))
    return _parsed(kept_lines)


def _is_readable(grid_table: list[str]) -> bool:
    try:
        _parsed(grid_table)
    except AssertionError:
        return False
    return True


def _parsed(lines: list[str]) -> nodes.document:
    document = utils.new_document("document", copy(_settings()))
    Parser().parse("\n".join(lines), document)
    return document


@cache
def _settings() -> Values:
    settings: Values = frontend.get_default_settings(Parser)  # type: ignore[attr-defined]
    settings.report_level = 5
    settings.halt_level = 6
    settings.file_insertion_enabled = False
    settings.raw_enabled = False
    settings.syntax_highlight = "none"
    settings.warning_stream = False
    return settings


def _padded(lines: list[str], problems: list[Problem]) -> list[str]:
    """Pads the cells of grid tables that lost their padding to the width of their rules again."""
    out = list(lines)
    for start, end in _grid_blocks(lines):
        _pad_block(lines, out, start, end, problems)
    return out


def _grid_blocks(lines: list[str]) -> Iterator[tuple[int, int]]:
    """[start, end) of the lines of each grid table, from its first rule on."""
    i = 0
    while i < len(lines):
        if not _GRID_RULE.fullmatch(lines[i].strip()):
            i += 1
            continue
        start = i
        while i < len(lines) and lines[i].strip()[:1] in ("+", "|"):
            i += 1
        yield start, i


def _pad_block(lines: list[str], out: list[str], start: int, end: int, problems: list[Problem]) -> None:
    rule = lines[start].strip()
    indent = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
    widths = [len(part) for part in rule.strip("+").split("+")]
    short = [n for n in range(start, end) if lines[n].strip().startswith("|") and len(lines[n].strip()) < len(rule)]
    mended = 0
    for n in short:
        cells = lines[n].strip().strip("|").split("|")
        if len(cells) == len(widths) and all(len(c.strip()) + 2 <= w for c, w in zip(cells, widths, strict=True)):
            out[n] = indent + "|" + "|".join(f" {c.strip()} ".ljust(w) for c, w in zip(cells, widths, strict=True)) + "|"
            mended += 1
    if mended:
        problems.append(
            Problem(start + 1, f"column padding was lost in {mended} rows of the table; the figures are read by their separators")
        )


def _with_files_inlined(
    lines: list[str], read_file: ReadFile | None, problems: list[Problem]
) -> tuple[list[str], list[int], dict[int, str]]:
    """The lines with each csv-table's file in place; for each line its line in the document; for each such directive its file's name."""
    out: list[str] = []
    moved: list[int] = []
    names: dict[int, str] = {}
    directive = 0
    indent = ""
    pending: list[str] = []
    for number, line in enumerate(lines, start=1):
        start = _CSV_TABLE.match(line)
        inside = directive and (not line.strip() or len(line) - len(line.lstrip()) > len(indent))
        if pending and (not inside or not line.strip()):
            out += pending
            moved += [number - 1] * len(pending)
            pending = []
        if start:
            directive, indent = number, start[1]
        elif not inside:
            directive = 0
        option = _FILE_OPTION.match(line) if directive else None
        if not option:
            out.append(line)
            moved.append(number)
            continue
        names[directive] = option[1]
        pending = ["", *(f"{indent}    {row}" for row in _file_rows(option[1], number, read_file, problems))]
    out += pending
    moved += [len(lines)] * len(pending)
    return out, moved, names


def _file_rows(name: str, line: int, read_file: ReadFile | None, problems: list[Problem]) -> list[str]:
    if read_file is None:
        problems.append(Problem(line, f"the table is in the file {name!r}, which is not read here; give the document by its path"))
        return []
    try:
        return [row for row in read_file(name).splitlines() if row.strip()]
    except (OSError, ValueError) as error:
        problems.append(Problem(line, f"the table's file {name!r} cannot be read ({error}); restore it beside the document"))
        return []


def _at(moved: list[int], line: int | None) -> int:
    return moved[line - 1] if line and 0 < line <= len(moved) else 0


def _grid(table: nodes.table, moved: list[int], names: Mapping[int, str]) -> Grid:
    start = _start(table)
    line = _at(moved, start)
    rows = []
    for row in table.findall(nodes.row):
        cells = [_cell(entry, start, moved) for entry in row.findall(nodes.entry)]
        rows.append(tuple(cells))
    table_title = next((child.astext() for child in table.children if isinstance(child, nodes.title)), "")
    titles = [re.sub(r"\s+", " ", title) for title in (table_title, *_section_titles(table)) if title]
    file_name = names.get(line, "")
    return Grid(tuple(rows), line, (*titles, file_name) if file_name else tuple(titles))


def _start(table: nodes.table) -> int:
    """Where a table stands: docutils says it of the title, which a directive has in its own line, or of the first cell."""
    places = (table, *(child for child in table.children if isinstance(child, nodes.title)), *table.findall(nodes.paragraph))
    return next((place.line for place in places if place.line), 0)


def _cell(entry: nodes.entry, table_line: int, moved: list[int]) -> GridCell:
    line = next((child.line for child in entry.children if child.line), 0) or 0
    return GridCell(entry.astext(), _at(moved, line if line > table_line else table_line))


def _sections(node: nodes.Node) -> Iterator[nodes.section]:
    parent = node.parent
    while parent is not None:
        if isinstance(parent, nodes.section):
            yield parent
        parent = parent.parent


def _section_titles(node: nodes.Node) -> Iterator[str]:
    for section in _sections(node):
        yield from (child.astext() for child in section.children if isinstance(child, nodes.title))


def _with_release(table: Table, node: nodes.table, of_latencies: Set[nodes.table]) -> Table:
    """A table whose caption names no release is of the one that its section states, or of the one that the document states for all.

    A date that stands in a section with tables speaks of those; one that stands beside none, or the source tree that the method names,
    of every table that no section claims.
    """
    if table.release or node.document is None:
        return table
    around = [_own_text(section) for section in _sections(node)]
    beside = [part for part in node.document.findall(nodes.section) if of_latencies.isdisjoint(part.findall(nodes.table))]
    for pattern in (_AS_OF, _SOURCE_TREE):
        for text in (*around, *map(_own_text, beside), _own_text(node.document)):
            if match := pattern.search(text):
                return _released(table, match[1])
    return table


def _own_text(part: nodes.Element) -> str:
    """The text of a section without that of the sections in it."""
    kinds = (nodes.section, nodes.table, nodes.title)
    return re.sub(r"\s+", " ", " ".join(str(child.astext()) for child in part.children if not isinstance(child, kinds)))  # type: ignore[no-untyped-call]


def _released(table: Table, release: str) -> Table:
    return Table(table.test, release, table.unit, table.line, table.figures)


def _shape(grids: list[Grid]) -> dict[int, int]:
    """Cores seen in each cluster, from those tables that name both."""
    cores_of: dict[int, set[int]] = defaultdict(set)
    for grid in grids:
        for table in read_grid(grid, {})[0]:
            for figure in table.figures:
                cores_of[figure.core.cluster].add(figure.core.core)
    return {cluster: len(cores) for cluster, cores in cores_of.items()}


def _cpu_map(prose: str, shape: Mapping[int, int], problems: list[Problem]) -> dict[int, CoreId]:
    """CPU numbers to core identities: a range of n CPUs is the cluster that has n cores in the document's other tables.

    Where the document has no such table, the big cluster is taken as cluster 0, as Juno and its successors number it, and that is reported.
    """
    ranges = [(int(first), int(last), kind) for first, last, kind in _CPU_RANGE.findall(prose)]
    if not ranges or any(last - first >= 1024 or last < first for first, last, _ in ranges):
        return {}
    sizes = [last - first + 1 for first, last, _ in ranges]
    matches = [[cluster for cluster, n in shape.items() if n == size] for size in sizes]
    if all(len(match) == 1 for match in matches):
        clusters = [match[0] for match in matches]
    else:
        order = sorted(range(len(ranges)), key=lambda i: (ranges[i][2] != "big", ranges[i][0]))
        clusters = [order.index(i) for i in range(len(ranges))]
        assumption = ", ".join(f"CPUs {a}-{b} as cluster {c}" for (a, b, _), c in zip(ranges, clusters, strict=True))
        problems.append(Problem(0, f"assumed, because no table of the document names its clusters: {assumption}"))
    return {cpu: CoreId(c, cpu - first) for (first, last, _), c in zip(ranges, clusters, strict=True) for cpu in range(first, last + 1)}


def _is_loss(message: nodes.system_message) -> bool:
    return message.get("level", 0) >= 3 and "table" in message.astext().lower()


def _sentence(message: nodes.system_message) -> str:
    words = re.sub(r"\s+", " ", message.astext())
    return f"a table cannot be read and is left out: {words[:200]}"
