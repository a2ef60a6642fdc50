# SPDX-License-Identifier: BSD-3-Clause
"""On a terminal the first 24 lines hold the answer and the table that it is of, 80 and 60 columns wide."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from latlab.analysis.compare import compare
from latlab.analysis.design.effects import effects_of
from latlab.analysis.history import history
from latlab.campaigns.steal_results import StealPhase
from latlab.model.attacks import Attacks
from latlab.model.distributions import WakeupCounts
from latlab.report.amounts import stolen as steal_pages
from latlab.report.attacks import attack_pages
from latlab.report.comparison import comparison_pages
from latlab.report.design import design_pages
from latlab.report.page import Page, tables_of
from latlab.report.renderers.terminal import print_page
from latlab.report.rt import wakeup_pages
from latlab.report.run import span_pages
from latlab.report.site import history as history_pages
from latlab.report.table import text_of
from latlab.report.text import plain
from latlab.store.references import load
from support.every_kind import ATTACKED
from support.function_runs import SLOWER, TREE, run_of
from support.ladder_model import Truth, make_run
from support.late_parts import late_result
from support.runs import run_with
from support.steal_lines import cpu_with
from support.steal_lines import measured as measured_thefts

LINES, WHOLE = 24, 4
"""What is certainly in one line of a column that gave way."""
DATA = Path(__file__).parents[2] / "data"


def screens() -> Iterator[tuple[str, Page]]:
    yield "spans", span_pages.screen(make_run(Truth(), 1, boots=2))
    yield "functions", span_pages.screen(run_of(TREE))
    yield "rt", wakeup_pages.screen(run_with(campaign="rt", contents=WakeupCounts()), [("", late_result(45, 4))])
    yield "comparison", comparison_pages.screen(compare(load("published:tf-a/juno/v2.9"), load("published:tf-a/juno/v2.10")))
    yield "counted", comparison_pages.screen(compare(run_of(TREE), run_of(SLOWER)))
    yield "history", history_pages.screen(history([load(f"published:tf-a/juno/v2.{number}") for number in (9, 10, 11)], "wakeup"))
    experiment = load("published:ti/am62l/factors-2026")
    yield "design", design_pages.screen(experiment, effects_of(experiment)[0])
    yield "attack", attack_pages.screen(run_with(campaign="attack", contents=Attacks((ATTACKED,))))
    stolen = measured_thefts(cpu_with((1_832, 48_924, 3_530), 0), cpu_with((7_050,), 1))
    yield "steal", steal_pages.screen(run_with(campaign="steal"), (StealPhase("idle", stolen, ()),))


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize(("name", "page"), [pytest.param(*one, id=one[0]) for one in screens()])
def test_the_first_lines_hold_the_answer_and_its_table(name: str, page: Page, width: int) -> None:
    stream = io.StringIO()
    print_page(Console(file=stream, width=width, force_terminal=True, color_system=None), page, verbose=False)
    lines = stream.getvalue().splitlines()[:LINES]
    text = " ".join(" ".join(lines).split())
    assert plain(page.answer) and " ".join(plain(page.answer).split()) in text, name
    table = next(table for table in tables_of(page) if table.rows)
    for row in table.rows[:3]:
        first = text_of(next(cell for cell in row if text_of(cell))).split()[0]
        assert any(line.strip().startswith(first[:WHOLE]) for line in lines), (name, first, "\n".join(lines))
