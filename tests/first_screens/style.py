# SPDX-License-Identifier: BSD-3-Clause
"""Composed sentences against docs/project/style.md: of rendered screens and pages, where a check of literals cannot see their length."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import prose
from first_screens.screen import LINES, of_page

RULES: dict[str, Any] = tomllib.loads(prose.RULES.read_text("utf-8"))
IN_BRACKETS = re.compile(r"\([^()]*\)")
CODE = re.compile(r"`[^`]*`|\blatlab \w+(?: \S+)*$")
CORES = re.compile(r"\b\d+\.\d+(?:, \d+\.\d+)+")
FIGURE = re.compile(r"[-+]?\d[\d.,]*(?: (?:µs|ms|ns|s|%|KiB|MHz|instructions?|cycles))?(?: to [-+]?\d[\d.,]*(?: (?:µs|%))?)?")
SENTENCE_END = re.compile(r"[.!?]\s+")
IN_COLUMNS = re.compile(r"\S {2,}\S")


def sentences_of(text: str) -> Iterator[str]:
    """Of a screen the lines that are no rows of a table; of a page what stands above and below its tables and pictures."""
    if text.lstrip().startswith("<!doctype"):
        lines: list[str] = list(of_page(text).sentences)
    else:
        lines = [line.strip() for line in text.split("\n")[:LINES] if not IN_COLUMNS.search(line.strip())]
    for line in lines:
        yield from filter(None, SENTENCE_END.split(line))


def length(sentence: str) -> int:
    """In words: a figure with its unit, a range, a list of cores and a command are one each; what is in brackets is no part of it."""
    for pattern, instead in ((IN_BRACKETS, ""), (CODE, "X"), (CORES, "X"), (FIGURE, "X")):
        sentence = pattern.sub(instead, sentence)
    return len(re.findall(r"\S*\w\S*", sentence))


def findings(text: str) -> Iterator[str]:
    """Sentences that are too long, and words with a plainer one."""
    for sentence in sentences_of(text):
        if (words := length(sentence)) > RULES["words_per_sentence"]:
            yield f"{words} words: {sentence}"
        kept = sentence
        for pattern in RULES["shown"]["keep"]:
            kept = re.sub(pattern, "X", kept)
        for pattern, instead in (RULES["instead"] | RULES["shown"]["instead"]).items():
            if match := re.search(rf"\b(?:{pattern})\b", kept, re.IGNORECASE):
                yield f"write {instead!r} instead of {match[0]!r}: {sentence}"
