# SPDX-License-Identifier: BSD-3-Clause
"""A page on the terminal: sentences, and tables without lines. Charts and their text are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text as RichText

from latlab.report.page import Block, Caution, Commands, Facts, Folded, Item, Items, Page, Paragraph, Section
from latlab.report.table import Align, Bar, Ranged, Table, Value
from latlab.report.text import Style, Styled, Text, plain, spans, strong
from latlab.shown import LINES, shown

PIPE_WIDTH = 160
WIDE = 120
INDENT = "  "
WORDS = re.compile(r"\([^)]*\)|\S+")
PARTS = re.compile(r"[^/,:;=]*[/,:;=]?")
GAP = 2
LEAST_PROSE = 12
BAR_CELLS = 10
FIRST_FACTS = 2
STYLES = {
    Style.PLAIN: "",
    Style.STRONG: "bold",
    Style.SOFT: "dim",
    Style.CODE: "",
    Style.GOOD: "green",
    Style.BAD: "red",
    Style.DOUBT: "yellow",
    Style.NEUTRAL: "",
}


def print_page(console: Console, page: Page, verbose: bool = True) -> None:
    """The title, the answer and the lead as lines, then every section; all facts only where it is `verbose`."""
    page = page if verbose else in_brief(page)
    begun = (page.title, strong(plain(page.answer)), *page.lead)
    for line in begun:
        say(console, line)
    held = [section for section in page.sections if section.title or section.blocks or section.sections]
    for number, section in enumerate(held):
        _print_section(console, section, first=number == 0 and not any(map(spans, begun)))


def in_brief(page: Page) -> Page:
    """The page with the first facts alone: which run it is, and whether it is whole."""
    return replace(page, sections=tuple(replace(section, blocks=tuple(map(_first_facts, section.blocks))) for section in page.sections))


def _first_facts(block: Block) -> Block:
    return Facts(block.pairs[:FIRST_FACTS]) if isinstance(block, Facts) else block


def print_table(console: Console, table: Table) -> None:
    """The caption in bold, the columns, and the notes below them."""
    if table.caption:
        detail = f" ({table.detail})" if table.detail else ""
        say(console, (*(Styled(s.text, Style.STRONG) if s.style is Style.PLAIN else s for s in spans(table.caption)), strong(detail)))
    console.print(_grid(console, table))
    if table.warning:
        say(console, Styled(f"({table.mark}) {table.warning}" if table.mark else table.warning, Style.DOUBT))
    for note in table.notes:
        say(console, note)


def print_tables(console: Console, tables: Iterable[Table]) -> None:
    """The tables, separated by an empty line."""
    for number, table in enumerate(tables):
        if number:
            console.print()
        print_table(console, table)


def say(console: Console, text: Text, indent: str = "") -> None:
    """Prints a sentence: wrapped between words on a terminal, in one line elsewhere. Prints nothing for an empty sentence."""
    if not spans(text):
        return
    line = RichText(indent)
    line.append_text(_rich(text))
    console.print(line, highlight=False, soft_wrap=not console.is_terminal)


def _print_section(console: Console, section: Section, first: bool) -> None:
    """Prints a section. An empty line precedes each section and each captioned table, except the first of a page."""
    if not first and not _begins_with_table(section):
        console.print()
    say(console, section.title)
    indent = INDENT if section.title else ""
    for number, block in enumerate(section.blocks):
        if isinstance(block, Table) and block.caption and not (first and number == 0):
            console.print()
        print_block(console, block, indent)
    for inner in section.sections:
        _print_section(console, inner, first=False)


def _begins_with_table(section: Section) -> bool:
    return not section.title and bool(section.blocks) and isinstance(section.blocks[0], Table) and bool(section.blocks[0].caption)


def print_block(console: Console, block: Block, indent: str = "") -> None:
    """Prints one block, without an empty line before it."""
    match block:
        case Paragraph():
            say(console, block.text)
        case Caution():
            say(console, Styled(": ".join(filter(None, (block.mark, block.text))), Style.DOUBT))
        case Items():
            for item in block.items:
                _print_item(console, item, indent)
        case Facts():
            console.print(_facts(block, console.width))
        case Commands():
            for line in block.lines:
                say(console, line, INDENT)
        case Folded():
            for inner in block.blocks:
                print_block(console, inner, indent)
        case Table():
            print_table(console, block)
        case _:
            return


def _print_item(console: Console, item: Item, indent: str) -> None:
    say(console, item.text, indent)
    for line in item.below:
        say(console, line, indent + 2 * INDENT)


def _facts(facts: Facts, width: int) -> RichTable:
    room = width - GAP - max((cell_len(name) for name, _ in facts.pairs), default=0)
    grid = RichTable(show_header=False, box=None, pad_edge=False)
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in facts.pairs:
        grid.add_row(RichText(shown(name)), RichText(" ".join(_pieces(word, room) for word in shown(value).split(" "))))
    return grid


def _pieces(word: str, room: int) -> str:
    """A word that is wider than the room, such as a path, broken after its punctuation marks."""
    lines = [""]
    for part in PARTS.findall(word):
        if len(lines[-1]) + len(part) > room:
            lines.append("")
        lines[-1] += part
    return "\n".join(filter(None, lines))


def _grid(console: Console, table: Table) -> RichTable:
    """The table for rich. If shrinking the long text is not sufficient, every column shrinks, between words if possible: a figure is
    broken rather than lost."""
    columns_shown = [number for number, column in enumerate(table.columns) if not column.droppable or console.width >= WIDE]
    rigid = [number for number in columns_shown if not table.columns[number].wraps]
    needed = sum(_width(table, number) for number in rigid) + GAP * (len(columns_shown) - 1)
    one_gives_way = len(rigid) < len(columns_shown) and needed + LEAST_PROSE <= console.width
    widths = {} if one_gives_way else _between_words(table, columns_shown, console.width - GAP * (len(columns_shown) - 1))
    grid = RichTable(box=None, pad_edge=False, show_header=table.headed, header_style="dim")
    for number in columns_shown:
        column = table.columns[number]
        grid.add_column(
            RichText(shown(column.heading)),
            justify="left" if column.align is Align.LEFT else "right",
            no_wrap=one_gives_way and not column.wraps,
            overflow="fold",
            width=widths.get(number),
        )
    for row in table.rows:
        grid.add_row(*(_cell(row[number]) for number in columns_shown))
    return grid


def _between_words(table: Table, columns_shown: list[int], room: int) -> dict[int, int]:
    """Column widths that break no word and, if possible, no figure. Empty if the table fits anyway, or if no widths fit."""
    widths_wanted = {number: _width(table, number) for number in columns_shown}
    if sum(widths_wanted.values()) <= room:
        return {}
    for figures_whole in (True, False):
        widths = {number: _least(table, number, figures_whole) for number in columns_shown}
        if sum(widths.values()) <= room:
            for _ in range(room - sum(widths.values())):
                widths[max(columns_shown, key=lambda number: widths_wanted[number] / widths[number])] += 1
            return widths
    return {}


def _least(table: Table, number: int, figures_whole: bool) -> int:
    column = table.columns[number]
    cells = [_cell(row[number]).plain for row in table.rows]
    parts = cells if figures_whole and column.align is Align.RIGHT else [part for cell in cells for part in WORDS.findall(cell)]
    return max(1, *map(cell_len, (*parts, *column.heading.split())))


def _width(table: Table, number: int) -> int:
    return max(_cell(value).cell_len for value in (table.columns[number].heading, *(row[number] for row in table.rows)))


def _cell(value: Value) -> RichText:
    if isinstance(value, Ranged):
        return RichText(f"{value.text} [{value.spread}]" if value.spread else value.text)
    if isinstance(value, Bar):
        return RichText(f"{value.text} {'#' * round(BAR_CELLS * value.share):<{BAR_CELLS}}")
    return _rich(value if isinstance(value, Styled) else str(value))


def _rich(text: Text) -> RichText:
    return RichText.assemble(*((shown(span.text, LINES), STYLES[span.style]) for span in spans(text)))
