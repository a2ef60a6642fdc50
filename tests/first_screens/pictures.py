# SPDX-License-Identifier: BSD-3-Clause
"""Pictures read back: where a mark stands on its axes, and whether it stands there for what its words say. Nothing here imports latlab.

A chart is an SVG element. Its axes are groups whose words are values or names with their places; a mark has its words as a title.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from first_screens.figures import Json, Run
from first_screens.printed import NUMBER, agrees, number
from first_screens.screen import Picture

Wrongs = list[str]
Points = tuple[tuple[float, float], ...]
PX = r"-?\d*\.?\d+(?:e-?\d+)?"
PLACE = re.compile(rf"translate\(({PX})(?:[, ]({PX}))?\)")
POINT = re.compile(rf"([MLmlHhVv])({PX})(?:,({PX}))?")
OFF_PX = 1.6
"""A place is rounded to whole or tenths of pixels."""
LABEL_PX = 6.0
"""A name stands below the middle of its row by so much at most."""
HALF_PX = 0.5
"""Axes and their ticks stand in the middle of a pixel."""
HALF_LETTER_PX = 4.0
COVERED = 0.95
"""Of the samples: steps of less than a pixel are no steps."""
EDGE_SHARE = 0.001
ROUNDED_SHARE = 0.004
"""Words of a mark have three digits."""
X_LABEL, Y_LABEL, LEGEND_LABEL, SWATCH = "18", "-7", "18", "translate(7,7)"
COUNTS = ("samples", "calls", "windows", "periods", "times")
"""What a mark's size or its words alone tell."""
GREYS = ("#ddd", "#888", "#e4e7eb", "none")


@dataclass(frozen=True)
class Mark:
    """`x` to `x2` is what it covers; `words` are its title."""

    x: float
    x2: float
    y: float
    words: str


@dataclass
class Axis:
    """Values and names with their places. `start` to `end` is its line, `at` where that stands on the other axis."""

    start: float = 0.0
    end: float = 0.0
    at: float = 0.0
    values: list[tuple[float, float]] = field(default_factory=list)
    names: list[tuple[float, str]] = field(default_factory=list)

    @property
    def is_scale(self) -> bool:
        return len({value for _, value in self.values}) > 1 and len({place for place, _ in self.values}) > 1

    @property
    def is_log(self) -> bool:
        """Ticks of a logarithmic axis are unequal for equal steps."""
        return self.misfit_log < self.misfit_even

    @property
    def misfit_even(self) -> float:
        """The largest distance in pixels of a tick from where an even scale has it."""
        return self._misfit(float)

    @property
    def misfit_log(self) -> float:
        return self._misfit(math.log) if all(value > 0 for _, value in self.values) else math.inf

    def _misfit(self, of: Callable[[float], float]) -> float:
        if len(self.values) < 3:
            return 0.0 if of is float else math.inf
        (p0, v0), *_, (p1, v1) = self.values
        return max(abs(p0 + (p1 - p0) * (of(v) - of(v0)) / (of(v1) - of(v0)) - p) for p, v in self.values)

    def place(self, value: float) -> float:
        of = math.log if self.is_log else float
        (p0, v0), *_, (p1, v1) = self.values
        return p0 + (p1 - p0) * (of(value) - of(v0)) / (of(v1) - of(v0))

    def value(self, place: float) -> float:
        of, back = (math.log, math.exp) if self.is_log else (float, float)
        (p0, v0), *_, (p1, v1) = self.values
        return back(of(v0) + (of(v1) - of(v0)) * (place - p0) / (p1 - p0))


@dataclass
class Drawing:
    across: list[Axis] = field(default_factory=list)
    up: list[Axis] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    lines: list[tuple[str, Points]] = field(default_factory=list)
    legend: list[tuple[str, str]] = field(default_factory=list)
    """Colours with what they stand for; the same colours are those of the lines."""
    swatch: str = ""

    def across_at(self, mark: Mark) -> Axis | None:
        """The horizontal axis of the mark's panel: it reaches over the mark, and is the next one below."""
        over = [axis for axis in self.across if axis.start - OFF_PX <= mark.x2 and mark.x <= axis.end + OFF_PX and axis.is_scale]
        below = [axis for axis in over if axis.at >= mark.y - LABEL_PX]
        return min(below or over, key=lambda axis: abs(axis.at - mark.y), default=None)

    def is_in_row(self, mark: Mark, label: str) -> bool:
        return any(text == label and abs(y - mark.y) <= LABEL_PX for axis in self.up for y, text in axis.names)


def read(picture: Picture) -> Drawing:
    """All panels of a picture in the coordinates of the whole."""
    drawing = Drawing()
    root = ET.fromstring(re.sub(r' xmlns(:\w+)?="[^"]*"', "", picture.svg))
    _walk(root, 0.0, 0.0, "", drawing)
    return drawing


def _walk(element: ET.Element, x: float, y: float, stroke: str, drawing: Drawing) -> None:
    place = PLACE.search(element.get("transform", ""))
    if place:
        x, y = x + float(place[1]), y + float(place[2] or 0)
    stroke = element.get("stroke", stroke)
    texts = [text for group in element if group.tag == "g" for text in group if text.tag == "text" and text.text]
    if any(text.get("y") == X_LABEL for text in texts):
        drawing.across.append(_axis(element, x, y, texts, is_across=True))
    elif any(text.get("x") == Y_LABEL for text in texts):
        drawing.up.append(_axis(element, x, y, texts, is_across=False))
    elif element.tag == "text" and element.text and element.get("x") == LEGEND_LABEL:
        drawing.legend.append((drawing.swatch, element.text))
    if element.tag in ("path", "line"):
        _shape(element, x, y, stroke, place is not None, drawing)
    for child in element:
        _walk(child, x, y, stroke, drawing)


def _axis(element: ET.Element, x: float, y: float, texts: Sequence[ET.Element], is_across: bool) -> Axis:
    line = next(iter(element.iter("line")), None)
    length = float((line.get("x2" if is_across else "y2") if line is not None else None) or 0)
    axis = Axis(x, x + length, y) if is_across else Axis(y, y + length, x)
    for text in texts:
        if (text.get("y") != X_LABEL and is_across) or (text.get("x") != Y_LABEL and not is_across):
            continue
        at = x + float(text.get("x", 0)) if is_across else y + float(text.get("y", 0)) - HALF_LETTER_PX
        words = text.text or ""
        value = _value(words)
        if value is None or (not is_across and any(_value(other.text or "") is None for other in texts if other.get("x") == Y_LABEL)):
            axis.names.append((at, words))
        else:
            axis.values.append((at - HALF_PX, value))
    axis.values.sort()
    if not is_across and _are_rows(axis):
        axis.names, axis.values = [(at + HALF_LETTER_PX, f"{value:g}" if value % 1 else f"{value:.1f}") for at, value in axis.values], []
    return axis


def _are_rows(axis: Axis) -> bool:
    """Names of cores look like values: they stand in even steps and fit no scale."""
    steps = {round((b - a) / 2) for (a, _), (b, _) in pairwise(axis.values)}
    return len(axis.values) > 2 and len(steps) == 1 and min(axis.misfit_even, axis.misfit_log) > 2 * OFF_PX


def _shape(element: ET.Element, x: float, y: float, stroke: str, is_symbol: bool, drawing: Drawing) -> None:
    points = _points(element)
    title = element.find("title")
    if title is not None and title.text and points:
        xs, ys = [x + px for px, _ in points], [y + py for _, py in points]
        ends = (x, x) if is_symbol and element.tag == "path" else (min(xs), max(xs))
        drawing.marks.append(Mark(*ends, y if is_symbol else (min(ys) + max(ys)) / 2, title.text))
    elif element.tag == "path" and len(points) > 3 and stroke not in ("", *GREYS) and "Z" not in element.get("d", ""):
        drawing.lines.append((stroke, tuple((x + px, y + py) for px, py in points)))
    elif _is_swatch(element):
        drawing.swatch = stroke


def _is_swatch(element: ET.Element) -> bool:
    """Symbols of a legend stand at one place beside their words."""
    return element.tag == "path" and element.get("transform") == SWATCH


def _points(element: ET.Element) -> list[tuple[float, float]]:
    if element.tag == "line":
        return [(0.0, 0.0), (float(element.get("x2", 0)), float(element.get("y2", 0)))]
    at_x = at_y = 0.0
    out = []
    for letter, first, second in POINT.findall(element.get("d", "")):
        a, b = float(first), float(second or 0)
        if letter in "ML":
            at_x, at_y = a, b
        elif letter in "ml":
            at_x, at_y = at_x + a, at_y + b
        elif letter in "Hh":
            at_x = a if letter == "H" else at_x + a
        else:
            at_y = a if letter == "V" else at_y + a
        out.append((at_x, at_y))
    return out


SUFFIXES = {"k": 1e3, "M": 1e6, "G": 1e9, "m": 1e-3, "µ": 1e-6, "n": 1e-9}


def _value(text: str) -> float | None:
    match = re.fullmatch(rf"({NUMBER})([kMGmµn])?(?: ?%)?", text.strip())
    return number(match[1]) * SUFFIXES.get(match[2] or "", 1.0) if match else None


def wrongs_of(picture: Picture) -> Wrongs:
    """Of any chart: its axis has one scale, and each mark stands where its words say, in the row of its name."""
    drawing = read(picture)
    wrong = [
        f"the ticks of an axis fit no scale: {[value for _, value in axis.values]}"
        for axis in (*drawing.across, *drawing.up)
        if len(axis.values) > 2 and min(axis.misfit_even, axis.misfit_log) > 2 * OFF_PX
    ]
    names = {text for axis in drawing.up for _, text in axis.names}
    for mark in drawing.marks:
        axis = drawing.across_at(mark)
        label, figures = _split(mark.words, names)
        if axis and figures and not any(_stands_at(axis, mark, value) for value in figures):
            wrong.append(f"{mark.words}: the mark stands at {axis.value(mark.x2):.6g}")
        if label and not drawing.is_in_row(mark, label):
            wrong.append(f"{mark.words}: the mark is in another row")
    return wrong


def _split(words: str, names: set[str]) -> tuple[str, list[float]]:
    """The name of a mark's row, the longest that its words begin with, and the figures behind it."""
    label = max((name for name in names if words.startswith(f"{name}, ")), key=len, default="")
    rest = words[len(label) :].removeprefix(", ")
    found = [re.match(rf"({NUMBER})(?: ([^\W\d]\w*))?", part) for part in rest.split(", ")]
    return label, [number(match[1]) for match in found if match and match[2] not in COUNTS]


def _stands_at(axis: Axis, mark: Mark, value: float) -> bool:
    """One of the ends or the length of a mark is the value."""
    if axis.is_log and value <= 0:
        return False
    off = OFF_PX + ROUNDED_SHARE * (axis.end - axis.start)
    if not axis.is_log and abs(abs(axis.value(mark.x2) - axis.value(mark.x)) - abs(value)) <= abs(axis.value(off) - axis.value(0)):
        return True
    place = axis.place(value)
    return min(abs(place - mark.x), abs(place - mark.x2)) <= off


def histogram_wrongs(picture: Picture, run: Run) -> Wrongs:
    """A line of steps for each row of the tool: its edges, and what lies in each, are those of the export; the legend has its figures, and
    the axis reaches the maximum."""
    tool = re.match(r"Histogram by (.+?)\. ", picture.caption)
    if tool is None:
        return []
    rows = [row for row in run.distributions if row["test"] == tool[1] and (row["counts"] or row["beyond"])]
    drawing = read(picture)
    wrong = _legend_wrongs(drawing, rows, run.scale)
    if not drawing.across or not drawing.up or not drawing.across[0].is_scale or not drawing.up[0].is_scale:
        return wrong
    across, up = drawing.across[0], drawing.up[0]
    farthest = max([*(x for _, points in drawing.lines for x, _ in points), *(mark.x2 for mark in drawing.marks), across.start])
    most = max(row["maximum_ticks"] for row in rows) * run.scale
    if across.value(farthest) < 0.97 * most:
        wrong.append(f"the picture ends at {across.value(farthest):.6g}, the maximum is {most:.6g}")
    for row in (row for row in rows if len(row["counts"]) > 1):
        colours = [colour for colour, text in drawing.legend if _is_of(text, row, run.scale)]
        lines = [points for colour, points in drawing.lines if colour in colours]
        if not lines:
            wrong.append(f"{row['core']} has no line")
        elif len(colours) == 1:
            wrong += _steps_wrongs(row, _heights(lines[0], across, up), run.scale)
    return wrong


def _is_of(text: str, row: Json, scale: float) -> bool:
    """Whether a legend has a row's minimum, average and maximum."""
    match = re.search(rf"min ({NUMBER}), avg ({NUMBER}), max ({NUMBER})", text)
    true = (row[name] * scale for name in ("minimum_ticks", "average_ticks", "maximum_ticks"))
    return match is not None and all(agrees(printed, value) for printed, value in zip(match.groups(), true, strict=True))


def _legend_wrongs(drawing: Drawing, rows: Sequence[Json], scale: float) -> Wrongs:
    lacking = [row for row in rows if not any(_is_of(text, row, scale) for _, text in drawing.legend)]
    ends = ("minimum_ticks", "maximum_ticks")
    return [f"no legend has min {row[ends[0]] * scale:.1f} and max {row[ends[1]] * scale:.1f} of {row['core']}" for row in lacking]


def _snapped(place: float, edges: Sequence[float]) -> float:
    """A place is rounded to a part of a pixel: beside an interval of 10,000 samples that part would outweigh one of three."""
    nearest = min(edges, key=lambda edge: abs(edge - place))
    return nearest if abs(nearest - place) <= EDGE_SHARE * place else place


def _steps_wrongs(row: Json, steps: Sequence[tuple[float, float, float]], scale: float) -> Wrongs:
    """Heights are densities: the ratio of any two is that of the samples for each unit of width."""
    counts = [(low * scale, max(high * scale, low * scale + 1e-9), n) for low, high, n in row["counts"] if n]
    if not counts or not steps:
        return []
    edges = [edge for low, high, _ in counts for edge in (low, high)]
    inside = [(_snapped(low, edges), _snapped(high, edges), height) for low, high, height in steps if high > low * 1.0001]
    inside = [step for step in inside if step[1] > step[0]]
    reference = None
    wrong = []
    for low, high, height in inside:
        n = sum(of * _overlap(low, high, a, b) for a, b, of in counts)
        density = n / (high - low)
        if n < 0.5:  # the floor of a logarithmic axis
            continue
        ratio = height / density
        reference = ratio if reference is None else reference
        if not 0.8 < ratio / reference < 1.25:
            wrong.append(f"from {low:.4g} to {high:.4g} the picture has {ratio / reference:.2f} times what it should")
    covered = sum(n * sum(_overlap(low, high, a, b) for low, high, _ in inside) for a, b, n in counts)
    total = sum(n for _, _, n in counts)
    return wrong[:1] or ([] if covered > COVERED * total else [f"{total - covered:.0f} of {total} samples are under no step"])


def _overlap(low: float, high: float, a: float, b: float) -> float:
    return max(0.0, min(high, b) - max(low, a)) / (b - a)


def _heights(points: Sequence[tuple[float, float]], across: Axis, up: Axis) -> list[tuple[float, float, float]]:
    """From, to, how high."""
    return [
        (across.value(a[0]), across.value(b[0]), up.value(a[1]))
        for a, b in pairwise(points)
        if abs(a[1] - b[1]) < 0.05 and b[0] > a[0] + 0.3
    ]


def shift_wrongs(picture: Picture, shares: dict[str, tuple[float, str]]) -> Wrongs:
    """The marks of the rows of a comparison: each has the row's share and verdict. `shares` are those by test and title, which rows of two
    metrics can have in common."""
    wrong = []
    for mark in read(picture).marks:
        match = re.fullmatch(rf"(.+), ({NUMBER}) %, (\w+)", mark.words)
        if match is None:
            continue
        place = re.sub(r"(?<=later than )[\d.]+", lambda level: f"{float(level[0]):.3g}", match[1])
        known = [entry for name, entry in shares.items() if name.partition(" ")[2] == place]
        if not any(abs(number(match[2]) - share) <= 0.006 * abs(share) + 0.006 and verdict == match[3] for share, verdict in known):
            wrong.append(f"{mark.words}: no such row")
    return wrong
