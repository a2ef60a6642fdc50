# SPDX-License-Identifier: BSD-3-Clause
"""What only the comparison of two runs of spans has to show: queues and their orders, printed deltas, levels, rules, suspicions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from latlab.core.comparison.comparison import Comparison, SpanComparison
from latlab.core.comparison.printed_deltas import judge_printed_deltas
from latlab.core.comparison.summary import follows_order, mark_of
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import amount, count
from latlab.core.model.enums import Clock
from latlab.core.model.run import Run
from latlab.core.report.chart import Chart
from latlab.core.report.comparison import comparison_tables
from latlab.core.report.comparison.verdict_data import verdict_data
from latlab.core.report.flame import DIFFERENCE_KEY, difference_flames
from latlab.core.report.page import Beside, Drawing, Paragraph, Section
from latlab.core.report.table import Table
from latlab.core.report.text import code
from latlab.core.report.titles import title_of
from latlab.core.report.units import CLOCK_NAMES
from latlab.core.shown import significant
from latlab.core.statistics.sample_matrix import columns_of


def headline(comparison: SpanComparison) -> tuple[str, ...]:
    """On how many boots, and how far a difference must go to count."""
    share = f"{significant(comparison.limits.relative * 100)} %"
    of_terms = f"threshold of a last-core delay: {share} of the longer of it and the delay per position"
    return _boots(comparison), _threshold(comparison), *([of_terms] if comparison.ladders else [])


def order_lines(comparison: SpanComparison) -> list[str]:
    """Who was served when, where that changed."""
    return [
        f"{order.test}: {' '.join(map(str, order.before))} became {' '.join(map(str, order.after))}"
        for order in comparison.orders
        if order.changed
    ]


def results(comparison: SpanComparison) -> Section:
    note = Paragraph("Only figures that changed have a percentage.")
    return Section("Results", (note,), tuple(_tests(comparison)))


def sections(comparison: SpanComparison) -> Iterator[Section]:
    """Of the page for a browser."""
    if queues := comparison_tables.queue_tables(comparison):
        yield _queues(comparison, replace(queues[0], caption=""))
    if deltas := comparison_tables.delta_blocks(judge_printed_deltas(comparison)):
        yield Section("Published changes, judged", tuple(deltas))
    if pictures := _functions(comparison):
        yield Section("Functions that changed", (DIFFERENCE_KEY, *pictures))


def data(comparison: SpanComparison) -> dict[str, Any]:
    return {
        "boots": list(comparison.boots),
        "orders": [
            {
                "test": order.test,
                "before": [str(c) for c in order.before],
                "after": [str(c) for c in order.after],
                "varies": order.varies,
                "changed": order.changed,
            }
            for order in comparison.orders
        ],
        "printed_deltas": [
            {
                "test": d.test,
                "metric": d.metric.value,
                "core": str(d.core),
                "printed": d.printed,
                **verdict_data(d.verdict),
                "reason": d.reason,
            }
            for d in judge_printed_deltas(comparison)
        ],
        "rules": [
            {
                "test": change.check.test,
                "rule": change.check.rule.id,
                "name": change.check.name,
                "breach": change.check.rule.breaks.value,
                "worse": change.is_worse,
                "sentence": change.check.sentence,
            }
            for change in comparison.rule_changes
        ],
        "suspicions": [
            {
                "doubt": suspicion.doubt.value,
                "ground": suspicion.ground.value,
                "run": suspicion.run,
                "spans": [{"test": test, "metric": metric.value} for test, metric in suspicion.spans],
                "cores": [str(core) for core in suspicion.cores],
                "size": suspicion.size,
                "usual": suspicion.usual,
                "sentence": suspicion.sentence(comparison.unit),
            }
            for suspicion in comparison.suspicions
        ],
    }


def _tests(comparison: SpanComparison) -> Iterator[Section]:
    for test in columns_of(comparison.b).tests:
        table = comparison_tables.figure_table(comparison, test)
        if table is None:
            continue
        title = title_of(test)
        scope = f" {title.scope}{', in ' + title.how if title.how else ''}".rstrip()
        yield Section((code(title.call), scope), (table, *map(Paragraph, _under_table(comparison, test))))


def _under_table(comparison: SpanComparison, test: str) -> Iterator[str]:
    for order in comparison.orders:
        if order.test != test:
            continue
        if order.varies:
            yield "The cores powered down in another order in each iteration: compare their powerdown at the positions of the queue."
            continue
        order_sentence = f"The cores powered down in the order {', '.join(map(str, order.after))}"
        yield order_sentence + (f"; before, in the order {', '.join(map(str, order.before))}." if order.changed else ", as before.")
        yield "The order is random: compare a core's powerdown at its queue position."
    undecided = [row for row in comparison.rows if row.test == test and row.verdict is Verdict.CANNOT_TELL]
    if undecided:
        names = ", ".join(f"{row.metric} of {row.title}" if not row.is_term else f"{row.title} of the queue" for row in undecided)
        yield f"Inconclusive: {names}."


def _functions(comparison: SpanComparison) -> tuple[Drawing, ...]:
    """Where cores take turns, waiting shows as instructions and is left out."""
    tests = dict.fromkeys(span.test for span in comparison.b.functions)
    unmarked = [test for test in tests if mark_of(comparison.a, test) is None]
    drawings = [(test, drawing) for test in unmarked for drawing in difference_flames(comparison.a, comparison.b, test)]
    return tuple(replace(drawing, title=f"{title_of(test).full}: {drawing.title}") for test, drawing in drawings)


def _queues(comparison: SpanComparison, terms: Table) -> Section:
    unit = comparison.heading
    note = (
        f"Powerdown in {unit}. Sorted by queue position it grows by the same delay for each core; cores behind the last core down of a "
        "cluster wait longer."
    )
    ladders = tuple(_ladders(comparison, test) for test in comparison.ladders)
    orders = (Paragraph(f"Order changed in {line}.") for line in order_lines(comparison))
    return Section("Queues of the parallel tests", (Paragraph(note), terms, Beside(ladders), *orders))


def _ladders(comparison: SpanComparison, test: str) -> Chart:
    from latlab.core.report.ladders import ladder_chart

    before, after = comparison.ladders[test]
    chart = ladder_chart(title_of(test).full, {"before": before, "after": after}, comparison.unit)
    return replace(chart, name=f"ladder-{test}")


def has_order(comparison: Comparison) -> bool:
    """Whether it holds figures that may follow the order in which cores run."""
    return any(follows_order(run, row.metric) for run in (comparison.a, comparison.b) for row in comparison.rows)


def _boots(comparison: SpanComparison) -> str:
    a, b = comparison.boots
    if has_order(comparison):
        return "deterministic except for the order of the cores: figures that scatter are judged by their scatter"
    if comparison.a.tick.clock is not Clock.TIME:
        return "deterministic: any difference is exact"
    if a + b > 3:
        return f"{a} and {b} boots: before and after are their medians, a shift is the difference of their means"
    boots_text = f"{count(a, 'boot')} each" if a == b else f"{a} and {b} boots"
    return f"{boots_text}: cores of one type are pooled; measure more boots to detect smaller changes"


def _threshold(comparison: SpanComparison) -> str:
    limits = comparison.limits
    a, b = comparison.a.capture_cost_ticks, comparison.b.capture_cost_ticks
    cost = "unknown"
    if a is not None and b is not None:
        cost = amount(abs(a * comparison.a.tick.value - b * comparison.b.tick.value), comparison.unit)
    return (
        f"the largest of: {significant(limits.relative * 100)} %, {significant(limits.steps)} ticks (or digits of the print), "
        "difference of the trace-point "
        f"overhead ({cost})"
    )


def extent(run: Run) -> str:
    """The clock of a run and its number of samples; empty without samples."""
    if not run.samples:
        return ""
    sizes = Counter((sample.test, sample.metric, sample.core) for sample in run.samples).values()
    samples_each = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
    return f"{CLOCK_NAMES[run.tick.clock]}, {len(run.samples):,} samples, {samples_each} for each data point"
