# SPDX-License-Identifier: BSD-3-Clause
"""What each kind of report makes of its data, and what of it must not get lost."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from latlab.core.comparison.by_kind import compare, explain_pair, explain_run
from latlab.core.comparison.history import history
from latlab.core.comparison.summary import SENTENCES, Mark
from latlab.core.comparison.tail import Diagnostic, Tail
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import percent
from latlab.core.errors import DataError
from latlab.core.lifecycle.doctor import DoctorFinding
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import CoreId, CoreTrace, Problem, Run, Tick, TraceRecord
from latlab.core.model.symbols import Symbols
from latlab.core.report import run_data
from latlab.core.report.comparison import comparison_pages, comparison_tables
from latlab.core.report.comparison import web as comparison_web
from latlab.core.report.comparison.sentences import summary
from latlab.core.report.doctor_tables import findings_table
from latlab.core.report.history import pages as history_pages
from latlab.core.report.page import Page
from latlab.core.report.renderers import html, terminal
from latlab.core.report.table import Table, text_of
from latlab.core.report.text import plain
from latlab.core.report.titles import title_of
from latlab.core.store.references import load
from latlab.psa.analysis.builds import BuildResult
from latlab.psa.pages import builds
from latlab.psa.pages import guide as psa_guide
from latlab.psci.analysis.spans import samples_of
from latlab.psci.pages import web as run_web
from latlab.rt.analysis.power_cycles import PowerBoundary
from latlab.rt.campaign.power_results import BoundaryTimes, PowerResult, power_result
from latlab.rt.pages import tails
from latlab.rt.pages.power_pages import power_tables
from support.ladder_model import Truth, make_run
from support.runs import INSTRUCTIONS, ONE_CORE, changed, run_with


def shown(page: Page) -> str:
    stream = io.StringIO()
    terminal.print_page(Console(file=stream, width=200), page)
    return stream.getvalue()


def texts(table: Table) -> list[tuple[str, ...]]:
    return [tuple(map(text_of, row)) for row in table.rows]


@pytest.fixture(scope="module")
def pair() -> tuple[Run, Run]:
    return load("published:tf-a/juno/v2.9"), load("published:tf-a/juno/v2.10")


def tail_of(level: float | None, *diagnostics: Diagnostic) -> Tail:
    low, high = (None, None) if level is None else (level - 1000, level + 1000)
    return Tail("cpu_susp_serial", Metric.WAKEUP, CoreId(0, 1), 5000, 9000.0, 1e6, level, low, high, 0.1, diagnostics)


def test_an_estimate_stands_with_its_interval_and_what_allows_it_and_a_refusal_with_its_reason() -> None:
    good, bad = Diagnostic("excesses", True, "120 of 5000"), Diagnostic("stable", False, "the shape drifts")
    text = shown(tails.screen((tail_of(12_000.0, good), tail_of(None, good, bad)), "ns", "virtual machine"))
    answer, first, caption, head, estimated, refused = (line.split("  ") for line in text.splitlines() if line.strip())
    assert answer == [
        "Once in 1,000,000 samples 12.00 µs is exceeded (cpu_susp_serial wakeup, core 0.1; 95 % interval 11.00 µs to 13.00 µs); "
        "1 of two cores allow none."
    ]
    assert first == ["virtual machine"] and caption == ["cpu_susp_serial wakeup"] and "Once in 1,000,000 samples" in " ".join(head)
    assert {"12.00 µs", "11.00 µs to 13.00 µs", "excesses: 120 of 5000"} <= {cell.strip() for cell in estimated}
    assert {"no estimate", "stable: the shape drifts"} <= {cell.strip() for cell in refused}


def call(test: str, ticks: int, iteration: int = 0) -> CoreTrace:
    records = (TraceRecord(0, 1000, "CHECKPOINT", 1 << 32), TraceRecord(1, 1000 + ticks, "CHECKPOINT", 2 << 32 | 1))
    return CoreTrace(test, 0, iteration, CoreId(0, 0), records)


def sweep(*points: tuple[int, int, int]) -> CoreTrace:
    records = tuple(TraceRecord(i, due, "NS_INTERRUPT", wait << 32 | pc) for i, (due, wait, pc) in enumerate(points))
    return CoreTrace("sweep_call_0", 0, 0, CoreId(0, 0), records)


def build(name: str, *traces: CoreTrace) -> BuildResult:
    run = run_with(campaign="psa", topology=ONE_CORE, tick=INSTRUCTIONS, traces=traces, samples=samples_of(traces))
    run = replace(run, build=replace(run.build, firmware=name, code_bytes=1234))
    return BuildResult(run, Symbols((0x100, 0x200), ("before", "masks")))


def test_builds_stand_side_by_side_and_a_wait_names_its_function() -> None:
    quiet = build("ipc_l1", call("ns_call_0", 212), call("ns_call_0", 212, 1), sweep((20, 0, 0x110)))
    loud = build("classic", call("ns_call_0", 200), call("ns_call_0", 230, 1), call("ns_only", 9), sweep((20, 0, 0x110), (40, 30, 0x210)))
    costs, waits = builds.tables([quiet, loud])
    assert [column.name for column in costs.columns] == ["call", "ipc_l1", "classic"]
    assert texts(costs) == [
        ("ns_call_0", "212", "200-230"),
        ("ns_only", "", "9"),
        ("worst interrupt latency", "0", "30"),
        ("code (bytes)", "1234", "1234"),
    ]
    assert texts(waits) == [("sweep_call_0", "40", "30", "masks")]
    page = html.document(psa_guide.guide([quiet, loud]))
    assert "masks" in page and page.count('class="chart"') == 3


@pytest.mark.parametrize(("level", "has_note"), [(0, True), (0xE0, False)])
def test_a_wait_has_the_priority_at_which_it_was_measured_and_where_the_other_is(level: int, has_note: bool) -> None:
    result = build("ipc_l1", call("ns_call_0", 212), sweep((20, 0, 0x110)))
    measured = replace(result, run=replace(result.run, conditions=replace(result.run.conditions, interrupt_priority=level)))
    costs = next(builds.tables([measured]))
    assert texts(costs)[1] == (f"worst interrupt latency, priority 0x{level:02X}", "0")
    assert bool(costs.notes) is has_note and all("`latlab run psa --priority 0xE0`" in plain(note) for note in costs.notes)
    assert f"an interrupt of priority 0x{level:02X} waits 0 at most" in plain(psa_guide.guide([measured]).answer)


def test_a_power_boundary_says_how_often_and_how_long() -> None:
    times = BoundaryTimes(PowerBoundary.OFF, 1, (1000.0, 3000.0, 8000.0))
    (table,) = power_tables(PowerResult((), (times,), ("cycles=3",)))
    assert texts(table) == [(PowerBoundary.OFF.value, "1", "3", "1.0", "3.0", "8.0")] and table.notes == ("cycles=3",)
    with pytest.raises(DataError, match="no trace buffer"):
        power_result({})


def test_a_finding_that_is_missing_stands_out_only_where_it_is_needed() -> None:
    table = findings_table(
        [
            DoctorFinding("QEMU", "not there", False),
            DoctorFinding("labgrid", "not there", False, needed=False),
            DoctorFinding("rich", "13", True),
        ]
    )
    assert [row[0] for row in texts(table)] == ["missing", "none", "ok"] and not table.headed


def test_every_cell_of_a_comparison_stands_below_its_row(pair: tuple[Run, Run]) -> None:
    comparison = compare(*pair)
    rows = {test: len(table.rows) for test, table in comparison_tables.row_tables(comparison)}
    for test, count in rows.items():
        assert count == sum(1 + len(row.cells) for row in comparison.rows if row.test == test)
    verbose = shown(comparison_pages.screen(comparison, verbose=True))
    assert all(row.basis in verbose for row in comparison.rows)
    assert "Powerdown by queue position in susp_deep_parallel" in verbose
    assert "--verbose" in shown(comparison_pages.screen(comparison)) and "--verbose" not in verbose


def test_a_comparison_says_the_same_on_the_terminal_and_in_the_browser(pair: tuple[Run, Run]) -> None:
    comparison = compare(*pair)
    screen, page = shown(comparison_pages.screen(comparison)), html.document(comparison_web.page(comparison))
    for table in (*comparison_tables.change_tables(comparison), *comparison_tables.queue_tables(comparison)):
        for row in texts(table):
            assert all(cell in screen and cell in page for cell in row if cell)
    tests = {row.test for row in comparison.rows}
    assert all(page.count(f"<summary>{title_of(test).full}</summary>") == 1 for test in tests)


def test_explanations_name_their_test_once_and_say_what_they_stand_on(pair: tuple[Run, Run]) -> None:
    comparison = compare(*pair)
    found = explain_pair(comparison)
    text = shown(comparison_pages.pair_explanations(comparison, found))
    for one in found:
        assert f"{one.sentence} ({one.basis})" in text
    assert [line for line in text.splitlines() if line == "susp_deep_parallel"] == ["susp_deep_parallel"]
    partial = replace(pair[0], status=RunStatus.PARTIAL, problems=(Problem(7, "damaged"),))
    alone = shown(comparison_pages.run_explanations(partial, explain_run(partial)))
    assert "problem line 7: damaged" in alone.splitlines()


def test_a_change_in_a_history_is_marked_at_its_run_and_said_in_words() -> None:
    truth = Truth(tests=("cpu_susp_serial",))
    runs = [make_run(truth if i < 3 else replace(truth, powerdown=200_000.0), 1, name=f"r{i}") for i in range(6)]
    runs = [replace(run, tick=Tick(Clock.INSTRUCTIONS, 1.0)) for run in runs]
    found = history(runs, "cpu_susp_serial/powerdown/core-0.1")
    text = shown(history_pages.screen(found))
    (marked,) = [line for line in text.splitlines() if line.startswith("r") and "regressed, exact" in line]
    assert marked.startswith("r3") and "at r3: " in text
    assert "at <b>r3</b>" in html.document(history_pages.page(found))


@pytest.mark.parametrize(("clock", "unit"), [(Clock.VIRTUAL, "(simulated µs)"), (Clock.TIME, "(µs)")])
def test_the_history_of_a_model_is_headed_as_simulated(clock: Clock, unit: str) -> None:
    runs = [replace(make_run(Truth(tests=("cpu_susp_serial",)), 1, name=f"r{i}"), tick=Tick(clock, 20.0)) for i in range(2)]
    found = history(runs, "cpu_susp_serial/powerdown/core-0.1")
    assert any(line.endswith(unit) for line in shown(history_pages.screen(found)).splitlines())


def test_no_p_value_is_printed_that_no_model_of_noise_can_know() -> None:
    found = history([load(f"published:tf-a/juno/v2.{number}") for number in range(9, 16)], "wakeup")
    assert min(change.p for series in found for change in series.changes if change.p is not None) < 1e-3
    text = shown(history_pages.screen(found))
    assert "regressed, p below 0.001" in text and "e-0" not in text


def test_a_comparison_that_is_not_all_told_says_how_much_is_not_and_its_title_is_the_whole_verdict() -> None:
    changed_too = compare(load("published:tf-a/juno/v2.14"), load("published:tf-a/juno/v2.15"))
    rows = tuple(replace(row, verdict=Verdict.SAME_LEVEL) for row in changed_too.rows)
    level = replace(changed_too, rows=rows, claims=(), notable=(), gaps=(), suspicions=(), rule_changes=())
    assert f": {Verdict.SAME_LEVEL}" in shown(comparison_pages.screen(level)).splitlines()[0]
    untold = sum(row.verdict is Verdict.CANNOT_TELL for row in changed_too.rows)
    assert f"{untold} of {len(changed_too.rows)} rows inconclusive" in summary(changed_too)


def test_what_was_nothing_before_has_no_percentage() -> None:
    row = compare(load("published:tf-a/juno/v2.9"), load("published:tf-a/juno/v2.10")).rows[0]
    new = replace(row, before=0.0, is_term=False)
    assert percent(new.relative) == "from about 0" and percent(replace(new, shift=replace(row.shift, value=0.0)).relative) == "+0.0 %"


def test_a_page_of_noise_says_so_once() -> None:
    run = replace(make_run(Truth(), 1), conditions=Conditions(mode=Mode.MULTI_THREAD))
    assert html.document(run_web.page(run)).count(SENTENCES[Mark.NOISE]) == 1


def test_the_figures_of_one_test_are_its_samples_and_its_traces() -> None:
    run = make_run(Truth(), 1)
    run = changed(run, traces=(call("cpu_susp_serial", 1), call("susp_deep_serial", 1)))
    one = run_data.of_test(run, "cpu_susp_serial")
    assert {sample.test for sample in one.samples} == {trace.test for trace in one.traces} == {"cpu_susp_serial"}
    assert run_data.of_test(run, None) is run


def test_the_head_of_a_run_says_under_what_it_was_measured() -> None:
    run = replace(make_run(Truth(), 1), conditions=Conditions(mode=Mode.MULTI_THREAD, priority=80), facts=(("el", "1"),))
    head = run_data.run_head(run)
    assert (head["conditions"]["mode"], head["conditions"]["priority"], head["facts"]) == ("multi-thread", 80, {"el": "1"})
