# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign side by side: cost by call and build, worst interrupt latency by build, and who kept an interrupt waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from latlab.analysis.spans.psa import Window, sweep_points, windows
from latlab.model.enums import Metric
from latlab.model.run import Run
from latlab.model.symbols import Symbols

SWEEP = "sweep_"


@dataclass(frozen=True, slots=True)
class BuildResult:
    """One run of the campaign, with the functions of its secure image."""

    run: Run
    symbols: Symbols

    @property
    def name(self) -> str:
        return self.run.build.firmware

    @property
    def windows(self) -> tuple[Window, ...]:
        return windows(self.run, self.symbols)


def whole_instructions(run: Run, ticks: int) -> int:
    """Instructions, to the nearest: the board's timer has 20.48 ticks in one."""
    return round(ticks * run.tick.value)


def cost_range(run: Run, test: str) -> tuple[int, int] | None:
    values = [whole_instructions(run, s.value_ticks) for s in run.samples if s.test == test and s.metric is Metric.PSA_CALL]
    return (min(values), max(values)) if values else None


def worst_latency(run: Run, test: str | None = None) -> int | None:
    """The longest wait over idle, in instructions."""
    values = [s.value_ticks for s in run.samples if s.metric is Metric.IRQ_LATENCY and test in (None, s.test)]
    return whole_instructions(run, max(values)) if values else None


def cost_tests(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(s.test for run in runs for s in run.samples if s.metric is Metric.PSA_CALL))


def print_builds(console: Console, results: Sequence[BuildResult]) -> None:
    runs = [result.run for result in results]
    costs = Table(title="Cost in guest instructions, capture cost taken off", title_justify="left", box=None, pad_edge=False)
    costs.add_column("call")
    for result in results:
        costs.add_column(result.name, justify="right")
    for test in cost_tests(runs):
        costs.add_row(test, *(_shown(cost_range(run, test)) for run in runs))
    costs.add_row("worst interrupt latency", *(str(worst_latency(run)) for run in runs))
    costs.add_row("code (bytes)", *(str(run.build.code_bytes or "") for run in runs))
    console.print(costs)
    for result in results:
        _print_windows(console, result)


def _shown(values: tuple[int, int] | None) -> str:
    if values is None:
        return ""
    return str(values[0]) if values[0] == values[1] else f"{values[0]}-{values[1]}"


def _print_windows(console: Console, result: BuildResult) -> None:
    if not result.windows:
        return
    table = Table(title=f"{result.name}: where interrupts wait", title_justify="left", box=None, pad_edge=False)
    for name in ("sweep", "from instruction", "waits", "ends in"):
        table.add_column(name, justify="right" if name in ("from instruction", "waits") else "left")
    for window in result.windows:
        first = whole_instructions(result.run, window.from_ticks)
        table.add_row(window.test, str(first), str(whole_instructions(result.run, window.latency_ticks)), window.function)
    console.print(table)


def html(results: Sequence[BuildResult]) -> str:
    """One offline page: cost by call and build, worst latency by build, each sweep as latency against offset."""
    import altair as alt

    chart = alt.vconcat(_cost_chart(results), _worst_chart(results), _sweep_chart(results)).resolve_scale(color="independent")
    return str(chart.to_html(inline=True))


def _data(rows: Sequence[Mapping[str, object]]) -> Any:
    import altair as alt

    return alt.InlineData(values=[dict(row) for row in rows])


def _cost_chart(results: Sequence[BuildResult]) -> Any:
    import altair as alt

    rows: list[Mapping[str, object]] = []
    for result in results:
        for test in cost_tests([result.run]):
            values = cost_range(result.run, test)
            if values:
                rows.append({"build": result.name, "call": test, "instructions": values[0]})
    names = [result.name for result in results]
    return (
        alt.Chart(_data(rows), title="Cost of a PSA call")
        .mark_bar()
        .encode(
            x=alt.X("call:N", sort=cost_tests([result.run for result in results])),
            xOffset=alt.XOffset("build:N", sort=names),
            y=alt.Y("instructions:Q", title="guest instructions"),
            color=alt.Color("build:N", sort=names),
            tooltip=["build:N", "call:N", "instructions:Q"],
        )
        .properties(width=900)
    )


def _worst_chart(results: Sequence[BuildResult]) -> Any:
    import altair as alt

    rows = [{"build": result.name, "latency": worst_latency(result.run)} for result in results]
    return (
        alt.Chart(_data(rows), title="Worst non-secure interrupt latency over idle")
        .mark_bar()
        .encode(
            x=alt.X("build:N", sort=[result.name for result in results]),
            y=alt.Y("latency:Q", title="guest instructions"),
            tooltip=["build:N", "latency:Q"],
        )
        .properties(width=300)
    )


def _sweep_chart(results: Sequence[BuildResult]) -> Any:
    import altair as alt

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
            "sweep": window.test.removeprefix(SWEEP),
            "offset": window.from_ticks * result.run.tick.value,
            "latency": window.latency_ticks * result.run.tick.value,
            "function": window.function,
        }
        for result in results
        for window in result.windows
    ]
    sweeps = dict.fromkeys(str(point["sweep"]) for point in points)
    return alt.vconcat(*(_one_sweep(points, labels, sweep) for sweep in sweeps))


def _one_sweep(points: Sequence[Mapping[str, object]], labels: Sequence[Mapping[str, object]], sweep: str) -> Any:
    """Latency against offset; a window carries the name of the function that it ends in."""
    import altair as alt

    x = alt.X("offset:Q", title="interrupt due, instructions into the call")
    y = alt.Y("latency:Q", title="wait (instructions)")
    drawn = _data([point for point in points if point["sweep"] == sweep])
    named = _data([label for label in labels if label["sweep"] == sweep])
    lines = alt.Chart(drawn).mark_line().encode(x=x, y=y, color="build:N")
    names = alt.Chart(named).mark_text(align="left", dy=-4, fontSize=9).encode(x=x, y=y, text="function:N")
    return alt.layer(lines, names, title=f"Interrupt fired at every instruction: {sweep}").properties(width=900, height=160)
