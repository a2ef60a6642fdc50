# SPDX-License-Identifier: BSD-3-Clause
"""Figures of a board over its releases as one picture: a line for each core with its name at the end, and a band where the level was
raised.

It is drawn twice, for a wide page and for a phone, in the page's own colours, so that a dark page needs no other picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log10

from markupsafe import Markup

from latlab.core.shown import significant

HEIGHT, TOP, BOTTOM = 340, 66, 30
LABEL_PX, TICKS = 17, 4
DASHES = ("", "5 3", "2 3", "8 3 2 3")


@dataclass(frozen=True, slots=True)
class Band:
    """Releases `first` to `last` by their number, what is said of them, in full and for a phone, and below it `cause`, for a wide page."""

    first: int
    last: int
    label: str
    short: str
    cause: str = ""
    is_rise: bool = True


@dataclass(frozen=True, slots=True)
class Lines:
    """`values` of each core, a value for each release; cores are named cluster.core."""

    releases: tuple[str, ...]
    values: Mapping[str, Sequence[float]]
    unit: str
    bands: tuple[Band, ...] = ()


def release_svg(lines: Lines) -> str:
    return _svg(lines, 920, 44, 150, False) + _svg(lines, 362, 30, 74, True)


def _svg(lines: Lines, width: int, start_x: int, right: int, narrow: bool) -> Markup:
    parts = Markup("").join(_parts(lines, width - right, start_x, narrow))
    look = "only-narrow" if narrow else "only-wide"
    return Markup('<svg class="{}" viewBox="0 0 {} {}" width="100%">{}</svg>').format(look, width, HEIGHT, parts)


def _parts(lines: Lines, end: int, start_x: int, narrow: bool) -> Iterator[Markup]:
    top = nice_end(max(max(values) for values in lines.values.values()))
    step = (end - start_x) / max(1, len(lines.releases) - 1)
    xs = [start_x + at * step for at in range(len(lines.releases))]
    for band in lines.bands:
        yield from _band(band, xs, step, start_x, end, narrow)
    for tick in range(TICKS + 1):
        value = top * tick / TICKS
        at = _y(value, top)
        yield Markup('<path class="grid" d="M{},{:.1f}H{}"/>').format(start_x, at, end)
        yield Markup('<text class="soft" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(start_x - 8, at + 4, significant(value))
    yield Markup('<text class="soft" x="{}" y="14">{}</text>').format(0, lines.unit)
    for at, name in enumerate(lines.releases):
        if not narrow or at % 2 == 0:
            yield Markup('<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(xs[at], HEIGHT - 8, name)
    yield from _cores(lines, xs, top, end, narrow)


def _band(band: Band, xs: Sequence[float], step: float, start_x: int, end: int, narrow: bool) -> Iterator[Markup]:
    start, stop = max(start_x, xs[band.first] - step / 2), min(end, xs[band.last] + step / 2)
    look = "rise" if band.is_rise else "fall"
    ground = Markup('<rect class="{}" x="{:.1f}" y="{}" width="{:.1f}" height="{}"/>')
    yield ground.format(look, start, TOP - 42, stop - start, HEIGHT - TOP - BOTTOM + 42)
    words = Markup('<text class="{}" x="{:.1f}" y="{}" text-anchor="middle">{}</text>')
    yield words.format(look, (start + stop) / 2, TOP - 26, band.short if narrow else band.label)
    if band.cause and not narrow:
        yield words.format("", (start + stop) / 2, TOP - 8, band.cause)


def _cores(lines: Lines, xs: Sequence[float], top: float, end: int, narrow: bool) -> Iterator[Markup]:
    clusters = list(dict.fromkeys(core.partition(".")[0] for core in lines.values))
    places = _apart({core: _y(values[-1], top) for core, values in lines.values.items()})
    for core, values in lines.values.items():
        cluster, _, number = core.partition(".")
        look, dash = f"s{clusters.index(cluster) % 2 + 1}", DASHES[int(number or 0) % len(DASHES)]
        points = " ".join(f"{x:.1f},{_y(value, top):.1f}" for x, value in zip(xs, values, strict=True))
        dashed = Markup(' stroke-dasharray="{}"').format(dash) if dash else Markup("")
        yield Markup('<polyline class="{}" points="{}"{}/>').format(look, points, dashed)
        for x, value, name in zip(xs, values, lines.releases, strict=True):
            yield Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="3"><title>{}, {}: {} {}</title></circle>').format(
                look, x, _y(value, top), name, core, significant(value, 3), lines.unit.partition(",")[0]
            )
        label = f"{core}  {values[-1]:.1f}" if narrow else f"core {core}  {values[-1]:.1f} {lines.unit.partition(',')[0]}"
        yield Markup('<text class="{}" x="{}" y="{:.1f}">{}</text>').format(look, end + 8, places[core] + 4, label)


def _y(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top


def _apart(places: Mapping[str, float]) -> dict[str, float]:
    """Labels in the order of their lines, none over another, all within the picture."""
    ordered = sorted(places, key=lambda core: places[core])
    spread: dict[str, float] = {}
    at = -float("inf")
    for core in ordered:
        at = max(places[core], at + LABEL_PX)
        spread[core] = at
    over = max(0.0, at - (HEIGHT - BOTTOM))
    return {core: place - over for core, place in spread.items()}


def nice_end(most: float) -> float:
    """The end of a scale whose quarter is a round number."""
    least = most / TICKS
    unit = 10.0 ** ceil(log10(least) - 1)
    return TICKS * next(step * unit for step in (1, 2, 2.5, 5, 10) if step * unit >= least)
