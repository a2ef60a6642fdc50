# SPDX-License-Identifier: BSD-3-Clause
"""Makes the SVG of Vega smaller: removes invisible elements, duplicate attributes and digits below 0.1 px, and shares what bars repeat.

Each bar is a thick line, and bars of one colour share one `<g>` that carries stroke and stroke width.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

_NAMESPACE = re.compile(r'\sxmlns(?::\w+)?="[^"]*"')
_DECIMALS = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
_MOVED = re.compile(r"translate\((-?[\d.]+),(-?[\d.]+)\)")
_FINE = frozenset({"d", "transform", "x", "y", "x1", "y1", "x2", "y2", "width", "height", "viewBox"})
_INHERITED = ("fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "text-anchor")
_NEEDLESS = frozenset({"class", "pointer-events", "font-family", "role", "aria-label", "aria-roledescription", "aria-hidden", "version"})
_DEFAULT = {"opacity": "1", "stroke-width": "1", "x2": "0", "y2": "0", "transform": "translate(0,0)"}
_FLAT = re.compile(r"M[-\d.,]+h0v[-\d.]+h0Z")
_NO_PATH = frozenset({"", "M0,0h0v0h0Z"})

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


def minify_svg(svg: str, room: float = 1.0) -> str:
    """The picture as an SVG element of a page, in the page's font, with words smaller by the factor `room`. The description of a mark
    becomes its title."""
    root = fromstring(_NAMESPACE.sub("", svg))
    for word in root.iter("text"):
        word.set("font-size", f"{round(float(word.get('font-size', '11px').removesuffix('px')) / room, 1):g}px")
    _trim(root)
    root[:] = list(_minify_children(root))
    return tostring(root, encoding="unicode")


def _minify_children(parent: Element) -> Iterator[Element]:
    """The smaller children of an element. A group without attributes is replaced by its children."""
    for child in parent:
        if _is_unseen(child):
            continue
        label = child.get("aria-label") if child.get("role") == "graphics-symbol" and child.tag != "g" else None
        _trim(child)
        if child.tag == "g":
            child[:] = as_lines(list(_stacked(_joined(list(_minify_children(child))))))
            _say_once(child)
            child[:] = [element for inner in child for element in ([inner] if inner.tag != "g" or inner.attrib else inner)]
            yield from [child] if child.attrib and len(child) else child
            continue
        if child.tag == "text" and not len(child):
            _place_once(child)
        if label:
            SubElement(child, "title").text = label
        if not _is_flat(child):
            yield child


def _place_once(word: Element) -> None:
    """Moves the position of a word from its transform to the word itself."""
    if moved := _MOVED.fullmatch(word.get("transform", "")):
        del word.attrib["transform"]
        word.set("x", moved[1])
        word.set("y", moved[2])


def _is_flat(node: Element) -> bool:
    """Whether it is a bar without an outline whose width is below 0.1 px, the smallest size that is kept."""
    return node.tag == "path" and node.get("stroke", "none") == "none" and _FLAT.fullmatch(node.get("d", "")) is not None


def _is_unseen(node: Element) -> bool:
    """Whether it is a clip path of Vega that clips nothing, or a label for which an axis has no room."""
    return node.get("display") == "none" or node.get("opacity") == "0" or (node.tag == "path" and node.get("d") in _NO_PATH)


def _trim(node: Element) -> None:
    for name, value in list(node.attrib.items()):
        fine = _DECIMALS.sub(_rounded, value) if name in _FINE else value
        if name in _NEEDLESS or _DEFAULT.get(name) == fine:
            del node.attrib[name]
        else:
            node.attrib[name] = fine


def _rounded(match: re.Match[str]) -> str:
    return f"{round(float(match.group()), 1) or 0:.1f}".removesuffix(".0")


def _joined(nodes: list[Element]) -> Iterator[Element]:
    """Consecutive lines of one style, such as ticks and grid lines, as one path."""
    for look, alike in groupby(nodes, _look):
        group = list(alike)
        if look is None or len(group) == 1:
            yield from group
            continue
        yield Element("path", dict(look) | {"d": "".join(map(_stroke, group))})


def _look(node: Element) -> tuple[tuple[str, str], ...] | None:
    if node.tag != "line" or len(node) or not _MOVED.fullmatch(node.get("transform", "translate(0,0)")):
        return None
    return tuple((name, value) for name, value in node.attrib.items() if name not in ("transform", "x2", "y2"))


def _stroke(line: Element) -> str:
    moved = _MOVED.fullmatch(line.get("transform", "translate(0,0)"))
    assert moved is not None
    return f"M{moved[1]},{moved[2]}l{line.get('x2', '0')},{line.get('y2', '0')}"


def _stacked(nodes: Iterable[Element]) -> Iterator[Element]:
    """Of consecutive marks at one place, such as parts shorter than a pixel, only the last is visible: it gets the titles of all."""
    for place, alike in groupby(nodes, _place):
        group = list(alike)
        if place is None or len(group) == 1:
            yield from group
            continue
        titles = [title for mark in group if (title := mark.find("title")) is not None]
        top = group[-1]
        if titles and (top_title := top.find("title")) is not None:
            top_title.text = "\n".join(dict.fromkeys(title.text or "" for title in titles))
        yield top


def _place(node: Element) -> str | None:
    """The place of a mark that hides the marks below it."""
    hides = node.tag == "path" and node.get("fill", "none") != "none" and not {"opacity", "fill-opacity", "transform"} & node.attrib.keys()
    return node.get("d") if hides else None


def _say_once(group: Element) -> None:
    """Moves attributes that all children share to their group."""
    for name in _INHERITED:
        shared = {child.get(name) for child in group}
        if len(shared) != 1 or None in shared or name in group.attrib:
            continue
        group.set(name, str(shared.pop()))
        for child in group:
            del child.attrib[name]


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
