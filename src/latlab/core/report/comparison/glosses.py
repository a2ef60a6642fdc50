# SPDX-License-Identifier: BSD-3-Clause
"""The terms of a screen in plain words, each once below it, and no sentence twice on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from latlab.core.report.page import Block, Item, Items, Page, Paragraph, Section
from latlab.core.report.table import Table, text_of
from latlab.core.report.text import Text, plain, soft

GLOSSES = (
    (r"queue model|first-core latency|delay per position", "queue model: a first core's latency, and a delay for each further position"),
    (r"last-core delay|last core\b", "last core: the last of its cluster or system to go down, which also flushes the shared cache"),
    (r"\(rank \d|other ranks?\b", "rank 4: the fourth shortest span of an iteration, of any core"),
    (r"\d % power", "90 % power: nine of ten such comparisons would detect a change of this size"),
    (r"tail inconclusive", "tail inconclusive: the medians agree; the samples are too few for the longest spans"),
)
"""A term's pattern, and its meaning. Each has its entry in the glossary of the manual."""
MORE = "More words are in the glossary of the manual (reference/glossary)"


def with_glosses(page: Page) -> Page:
    """The page with the meanings of its terms at its end."""
    text = "\n".join(_texts(page))
    meanings = [meaning for pattern, meaning in GLOSSES if re.search(pattern, text)]
    if not meanings:
        return page
    return replace(page, sections=(*page.sections, Section("", tuple(Paragraph(soft(line)) for line in (*meanings, MORE)))))


def without_repeats(page: Page) -> Page:
    """The page without sentences that it has above in the same words. What stands under two titles is of two things, and stays."""
    seen_lines = {_key(text) for text in (page.answer, page.title, *page.lead)} - {""}
    return replace(page, sections=tuple(_without(section, seen_lines) for section in page.sections))


def _without(section: Section, above: set[str]) -> Section:
    lines = set(above) if plain(section.title) else above
    blocks = tuple(block for block in (_left_of(block, lines) for block in section.blocks) if block is not None)
    return replace(section, blocks=blocks, sections=tuple(_without(inner, lines) for inner in section.sections))


def _left_of(block: Block, lines: set[str]) -> Block | None:
    """The block without its repeats, None if nothing is left. Tables repeat words on purpose."""
    if isinstance(block, Paragraph):
        return block if _is_new(block.text, lines) else None
    if isinstance(block, Items):
        items = tuple(item for item in block.items if item.below or _is_new(item.text, lines))
        return Items(items) if items else None
    return block


def _is_new(text: Text, lines: set[str]) -> bool:
    key = _key(text)
    if not key or key not in lines:
        lines.add(key)
        return True
    return False


def _key(text: Text) -> str:
    """The words of a sentence, whatever stands before them as a mark and how it ends."""
    return plain(text).removeprefix("note ").strip().rstrip(".").casefold()


def _texts(page: Page) -> Iterator[str]:
    yield from map(plain, (page.title, page.answer, *page.lead))
    for section in page.sections:
        yield from _of_section(section)


def _of_section(section: Section) -> Iterator[str]:
    yield plain(section.title)
    for block in section.blocks:
        yield from _of_block(block)
    for inner in section.sections:
        yield from _of_section(inner)


def _of_block(block: Block) -> Iterable[str]:
    if isinstance(block, Paragraph):
        return (plain(block.text),)
    if isinstance(block, Items):
        return (plain(text) for item in block.items for text in _of_item(item))
    if isinstance(block, Table):
        cells = (text_of(cell) for row in block.rows for cell in row)
        return (plain(block.caption), *(plain(column.name) for column in block.columns), *cells, *map(plain, block.notes))
    return ()


def _of_item(item: Item) -> tuple[Text, ...]:
    return item.text, *item.below
