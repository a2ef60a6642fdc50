# SPDX-License-Identifier: BSD-3-Clause
"""What a reader sees first, as sentences, tables and pictures: of a text for the terminal or of an HTML page.

Nothing here imports latlab.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html.parser import HTMLParser

LINES = 60
"""Of a screen: what is seen without scrolling, on a large one."""
COLUMN_GAP = re.compile(r" {2,}")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z(]|\d)")
VOID = {"meta", "br", "link", "img", "input", "line", "path", "rect"}


@dataclass(frozen=True)
class Table:
    """`is_cut`: its end is below the first screen."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_cut: bool = False

    def column(self, name: str) -> int | None:
        return self.columns.index(name) if name in self.columns else None


@dataclass(frozen=True)
class Picture:
    """The SVG element of a chart, and what stands above it."""

    caption: str
    svg: str


@dataclass(frozen=True)
class FirstScreen:
    """`sentences` are in the order of the reader, `answer` is the first."""

    sentences: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()

    @property
    def answer(self) -> str:
        return self.sentences[0] if self.sentences else ""


def of_text(text: str, lines: int = LINES) -> FirstScreen:
    """A line whose words stand in columns below a caption belongs to a table, others are sentences."""
    sentences: list[str] = []
    tables: list[Table] = []
    block: list[str] = []
    whole = text.split("\n")
    for line in [*whole[:lines], ""]:
        if line.strip():
            block.append(line.rstrip())
            continue
        table = _table_of(block)
        if table:
            tables.append(table)
            sentences.append(table.caption)
            sentences += _split(" ".join(row for row in block[len(table.rows) + 2 :]))
        else:
            sentences += [part for row in block for part in _split(row.strip())]
        block = []
    if tables and len(whole) > lines and whole[lines - 1].strip() and whole[lines].strip():
        tables[-1] = replace(tables[-1], is_cut=True)
    return FirstScreen(tuple(filter(None, sentences)), tuple(tables))


def _split(line: str) -> list[str]:
    return [part.strip() for part in SENTENCE_END.split(line) if part.strip()]


def _table_of(block: list[str]) -> Table | None:
    """A caption, a heading and rows of as many columns; rows end where a line has another number of them."""
    if len(block) < 3 or len(COLUMN_GAP.split(block[1].strip())) < 2:
        return None
    heading = block[1]
    edges = _edges(block[1:])
    columns = tuple(_cells(heading, edges))
    rows = []
    for line in block[2:]:
        cells = _cells(line, edges)
        if COLUMN_GAP.search(line.strip()) is None and len(columns) > 1:
            break
        rows.append(tuple(cells))
    return Table(block[0].strip(), columns, tuple(rows)) if rows else None


def _edges(lines: list[str]) -> list[int]:
    """Where a column begins: after two blanks that all lines of the table have."""
    table = [lines[0]]
    for line in lines[1:]:
        if COLUMN_GAP.search(line.strip()) is None:
            break
        table.append(line)
    width = max(map(len, table))
    padded = [line.ljust(width) for line in table]
    blank = [all(line[at] == " " for line in padded) for at in range(width)]
    return [0] + [at for at in range(2, width) if blank[at - 1] and blank[at - 2] and not blank[at]]


def _cells(line: str, edges: list[int]) -> list[str]:
    ends = [*edges[1:], max(len(line), edges[-1])]
    return [line[start:end].strip() for start, end in zip(edges, ends, strict=True)]


def of_page(html: str) -> FirstScreen:
    """The heading, the lines below it, and every table and chart of the page with what stands above them."""
    reader = _Reader()
    reader.feed(html)
    return FirstScreen(tuple(reader.sentences), tuple(reader.tables), tuple(_pictures(html)))


def _pictures(html: str) -> list[Picture]:
    out = []
    for match in re.finditer(r'<div class="chart"[^>]*aria-label="([^"]*)">(<svg.*?</svg>)', html, re.S):
        out.append(Picture(match[1], match[2]))
    return out


class _Reader(HTMLParser):
    """Headings, leads and notes as sentences, in the order of the page; rows of tables."""

    TEXTS = ("h1", "h2", "h3", "p", "li", "summary")

    def __init__(self) -> None:
        super().__init__()
        self.sentences: list[str] = []
        self.tables: list[Table] = []
        self._text: list[str] | None = None
        self._row: list[str] | None = None
        self._cell: list[str] | None = None
        self._rows: list[tuple[str, ...]] = []
        self._caption = ""
        self._svg = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "svg":
            self._svg += 1
        elif tag in self.TEXTS and not self._svg:
            self._text = []
        elif tag == "table":
            self._rows = []
            self._caption = next((value or "" for name, value in attrs if name == "aria-label"), "") or self._caption
        elif tag == "tr":
            self._row = []
        elif tag in ("td", "th"):
            self._cell = []
        elif tag == "br":
            for text in (self._cell, self._text):
                if text is not None:
                    text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "svg":
            self._svg -= 1
        elif tag in self.TEXTS and self._text is not None and not self._svg:
            lines = [" ".join(line.split()) for line in "".join(self._text).split("\n")]
            self.sentences += [part for line in lines for part in _split(line)]
            if tag in ("h2", "h3"):
                self._caption = " ".join(lines)
            self._text = None
        elif tag in ("td", "th") and self._row is not None and self._cell is not None:
            self._row.append("".join(self._cell).strip())
            self._cell = None
        elif tag == "tr" and self._row is not None:
            self._rows.append(tuple(self._row))
            self._row = None
        elif tag == "table" and self._rows:
            self.tables.append(Table(self._caption, self._rows[0], tuple(self._rows[1:])))

    def handle_data(self, data: str) -> None:
        if self._svg:
            return
        for text in (self._cell, self._text):
            if text is not None:
                text.append(data.replace("\xa0", " "))
