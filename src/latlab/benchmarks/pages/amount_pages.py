# SPDX-License-Identifier: BSD-3-Clause
"""A run of a benchmark or a noise meter: a table for each test, CPUs beside each other, on the terminal, in a document, in a browser."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from latlab.benchmarks.analysis.amount_figures import levels
from latlab.core.comparison.conditions import stated_conditions
from latlab.core.comparison.wording import heading_unit, scale_of, unit_of
from latlab.core.kinds.kind import Line, Lines
from latlab.core.model.amounts import Amount, Amounts, amounts_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run
from latlab.core.report.facts import begun, method, partial, problem_items
from latlab.core.report.page import Facts, Page, Section
from latlab.core.report.table import Ranged, Table, figures, words
from latlab.core.report.titles import platform_title
from latlab.core.report.units import CLOCK_NAMES
from latlab.core.shown import significant

ALL = "machine"

AMOUNTS = ("test", "metric", "cluster", "core", "name", "repetition", "value", "unit", "over_s")


def tables(run: Run) -> list[Table]:
    """A row for each quantity, a column for each CPU or one for the machine; of repetitions the median and the range."""
    return [
        _table(test, [amount for amount in amounts_of(run) if amount.test == test])
        for test in dict.fromkeys(amount.test for amount in amounts_of(run))
    ]


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
    stalls = [amount for amount in amounts_of(run) if amount.metric is Metric.STALL]
    first = amounts_of(run)[:1] and [
        amount for amount in amounts_of(run) if (amount.test, amount.name) == (amounts_of(run)[0].test, amounts_of(run)[0].name)
    ]
    if not first:
        return ""
    most = max(stalls or first, key=lambda amount: max(levels(amount)))
    figure, where = _figure(most, ",.10g"), f" on CPU {most.core.core}" if most.core else ""
    of = f"; median of {len(most.values)}{f', {figure.spread}' if figure.spread else ''}" if len(most.values) > 1 else ""
    return f"{most.test}: {figure.text} {_unit(most.metric, most.over_s is not None)} ({most.name}{where}{of})."


def _table(test: str, amounts: list[Amount]) -> Table:
    cores = sorted({quantity.core for quantity in amounts if quantity.core})
    columns: list[CoreId | None] = [*cores, *([None] if any(quantity.core is None for quantity in amounts) else [])]
    quantities = dict.fromkeys((quantity.metric, quantity.name, quantity.over_s is not None) for quantity in amounts)
    by_key = {(quantity.metric, quantity.name, quantity.core): quantity for quantity in amounts}
    rows = tuple(
        (
            f"{name}, {_unit(metric, summed)}",
            *(_figure(amount) if (amount := by_key.get((metric, name, core))) else "-" for core in columns),
        )
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


def _figure(amount: Amount, form: str = ",.10g") -> Ranged:
    values = levels(amount)
    scale = scale_of(unit_of(amount.metric, "ns"))
    shown = [f"{value / scale:{form}}" for value in (statistics.median(values), min(values), max(values))]
    return Ranged(shown[0], "" if min(values) == max(values) else f"{shown[1]} to {shown[2]}")


def _notes(amounts: list[Amount]) -> tuple[str, ...]:
    most = max(len(amount.values) for amount in amounts)
    over = {amount.over_s for amount in amounts if amount.over_s is not None}
    notes = [f"median of {most} repetitions at most, with minimum and maximum"] if most > 1 else []
    if over:
        period = f"{significant(min(over))} s" if len(over) == 1 else f"{significant(min(over))} to {significant(max(over))} s"
        notes.append(f"counted over {period}")
    return tuple(notes)


def _facts(run: Run) -> tuple[tuple[str, str], ...]:
    pairs = (
        ("run", f"{run.id}, {run.status.value}"),
        ("label", run.label),
        ("platform", run.platform),
        ("imported from", run.source),
        ("started (UTC)", run.started_utc),
        *stated_conditions(run),
        *run.facts,
    )
    return tuple((name, value) for name, value in pairs if value)


def amount_lines(run: Run) -> Lines:
    return AMOUNTS, _amounts(run)


def _amounts(run: Run) -> Iterator[Line]:
    """As the tool printed them, times in ns; what is of no core has none, and `over_s` is how long a value was counted."""
    for amount in amounts_of(run):
        where = (amount.core.cluster, amount.core.core) if amount.core else ("", "")
        unit = {Metric.EVENTS: "events"}.get(amount.metric) or unit_of(amount.metric, run.tick.unit)
        over = "" if amount.over_s is None else f"{amount.over_s:.12g}"
        for repetition, value in enumerate(amount.values):
            yield amount.test, amount.metric.value, *where, amount.name, repetition, f"{value:.12g}", unit, over
