# SPDX-License-Identifier: BSD-3-Clause
"""Charts of one test as Vega-Lite specifications: spans split into their parts, and one iteration across the cores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from latlab.core.model.enums import Metric
from latlab.core.model.run import Run, Tick
from latlab.core.report.chart import WIDE_PX, Chart, finished
from latlab.core.report.titles import METRIC_TITLES
from latlab.core.report.units import scaled, unit
from latlab.core.report.vega import alt
from latlab.psci.analysis.decompose import CACHE_FLUSH, CALL, LOW_POWER, PartName, Segment
from latlab.psci.analysis.roles import is_parallel
from latlab.psci.analysis.typical import Lane, Stack, lanes, stacks

COLOURS = {
    "call": "#7a86b8",
    "dispatch": "#86bcdc",
    "lock wait, level 0": "#f7a6a0",
    "lock wait, level 1": "#e4534f",
    "lock wait, level 2": "#a01c2a",
    "coordination": "#efb118",
    "domain wait, level 0": "#d8b3e6",
    "domain wait, level 1": "#a463c9",
    "domain wait, level 2": "#6b2f91",
    "prepare": "#97bbab",
    "cache flush": "#35618f",
    "power message": "#ff8ab7",
    "commit": "#8d7966",
    "low power": "#e9ebee",
    "reset path": "#3ca951",
    "restore": "#a3d977",
    "finish": "#2b7a78",
    "cache by address": "#6f9bd1",
    "TLB and instruction cache": "#c2255c",
    "barriers": "#d9480f",
    "exclusives": "#5f3dc4",
    "system registers": "#e8a33d",
    "waiting": "#6b4f3a",
    "other code": "#b9bfc7",
}
OTHER_COLOUR = "#9498a0"
MEDIAN_NOTE = "Each bar is the iteration with the median span; its parts sum exactly to the span."
MEAN_NOTE = "Each bar is the mean of all iterations, split by what the instructions are for; its parts sum exactly to the span."
BAR_PX = 22
PANEL_PX = 255


def charts(run: Run, test: str) -> list[Chart]:
    """Every chart of a test that its traces allow; none where a run has figures only."""
    return [*_span_charts(run, test), *_timeline_charts(run, test)]


def legend(run: Run, tests: Iterable[str]) -> list[tuple[PartName, str]]:
    """Each part that the charts show, with its colour, in the order in which a call goes through them."""
    names = dict.fromkeys(name for test in tests for stack in stacks(run, test) for name, _ in stack.parts)
    if names.keys() - {CALL} and run.traces:
        names[LOW_POWER] = None
    return [(name, colour(name)) for name in sorted(names, key=lambda name: name.rank)]


def colour(part: PartName) -> str:
    return COLOURS.get(str(part), OTHER_COLOUR)


def _span_charts(run: Run, test: str) -> Iterable[Chart]:
    core_stacks = stacks(run, test)
    panels = []
    for metric in (Metric.POWERDOWN, Metric.WAKEUP, Metric.PSCI_CALL):
        of_metric = [stack for stack in core_stacks if stack.metric is metric]
        if not of_metric:
            continue
        panels.append(_stack_panel(of_metric, run.tick, METRIC_TITLES[metric]))
        if any(name == CACHE_FLUSH for stack in of_metric for name, _ in stack.parts):
            panels.append(
                _stack_panel([_without_flush(stack) for stack in of_metric], run.tick, f"{METRIC_TITLES[metric]} without cache flush")
            )
    if panels:
        yield Chart(
            "Spans in their parts",
            MEDIAN_NOTE if run.traces else MEAN_NOTE,
            _beside(panels),
        )


def _without_flush(stack: Stack) -> Stack:
    return Stack(stack.core, stack.metric, tuple(part for part in stack.parts if part[0] != CACHE_FLUSH))


def _stack_panel(core_stacks: list[Stack], tick: Tick, title: str) -> alt.Chart:
    rows = [
        {"core": str(stack.core), "part": str(name), "value": scaled(ticks, tick), "rank": rank}
        for stack in core_stacks
        for rank, (name, ticks) in enumerate(stack.parts)
    ]
    panel: alt.Chart = (
        alt.Chart(alt.InlineData(values=tuple(rows)), title=title, width=PANEL_PX, height=alt.Step(BAR_PX))
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title=unit(tick), axis=_axis()),
            y=_cores([str(stack.core) for stack in core_stacks]),
            color=alt.Color("part:N", scale=_scale(name for stack in core_stacks for name, _ in stack.parts), legend=None),
            order=alt.Order("rank:Q"),
            tooltip=_tooltip(tick),
        )
    )
    return panel


def _timeline_charts(run: Run, test: str) -> Iterable[Chart]:
    (boot, number), lanes_shown = lanes(run, test)
    if not lanes_shown:
        return
    which = f"iteration {number} of boot {boot}"
    if all(lane.asleep is None for lane in lanes_shown):
        yield _whole_chart(run, lanes_shown, which, "Thin bars are drawn wider than they are, so that they can be seen.")
        return
    if is_parallel(test):
        yield Chart(
            "One iteration across the cores",
            f"{which.capitalize()}. Time runs from the first ENTER_PSCI of any core; the sleep between the two panels is cut out.",
            _beside(_shared_panels(run, lanes_shown)),
        )
        return
    yield _whole_chart(run, lanes_shown, which, "The cores go one after another; thin bars are drawn wider than they are.")


def _whole_chart(run: Run, lanes_shown: tuple[Lane, ...], which: str, note: str) -> Chart:
    start = min(lane.start for lane in lanes_shown)
    rows = [row for lane in lanes_shown for row in _rows(lane, lane.segments, start, run.tick)]
    chart = _lane_panel(rows, lanes_shown, run.tick, f"{unit(run.tick)} since the first ENTER_PSCI", WIDE_PX, outline=True)
    return Chart("One iteration across the cores", f"{which.capitalize()}. {note}", finished(chart))


def _shared_panels(run: Run, lanes_shown: tuple[Lane, ...]) -> list[alt.Chart]:
    """Going down and waking up, each on the common time of all cores."""
    start = min(lane.start for lane in lanes_shown)
    slept = [lane.asleep for lane in lanes_shown]
    last_down = max(segment.start_ticks for segment in slept if segment)
    first_up = min(segment.end_ticks for segment in slept if segment)
    down = [row for lane in lanes_shown for row in _rows(lane, _clipped(lane.segments, start, last_down), start, run.tick)]
    end = max(lane.segments[-1].end_ticks for lane in lanes_shown)
    up = [row for lane in lanes_shown for row in _rows(lane, _clipped(lane.segments, first_up, end), first_up, run.tick)]
    named = unit(run.tick)
    width = (WIDE_PX - 90) // 2
    return [
        _lane_panel(down, lanes_shown, run.tick, f"{named} since the first ENTER_PSCI", width, "Going down"),
        _lane_panel(up, lanes_shown, run.tick, f"{named} since the first EXIT_HW_LOW_PWR", width, "Waking up"),
    ]


def _clipped(spans: Iterable[Segment], start: int, end: int) -> Iterable[Segment]:
    for segment in spans:
        low, high = max(segment.start_ticks, start), min(segment.end_ticks, end)
        if low < high:
            yield Segment(segment.part, low, high)


def _rows(lane: Lane, spans: Iterable[Segment], zero: int, tick: Tick) -> list[dict[str, Any]]:
    return [
        {
            "core": str(lane.core),
            "part": str(segment.part),
            "from": scaled(segment.start_ticks - zero, tick),
            "to": scaled(segment.end_ticks - zero, tick),
            "value": scaled(segment.ticks, tick),
        }
        for segment in spans
    ]


def _lane_panel(
    rows: list[dict[str, Any]], lanes_shown: tuple[Lane, ...], tick: Tick, axis: str, width: int, title: str = "", outline: bool = False
) -> alt.Chart:
    """`outline` draws a line of its own colour around each bar but the sleep, so that the shortest is seen."""
    scale = _scale(segment.part for lane in lanes_shown for segment in lane.segments)
    chart = alt.Chart(alt.InlineData(values=tuple(rows)), title=title, width=width, height=alt.Step(BAR_PX))
    encoded: alt.Chart = chart.mark_bar().encode(
        x=alt.X("from:Q", title=axis, axis=_axis()),
        x2="to:Q",
        y=_cores([str(lane.core) for lane in lanes_shown]),
        color=alt.Color("part:N", scale=scale, legend=None),
        tooltip=_tooltip(tick),
    )
    if not outline:
        return encoded
    width_of = alt.condition(alt.datum.part == str(LOW_POWER), alt.value(0), alt.value(1.5))
    outlined: alt.Chart = encoded.encode(stroke=alt.Stroke("part:N", scale=scale, legend=None), strokeWidth=width_of)
    return outlined


def _cores(names: list[str]) -> alt.Y:
    return alt.Y("core:N", title="cluster.core", sort=names, scale=alt.Scale(paddingInner=0.25, paddingOuter=0.2))


def _scale(parts: Iterable[PartName]) -> alt.Scale:
    names = sorted(dict.fromkeys(parts), key=lambda name: name.rank)
    return alt.Scale(domain=[str(name) for name in names], range=[colour(name) for name in names])


def _tooltip(tick: Tick) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("core:N", title="cluster.core"),
        alt.Tooltip("part:N", title="part"),
        alt.Tooltip("value:Q", title=unit(tick), format=",.6~r"),
    ]


def _axis() -> alt.Axis:
    """Few labels, none over another, and zero without a prefix."""
    return alt.Axis(labelExpr="format(datum.value, '~s')", tickCount=5, labelOverlap=True, labelSeparation=8, labelFlush=False)


def _beside(panels: list[alt.Chart]) -> dict[str, Any]:
    """Panels with a scale of colours each, as each names its own parts."""
    return finished(alt.hconcat(*panels, spacing=28).resolve_scale(color="independent"))
