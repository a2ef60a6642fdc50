# SPDX-License-Identifier: BSD-3-Clause
"""A page as Markdown: CommonMark and GitHub's tables, which Sphinx reads through MyST too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from latlab.core.report.chart import Chart
from latlab.core.report.page import Block, Caution, Commands, Facts, Folded, Items, Page, Paragraph
from latlab.core.report.renderers.sections import section_lines
from latlab.core.report.table import Align, Column, Table, text_of
from latlab.core.report.text import Style, Text, plain, spans
from latlab.core.shown import LINES, shown

SPECIAL = str.maketrans({character: "\\" + character for character in "\\`*_[]<>&|~${}#!"})
BLOCK_START = re.compile(r"(\d{1,9})([.)])|([-+=%:(])")

Lines = Iterator[str]


def document(page: Page, pictures: str = "") -> str:
    """The whole document. `pictures` is the folder of its charts, by name; without it charts are left out."""
    lines: list[str] = [*_heading(page.title, 1)] if page.title else []
    for line in filter(plain, (page.answer, *page.lead)):
        lines += [marked(line), ""]
    for section in page.sections:
        lines += section_lines(section, 2, _heading, partial(_block, pictures=pictures))
    return shown("\n".join(lines).rstrip() + "\n", LINES)


def tables(tables_given: Iterable[Table]) -> str:
    """Tables alone, to be included in a document."""
    return shown("\n".join("\n".join(pipe_table(table)) for table in tables_given), LINES)


def marked(text: Text) -> str:
    """A paragraph: code as code, all other words escaped."""
    return _whole("".join(_code(span.text) if span.style is Style.CODE else _run(span.text, span.style) for span in spans(text)).strip())


def escaped(text: str) -> str:
    """A part of a line of text, escaped so that Markdown prints it unchanged."""
    return " ".join(text.split()).translate(SPECIAL)


def pipe_table(table: Table) -> Lines:
    caption = marked(table.caption)
    if caption:
        yield from (f"**Table:** {caption}{f' ({escaped(table.detail)})' if table.detail else ''}", "")
    yield _row(escaped(column.heading) for column in table.columns)
    yield _row(_rule(column) for column in table.columns)
    yield from (_row(escaped(text_of(value)) for value in row) for row in table.rows)
    yield ""
    if table.warning:
        yield from _note(table.warning)
    for note in table.notes:
        yield from (marked(note), "")


def _block(block: Block, pictures: str) -> Lines:
    match block:
        case Paragraph():
            yield from (marked(block.text), "")
        case Caution():
            yield from _note(": ".join(filter(None, (block.mark, block.text))))
        case Items():
            yield from _items(block)
        case Facts():  # another bullet than that of items, so that two lists do not become one
            yield from (f"* {_whole(escaped(name))}: {escaped(value)}" for name, value in block.pairs)
        case Commands() if block.lines:
            fence = _fence("\n".join(block.lines), 3)
            yield from (f"{fence}console", *block.lines, fence, "")
        case Folded():
            for inner in block.blocks:
                yield from _block(inner, pictures)
        case Table():
            yield from pipe_table(block)
        case Chart() if pictures and block.name:
            yield from (f"![{escaped(block.title)}]({pictures}/{block.name}.svg)", "", f"{escaped(block.title)}: {escaped(block.note)}", "")
        case _:
            return


def _items(block: Items) -> Lines:
    for item in block.items:
        yield f"- {marked(item.text)}"
        yield from (f"  - {marked(line)}" for line in item.below)
    yield ""


def _heading(text: Text, depth: int) -> Lines:
    yield from (f"{'#' * depth} {marked(text)}", "")


def _note(text: str) -> Lines:
    yield from (f"> **Note:** {escaped(text)}", "")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(column: Column) -> str:
    return "---:" if column.align is Align.RIGHT else "---"


def _run(text: str, style: Style) -> str:
    """A part of a line. Spaces at its ends are kept outside the markup, so that it does not join its neighbours."""
    inner = escaped(text)
    if inner and style is Style.STRONG:
        inner = f"**{inner}**"
    return (" " if text[:1].isspace() else "") + inner + (" " if text[-1:].isspace() and inner else "")


def _code(text: str) -> str:
    fence = _fence(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _fence(text: str, least: int) -> str:
    """A fence with more backticks than any run of backticks in the text."""
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)


def _whole(line: str) -> str:
    """The line, escaped so that it begins a paragraph and no list, rule, comment or target."""
    match = BLOCK_START.match(line)
    if match is None:
        return line
    return f"{match[1]}\\{line[len(match[1]) :]}" if match[1] else f"\\{line}"
