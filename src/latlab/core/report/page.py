# SPDX-License-Identifier: BSD-3-Clause
"""What a report says, in order and without a form: a page of sections of blocks. A form leaves out what it cannot show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from latlab.core.report.chart import Chart
from latlab.core.report.table import Table
from latlab.core.report.text import Text


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: Text


@dataclass(frozen=True, slots=True)
class Caution:
    """What must be known before a figure is believed; `mark` is its short form."""

    mark: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """A sentence of a list; what stands `below` it belongs to it."""

    text: Text
    below: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and what they are."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines as a user types them."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Legend:
    """(name, colour, meaning) of everything that the charts of a page colour alike."""

    entries: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Key:
    """(class of the style sheet, meaning) of the colours of drawings, which are others in a dark page."""

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture that is ready: an SVG element as wide as the page, and what it shows, in words. `name` is its own on a page; `is_flame`:
    boxes above each other, which a script can enlarge."""

    title: str
    note: str
    svg: str
    name: str
    is_flame: bool = True


@dataclass(frozen=True, slots=True)
class Links:
    """(anchor, words) of sections of the same page."""

    targets: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RunChoice:
    """Two of `runs`, each an id and what a reader sees of it, chosen by the reader for one comparison. It begins with `base` and
    `candidate`; `page` leads to the page of these two, empty if there is none. `figures` is JSON with the figures of some of the
    runs, which a browser puts beside each other."""

    runs: tuple[tuple[str, str], ...]
    base: str
    candidate: str
    page: Text = ""
    figures: str = ""


@dataclass(frozen=True, slots=True)
class Folded:
    """What is looked at on demand, where a form can hide it."""

    summary: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """Charts that stand beside each other where there is room."""

    charts: tuple[Chart, ...]


Block = Paragraph | Caution | Items | Facts | Commands | Legend | Key | Drawing | Links | RunChoice | Folded | Beside | Table | Chart


@dataclass(frozen=True, slots=True)
class Section:
    """A section without a title only groups its blocks."""

    title: Text
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """`answer` is what it says in one sentence, with which every form begins; the title then says of what. `name` is what a browser's tab
    says, where that is not the title; `trail` leads to the pages of a site above this one, `made_by` is the command that makes it. `finder`
    is the page that searches the site, from here; `finds`: this page is that one."""

    title: Text
    lead: tuple[Text, ...] = ()
    sections: tuple[Section, ...] = ()
    name: str = ""
    trail: Text = ()
    made_by: str = ""
    finder: str = ""
    finds: bool = False
    answer: Text = ""


def charts_of(page: Page) -> Iterator[Chart]:
    """Every chart of a page, wherever it stands."""
    return (block for block in _blocks(page.sections) if isinstance(block, Chart))


def tables_of(page: Page) -> Iterator[Table]:
    """Every table of a page, wherever it stands."""
    return (block for block in _blocks(page.sections) if isinstance(block, Table))


def drawings_of(page: Page) -> Iterator[Drawing]:
    """Every drawing of a page, wherever it stands."""
    return (block for block in _blocks(page.sections) if isinstance(block, Drawing))


def has_choice(page: Page) -> bool:
    """Whether a reader chooses runs on it."""
    return any(isinstance(block, RunChoice) for block in _blocks(page.sections))


def _blocks(sections: Iterable[Section]) -> Iterator[Block]:
    """Every block of these sections, of those in them and of blocks that hold others."""
    for section in sections:
        yield from _opened(section.blocks)
        yield from _blocks(section.sections)


def _opened(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Folded):
            yield from _opened(block.blocks)
        elif isinstance(block, Beside):
            yield from block.charts
