# SPDX-License-Identifier: BSD-3-Clause
"""An rt run as a page for a browser."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.model.run import Run
from latlab.report.chart import named
from latlab.report.page import Caution, Facts, Folded, Page, Section
from latlab.report.rt.charts import charts
from latlab.report.rt.experiment import experiment
from latlab.report.rt.wakeup_pages import TITLE, answer
from latlab.report.rt.wakeup_tables import UNIT, Results, is_exact, is_stacked, tables
from latlab.report.rt.words import check_publishable, facts_of, mode_of, mode_sentence
from latlab.report.run.facts import begun, method, partial
from latlab.report.units import CLOCK_NAMES


def page(run: Run, results: Results) -> Page:
    """Every table and chart. Refuses figures that are no latencies."""
    check_publishable(run)
    lead = f"{run.platform}, run {run.id}{begun(run)}", f"Clock: {CLOCK_NAMES[run.tick.clock]}. Unit: {UNIT}."
    return Page(TITLE, lead, tuple(_sections(run, results)), name=f"{TITLE}: {run.id}", answer=answer(run, results))


def _sections(run: Run, results: Results) -> Iterator[Section]:
    yield Section("", (Caution(mode_of(run), mode_sentence(run)),))
    yield from partial(run)
    yield from experiment(run, results)
    if is_stacked(run):
        boots = (Folded(name, tuple(tables("", result, is_exact(run)))) for name, result in results)
        yield Section("Boot by boot", tuple(boots))
    else:
        for number, (name, result) in enumerate(results):
            yield Section(name or "Measurement", (*tables("", result, is_exact(run)), *named(charts(result), f"m{number}")))
    command = (("emulator's command", " ".join(run.command)),) if run.command else ()
    yield method(Facts((*facts_of(run), *command)))
