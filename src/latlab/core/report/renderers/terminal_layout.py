# SPDX-License-Identifier: BSD-3-Clause
"""How a table fits a terminal: which columns stand beside each other, how wide each is, and which ones say the same in every row."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from rich.cells import cell_len

from latlab.core.report.table import Align, Table

WIDE = 120
GAP = 2
LEAST_PROSE = 12
MOST_WORD = 24
"""Cells: a longer word, such as a path, may be broken."""
LEAST_ROWS = 3
"""Fewer rows show a column as briefly as a sentence does."""
WORDS = re.compile(r"\([^)]*\)|\S+")
PARTS = re.compile(r"[^\s/,:;=_]*[/,:;=_]?")

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
        pattern = PARTS if broken is Broken.MARKS else WORDS
        most = MOST_WORD if column.align is Align.LEFT else self._width
        return max(1, *(min(most, cell_len(word)) for cell in cells for word in pattern.findall(cell)), *heading)


def pieces(word: str, room: int) -> str:
    """A word that is wider than the room, such as a path, broken after its punctuation marks."""
    lines = [""]
    for part in PARTS.findall(word):
        if len(lines[-1]) + len(part) > room:
            lines.append("")
        lines[-1] += part
    return "\n".join(filter(None, lines))
