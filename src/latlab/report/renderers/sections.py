# SPDX-License-Identifier: BSD-3-Clause
"""The walk through a page's sections that formats of plain lines share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

from latlab.report.page import Block, Facts, Section
from latlab.report.text import Text

Lines = Iterator[str]


def section_lines(section: Section, depth: int, heading: Callable[[Text, int], Lines], block_lines: Callable[[Block], Lines]) -> Lines:
    """A section with those inside it, one level deeper each. Facts that follow each other stand together, an empty line behind the last."""
    if section.title:
        yield from heading(section.title, depth)
    for facts, blocks in groupby(section.blocks, key=lambda block: isinstance(block, Facts)):
        for block in blocks:
            yield from block_lines(block)
        if facts:
            yield ""
    for inner in section.sections:
        yield from section_lines(inner, depth + 1, heading, block_lines)
