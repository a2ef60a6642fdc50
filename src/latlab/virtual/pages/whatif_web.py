# SPDX-License-Identifier: BSD-3-Clause
"""A sweep as a page for a browser, and its charts.

They are Vega-Lite specifications: spans against the number of cores, and the slowest power-downs by cause.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from latlab.core.report.chart import Chart, finished, named
from latlab.core.report.page import Facts, Folded, Page, Paragraph, Section
from latlab.core.report.text import plain
from latlab.core.report.vega import alt
from latlab.psci.analysis.slowest import Cause
from latlab.virtual.campaign.whatif import SweepPoint, growths
from latlab.virtual.pages.tables import NS_PER_US
from latlab.virtual.pages.whatif import GROWTH_NOTE, NO_INTERVAL, PARTS_NOTE, Sweep, answer, ends_of, tables

BASIS = "The costs of a described board and the production sources of psci; nothing here was measured on hardware."

PANEL_PX = (400, 260)
PARTS_PX = 560
BAR_PX = 24
SPANS: dict[str, Callable[[SweepPoint], float]] = {
    "Worst powerdown": lambda point: point.powerdown_worst_ns,
    "Median powerdown": lambda point: point.powerdown_median_ns,
    "Worst wakeup": lambda point: point.wakeup_worst_ns,
    "Median wakeup": lambda point: point.wakeup_median_ns,
}
CAUSE_NAMES = {
    Cause.OWN_PATH: ("own path", "#c9d1da"),
    Cause.OWN_FLUSH: ("own flush", "#35618f"),
    Cause.OWN_MESSAGE: ("own message", "#86bcdc"),
    Cause.DOMAIN: ("waits for a domain", "#a463c9"),
    Cause.CHANNEL: ("waits for the channel", "#e78a1f"),
    Cause.LOCK_CHANNEL: ("lock: its holder waits for the channel", "#f6c177"),
    Cause.LOCK_MESSAGE: ("lock: its holder sends its message", "#f7a6a0"),
    Cause.LOCK_FLUSH: ("lock: its holder flushes", "#e4534f"),
    Cause.LOCK: ("lock: taking it, its holder's books", "#a01c2a"),
}
DASHES = {"coordination": [1, 0], "transition": [6, 4]}
PAIRS = (
    ("#1f4e79", "#7fb2e5"),
    ("#b3261e", "#f3948c"),
    ("#1e7a3c", "#86d49c"),
    ("#8a5a00", "#f0bd5c"),
    ("#6b2f91", "#cfa3e6"),
    ("#2b6f78", "#8fd6d3"),
)
MANY_DECADES = 3
LEGEND = alt.Legend(orient="top", labelLimit=400, columns=2, symbolType="stroke", symbolSize=300, symbolStrokeWidth=3)


def page(sweep: Sweep) -> Page:
    every, *shown_tables = tables(sweep)
    notes = dict(zip(shown_tables, (PARTS_NOTE, GROWTH_NOTE), strict=False))
    shown = tuple(Section(plain(table.caption), (Paragraph(note), replace(table, caption=""))) for table, note in reversed(notes.items()))
    facts = (("platform", sweep.platform), ("test", sweep.test), ("cores", sweep.basis))
    costs = tuple((cost, str(ns)) for cost, ns in sweep.costs_ns.items())
    last = (
        Section("Every point", (Folded(f"{len(every.rows)} points, µs", (replace(every, caption=""),)),)),
        Section("What these figures mean", (Paragraph(BASIS), Facts((*facts, *costs)))),
    )
    pictures = tuple(Section(chart.title, (replace(chart, title=""),)) for chart in named(charts(sweep), "chart"))
    lead = (f"Clock: virtual time. Unit: µs. {sweep.basis} {NO_INTERVAL}",)
    return Page(sweep.title, lead, (*pictures, *shown, *last), name=sweep.title, answer=answer(sweep))


def charts(sweep: Sweep) -> list[Chart]:
    return [_growth(sweep), _parts(sweep)]


def _growth(sweep: Sweep) -> Chart:
    """Four panels, a line for each design."""
    panels = [_panel(sweep, name) for name in SPANS]
    rows = [alt.hconcat(*panels[at : at + 2], spacing=36) for at in (0, 2)]
    title = alt.TitleParams(sweep.title, subtitle=sweep.basis, anchor="start", fontSize=14, subtitleFontSize=12, offset=12)
    note = (
        "Both axes are logarithmic. Dashes: locks that are held over the transition. "
        "Where lines lie on each other, the last one of the list is seen."
    )
    return Chart("Against the number of cores", note, finished(alt.vconcat(*rows, spacing=26, title=title)))


def _panel(sweep: Sweep, name: str) -> Any:
    value = SPANS[name]
    rows: list[dict[str, Any]] = [
        {
            "cores": point.cores,
            "us": value(point) / NS_PER_US,
            "design": _label(sweep, point),
            "scope": point.design.lock_scope,
            "clusters": point.clusters,
        }
        for point in sweep.points
        if value(point) > 0
    ]
    base = alt.Chart(alt.InlineData(values=rows), title=name, width=PANEL_PX[0], height=PANEL_PX[1])
    encoded = base.encode(
        x=alt.X(
            "cores:Q", title="cores", scale=alt.Scale(type="log", base=2, nice=False), axis=_axis(sorted({p.cores for p in sweep.points}))
        ),
        y=alt.Y("us:Q", title="µs", scale=alt.Scale(type="log"), axis=_axis(_decades([row["us"] for row in rows]))),
        color=alt.Color("design:N", title=None, scale=_colours(sweep), legend=LEGEND),
        tooltip=["design:N", "cores:Q", "clusters:Q", alt.Tooltip("us:Q", title="µs", format=",.2f")],
    )
    dashes = alt.StrokeDash("scope:N", scale=alt.Scale(domain=list(DASHES), range=list(DASHES.values())), legend=None)
    return alt.layer(encoded.mark_line(strokeWidth=2).encode(strokeDash=dashes), encoded.mark_point(filled=True, size=26, opacity=1))


def _decades(values_us: Sequence[float]) -> list[float]:
    """Labels of a logarithmic axis: 1, 2, 5 of each power of ten; of many powers only the 1."""
    low, high = math.floor(math.log10(min(values_us))), math.ceil(math.log10(max(values_us)))
    steps = (1, 2, 5) if high - low <= MANY_DECADES else (1,)
    return [step * 10**power for power in range(low, high + 1) for step in steps]


def _parts(sweep: Sweep) -> Chart:
    """A bar for each design and number of cores, as shares of its whole: the wholes differ by orders of magnitude."""
    points = ends_of(growths(sweep.points))
    labels = [f"{_label(sweep, point)}: {point.cores} core{'s' * (point.cores != 1)}" for point in points]
    rows = [
        {"bar": label, "cause": CAUSE_NAMES[cause][0], "us": point.causes_ns[cause] / NS_PER_US, "rank": rank}
        for point, label in zip(points, labels, strict=True)
        for rank, cause in enumerate(CAUSE_NAMES)
        if point.causes_ns[cause]
    ]
    wholes = [
        {"bar": label, "text": f"{point.powerdown_worst_ns / NS_PER_US:,.0f} µs"} for point, label in zip(points, labels, strict=True)
    ]
    y = alt.Y("bar:N", title=None, sort=labels, axis=alt.Axis(labelLimit=600))
    names = [name for cause, (name, _) in CAUSE_NAMES.items() if any(point.causes_ns[cause] for point in points)]
    colours = dict(CAUSE_NAMES.values())
    bars = (
        alt.Chart(alt.InlineData(values=rows), width=PARTS_PX, height=alt.Step(BAR_PX))
        .mark_bar()
        .encode(
            x=alt.X("us:Q", stack="normalize", title="share of the worst powerdown", axis=alt.Axis(format="%")),
            y=y,
            color=alt.Color(
                "cause:N",
                title=None,
                scale=alt.Scale(domain=names, range=[colours[name] for name in names]),
                legend=alt.Legend(orient="bottom", columns=3, labelLimit=400),
            ),
            order=alt.Order("rank:Q"),
            tooltip=["bar:N", "cause:N", alt.Tooltip("us:Q", title="µs", format=",.2f")],
        )
    )
    totals = (
        alt.Chart(alt.InlineData(values=wholes))
        .mark_text(align="left", dx=8, fontSize=12)
        .encode(x=alt.value(PARTS_PX), y=y, text="text:N")
    )
    return Chart("The worst powerdown by cause", PARTS_NOTE, finished(alt.layer(bars, totals)))


def _colours(sweep: Sweep) -> alt.Scale:
    """A pair of colours for each design, the lighter one for locks that are held over the transition."""
    labels = {_label(sweep, point): point for point in sweep.points}
    families = list(dict.fromkeys(_family(sweep, point) for point in labels.values()))
    pairs = {family: PAIRS[at % len(PAIRS)] for at, family in enumerate(families)}
    chosen = [pairs[_family(sweep, point)][point.design.lock_scope == "transition"] for point in labels.values()]
    return alt.Scale(domain=list(labels), range=chosen)


def _family(sweep: Sweep, point: SweepPoint) -> str:
    """The design but for its scope; beside the channel only what the sweep varies."""
    words = [f"{point.design.channel} channel"]
    words += [point.design.lock] if len({p.design.lock for p in sweep.points}) > 1 else []
    words += [f"clusters of {point.cluster_size}"] if len(sweep.cluster_sizes) > 1 else []
    return ", ".join(words)


def _label(sweep: Sweep, point: SweepPoint) -> str:
    return f"{_family(sweep, point)}, {point.design.lock_scope}"


def _axis(values: Sequence[float]) -> alt.Axis:
    return alt.Axis(values=list(values), labelExpr="format(datum.value, ',')", labelOverlap="greedy", labelFlush=False, gridColor="#e4e7eb")
