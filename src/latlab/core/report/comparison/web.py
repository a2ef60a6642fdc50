# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as a page for a browser: the answer, its picture, the tables, why, and folded all the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from latlab.core.comparison.by_kind import explain_pair
from latlab.core.comparison.comparison import Comparison, Row, WakeupComparison
from latlab.core.comparison.counted_findings import CountedBeside, Sight
from latlab.core.comparison.explanation import Explanation
from latlab.core.comparison.findings import FunctionsMoved
from latlab.core.comparison.verdicts import CHANGED, WORDS, Verdict
from latlab.core.comparison.wording import capital, count, heading_unit
from latlab.core.kinds.registry import pairs_of
from latlab.core.model.distributions import distributions_of
from latlab.core.report.chart import Chart, finished, named
from latlab.core.report.colours import EARLIER, JUDGEMENTS, MAIN
from latlab.core.report.comparison import comparison_tables
from latlab.core.report.comparison.answer import answer, inferred_cause, more_than_answer, sides
from latlab.core.report.comparison.comparison_tables import STYLES
from latlab.core.report.comparison.sentences import explained, headline, made_with, sentence
from latlab.core.report.density import DensityStep, density
from latlab.core.report.page import Block, Folded, Item, Items, Page, Section
from latlab.core.report.titles import METRIC_TITLES, title_of
from latlab.core.report.vega import alt
from latlab.core.shown import significant

MOST_CAUSES = 3


def page(comparison: Comparison) -> Page:
    why = explain_pair(comparison)
    heading = sides(comparison)
    caveat = "" if comparison.caveat == f"differs: {heading}" else comparison.caveat
    title = (f"{comparison.b.platform}: {heading} ", comparison_tables.title_verdict(comparison.verdict))
    return Page(
        title,
        tuple(filter(None, (caveat, inferred_cause(comparison, why), sentence(more_than_answer(comparison, why))))),
        tuple(_sections(comparison, why)),
        name=f"{comparison.a.id} to {comparison.b.id}: {'; '.join(filter(None, (comparison.verdict, comparison.caveat)))}",
        answer=answer(comparison, why),
    )


def _sections(comparison: Comparison, explanations: Sequence[Explanation]) -> Iterator[Section]:
    pictures = named((*shift_charts(comparison), *wakeup_charts(comparison)), "shift")
    if pictures or comparison_tables.change_tables(comparison):
        yield Section("What changed", (*pictures, *comparison_tables.change_tables(comparison)))
    if why := tuple(_why(explanations)):
        yield Section("Why", why)
    if own_sections := pairs_of(comparison).sections:
        yield from own_sections(comparison)
    yield _every_row(comparison)


def _why(explanations: Sequence[Explanation]) -> Iterator[Block]:
    """The picture by function, the first sentences, and the others on demand."""
    yield from named(function_charts(explanations), "function")
    items = [explained(explanation, with_test=True) for explanation in explanations]
    if items:
        yield Items(tuple(items[:MOST_CAUSES]))
    if more_items := items[MOST_CAUSES:]:
        yield Folded(f"{count(len(more_items), 'more sentence')} on causes", (Items(tuple(more_items)),))


def _every_row(comparison: Comparison) -> Section:
    equal = comparison_tables.equal_tests(comparison)
    tables = ((test, table) for test, table in comparison_tables.row_tables(comparison) if test not in equal)
    folded = [Folded(title_of(test).full, (table,)) for test, table in tables]
    if equal:
        summary = f"{count(len(equal), 'test')} with the same figures in both runs"
        folded.append(Folded(summary, (comparison_tables.equal_table(comparison, equal),)))
    lines = (*headline(comparison), *filter(None, (made_with(comparison),)), *comparison.notes)
    method = Folded("Method: what was compared, and what counts as a change", (Items(tuple(Item(sentence(line)) for line in lines)),))
    return Section("Every row and data point", (*folded, method))


MOST_ROWS, MOST_UNCHANGED, MOST_FUNCTIONS = 40, 12, 14
PLOT_PX, ROW_PX = 620, 22
SHAPES = {Verdict.REGRESSED: "triangle-up", Verdict.IMPROVED: "triangle-down"}


def shift_charts(comparison: Comparison) -> Iterator[Chart]:
    """What changed, else the largest shifts; nothing where no figure moved, or none has a base to be a share of."""
    changed = [row for row in comparison.rows if row.verdict in CHANGED]
    moved = changed or [row for row in comparison.rows if row.shift.value]
    rows = sorted((row for row in moved if isfinite(row.relative) and row.before), key=lambda row: -abs(row.relative))
    drawn_rows = rows[: MOST_ROWS if changed else MOST_UNCHANGED]
    if not drawn_rows:
        return
    title = "Shift of each changed row" if changed else "The largest shifts"
    yield Chart(title, " ".join(_said(comparison, drawn_rows, len(moved))), finished(_panels(drawn_rows)))


def _said(comparison: Comparison, drawn_rows: Sequence[Row], of: int) -> Iterator[str]:
    yield "A mark is the shift of a row against the first run."
    if any(isfinite(row.shift.low) and row.shift.high > row.shift.low for row in drawn_rows):
        yield f"Its line is the {comparison.interval_percent} % interval."
    if any(row.threshold for row in drawn_rows):
        yield "Shifts within the grey band are below the threshold."
    if of > len(drawn_rows):
        yield f"The {len(drawn_rows)} largest of {count(of, 'row')} are drawn."


def _panels(rows: Sequence[Row]) -> Any:
    """A panel for each metric, all with one axis, the largest shift on top."""
    ends = [end for row in rows for end in (row.relative, *_ends(row))]
    low, high = min(0.0, *ends), max(0.0, *ends)
    room = 0.04 * (high - low) or 1.0
    domain = [100 * (low - room), 100 * (high + room)]
    words = {row.verdict.word for row in rows}
    verdicts = [Verdict(word) for word in WORDS if word in words]
    metrics = list(dict.fromkeys(row.metric for row in rows))
    panels = [_panel([row for row in rows if row.metric is metric], domain, verdicts, metric is metrics[-1]) for metric in metrics]
    return panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=14)


def _ends(row: Row) -> tuple[float, float]:
    """The interval as shares, no further than four times the shift; the shift itself where there is none."""
    if not (isfinite(row.shift.low) and isfinite(row.shift.high)):
        return row.relative, row.relative
    reach = 4 * abs(row.relative)
    return max(row.shift.low / row.before, -reach), min(row.shift.high / row.before, reach)


def _panel(rows: Sequence[Row], domain: list[float], verdicts: Sequence[Verdict], is_last: bool) -> Any:
    ordered = sorted(rows, key=lambda row: -row.relative)
    data = [
        {
            "row": f"{row.test}, {row.title}",
            "share": 100 * row.relative,
            "low": 100 * _ends(row)[0],
            "high": 100 * _ends(row)[1],
            "verdict": row.verdict.word,
            "from": max(-100 * row.threshold / abs(row.before), domain[0]),
            "to": min(100 * row.threshold / abs(row.before), domain[1]),
        }
        for row in ordered
    ]
    y = alt.Y("row:N", sort=[str(mark["row"]) for mark in data], title=None, axis=alt.Axis(labelLimit=360))
    axis = alt.Axis(labelExpr="(datum.value > 0 ? '+' : '') + format(datum.value, '~r')", tickCount=6, labelOverlap=True)
    x = alt.X("share:Q", title="shift (%)" if is_last else None, scale=alt.Scale(domain=domain, nice=False), axis=axis)
    names = [verdict.word for verdict in verdicts]
    colours = alt.Scale(domain=names, range=[JUDGEMENTS[STYLES[verdict]] for verdict in verdicts])
    colour = alt.Color("verdict:N", scale=colours, legend=alt.Legend(title=None, orient="top") if len(names) > 1 else None)
    shapes = alt.Scale(domain=names, range=[SHAPES.get(verdict, "circle") for verdict in verdicts])
    title = METRIC_TITLES.get(rows[0].metric, str(rows[0].metric))
    base = alt.Chart(alt.InlineData(values=data))
    zero = alt.Chart(alt.InlineData(values=[{"share": 0}])).mark_rule(color="#8a97a5").encode(x=x)
    lines = base.mark_rule(strokeWidth=2.5, opacity=0.65).encode(x=alt.X("low:Q"), x2="high:Q", y=y, color=colour)
    tips = ["row:N", alt.Tooltip("share:Q", title="%", format="+.3~r"), "verdict:N"]
    shape = alt.Shape("verdict:N", scale=shapes, legend=None)
    marks = base.mark_point(filled=True, size=80, opacity=1).encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    band = [base.mark_bar(color="#8a97a5", opacity=0.22).encode(x="from:Q", x2="to:Q", y=y)] if any(row.threshold for row in rows) else []
    return alt.layer(*band, zero, lines, marks).properties(width=PLOT_PX, height=alt.Step(ROW_PX), title=title)


def function_charts(explanations: Sequence[Explanation]) -> Iterator[Chart]:
    """What each function takes more or less of, for the change that moved most instructions."""
    function_moves = [
        (*_by_name(explanation.finding), heading_unit(explanation.unit))
        for explanation in explanations
        if isinstance(explanation.finding, FunctionsMoved | CountedBeside)
    ]
    largest = max(function_moves, key=lambda entry: sum(map(abs, entry[1].values())), default=None)
    if largest is None or not largest[1]:
        return
    where, moves, unit = largest
    ordered = sorted(moves, key=lambda name: -abs(moves[name]))
    largest_names = ordered[:MOST_FUNCTIONS]
    remainder = (
        f" {capital(count(len(ordered) - len(largest_names), 'function'))} with smaller changes left out."
        if len(ordered) > len(largest_names)
        else ""
    )
    note = f"{unit.capitalize()} per call more (right) or less (left), {where}.{remainder}"
    yield Chart("By function", note, finished(_diverging({name: moves[name] for name in largest_names}, unit)))


def _by_name(finding: FunctionsMoved | CountedBeside) -> tuple[str, dict[str, float]]:
    if isinstance(finding, FunctionsMoved):
        return f"{finding.metric} of {', '.join(finding.tests)}", {move.name: move.after - move.before for move in finding.functions}
    counted = f", counted on {', '.join(finding.processors)}" if finding.processors else ""
    judged = f". The direction is judged by {finding.sight}" if finding.sight is Sight.OUTSIDE else ""
    return f"{finding.metric} of {', '.join(finding.tests)}{counted}{judged}", dict(finding.functions)


def _diverging(moves: Mapping[str, float], unit: str) -> Any:
    ordered = sorted(moves, key=lambda name: -moves[name])
    rows = [
        {
            "function": name,
            "moved": moves[name],
            "way": "more" if moves[name] > 0 else "less",
            "said": f"{significant(moves[name], 4, grouped=True, sign=True)}",
        }
        for name in ordered
    ]
    most, least = max(0.0, *moves.values()), min(0.0, *moves.values())
    room = 0.6 * (most - least)
    axis = alt.Axis(tickCount=6, labelBound=True)
    x = alt.X("moved:Q", title=f"{unit} per call", scale=alt.Scale(domain=[least - room, most + room], nice=False), axis=axis)
    y = alt.Y("function:N", sort=ordered, title=None, axis=alt.Axis(labelLimit=300))
    base = alt.Chart(alt.InlineData(values=rows))
    colour = alt.Color("way:N", scale=alt.Scale(domain=["more", "less"], range=["#b4560f", "#1d6fb5"]), legend=None)
    bars = base.mark_bar().encode(x=x, y=y, color=colour, tooltip=["function:N", alt.Tooltip("moved:Q", title=unit)])
    more = base.transform_filter("datum.way == 'more'").mark_text(align="left", dx=4, fontSize=11)
    less = base.transform_filter("datum.way == 'less'").mark_text(align="right", dx=-4, fontSize=11)
    return alt.layer(bars, *(layer.encode(x=x, y=y, text="said:N") for layer in (more, less))).properties(
        width=PLOT_PX, height=alt.Step(ROW_PX)
    )


def wakeup_charts(comparison: Comparison) -> Iterator[Chart]:
    """For each tool the wake-ups of both runs over each other, those of all CPUs together."""
    if not isinstance(comparison, WakeupComparison):
        return
    for test in dict.fromkeys(row.test for row in comparison.rows):
        steps = [density(row for row in distributions_of(run) if row.test == test) for run in (comparison.a, comparison.b)]
        if all(steps):
            yield _overlaid(comparison, test, steps)


def _overlaid(comparison: Comparison, test: str, steps: Sequence[tuple[DensityStep, ...]]) -> Chart:
    a, b = comparison.a, comparison.b
    names = [f"before ({a.id})", f"after ({b.id})"]
    scale, unit = (1.0, "instructions") if comparison.unit == "insns" else (1000.0, comparison.heading)
    ticks = [run.tick.value / scale for run in (a, b)]
    heights = [step.per_tick / tick for of_run, tick in zip(steps, ticks, strict=True) for step in of_run if step.per_tick]
    floor = min(heights) / 2
    rows = [row for name, of_run, tick in zip(names, steps, ticks, strict=True) for row in _lines(name, of_run, tick, floor)]
    chart = (
        alt.Chart(alt.InlineData(values=rows), width=PLOT_PX + 240, height=260)
        .mark_line(interpolate="step-after", strokeWidth=1.8)
        .encode(
            x=alt.X("at:Q", title=f"latency ({unit})", scale=alt.Scale(type="log", nice=False)),
            y=alt.Y(
                "density:Q",
                title=f"wake-ups per {unit.removesuffix('s')}",
                scale=alt.Scale(type="log", domainMin=floor, nice=False),
                axis=alt.Axis(format="~r", tickCount=6),
            ),
            color=alt.Color(
                "run:N",
                scale=alt.Scale(domain=names, range=[EARLIER, MAIN]),
                legend=alt.Legend(title=None, orient="top", labelLimit=300),
            ),
            strokeDash=alt.StrokeDash("run:N", scale=alt.Scale(domain=names, range=[[4, 3], [1, 0]]), legend=None),
        )
    )
    note = f"All CPUs together, in samples per {unit.removesuffix('s')}; both axes are logarithmic. An interval has its true width."
    beyond = [sum(row.beyond for row in distributions_of(run) if row.test == test) for run in (a, b)]
    if any(beyond):
        note += f" Beyond the end of the histogram are {' and '.join(f'{n:,}' for n in beyond)}, drawn evenly up to the maximum."
    return Chart(f"Wake-ups of both runs, by {test}", note, finished(chart))


def _lines(name: str, steps: Sequence[DensityStep], tick: float, floor: float) -> Iterator[dict[str, Any]]:
    """The ends of the axis, from edge to edge; a logarithmic axis has no 0."""
    for step in steps:
        yield {
            "at": max(step.low, 1) * tick,
            "density": step.per_tick / tick or floor,
            "n": step.per_tick * (step.high - step.low),
            "run": name,
        }
    yield {"at": steps[-1].high * tick, "density": floor, "n": 0, "run": name}
