# SPDX-License-Identifier: BSD-3-Clause
"""A run of a benchmark or a noise meter: a table for each test, CPUs beside each other, on the terminal, in a document, in a browser."""

from __future__ import annotations

import statistics

from latlab.analysis.amounts.amount_figures import levels
from latlab.analysis.base.conditions import said_conditions
from latlab.analysis.base.wording import heading_unit, scale_of, unit_of
from latlab.model.enums import Metric
from latlab.model.run import Amount, Amounts, CoreId, Run
from latlab.report.page import Facts, Page, Section
from latlab.report.run.facts import begun, method, partial, problem_items
from latlab.report.table import Ranged, Table, figures, words
from latlab.report.titles import platform_title
from latlab.report.units import CLOCK_NAMES

ALL = "machine"


def tables(run: Run) -> list[Table]:
    """A row for each quantity, a column for each CPU or one for the machine; of repetitions the median and the range."""
    return [_table(test, [one for one in run.amounts if one.test == test]) for test in dict.fromkeys(one.test for one in run.amounts)]


def screen(run: Run) -> Page:
    """The run's tables, its problems and the facts."""
    sections = (Section("", (*tables(run), problem_items(run.problems, marked=True))), Section("", (Facts(_facts(run)),)))
    return Page("", sections=sections, answer=_answer(run))


def document(run: Run) -> Page:
    """The same as a document."""
    tool = run.contents.tool if isinstance(run.contents, Amounts) else ""
    title = f"{tool or 'Benchmark'} on {platform_title(run)}"
    sections = (*partial(run), Section("Results", tuple(tables(run))), method(Facts(_facts(run))))
    lead = f"Run {run.id}{begun(run)}.", f"Clock: {CLOCK_NAMES[run.tick.clock]}."
    return Page(title, lead, sections, name=f"{title}: {run.id}", answer=_answer(run))


def _answer(run: Run) -> str:
    """The longest stall, or else the first quantity of the first test, where it is most."""
    stalls = [one for one in run.amounts if one.metric is Metric.STALL]
    first = run.amounts[:1] and [one for one in run.amounts if (one.test, one.name) == (run.amounts[0].test, run.amounts[0].name)]
    if not first:
        return ""
    most = max(stalls or first, key=lambda one: max(levels(one)))
    figure, where = _figure(most, ",.10g"), f" on CPU {most.core.core}" if most.core else ""
    of = f"; median of {len(most.values)}{f', {figure.spread}' if figure.spread else ''}" if len(most.values) > 1 else ""
    return f"{most.test}: {figure.text} {_unit(most.metric, most.over_s is not None)} ({most.name}{where}{of})."


def _table(test: str, amounts: list[Amount]) -> Table:
    cores = sorted({one.core for one in amounts if one.core})
    columns: list[CoreId | None] = [*cores, *([None] if any(one.core is None for one in amounts) else [])]
    quantities = dict.fromkeys((one.metric, one.name, one.over_s is not None) for one in amounts)
    by_key = {(one.metric, one.name, one.core): one for one in amounts}
    rows = tuple(
        (f"{name}, {_unit(metric, summed)}", *(_figure(one) if (one := by_key.get((metric, name, core))) else "-" for core in columns))
        for metric, name, summed in quantities
    )
    headings = (f"CPU {core.core}" if core else ALL for core in columns)
    return Table(test, (*words("Quantity"), *figures(*headings)), rows, _notes(amounts))


def _unit(metric: Metric, summed: bool) -> str:
    if metric is Metric.EVENTS:
        return "events per second" if summed else "events"
    if metric is Metric.DURATION and summed:
        return "µs in all"
    return heading_unit(unit_of(metric, "ns"))


def _figure(one: Amount, form: str = ".10g") -> Ranged:
    values = levels(one)
    scale = scale_of(unit_of(one.metric, "ns"))
    shown = [f"{value / scale:{form}}" for value in (statistics.median(values), min(values), max(values))]
    return Ranged(shown[0], "" if min(values) == max(values) else f"{shown[1]} to {shown[2]}")


def _notes(amounts: list[Amount]) -> tuple[str, ...]:
    most = max(len(one.values) for one in amounts)
    over = {one.over_s for one in amounts if one.over_s is not None}
    notes = [f"median of {most} repetitions at most, minimum and maximum in brackets"] if most > 1 else []
    if over:
        told = f"{min(over):g} s" if len(over) == 1 else f"{min(over):g} to {max(over):g} s"
        notes.append(f"counted over {told}")
    return tuple(notes)


def _facts(run: Run) -> tuple[tuple[str, str], ...]:
    known = (
        ("run", f"{run.id}, {run.status.value}"),
        ("platform", run.platform),
        ("imported from", run.source),
        ("started (UTC)", run.started_utc),
        *said_conditions(run),
        *run.facts,
    )
    return tuple((name, value) for name, value in known if value)
