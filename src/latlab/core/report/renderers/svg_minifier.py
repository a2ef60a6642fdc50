# SPDX-License-Identifier: BSD-3-Clause
"""Makes the SVG of Vega smaller: removes invisible elements, duplicate attributes and digits below 0.1 px."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

from latlab.core.report.renderers.bars import as_lines

_NAMESPACE = re.compile(r'\sxmlns(?::\w+)?="[^"]*"')
_DECIMALS = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
_MOVED = re.compile(r"translate\((-?[\d.]+),(-?[\d.]+)\)")
_FINE = frozenset({"d", "transform", "x", "y", "x1", "y1", "x2", "y2", "width", "height", "viewBox"})
_INHERITED = ("fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "text-anchor")
_NEEDLESS = frozenset({"class", "pointer-events", "font-family", "role", "aria-label", "aria-roledescription", "aria-hidden", "version"})
_DEFAULT = {"opacity": "1", "stroke-width": "1", "x2": "0", "y2": "0", "transform": "translate(0,0)"}
_FLAT = re.compile(r"M[-\d.,]+h0v[-\d.]+h0Z")
_NO_PATH = frozenset({"", "M0,0h0v0h0Z"})


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
