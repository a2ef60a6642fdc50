# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign as a whole page of a performance guide: the cost of each call and the worst interrupt latency, build by build."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from latlab.core.model.run import Run
from latlab.core.report.chart import named
from latlab.core.report.facts import begun, facts_of, method, problem_items
from latlab.core.report.guides import commentary, platform_of, procedure, typed
from latlab.core.report.page import Block, Commands, Facts, Folded, Item, Items, Page, Paragraph, Section
from latlab.core.report.text import code, plain
from latlab.core.report.units import CLOCK_NAMES, unit
from latlab.psa.analysis.builds import BuildResult, cost_range, cost_tests, whole_instructions, worst_latency
from latlab.psa.pages.build_charts import charts, without_a_wait
from latlab.psa.pages.builds import tables

OF_ONE_BUILD = ("Run", "Status", "Firmware", "Started (UTC)", "Repeated by", "Emulator's command", "Trace-point overhead")
OF_CORTEX_A = ("Topology", "Lead core")
TIMED = "Each call is made from the named world and timed from its begin to its end, without the trace-point overhead."
WATCHED = "Each call is watched from outside: from its first instruction in the secure world to the first one back."
SWEPT = "A sweep fires a non-secure interrupt at every instruction of a call; its latency is what it waits beyond one at idle."


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
    waits = "" if worst is None else f"; an interrupt waits {worst:,} at most"
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
