# SPDX-License-Identifier: BSD-3-Clause
"""The histogram of a tool's wake-ups: each interval at its true width, as a density where widths differ, up to the maximum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from latlab.core.model.distributions import Counts, Distribution
from latlab.core.report.chart import WIDE_PX, Chart, finished
from latlab.core.report.colours import of_series
from latlab.core.report.vega import alt
from latlab.core.shown import significant
from latlab.rt.model.wakeups import Wakeups

Rows = Sequence[dict[str, Any]]
HIGH_PX = 300
MOST_INTERVALS = 400
"""Of a row: what a picture of WIDE_PX pixels can show."""


@dataclass(frozen=True, slots=True)
class Interval:
    """`n` samples from `low_ns` to below `high_ns`."""

    low_ns: int
    high_ns: int
    n: int

    @property
    def per_us(self) -> float:
        return self.n * 1000 / (self.high_ns - self.low_ns)


TOOLTIP = [
    "cpu:N",
    alt.Tooltip("us:Q", title="from µs"),
    alt.Tooltip("to_us:Q", title="to µs"),
    alt.Tooltip("n:Q", title="samples"),
]
ACROSS = alt.X("us:Q", title="latency (µs)", scale=alt.Scale(type="log", nice=False))


def histogram(wakeups: Wakeups) -> Chart | None:
    """A line for each row; None without a histogram. What lies beyond its end is a bar from there to the maximum."""
    shown = {_legend(wakeups, cpu): cpu for cpu in wakeups.cpus if cpu.counted}
    by_row = {name: intervals(cpu.counts, wakeups.resolution_ns) for name, cpu in shown.items()}
    overflows = {name: over for name, cpu in shown.items() if (over := overflow(cpu, wakeups.resolution_ns))}
    everything = [interval for of_row in by_row.values() for interval in of_row]
    if not everything and not overflows:
        return None
    widths = {interval.high_ns - interval.low_ns for interval in everything}
    per_us = widths.pop() / 1000 if len(widths) == 1 else 1.0
    floor = per_us * min(interval.per_us for interval in (*everything, *overflows.values())) / 2
    lines = [row for name, of_row in by_row.items() for row in _steps(name, of_row, per_us, floor)]
    bars = [_bar(name, over, per_us, floor) for name, over in overflows.items()]
    ended = " The tool's histogram ends at the left edge of the bars; they reach to the maximum." if bars else ""
    note = f"Both axes are logarithmic. {_width_text(everything)}{ended}"
    return Chart(f"Histogram by {wakeups.tool}", note, finished(_drawn(lines, bars, per_us, floor)))


def _drawn(lines: Rows, bars: Rows, per_us: float, floor: float) -> Any:
    scale = alt.Scale(type="log", domainMin=floor, nice=False)
    colour = _colour(list(dict.fromkeys(row["cpu"] for row in (*lines, *bars))))
    up = alt.Y("density:Q", title=f"samples in {significant(per_us)} µs", scale=scale)
    steps = (
        alt.Chart(alt.InlineData(values=list(lines)), width=WIDE_PX, height=HIGH_PX)
        .mark_line(interpolate="step-after", strokeWidth=1.5)
        .encode(x=ACROSS, y=up, color=colour, tooltip=TOOLTIP)
    )
    if not bars:
        return steps
    beyond = alt.Chart(alt.InlineData(values=list(bars))).mark_rect(opacity=0.35)
    return alt.layer(steps, beyond.encode(x=ACROSS, x2="to_us:Q", y=up, y2="floor:Q", color=colour, tooltip=TOOLTIP))


def intervals(counts: Counts, resolution_ns: int) -> tuple[Interval, ...]:
    """Those of the tool, or at most MOST_INTERVALS wider ones that are equal on a logarithmic axis. No sample moves across an edge."""
    narrow = [Interval(low, max(high, low + resolution_ns), n) for low, high, n in counts if n]
    if len(narrow) <= MOST_INTERVALS:
        return tuple(narrow)
    least = max(narrow[0].low_ns, resolution_ns)
    octaves = math.log(narrow[-1].high_ns / least)
    merged: dict[int, Interval] = {}
    for interval in narrow:
        at = int(MOST_INTERVALS * math.log(max(interval.low_ns, least) / least) / octaves)
        first = merged.get(at, interval)
        merged[at] = Interval(first.low_ns, interval.high_ns, interval.n + (first.n if at in merged else 0))
    return tuple(merged.values())


def overflow(cpu: Distribution, resolution_ns: int) -> Interval | None:
    """What is beyond the last interval, up to the maximum; None where all is in the histogram."""
    if not cpu.beyond:
        return None
    end = cpu.counts[-1][1] if cpu.counts else cpu.minimum_ticks
    return Interval(end, max(cpu.maximum_ticks, end + resolution_ns), cpu.beyond)


def _steps(name: str, shown: Sequence[Interval], per_us: float, floor: float) -> Iterator[dict[str, Any]]:
    """From edge to edge; where nothing is, the line is at the floor of the logarithmic axis."""
    for at, interval in enumerate(shown):
        yield _bar(name, interval, per_us, floor)
        if at + 1 == len(shown) or shown[at + 1].low_ns > interval.high_ns:
            after = shown[at + 1].low_ns if at + 1 < len(shown) else interval.high_ns
            yield {"cpu": name, "us": _us(interval.high_ns), "to_us": _us(after), "n": 0, "density": floor, "floor": floor}


def _bar(name: str, interval: Interval, per_us: float, floor: float) -> dict[str, Any]:
    edges = {"us": _us(interval.low_ns), "to_us": _us(interval.high_ns)}
    return {"cpu": name, **edges, "n": interval.n, "density": interval.per_us * per_us, "floor": floor}


def _us(ns: int) -> float:
    """A logarithmic axis has no 0."""
    return max(ns, 1) / 1000


def _width_text(shown: Sequence[Interval]) -> str:
    widths = {interval.high_ns - interval.low_ns for interval in shown}
    if len(widths) == 1:
        return f"An interval is {significant(widths.pop() / 1000)} µs wide."
    return "The intervals get wider with the latency, so samples are shown per microsecond."


def _legend(wakeups: Wakeups, cpu: Distribution) -> str:
    least, mean, most = (ticks / 1000 for ticks in (cpu.minimum_ticks, cpu.average_ticks, cpu.maximum_ticks))
    return f"{wakeups.rows.named(cpu.number)}: min {least:.1f}, avg {mean:.1f}, max {most:,.1f} µs"


def _colour(names: list[str]) -> alt.Color:
    legend = alt.Legend(orient="top", columns=2, labelLimit=400)
    return alt.Color("cpu:N", title=None, legend=legend, scale=alt.Scale(domain=names, range=of_series(names)))
