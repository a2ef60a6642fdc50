# SPDX-License-Identifier: BSD-3-Clause
"""Figures over runs as pictures: one figure as a chart, and several as one drawing for a wide page and for a phone, in the page's colours.

In a drawing a few figures share one pair of axes with their change points named on it. Of many each has a small panel with its own scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil

from markupsafe import Markup

from latlab.core.comparison.history import ChangePoint, Series
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import percent, scale_of
from latlab.core.report.chart import Chart, finished
from latlab.core.report.colours import ALERT, EARLIER, MAIN
from latlab.core.report.history.release_chart import DASHES, nice_end
from latlab.core.report.history.words import cause_of, release_names
from latlab.core.report.page import Drawing
from latlab.core.report.vega import alt
from latlab.core.shown import significant
from latlab.core.statistics.change_points import ChangeKind

MOST_TOGETHER = 6
WIDE, NARROW = (940, 46, 232), (362, 34, 74)
"""Width of the picture, room left of the lines and right of them."""
TOP, HIGH, BOTTOM, NAME_PX, TICKS = 78, 250, 26, 17, 4
LABEL_LETTERS = 24
LETTER_PX = 7.2
PANEL_HIGH, PANEL_TOP, PANEL_GAP, PANEL_RIGHT = 128, 34, 32, 48

TOGETHER = (
    "A line for each figure, with its name and its newest value at the end. A dashed rule is a change point: its size, function, commit. "
    "The table names those that have no room here."
)
PANELS = (
    "Each panel has a scale of its own: its highest and its lowest value are at the right, and the line is the first run's. Triangles are "
    "changes: up regressed, down improved."
)


def history_chart(series: Series, name: str) -> Chart:
    """Every boot as a point, medians as a line, change points as rules."""
    scale = scale_of(series.unit)
    names = _short([point.run.id for point in series.points])
    boots = [{"run": name, "value": value / scale} for name, p in zip(names, series.points, strict=True) for value in p.values]
    medians = [{"run": name, "value": p.value / scale} for name, p in zip(names, series.points, strict=True)]
    borders = [c for c in series.changes if c.kind is not ChangeKind.DRIFT]
    changes = [
        {"run": names[c.index], "levels": f"{significant(c.before / scale, 4)} to {significant(c.after / scale, 4)}"} for c in borders
    ]
    x = alt.X("run:N", sort=names, title=None, axis=alt.Axis(labelAngle=-30, labelLimit=220))
    y = alt.Y("value:Q", title=series.heading, scale=alt.Scale(zero=False))
    line = alt.Chart(alt.InlineData(values=medians), width=max(420, 46 * len(names)), height=240).mark_line(point=True, color=MAIN)
    chart = line.encode(x=x, y=y, tooltip=["run:N", "value:Q"])
    if len(boots) > len(medians):
        chart = alt.Chart(alt.InlineData(values=boots)).mark_circle(opacity=0.35, color=EARLIER).encode(x=x, y=y) + chart
    if changes:
        rules = alt.Chart(alt.InlineData(values=changes)).mark_rule(color=ALERT, strokeDash=[4, 3], size=2)
        chart = chart + rules.encode(x=x, tooltip=["run:N", "levels:N"])
    return Chart("Medians and boots", "A point for each run; faint ones are its boots.", finished(chart), name)


def _short(ids: list[str]) -> list[str]:
    """References without the catalogue's folder that all of them are in."""
    folders = {run_id.rpartition("/")[0] for run_id in ids}
    return [run_id.rpartition("/")[2] for run_id in ids] if len(folders) == 1 else ids


def history_drawing(all_series: Sequence[Series]) -> Drawing | None:
    """None where no figure has points."""
    shown = [series for series in all_series if series.points]
    if not shown:
        return None
    together = len(shown) <= MOST_TOGETHER and len({(series.unit, len(series.points)) for series in shown}) == 1
    draw = _together if together else _panels
    svg = draw(shown, *WIDE, False) + draw(shown, *NARROW, True)
    note = TOGETHER if together else PANELS
    return Drawing("Release by release" if together else "Each figure, release by release", note, svg, "history", is_flame=False)


def _framed(width: int, height: int, narrow: bool, parts: Iterator[Markup]) -> Markup:
    look = "only-narrow" if narrow else "only-wide"
    return Markup('<svg class="{}" viewBox="0 0 {} {}" width="100%">{}</svg>').format(look, width, height, Markup("").join(parts))


def _together(all_series: Sequence[Series], width: int, start_x: int, right: int, narrow: bool) -> Markup:
    return _framed(width, TOP + HIGH + BOTTOM, narrow, _lines(all_series, start_x, width - right, narrow))


def _lines(all_series: Sequence[Series], start_x: int, end: int, narrow: bool) -> Iterator[Markup]:
    scale = scale_of(all_series[0].unit)
    top = nice_end(max(point.value for series in all_series for point in series.points) / scale or 1.0)
    names = release_names(all_series[0])
    xs = _places(len(names), start_x, end)
    yield Markup('<text class="soft" x="0" y="14">{}</text>').format(all_series[0].heading)
    for tick in range(TICKS + 1):
        at = _height(top * tick / TICKS, top)
        yield Markup('<path class="grid" d="M{},{:.1f}H{}"/>').format(start_x, at, end)
        label = significant(top * tick / TICKS)
        yield Markup('<text class="soft" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(start_x - 8, at + 4, label)
    yield from _axis(names, xs, TOP + HIGH + BOTTOM - 6, narrow)
    yield from _changes(all_series, names, xs, end, narrow)
    ends = _apart([_height(series.points[-1].value / scale, top) for series in all_series])
    common = _common(all_series)
    for number, series in enumerate(all_series):
        values = [point.value / scale for point in series.points]
        points = [(x, _height(value, top)) for x, value in zip(xs, values, strict=True)]
        look, dash = f"s{number % 2 + 1}", DASHES[number // 2 % len(DASHES)]
        yield _line(points, look, dash)
        for (x, y), name, value in zip(points, names, values, strict=True):
            title = f"{series.path}, {name}: {significant(value, 4)} {series.heading}"
            yield Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="3"><title>{}</title></circle>').format(look, x, y, title)
        short = series.path.removeprefix(common)
        label = f"{significant(values[-1], 4)}" if narrow else f"{_cut(short)}  {significant(values[-1], 4)}"
        yield Markup('<text class="{}" x="{}" y="{:.1f}">{}</text>').format(look, end + 8, ends[number] + 4, label)


def _changes(all_series: Sequence[Series], names: Sequence[str], xs: Sequence[float], end: int, narrow: bool) -> Iterator[Markup]:
    """At each run that changed any figure a rule, and above it the largest change and its cause, if one of two levels has room."""
    largest: dict[int, ChangePoint] = {}
    for series in all_series:
        for change in series.changes:
            larger = largest.get(change.index)
            if change.kind is not ChangeKind.DRIFT and (larger is None or _size(change) > _size(larger)):
                largest[change.index] = change
    right_ends = [-float("inf"), -float("inf")]
    for at, change in sorted(largest.items()):
        look = "rise" if change.verdict is Verdict.REGRESSED else "fall"
        lines = _label(change, names[at], narrow)
        room = LETTER_PX * max(map(len, lines))
        is_last = xs[at] > end - room / 2
        left = xs[at] - (room if is_last else room / 2)
        level = next((number for number, until in enumerate(right_ends) if left > until), None)
        y = 14 if level is None else 14 + 30 * level if not narrow else 28 + 18 * level
        yield Markup('<path class="{} rule" d="M{:.1f},{}V{}"><title>{}</title></path>').format(
            look, xs[at], y + (18 if not narrow else 4), TOP + HIGH, ", ".join(lines)
        )
        if level is None:
            continue
        right_ends[level] = left + room
        anchor = "end" if is_last else "middle"
        for number, words in enumerate(lines):
            kind = "soft" if number else look
            yield Markup('<text class="{}" x="{:.1f}" y="{}" text-anchor="{}">{}</text>').format(
                kind, xs[at], y + 14 * number, anchor, words
            )


def _label(change: ChangePoint, name: str, narrow: bool) -> list[str]:
    """The size, and on a wide page the run, and below them the cause."""
    size = f"{percent(change.after / change.before - 1)}" if change.before else "new"
    if narrow:
        return [size]
    function, commit = cause_of(change)
    below = " ".join(filter(None, (_cut(function), commit[:9]))) if function else ""
    return [f"{name}: {size}", *([below] if below else [])]


def _size(change: ChangePoint) -> float:
    return abs(change.after / change.before - 1) if change.before else float("inf")


def _panels(all_series: Sequence[Series], width: int, start_x: int, right: int, narrow: bool) -> Markup:
    columns = 2 if narrow else 3
    height = ceil(len(all_series) / columns) * (PANEL_HIGH + PANEL_GAP)
    return _framed(width, height, narrow, _grid(all_series, width, columns))


def _grid(all_series: Sequence[Series], width: int, columns: int) -> Iterator[Markup]:
    panel = (width - PANEL_GAP * (columns - 1)) / columns
    for number, series in enumerate(all_series):
        yield from _panel(series, number % columns * (panel + PANEL_GAP), number // columns * (PANEL_HIGH + PANEL_GAP), panel)


def _panel(series: Series, x0: float, y0: float, width: float) -> Iterator[Markup]:
    scale = scale_of(series.unit)
    values = [point.value / scale for point in series.points]
    low, high = min(values), max(values)
    room = (high - low) * 0.08 or 1.0
    inner, end = PANEL_HIGH - PANEL_TOP, x0 + width - PANEL_RIGHT

    def place(value: float) -> float:
        return y0 + PANEL_TOP + inner * (high + room - value) / (high - low + 2 * room)

    xs = [x0 + 4 + at * (end - x0 - 8) / max(1, len(values) - 1) for at in range(len(values))]
    test, _, figure_path = series.path.partition("/")
    letters = int(width / LETTER_PX)
    yield Markup('<text x="{:.1f}" y="{:.1f}">{}</text>').format(x0, y0 + 13, _cut(test, letters))
    now = _fitting(letters, percent(values[-1] / (values[0] or 1.0) - 1), figure_path or "all tests", series.heading)
    yield Markup('<text class="soft" x="{:.1f}" y="{:.1f}">{}</text>').format(x0, y0 + 29, _cut(now, letters))
    yield Markup('<path class="grid" d="M{:.1f},{:.1f}H{:.1f}"/>').format(x0, place(values[0]), end)
    for value in dict.fromkeys((high, low)):
        yield Markup('<text class="soft" x="{:.1f}" y="{:.1f}">{}</text>').format(end + 4, place(value) + 4, f"{significant(value, 4)}")
    points = [(x, place(value)) for x, value in zip(xs, values, strict=True)]
    yield _line(points, "s1", "")
    names = release_names(series)
    for x, anchor, name in ((x0, "start", names[0]), (end, "end", names[-1])):
        words = _cut(name, int((end - x0) / 14.4))
        yield Markup('<text class="soft" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y0 + PANEL_HIGH + 13, anchor, words)
    for change in series.changes:
        if change.kind is not ChangeKind.DRIFT:
            yield _triangle(*points[change.index], change, names[change.index])


def _fitting(letters: int, share: str, path: str, unit: str) -> str:
    """The longest name of a panel that is not cut: a narrow one leaves out the unit and the metric, then the share."""
    name = path.rpartition("/")[2]
    return next((words for words in (f"{share}: {path} ({unit})", f"{share}: {name}") if len(words) <= letters), name)


def _triangle(x: float, y: float, change: ChangePoint, name: str) -> Markup:
    is_rise = change.verdict is Verdict.REGRESSED
    look, ends = ("rise", (5, -7)) if is_rise else ("fall", (-5, 7))
    title = f"{name}: {change.verdict.word}, {percent(change.after / change.before - 1) if change.before else 'new'}"
    path = f"M{x - 5:.1f},{y + ends[0]:.1f}h10L{x:.1f},{y + ends[1]:.1f}Z"
    return Markup('<path class="{} mark" d="{}"><title>{}</title></path>').format(look, path, title)


def _line(points: Sequence[tuple[float, float]], look: str, dash: str) -> Markup:
    dashed = Markup(' stroke-dasharray="{}"').format(dash) if dash else Markup("")
    coordinates = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return Markup('<polyline class="{}" points="{}"{}/>').format(look, coordinates, dashed)


def _axis(names: Sequence[str], xs: Sequence[float], y: int, narrow: bool) -> Iterator[Markup]:
    """As many names as have room."""
    widest = max(map(len, names)) * 7.5 + 8
    gap = min((b - a for a, b in pairwise(xs)), default=widest)
    step = max(1, ceil(widest / gap))
    for at in range(0, len(names), step):
        yield Markup('<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(xs[at], y, _cut(names[at], 12 if narrow else 24))


def _places(count: int, start_x: int, end: int) -> list[float]:
    margin = 22
    return [start_x + margin + at * (end - start_x - 2 * margin) / max(1, count - 1) for at in range(count)]


def _height(value: float, top: float) -> float:
    return TOP + HIGH - HIGH * value / top


def _apart(places: Sequence[float]) -> list[float]:
    """Where labels stand, none over another, all within the picture."""
    order = sorted(range(len(places)), key=places.__getitem__)
    spread, at = [0.0] * len(places), -float("inf")
    for index in order:
        at = max(places[index], at + NAME_PX)
        spread[index] = at
    over = max(0.0, at - (TOP + HIGH))
    return [place - over for place in spread]


def _common(all_series: Sequence[Series]) -> str:
    """What all paths begin with, as whole parts."""
    if len(all_series) == 1:
        return ""
    parts = [series.path.split("/") for series in all_series]
    same = 0
    while all(len(path_parts) > same + 1 and path_parts[same] == parts[0][same] for path_parts in parts):
        same += 1
    return "".join(f"{part}/" for part in parts[0][:same])


def _cut(words: str, letters: int = LABEL_LETTERS) -> str:
    return words if len(words) <= letters else f"{words[: letters - 2]}.."
