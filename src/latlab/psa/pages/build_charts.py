# SPDX-License-Identifier: BSD-3-Clause
"""Charts of the psa campaign: cost by call and build, worst latency by build, each sweep as latency against offset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from latlab.core.report.chart import Chart, finished
from latlab.core.report.colours import ALERT, of_kinds, of_series
from latlab.core.report.vega import alt
from latlab.psa.analysis.builds import BuildResult, cost_range, cost_tests, worst_latency
from latlab.psa.analysis.timeline import Room, timeline, worst_interrupt
from latlab.psa.analysis.windows import sweep_points

SWEEP, IDLE = "sweep_", "nothing"
WIDE_PX = 900
LEGEND = alt.Legend(title=None, orient="top", columns=8)


def charts(results: Sequence[BuildResult]) -> list[Chart]:
    """Of calls, of builds, and of each sweep."""
    charts_found = [Chart("Cost of a PSA call", "The least of each call's samples.", finished(_cost_chart(results)))]
    if len(results) > 1 and any(worst_latency(result.run) for result in results):
        charts_found.append(
            Chart("Worst non-secure interrupt latency over idle", "Over all sweeps of a build.", finished(_worst_chart(results)))
        )
    return [*charts_found, *_sweep_charts(results), *_timelines(results)]


def without_a_wait(results: Sequence[BuildResult]) -> str:
    """The sweeps in which no build let an interrupt wait, of which a chart would be a line at zero; empty where there is none."""
    points: dict[str, list[float]] = {}
    for result in results:
        for test, _, late in sweep_points(result.run):
            points.setdefault(test.removeprefix(SWEEP), []).append(late)
    flat = {sweep: len(waits) for sweep, waits in points.items() if sweep != IDLE and not any(waits)}
    if not flat:
        return ""
    sweeps_text = ", ".join(f"{sweep} ({count:,} instructions)" for sweep, count in flat.items())
    return f"No interrupt waited at any swept instruction of {sweeps_text}."


def _builds(names: Sequence[str], legend: Any = LEGEND) -> Any:
    """One colour for a build in every chart."""
    return alt.Color("build:N", scale=alt.Scale(domain=list(names), range=of_series(names)), legend=legend)


def _data(rows: Sequence[Mapping[str, object]]) -> Any:
    return alt.InlineData(values=[dict(row) for row in rows])


def _cost_chart(results: Sequence[BuildResult]) -> Any:
    rows: list[Mapping[str, object]] = []
    for result in results:
        for test in cost_tests([result.run]):
            values = cost_range(result.run, test)
            if values:
                rows.append({"build": result.name, "call": test, "instructions": values[0]})
    names = [result.name for result in results]
    return (
        alt.Chart(_data(rows))
        .mark_bar()
        .encode(
            x=alt.X("call:N", sort=cost_tests([result.run for result in results])),
            xOffset=alt.XOffset("build:N", sort=names),
            y=alt.Y("instructions:Q", title="guest instructions"),
            color=_builds(names),
            tooltip=["build:N", "call:N", "instructions:Q"],
        )
        .properties(width=WIDE_PX)
    )


def _worst_chart(results: Sequence[BuildResult]) -> Any:
    rows = [{"build": result.name, "latency": worst_latency(result.run)} for result in results]
    return (
        alt.Chart(_data(rows))
        .mark_bar()
        .encode(
            x=alt.X("build:N", sort=[result.name for result in results]),
            y=alt.Y("latency:Q", title="guest instructions"),
            color=_builds([result.name for result in results], legend=None),
            tooltip=["build:N", "latency:Q"],
        )
        .properties(width=alt.Step(64))
    )


TIMELINES = ("sweep_stateless_0", "sweep_connect")


def _timelines(results: Sequence[BuildResult]) -> list[Chart]:
    charts_found = []
    for test in TIMELINES:
        for result in (build_result for build_result in results if worst_latency(build_result.run)):
            spec = _timeline(result, test)
            if spec is not None:
                note = "Whose code runs at each instruction of the call; below it the interrupt that waits longest, from when it is due."
                charts_found.append(Chart(f"What runs when: {test.removeprefix(SWEEP)}, {result.name}", note, finished(spec)))
    return charts_found


def _timeline(result: BuildResult, test: str) -> Any:
    """None where the run does not say what its sweep interrupted."""
    scale = result.run.tick.value
    stretches = timeline(result.run, result.symbols, test)
    worst = worst_interrupt(result.run, result.symbols, test)
    if worst is None or len({stretch.room for stretch in stretches}) < 2:
        return None
    rows: list[Mapping[str, object]] = [
        {"whose": str(s.room), "function": s.function, "from": s.from_ticks * scale, "to": s.to_ticks * scale} for s in stretches
    ]
    due, waits = worst.due_ticks * scale, max(worst.latency_ticks * scale, 1)
    interrupt: Mapping[str, object] = {"whose": "interrupt", "function": "waits, then its handler", "from": due, "to": due + waits}
    order = [*map(str, Room), "interrupt"]
    x, x2 = alt.X("from:Q", title="instructions since the timer was set"), alt.X2("to:Q")
    y = alt.Y("whose:N", sort=order, title=None)
    rooms = alt.Scale(domain=list(map(str, Room)), range=of_kinds(list(Room)))
    tips = ["whose:N", "function:N", "from:Q", "to:Q"]
    bars = alt.Chart(_data(rows)).mark_bar().encode(x=x, x2=x2, y=y, color=alt.Color("whose:N", scale=rooms, legend=None), tooltip=tips)
    red = alt.Chart(_data([interrupt])).mark_bar(color=ALERT).encode(x=x, x2=x2, y=y, tooltip=tips)
    return alt.layer(bars, red).properties(width=WIDE_PX, height=130)


def _sweep_charts(results: Sequence[BuildResult]) -> list[Chart]:
    points: list[Mapping[str, object]] = [
        {
            "build": result.name,
            "sweep": test.removeprefix(SWEEP),
            "offset": due * result.run.tick.value,
            "latency": late * result.run.tick.value,
        }
        for result in results
        for test, due, late in sweep_points(result.run)
    ]
    labels: list[Mapping[str, object]] = [
        {
            "build": result.name,
            "rank": rank,
            "sweep": window.test.removeprefix(SWEEP),
            "offset": window.from_ticks * result.run.tick.value,
            "latency": window.latency_ticks * result.run.tick.value,
            "function": window.function,
        }
        for rank, result in enumerate(result for result in results if result.windows)
        for window in result.windows
    ]
    sweeps = dict.fromkeys(str(point["sweep"]) for point in points if point["latency"])
    note = "How long the interrupt waits against when it is due; a window carries the name of the function that it ends in."
    names = [result.name for result in results]
    specs = ((sweep, finished(_one_sweep(points, labels, sweep, names))) for sweep in sweeps)
    return [Chart(f"Interrupt fired at every instruction: {sweep}", note, spec) for sweep, spec in specs]


def _one_sweep(points: Sequence[Mapping[str, object]], labels: Sequence[Mapping[str, object]], sweep: str, builds: list[str]) -> Any:
    """Latency against offset; a window carries the name of the function that it ends in, a line for each build."""
    x = alt.X("offset:Q", title="interrupt due, instructions into the call")
    y = alt.Y("latency:Q", title="wait (instructions)")
    colour = _builds(builds)
    of_sweep = _data([point for point in points if point["sweep"] == sweep])
    named = _data([label for label in labels if label["sweep"] == sweep])
    lines = alt.Chart(of_sweep).mark_line().encode(x=x, y=y, color=colour)
    above = alt.expr("-4 - 10 * datum.rank")
    names = alt.Chart(named).mark_text(align="left", dy=above, fontSize=9).encode(x=x, y=y, text="function:N", color=colour)
    return alt.layer(lines, names).properties(width=WIDE_PX, height=160)
