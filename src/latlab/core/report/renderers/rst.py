# SPDX-License-Identifier: BSD-3-Clause
"""A page as reStructuredText that builds without a warning, its tables in the layout of the reference document."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from docutils.utils import column_width

from latlab.core.readers.published.rst_tables import grid
from latlab.core.report.chart import Chart
from latlab.core.report.page import Block, Caution, Commands, Facts, Folded, Items, Page, Paragraph
from latlab.core.report.renderers.sections import section_lines
from latlab.core.report.table import Table, text_of
from latlab.core.report.text import Style, Styled, Text, plain, spans
from latlab.core.shown import LINES, shown

UNDERLINES = "=-~^"
ENUMERATOR = r"(\d+|[A-Za-z]|[ivxlcdm]+|[IVXLCDM]+|#)"
BLOCK_START = re.compile(rf"[-+/](?!\d+[.,])|[\u2022\u2023\u2043]|{ENUMERATOR}[.)]( |$)|\({ENUMERATOR}\)( |$)|\.\.|[:=>]|[^\w\s\\]+$")
SPECIAL = str.maketrans({character: "\\" + character for character in "\\*`|_"})

Lines = Iterator[str]


def document(page: Page, table_lines: Callable[[Table], Iterable[str]] | None = None, pictures: str = "") -> str:
    """The whole document. `table_lines` renders its tables: `grid_table`, or `csv_table`. `pictures` is the folder of its charts; charts
    become figures if the folder is given, else they are left out."""
    lines: list[str] = [*_heading(page.title, 0)] if page.title else []
    for line in filter(plain, (page.answer, *page.lead)):
        lines += [marked(line), ""]
    for section in page.sections:
        block = partial(_block, table_lines=table_lines or grid_table, pictures=pictures)
        lines += section_lines(section, 1 if page.title else 2, _heading, block)
    return shown("\n".join(lines).rstrip() + "\n", LINES)


def tables(tables_given: Iterable[Table]) -> str:
    """Tables alone, to be included in a document."""
    return shown("\n".join("\n".join(grid_table(table)) for table in tables_given), LINES)


def grid_table(table: Table) -> Lines:
    """A `.. table::` with a grid; the detail is the second line of the caption."""
    yield f".. table:: {marked(table.caption)}"
    if table.detail:
        yield f"        ({escaped(table.detail)})"
    yield ""
    rows = [tuple(body(text_of(value)) for value in row) for row in table.rows]
    yield from (f"    {line}" for line in grid(tuple(body(column.heading) for column in table.columns), rows))
    yield ""
    yield from _below(table)


def csv_table(table: Table) -> Lines:
    """A `.. csv-table::`, as in the wake-up tables of the reference document."""
    yield f".. csv-table:: {marked(table.caption)}{f' ({escaped(table.detail)})' if table.detail else ''}"
    yield "   :header: " + _csv_line(column.heading for column in table.columns)
    yield ""
    yield from ("   " + _csv_line(text_of(value) for value in row) for row in table.rows)
    yield ""
    yield from _below(table)


def marked(text: Text) -> str:
    """A paragraph: code as a literal, all other words escaped."""
    return _whole("".join(f"``{span.text}``" if span.style is Style.CODE else _run(span) for span in spans(text)).strip())


def escaped(text: str) -> str:
    """A part of a line of text, escaped so that RST prints it unchanged."""
    return " ".join(text.split()).translate(SPECIAL)


def body(text: str) -> str:
    """A whole paragraph or cell."""
    return _whole(escaped(text))


def _whole(line: str) -> str:
    """The line, escaped so that it is a paragraph and no list, option, field, rule or heading of a literal block."""
    if line.endswith("::"):
        line = line[:-1] + "\\:"
    if set(line) == {"\\"}:
        return "\\ " + line
    return "\\" + line if BLOCK_START.match(line) else line


def _run(span: Styled) -> str:
    """A part of a line. Spaces at its ends are kept outside the markup, so that it does not join its neighbours."""
    inner = escaped(span.text)
    before = " " if span.text[:1].isspace() else ""
    after = " " if span.text[-1:].isspace() and inner else ""
    return before + inner + after


def _block(block: Block, table_lines: Callable[[Table], Iterable[str]], pictures: str = "") -> Lines:
    match block:
        case Paragraph():
            yield from (marked(block.text), "")
        case Caution():
            yield from _note(": ".join(filter(None, (block.mark, block.text))))
        case Items():
            yield from _items(block)
        case Facts():
            yield from (f":{_field_name(name)}: {body(value)}" for name, value in block.pairs)
        case Commands() if block.lines:
            yield from (".. code:: console", "", *(f"   {line}" for line in block.lines), "")
        case Folded():
            for inner in block.blocks:
                yield from _block(inner, table_lines, pictures)
        case Table():
            yield from table_lines(block)
        case Chart() if pictures and block.name:
            yield from _figure(block, pictures)
        case _:
            return


def _figure(chart: Chart, folder: str) -> Lines:
    yield from (f".. figure:: {folder}/{chart.name}.svg", f"    :alt: {body(chart.title)}", "")
    yield from (f"    {body(chart.title)}: {marked(chart.note)}", "")


def _field_name(name: str) -> str:
    return escaped(name).replace(":", "\\:")


def _items(block: Items) -> Lines:
    for item in block.items:
        yield f"- {marked(item.text)}"
        if item.below:
            yield from ("", *(f"  - {marked(line)}" for line in item.below), "")
    yield ""


def _below(table: Table) -> Lines:
    if table.warning:
        yield from _note(table.warning)
    for note in table.notes:
        yield from (body(note), "")


def _note(text: str) -> Lines:
    yield from (".. note::", f"    {body(text)}", "")


def _heading(text: Text, depth: int) -> Lines:
    title = marked(text)
    yield from (title, UNDERLINES[depth] * column_width(title), "")


def _csv_line(cells: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="").writerow([body(cell) for cell in cells])
    return text.getvalue()
