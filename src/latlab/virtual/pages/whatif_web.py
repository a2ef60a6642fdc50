# SPDX-License-Identifier: BSD-3-Clause
"""A sweep as a page for a browser."""

from __future__ import annotations

from dataclasses import replace

from latlab.core.report.chart import named
from latlab.core.report.page import Facts, Folded, Page, Paragraph, Section
from latlab.core.report.text import plain
from latlab.virtual.pages.whatif import GROWTH_NOTE, NO_INTERVAL, PARTS_NOTE, Sweep, answer, tables
from latlab.virtual.pages.whatif_charts import charts

BASIS = "The costs of a described board and the production sources of psci; nothing here was measured on hardware."


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
