# SPDX-License-Identifier: BSD-3-Clause
"""A page on the terminal: sentences, and tables without lines. Charts and their text are left out.

The layout of a table fits the terminal: which columns stand beside each other, how wide each is, and which say the same in every row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text as RichText

from latlab.core.report.page import Block, Caution, Commands, Facts, Folded, Item, Items, Page, Paragraph, Section
from latlab.core.report.table import Align, Bar, Ranged, Table, Value
from latlab.core.report.text import Style, Styled, Text, plain, spans, strong
from latlab.core.shown import LINES, shown

PIPE_WIDTH = 160
INDENT = "  "
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

WIDE = 120
GAP = 2
LEAST_PROSE = 12
MOST_WORD = 24
"""Cells: a longer word, such as a path, may be broken."""
LEAST_ROWS = 3
"""Fewer rows show a column as briefly as a sentence does."""
WORDS = re.compile(r"\([^)]*\)|\S+")
FIGURE_AND_SHARE = re.compile(r"\S+ \([^)]*\)")
PARTS = re.compile(r"(?:[^\s/,:;=_]|,(?=\d))*[/,:;=_]?")

CellText = Callable[[int, int], str]


class Broken(Enum):
    """What a column breaks at: between words; figures too; also inside of brackets and after the marks of a word."""

    WORDS = auto()
    FIGURES = auto()
    MARKS = auto()


@dataclass(frozen=True, slots=True)
class ColumnBlock:
    """Columns that stand beside each other. `widths` is empty if they fit as they are; `prose_gives_way`: only long text is wrapped."""

    columns: tuple[int, ...]
    widths: Mapping[int, int]
    prose_gives_way: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """`constant` are columns with one value in all rows, which a sentence states. A table has one part, or several below each other."""

    constant: tuple[int, ...]
    parts: tuple[ColumnBlock, ...]


class TableLayout:
    """`text` is a cell as the terminal prints it, by row and column."""

    def __init__(self, table: Table, text: CellText, width: int) -> None:
        self._table, self._width = table, width
        self._cells = [[text(row, column) for row in range(len(table.rows))] for column in range(len(table.columns))]

    def layout(self) -> Layout:
        """Nothing is lost: first long text wraps, then all columns between words. What then has no room is stated once if it is the
        same in every row, and otherwise follows below, beside the columns that name the rows."""
        columns = [at for at, column in enumerate(self._table.columns) if not column.droppable or self._width >= WIDE]
        if whole := self._part(columns):
            return Layout((), (whole,))
        constant = self._constant(columns)
        varying = [at for at in columns if at not in constant]
        if whole := self._part(varying):
            return Layout(constant, (whole,))
        return Layout(constant, self._split(varying) or (ColumnBlock(tuple(varying), {}),))

    def _part(self, columns: Sequence[int]) -> ColumnBlock | None:
        rigid = [at for at in columns if not self._table.columns[at].wraps]
        needed = sum(map(self._wanted, rigid)) + GAP * (len(columns) - 1)
        if len(rigid) < len(columns) and needed + LEAST_PROSE <= self._width:
            return ColumnBlock(tuple(columns), {}, prose_gives_way=True)
        widths = self._between_words(columns)
        return None if widths is None else ColumnBlock(tuple(columns), widths)

    def _between_words(self, columns: Sequence[int]) -> dict[int, int] | None:
        """Column widths that break as little as possible. None if no widths fit."""
        room = self._width - GAP * (len(columns) - 1)
        full_widths = {at: self._wanted(at) for at in columns}
        if sum(full_widths.values()) <= room:
            return {}
        for broken in Broken:
            widths = {at: self._least(at, broken) for at in columns}
            if sum(widths.values()) <= room:
                for _ in range(room - sum(widths.values())):
                    widths[max(columns, key=lambda at: full_widths[at] / widths[at])] += 1
                return widths
        return None

    def _constant(self, columns: Sequence[int]) -> tuple[int, ...]:
        if len(self._table.rows) < LEAST_ROWS:
            return ()
        return tuple(at for at in columns[1:] if self._table.columns[at].name and len(set(self._cells[at])) == 1)

    def _split(self, columns: Sequence[int]) -> tuple[ColumnBlock, ...]:
        """Empty if a column has no room beside those that name the rows."""
        keys = self._keys(columns)
        parts: list[ColumnBlock] = []
        chosen: list[int] = []
        for at in columns[len(keys) :]:
            if chosen and self._part([*keys, *chosen, at]) is None:
                parts += filter(None, (self._part([*keys, *chosen]),))
                chosen = []
            chosen.append(at)
            if self._part([*keys, *chosen]) is None:
                return ()
        return (*parts, *filter(None, (self._part([*keys, *chosen]),)))

    def _keys(self, columns: Sequence[int]) -> list[int]:
        """The first columns that no two rows share, or the first one."""
        for count in range(1, len(columns) // 2 + 1):
            names = {tuple(self._cells[at][row] for at in columns[:count]) for row in range(len(self._table.rows))}
            if len(names) == len(self._table.rows):
                return list(columns[:count])
        return list(columns[:1])

    def _wanted(self, at: int) -> int:
        return max(map(cell_len, (self._table.columns[at].heading, *self._cells[at])))

    def _least(self, at: int, broken: Broken) -> int:
        column, cells = self._table.columns[at], self._cells[at]
        heading = map(cell_len, column.heading.split())
        if broken is Broken.WORDS and column.align is Align.RIGHT:
            return max(1, *map(cell_len, cells), *heading)
        pattern = PARTS if broken is Broken.MARKS and column.align is Align.LEFT else WORDS
        most = MOST_WORD if column.align is Align.LEFT else self._width
        return max(1, *(min(most, cell_len(word)) for cell in cells for word in pattern.findall(cell)), *heading)


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
    layout = TableLayout(table, lambda row, column: _cell(table.rows[row][column]).plain, console.width).layout()
    say(console, _stated(table, layout.constant))
    for number, part in enumerate(layout.parts):
        if number:
            console.print()
        console.print(_grid(table, part))
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
        grid.add_row(RichText(shown(name)), RichText(" ".join(pieces(word, room) for word in shown(value).split(" "))))
    return grid


def _grid(table: Table, part: ColumnBlock) -> RichTable:
    """One part of the table for rich."""
    grid = RichTable(box=None, pad_edge=False, show_header=table.headed, header_style="dim")
    for number in part.columns:
        column = table.columns[number]
        grid.add_column(
            RichText(shown(column.heading)),
            justify="left" if column.align is Align.LEFT else "right",
            no_wrap=part.prose_gives_way and not column.wraps,
            overflow="fold",
            width=part.widths.get(number),
        )
    for row in table.rows:
        grid.add_row(*(_cell(row[number], part.widths.get(number)) for number in part.columns))
    return grid


def _stated(table: Table, columns: Iterable[int]) -> str:
    """What all rows of a table have in common."""
    values = [f"{table.columns[number].heading} {_cell(table.rows[0][number]).plain}" for number in columns]
    return f"In every row: {', '.join(values)}." if values else ""


def _cell(value: Value, room: int | None = None) -> RichText:
    """Words that are wider than the room are broken after their marks, a figure before its share: `+3.74 (+16.6 %)`."""
    if isinstance(value, Ranged):
        return RichText(f"{value.text} [{value.spread}]" if value.spread else value.text)
    if isinstance(value, Bar):
        return RichText(f"{value.text} {'#' * round(BAR_CELLS * value.share):<{BAR_CELLS}}")
    styled = value if isinstance(value, Styled) else Styled(str(value))
    if not room:
        return _rich(styled)
    if cell_len(styled.text) > room and FIGURE_AND_SHARE.fullmatch(styled.text):
        return _rich(replace(styled, text=styled.text.replace(" ", "\n", 1)))
    return _rich(replace(styled, text=" ".join(pieces(word, room) for word in styled.text.split(" "))))


def _rich(text: Text) -> RichText:
    return RichText.assemble(*((shown(span.text, LINES), STYLES[span.style]) for span in spans(text)))


def pieces(word: str, room: int) -> str:
    """A word that is wider than the room, such as a path, broken after its punctuation marks."""
    lines = [""]
    for part in PARTS.findall(word):
        if len(lines[-1]) + len(part) > room:
            lines.append("")
        lines[-1] += part
    return "\n".join(filter(None, lines))
