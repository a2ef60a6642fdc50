# SPDX-License-Identifier: BSD-3-Clause
"""A table as plain data. Whatever latlab prints in rows and columns is one of these, and every renderer sets every one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.core.report.text import Styled, Text, plain


class Align(StrEnum):
    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Column:
    """`wraps`: long text, which gives way when the line is full. `droppable`: left out on a narrow terminal."""

    name: str
    align: Align = Align.RIGHT
    unit: str = ""
    wraps: bool = False
    droppable: bool = False

    @property
    def heading(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name


@dataclass(frozen=True, slots=True)
class Ranged:
    """The middle of several samples; `spread` says from where to where they go, and is empty where they are equal."""

    text: str
    spread: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure with a bar beside it, as long as its `share` of 1."""

    text: str
    share: float


Value = str | int | float | Styled | Ranged | Bar


@dataclass(frozen=True, slots=True)
class Table:
    """`detail` is the second line of the caption. `warning` says why the figures do not mean what they seem to; `mark` is its short form.

    Every row has one value for each column; numbers stay numbers, so that a program gets them unrounded.
    """

    caption: Text
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()
    detail: str = ""
    warning: str = ""
    mark: str = ""

    def __post_init__(self) -> None:
        uneven = next((row for row in self.rows if len(row) != len(self.columns)), None)
        assert uneven is None, f"{plain(self.caption)}: {uneven} has {len(uneven or ())} values for {len(self.columns)} columns"

    @property
    def headed(self) -> bool:
        return any(column.name for column in self.columns)


def words(*names: str) -> tuple[Column, ...]:
    """Columns of words, which stand left."""
    return tuple(Column(name, Align.LEFT) for name in names)


def figures(*names: str, unit: str = "") -> tuple[Column, ...]:
    """Columns of figures, which stand right."""
    return tuple(Column(name, unit=unit) for name in names)


def prose(name: str) -> Column:
    """A column of long text."""
    return Column(name, Align.LEFT, wraps=True)


def text_of(value: Value) -> str:
    """A value in words, as every form without styles has it."""
    if isinstance(value, Styled | Ranged | Bar):
        return value.text
    return str(value)
