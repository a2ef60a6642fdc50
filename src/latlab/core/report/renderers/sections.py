# SPDX-License-Identifier: BSD-3-Clause
"""The traversal of a page's sections for line-based formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

from latlab.core.report.page import Block, Facts, Section
from latlab.core.report.text import Text

Lines = Iterator[str]


def section_lines(section: Section, depth: int, heading: Callable[[Text, int], Lines], block_lines: Callable[[Block], Lines]) -> Lines:
    """A section with its subsections, each one level deeper. Consecutive facts are one group, with an empty line after the last."""
    if section.title:
        yield from heading(section.title, depth)
    for facts, blocks in groupby(section.blocks, key=lambda block: isinstance(block, Facts)):
        for block in blocks:
            yield from block_lines(block)
        if facts:
            yield ""
    for inner in section.sections:
        yield from section_lines(inner, depth + 1, heading, block_lines)
