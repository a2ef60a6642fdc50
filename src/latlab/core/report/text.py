# SPDX-License-Identifier: BSD-3-Clause
"""Text with what each of its words is: plain data, which a renderer colours, sets as code, or prints as it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Style(StrEnum):
    """What a word is. The last four are judgements, and a renderer that has colours gives each its own."""

    PLAIN = "plain"
    STRONG = "strong"
    SOFT = "soft"
    CODE = "code"
    GOOD = "good"
    BAD = "bad"
    DOUBT = "doubt"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class Styled:
    """`target` is where a page of a site leads from here; forms that lead nowhere leave it out."""

    text: str
    style: Style = Style.PLAIN
    target: str = ""


Text = str | Styled | tuple[str | Styled, ...]


def spans(text: Text) -> tuple[Styled, ...]:
    """The parts of a text, each with its style; empty ones are left out."""
    parts = text if isinstance(text, tuple) else (text,)
    styled = (part if isinstance(part, Styled) else Styled(part) for part in parts)
    return tuple(span for span in styled if span.text)


def plain(text: Text) -> str:
    """The words alone."""
    return "".join(span.text for span in spans(text))


def code(text: str) -> Styled:
    return Styled(text, Style.CODE)


def with_code(sentence: str) -> tuple[str | Styled, ...]:
    """A sentence of the tool, what stands in backticks as code."""
    return tuple(code(part) if number % 2 else part for number, part in enumerate(sentence.split("`")))


def soft(text: str) -> Styled:
    return Styled(text, Style.SOFT)


def strong(text: str) -> Styled:
    return Styled(text, Style.STRONG)
