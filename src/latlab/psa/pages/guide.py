# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign as a whole page of a performance guide: the cost of each call and the worst interrupt latency, build by build.

Its charts: cost by call and build, worst latency by build, each sweep as latency against offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from latlab.core.model.run import Run
from latlab.core.report.chart import Chart, finished, named
from latlab.core.report.colours import ALERT, of_kinds, of_series
from latlab.core.report.facts import begun, facts_of, method, problem_items
from latlab.core.report.guides import commentary, platform_of, procedure, typed
from latlab.core.report.page import Block, Commands, Facts, Folded, Item, Items, Page, Paragraph, Section
from latlab.core.report.text import code, plain
from latlab.core.report.units import CLOCK_NAMES, unit
from latlab.core.report.vega import alt
from latlab.psa.analysis.builds import BuildResult, cost_range, cost_tests, whole_instructions, worst_latency
from latlab.psa.analysis.timeline import Room, timeline, worst_interrupt
from latlab.psa.analysis.windows import sweep_points
from latlab.psa.pages.builds import priorities, tables

OF_ONE_BUILD = ("Run", "Status", "Firmware", "Started (UTC)", "Repeated by", "Emulator's command", "Trace-point overhead")
OF_CORTEX_A = ("Topology", "Lead core")
TIMED = "Each call is made from the named world and timed from its begin to its end, without the trace-point overhead."
WATCHED = "Each call is watched from outside: from its first instruction in the secure world to the first one back."
SWEPT = "A sweep fires a non-secure interrupt at every instruction of a call; its latency is what it waits beyond one at idle."

SWEEP, IDLE = "sweep_", "nothing"
WIDE_PX = 900
LEGEND = alt.Legend(title=None, orient="top", columns=8)

TIMELINES = ("sweep_stateless_0", "sweep_connect")


def guide(results: Sequence[BuildResult]) -> Page:
    """The builds in the order given, all of one machine; the first stands for what they share."""
    return _page(results, (*_basis(results), _figures(results), *_commentary(results)))


def page(results: Sequence[BuildResult]) -> Page:
    """The same for a browser, the figures first and folded what they rest on."""
    basis = method(*(block for section in _basis(results) for block in section.blocks))
    return _page(results, (_figures(results), *_commentary(results), basis))


def _page(results: Sequence[BuildResult], sections: tuple[Section, ...]) -> Page:
    runs = [result.run for result in results]
    title = f"PSA calls and interrupt latency on {runs[0].platform}"
    lead = f"Clock: {CLOCK_NAMES[runs[0].tick.clock]}. Unit: {unit(runs[0].tick)}. The same bench measures every build."
    return Page(title, (lead,), sections, name=f"{title}: {', '.join(run.id for run in runs)}", answer=_answer(results[0]))


def _answer(first: BuildResult) -> str:
    """Of the first build: what a call costs, and how long an interrupt waits."""
    costs = [(end, test) for test in cost_tests([first.run]) for end in cost_range(first.run, test) or ()]
    if not costs:
        return ""
    (least, cheap), (most, dear) = min(costs), max(costs)
    worst = worst_latency(first.run)
    level = priorities([first.run])
    waits = "" if worst is None else f"; an interrupt{f' of priority {level}' if level else ''} waits {worst:,} at most"
    return f"{first.name}: a PSA call costs {least:,} ({cheap}) to {most:,} instructions ({dear}){waits}."


def _figures(results: Sequence[BuildResult]) -> Section:
    cost, *others = named(charts(results), "psa")
    costs, *windows = tables(results)
    flat = without_a_wait(results)
    folded = (Folded(plain(table.caption), (replace(table, caption=""),)) for table in windows)
    return Section("Results", (cost, costs, *((Paragraph(flat),) if flat else ()), *others, *folded))


def _basis(results: Sequence[BuildResult]) -> tuple[Section, ...]:
    runs = [result.run for result in results]
    return *platform_of(runs[0]), _method(runs), *_procedure(runs)


def _method(runs: Sequence[Run]) -> Section:
    shared = [fact for fact in facts_of(runs[0]) if fact[0] not in (*OF_ONE_BUILD, *OF_CORTEX_A)]
    facts_of_runs = [(run.build.firmware, f"run {run.id}{begun(run)}, {run.status}") for run in runs]
    partial: list[Block] = []
    for run in runs:
        if run.problems:
            partial += [Paragraph(f"The run of {run.build.firmware} is partial:"), problem_items(run.problems)]
    ways = {True: WATCHED, False: TIMED}
    clock = Paragraph(" ".join((*dict.fromkeys(ways[run.capture_cost_ticks is None] for run in runs), SWEPT)))
    return Section("Method", (clock, Facts((*shared, *facts_of_runs)), *partial))


def _procedure(runs: Sequence[Run]) -> Iterator[Section]:
    if len(runs) == 1:
        yield from procedure(runs[0])
        return
    blocks: list[Block] = [Paragraph("The commands that made the figures, one for each build:")]
    blocks += [
        Commands(typed(command)) for command in dict.fromkeys(run.provenance.latlab_command or run.command for run in runs) if command
    ]
    if len(blocks) > 1:
        yield Section("Procedure", tuple(blocks))


def _commentary(results: Sequence[BuildResult]) -> Iterator[Section]:
    """What each build's figures come from; a build of which there is nothing to say has none."""
    sections = []
    for result in results:
        inner = tuple(section for whole in commentary(result.run) for section in whole.sections)
        items = tuple(_build_items(result, results[0]))
        if items or inner:
            sections.append(Section(code(result.name), (Items(items),) if items else (), inner))
    if sections:
        yield Section("Commentary", sections=tuple(sections))


def _build_items(result: BuildResult, first: BuildResult) -> Iterator[Item]:
    """The longest wait and the function that it ends in, and the call whose cost differs most from the first build's."""
    if result.windows:
        longest = max(result.windows, key=lambda window: window.latency_ticks)
        wait, begin = (whole_instructions(result.run, ticks) for ticks in (longest.latency_ticks, longest.from_ticks))
        where = (code(longest.test), f", {begin} instructions into the call: it ends in ", code(longest.function))
        yield Item((f"An interrupt waits longest, {wait} instructions, in ", *where, "."))
    elif worst_latency(result.run) == 0:
        yield Item("No interrupt waits at any instruction of a swept call.")
    ratios = [(cost / base, test, cost, base) for test, cost, base in _costs(result, first) if base]
    if result is not first and ratios:
        ratio, test, cost, base = max(ratios)
        yield Item(
            (
                code(test),
                f" costs {cost} instructions, {ratio:.2f} times the {base} of ",
                code(first.name),
                ": the largest ratio of its calls.",
            )
        )


def _costs(result: BuildResult, first: BuildResult) -> Iterator[tuple[str, int, int]]:
    """The least cost of each call that both builds have."""
    for test in cost_tests([result.run]):
        ours, theirs = cost_range(result.run, test), cost_range(first.run, test)
        if ours is not None and theirs is not None:
            yield test, ours[0], theirs[0]


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
    flat = [sweep for sweep, waits in points.items() if sweep != IDLE and not any(waits)]
    return f"No interrupt waited at any swept instruction of {', '.join(flat)}." if flat else ""


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
