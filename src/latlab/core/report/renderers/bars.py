# SPDX-License-Identifier: BSD-3-Clause
"""The bars of a chart in fewer bytes: each bar is a thick line, and bars of one colour share one `<g>` that carries stroke and stroke
width."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple
from xml.etree.ElementTree import Element

_BAR = re.compile(r"M(-?[\d.]+),(-?[\d.]+)h([\d.]+)v([\d.]+)h-?[\d.]+Z")
_POINTED_AT_PX = 0.5
"""On no narrower bar does a pointer rest: it is drawn, and its words are left out."""
_TOUCH_PX = 0.15
"""Neighbours end and begin on tenths of a pixel."""
_LOOKS = ({"d", "fill"}, {"d", "fill", "stroke"}, {"d", "fill", "stroke", "stroke-width"})


class _Bar(NamedTuple):
    """`border` is the width of the outline in the bar's own colour, which makes a thin bar visible."""

    x: float
    y: float
    width: float
    height: float
    border: float
    colour: str
    words: Element | None


def as_lines(marks: Sequence[Element]) -> list[Element]:
    """The marks of a group, with the bars of a chart replaced by groups of lines. Other marks, and bars that overlap, are unchanged."""
    bars = [bar for mark in marks if (bar := _bar(mark)) is not None]
    if len(bars) < 2 or len(bars) < len(marks) or not _are_apart(bars):
        return list(marks)
    level = len({bar.height for bar in bars}) <= len({bar.width for bar in bars})
    groups: dict[tuple[float, str, float], list[_Bar]] = {}
    for bar in sorted(bars, key=lambda bar: bar.border):  # thin ones over their neighbours
        thick = (bar.height if level else bar.width) + bar.border
        groups.setdefault((bar.border, bar.colour, thick), []).append(bar)
    return [_group(colour, thick, alike, level) for (_, colour, thick), alike in groups.items()]


def _bar(mark: Element) -> _Bar | None:
    match = _BAR.fullmatch(mark.get("d", "")) if mark.tag == "path" and set(mark.attrib) in _LOOKS else None
    if match is None or mark.get("stroke", mark.get("fill")) != mark.get("fill"):
        return None
    x, y, width, height = map(float, match.groups())
    border = float(mark.get("stroke-width", "1")) if "stroke" in mark.attrib else 0.0
    return _Bar(x, y, width, height, border, str(mark.get("fill")), mark.find("title"))


def _are_apart(bars: Sequence[_Bar]) -> bool:
    rows: dict[tuple[float, float], list[_Bar]] = {}
    for bar in bars:
        rows.setdefault((bar.y, bar.height), []).append(bar)
    columns: dict[tuple[float, float], list[_Bar]] = {}
    for bar in bars:
        columns.setdefault((bar.x, bar.width), []).append(bar)
    return _follow([(y, y + height, [(bar.x, bar.x + bar.width) for bar in row]) for (y, height), row in rows.items()]) or _follow(
        [(x, x + width, [(bar.y, bar.y + bar.height) for bar in column]) for (x, width), column in columns.items()]
    )


def _follow(rows: list[tuple[float, float, list[tuple[float, float]]]]) -> bool:
    """Whether no two rows overlap, and no two bars of a row overlap."""
    spans = [sorted((start, end) for start, end, _ in rows), *(sorted(row) for _, _, row in rows)]
    return all(after[0] >= before[1] - _TOUCH_PX for spans_of_row in spans for before, after in pairwise(spans_of_row))


def _group(colour: str, thick: float, bars: Sequence[_Bar], level: bool) -> Element:
    group = Element("g", {"stroke": colour, "stroke-width": _number(thick)})
    silent = ""
    for bar in bars:
        line = _line(bar, level)
        if bar.words is None or min(bar.width, bar.height) + bar.border < _POINTED_AT_PX:
            silent += line
            continue
        path = Element("path", {"d": line})
        path.append(bar.words)
        group.append(path)
    if silent:
        group.append(Element("path", {"d": silent}))
    return group


def _line(bar: _Bar, level: bool) -> str:
    if level:
        return f"M{_number(bar.x - bar.border / 2)},{_number(bar.y + bar.height / 2)}h{_number(bar.width + bar.border)}"
    return f"M{_number(bar.x + bar.width / 2)},{_number(bar.y - bar.border / 2)}v{_number(bar.height + bar.border)}"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
