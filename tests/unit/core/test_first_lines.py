# SPDX-License-Identifier: BSD-3-Clause
"""On a terminal the first 24 lines hold the answer and the table that it is of, 80 and 60 columns wide."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import typer
from rich.console import Console

from latlab.core.cli.app import app
from latlab.core.cli.options import Format
from latlab.core.cli.showing import print_run
from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.history import history
from latlab.core.errors import LatlabError
from latlab.core.model.distributions import WakeupCounts
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import CoreId, Sample, Tick
from latlab.core.report.comparison import comparison_pages
from latlab.core.report.history import pages as history_pages
from latlab.core.report.page import Page, tables_of
from latlab.core.report.renderers.terminal import print_page
from latlab.core.report.table import text_of
from latlab.core.report.text import plain
from latlab.core.store.listing import heads
from latlab.core.store.references import load
from latlab.core.store.store import open_store
from latlab.experiments.analysis.effects import effects_of
from latlab.experiments.pages import design_pages
from latlab.psa.attack_results import Attacks
from latlab.psa.pages import attack_pages
from latlab.psci.pages import span_pages
from latlab.rt.campaign.steal_results import StealPhase
from latlab.rt.pages import stolen as steal_pages
from latlab.rt.pages import wakeup_pages
from support.every_kind import ATTACKED, fill
from support.function_runs import SLOWER, TREE, run_of
from support.ladder_model import Truth, make_run
from support.late_parts import late_result
from support.runs import changed, run_with
from support.steal_lines import cpu_with
from support.steal_lines import measured as measured_thefts

CALLS = run_with(campaign="smc", tick=Tick(Clock.INSTRUCTIONS, 1.0))
LINES, WHOLE = 24, 4
"""What is certainly in one line of a column that gave way."""
FIGURE = re.compile(r"[-+]?[\d,]*\.?\d+")
DATA = Path(__file__).parents[2] / "data"


def screens() -> Iterator[tuple[str, Page]]:
    yield "spans", span_pages.screen(make_run(Truth(), 1, boots=2))
    yield "calls", span_pages.screen(changed(CALLS, samples=calls()))
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


def calls() -> Iterator[Sample]:
    """Thirty calls with one figure each, of which the last is the longest."""
    return (Sample(f"call_{at}", Metric.CALL, CoreId(0, 0), boot, 1, 10 * at + boot) for at in range(30) for boot in (1, 2))


def test_the_longest_of_many_calls_is_the_first_row() -> None:
    table = next(tables_of(span_pages.screen(changed(CALLS, samples=calls()))))
    assert [text_of(row[0]) for row in table.rows][:2] == ["call_29", "call_28"] and len(table.rows) == 30


WIDTHS = (80, 60)
VERBS = (
    "show psci-0660",
    "show psci-0000",
    "show psci-1cb6",
    "show bench-0002",
    "show rt-0003",
    "show rt-power-0ee2",
    "show attack-0005",
    "show steal-0006",
    "design show design-0007",
    "compare psci-0000 psci-0001",
    "compare rt-0003 rt-0004",
    "compare bench-0002 bench-0002",
    "explain psci-0660",
    "explain psci-0000 psci-0001",
    "explain rt-0003",
    "gate psci-0000 psci-0001",
    "gate rt-0003 rt-0004",
    "extremes rt-0003",
    "history powerdown psci-0008 psci-0009 psci-000a",
    "compare published:tf-a/juno/v2.9 published:tf-a/juno/v2.10",
    "gate published:tf-a/juno/v2.9 published:tf-a/juno/v2.10",
    "explain published:tf-a/juno/v2.9 published:tf-a/juno/v2.10",
    "history cpu_off_serial/wakeup published:tf-a/juno/v2.9 published:tf-a/juno/v2.10 published:tf-a/juno/v2.11",
    "design show published:ti/am62l/factors-2026",
    "doctor",
    "ls",
)
"""Verbs that answer from a store alone."""
ANSWERS = {
    "show": r"The longest|The maximum|median of|None of one attack|CPU 0 lost|All 14|[Nn]o ",
    "design": r"lowers|Inconclusive",
    "compare": r"regressed by|Unchanged|Inconclusive",
    "explain": r"regressed|CPU_OFF|has the longest|maximum",
    "gate": r"^(pass|fail|inconclusive):",
    "extremes": r"No core allows|is exceeded",
    "history": r"regressed|[Cc]hange|powerdown|wakeup",
    "doctor": r"latlab run psci (has all|lacks)",
    "ls": r"^Run +Started",
}


@pytest.fixture(name="store", scope="module")
def fixture_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("kinds") / "store.sqlite"
    fill(place)
    return str(place)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(words: list[str], width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the verb prints on a terminal of that width."""
    stream = Terminal()
    for name, value in (("COLUMNS", str(width)), ("NO_COLOR", "1"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", stream)
    with suppress(LatlabError, SystemExit):
        typer.main.get_command(app)(words, standalone_mode=False)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("verb", VERBS)
def test_the_first_lines_of_a_verb_hold_its_answer_and_break_no_figure(
    verb: str, width: int, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*verb.split(), "--store", store]
    lines = printed(words, width, monkeypatch)
    assert lines and max(map(len, lines)) <= width, lines
    first = "\n".join(lines[:LINES])
    assert re.search(ANSWERS[words[0]], first, re.MULTILINE), first
    whole = set(" ".join(printed(words, 300, monkeypatch)).split())
    broken = {word for line in lines for word in line.split() if FIGURE.fullmatch(word)} - whole
    assert not broken, (broken, first)
    assert not [line for line in lines if re.search(r"\s{2}%\)", line)], "a percentage in a cell is broken before its sign"


@pytest.mark.parametrize("width", WIDTHS)
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


def test_the_answer_of_a_partial_run_begins_with_that_and_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "store.sqlite"
    fill(place)
    store = open_store(str(place))
    runs = [store.load(head.id) for head in heads(store)]
    partial = [run for run in runs if run.status is RunStatus.PARTIAL and run.problems]
    assert partial
    for run in partial:
        with suppress(LatlabError):
            print_run(store, run, Format.TABLE)
            first = capsys.readouterr().out.replace("\n", " ")
            problem = run.problems[0]
            where = f"line {problem.line}: " if problem.line else ""
            assert first.startswith(f"Partial run: {where}{problem.message[:20]}"), (run.id, first[:100])
    planned = next(run for run in runs if run.status is RunStatus.PLANNED)
    print_run(store, planned, Format.TABLE)
    assert capsys.readouterr().out.startswith("This run is planned: it has not started and has no figures.")
    whole = next(run for run in runs if run.status is RunStatus.COMPLETE and run.campaign == "psci")
    print_run(store, whole, Format.TABLE)
    assert "artial run" not in capsys.readouterr().out
