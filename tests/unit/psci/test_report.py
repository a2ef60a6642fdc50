# SPDX-License-Identifier: BSD-3-Clause
import io
import re
from dataclasses import replace

import pytest
from docutils.core import publish_doctree, publish_string
from docutils.nodes import entry, row, section, table, title
from docutils.writers.html5_polyglot import Writer
from rich.console import Console

from latlab.core.comparison.summary import Mark, summarise
from latlab.core.errors import UsageError
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import Build, CoreId, Frame, Problem, Run, Sample, SpanFunctions, Spans, Tick, Topology
from latlab.core.report.renderers import html, rst, terminal
from latlab.psci.analysis.decompose import COORDINATION, DISPATCH
from latlab.psci.analysis.spans import samples_of
from latlab.psci.analysis.typical import lanes, stacks
from latlab.psci.pages import span_pages, web
from latlab.psci.pages.answer import answer
from latlab.psci.pages.charts import COLOURS, charts, colour, legend
from latlab.psci.pages.span_tables import single_figures, tables_of
from support.runs import INSTRUCTIONS, JUNO, changed, run_with
from support.synthetic import CLOCK_HZ, TESTS, Model

TIME = Tick(Clock.TIME, 1e9 / CLOCK_HZ)


def make_run(topology: Topology = JUNO, tick: Tick = INSTRUCTIONS, count: int = 3, **changes: object) -> Run:
    iterations = list(Model(topology, count).iterations())
    run = run_with(
        target="qemu",
        platform="qemu_virt",
        topology=topology,
        tick=tick,
        build=Build("synthetic *1.0* `x_ |y| <z>", "7fd8391b40d5bd63"),
        lead=CoreId(0, 0),
        samples=tuple(s for iteration in iterations for s in samples_of(iteration.traces)),
        traces=tuple(t for iteration in iterations for t in iteration.traces),
        capture_cost_ticks=7.5,
        started_utc="2026-01-01T00:00:00Z",
        emulator="QEMU 10.0.2",
        command=("qemu", "--weird_ `option*", "file:/x_y"),
        conditions=Conditions(mode=Mode.DETERMINISTIC),
        id="psci-0001",
    )
    return replace(run, **changes)  # type: ignore[arg-type]


def document(run: Run) -> str:
    return rst.document(span_pages.document(run))


def page(run: Run) -> str:
    return html.document(web.page(run))


def print_run(console: Console, run: Run) -> None:
    terminal.print_page(console, span_pages.screen(run))


RUN = make_run()
PARTIAL = make_run(status=RunStatus.PARTIAL, problems=(Problem(12, "the CRC of a `dump_ line* is 00"), Problem(0, "it |hangs|")))


@pytest.mark.parametrize("run", [RUN, PARTIAL, make_run(tick=TIME), make_run(Topology((1,)))], ids=["whole", "partial", "time", "one core"])
def test_the_document_builds_without_a_warning(run: Run) -> None:
    warnings = io.StringIO()
    publish_string(document(run), writer=Writer(), settings_overrides={"warning_stream": warnings, "report_level": 1, "halt_level": 5})
    assert warnings.getvalue() == ""


def test_the_document_has_a_section_for_each_call_and_a_table_for_each_test() -> None:
    tree = publish_doctree(document(RUN))
    sections = [node.next_node(title).astext() for node in tree.findall(section)]
    assert sections == [
        "Method",
        "Results",
        "CPU_SUSPEND to deepest power level",
        "CPU_SUSPEND to power level 0",
        "CPU_OFF on all non-lead CPUs",
        "PSCI_VERSION on all cores",
    ]
    captions = [" ".join(node.next_node(title).astext().split()) for node in tree.findall(table)]
    assert captions[0] == (
        f"CPU_SUSPEND latencies (instructions) to deepest power level in parallel (synthetic *1.0* `x_ |y| <z>, n = 3, {Mark.TURNS})"
    )
    assert captions[1].endswith("in serial (synthetic *1.0* `x_ |y| <z>, n = 3)")
    assert captions[-1].startswith("PSCI_VERSION latency (instructions) on all cores in parallel")
    assert len(captions) == len(TESTS)


def test_the_cells_of_the_document_are_the_medians_of_the_core_they_name() -> None:
    tree = publish_doctree(document(RUN))
    serial = list(tree.findall(table))[1]
    cells = [[cell.astext() for cell in line.findall(entry)] for line in serial.findall(row)]
    assert cells[0] == ["Cluster", "Core", "Powerdown", "Wakeup", "Cache Flush"]
    medians = {(r.metric, r.core): r.median for r in summarise(RUN) if r.test == "susp_deep_serial"}
    metrics = (Metric.POWERDOWN, Metric.WAKEUP, Metric.CACHE_FLUSH)
    for line, core in zip(cells[1:], JUNO.cores, strict=True):
        assert line == [str(core.cluster), str(core.core), *(f"{medians[metric, core]:g}" for metric in metrics)]


def test_times_are_shown_in_microseconds() -> None:
    tree = publish_doctree(document(make_run(tick=TIME)))
    flush = [cell.astext() for cell in list(tree.findall(table))[1].findall(entry)][5 + 4]
    assert float(flush) == pytest.approx(2174 * 16 / 1000, abs=0.005)
    assert "(µs)" in document(make_run(tick=TIME))


def test_figures_that_are_no_latencies_are_not_published() -> None:
    noise = make_run(tick=TIME, conditions=Conditions(mode=Mode.MULTI_THREAD))
    with pytest.raises(UsageError, match="no latencies to publish"):
        document(noise)
    assert "not a latency" in page(noise)


def test_the_mark_stands_on_parallel_tests_of_the_instruction_clock_and_nowhere_else() -> None:
    marks = {row.test: row.mark for row in summarise(RUN)}
    assert {test for test, mark in marks.items() if mark} == {test for test in TESTS if test.endswith("_parallel")}
    assert not any(row.mark for row in summarise(make_run(tick=TIME)))
    assert not any(row.mark for row in summarise(make_run(Topology((1,)))))


def test_the_page_loads_nothing_from_anywhere() -> None:
    text = page(RUN)
    markup = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert re.search("<nav [^>]*><a href=", markup)
    assert not re.findall(r"(?:src|href)\s*=\s*(?!\"#)", markup)
    assert "@import" not in markup and not re.search(r"url\((?!#)", markup)
    assert text.count("<script") == text.count("</script>") == 1


def test_the_page_escapes_what_the_firmware_calls_itself() -> None:
    text = page(make_run(build=Build("<script>alert(1)</script>", None)))
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


def test_the_page_has_the_figures_of_the_tables_and_a_chart_of_each_test() -> None:
    text = page(RUN)
    drawn = re.findall(r'<div class="chart" id="([^"]*)-\d+"', text)
    assert set(drawn) == set(TESTS)
    for line in summarise(RUN):
        assert re.search(rf"<td[^>]*>{line.median:,g}", text)


def test_a_partial_run_says_so_in_every_form() -> None:
    shown = io.StringIO()
    print_run(Console(file=shown, width=200), PARTIAL)
    for text in (page(PARTIAL), document(PARTIAL), shown.getvalue()):
        assert "partial" in text
        assert "line 12" in text


def on_terminal(width: int) -> tuple[Console, io.StringIO]:
    shown = io.StringIO()
    return Console(file=shown, width=width, force_terminal=True, color_system=None), shown


def test_no_word_is_broken_on_a_narrow_terminal() -> None:
    console, shown = on_terminal(80)
    print_run(console, RUN)
    lines = shown.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert tables_of(RUN)[0].table.warning in " ".join(" ".join(lines).split())


def test_a_run_without_traces_has_tables_and_no_charts() -> None:
    run = changed(RUN, traces=())
    assert charts(run, "susp_deep_serial") == []
    assert "Powerdown" in page(run)


@pytest.mark.parametrize("test", TESTS)
def test_the_bars_of_a_chart_sum_to_a_sample_of_the_span(test: str) -> None:
    found = stacks(RUN, test)
    assert {stack.core for stack in found} == set(JUNO.cores)
    for stack in found:
        values = [s.value_ticks for s in RUN.samples if (s.test, s.core, s.metric) == (test, stack.core, stack.metric)]
        assert sum(ticks for _, ticks in stack.parts) == sorted(values)[(len(values) - 1) // 2]


def test_the_timeline_shows_every_core_without_a_gap() -> None:
    _, found = lanes(RUN, "susp_deep_parallel")
    assert [lane.core for lane in found] == list(JUNO.cores)
    for lane in found:
        assert all(a.end_ticks == b.start_ticks for a, b in zip(lane.segments, lane.segments[1:], strict=False))
        assert lane.asleep is not None


def test_every_part_has_a_colour_of_its_own() -> None:
    assert len(set(COLOURS.values())) == len(COLOURS)
    names = [name for name, _ in legend(RUN, TESTS)]
    assert {DISPATCH, COORDINATION} <= set(names)
    assert all(colour(name) == COLOURS[str(name)] for name in names)


def test_a_run_on_sixteen_cores_has_a_page_that_a_phone_likes() -> None:
    assert len(html.document(web.page(make_run(Topology((4, 4, 4, 4)), count=1))).encode()) < 300_000


def test_a_page_begins_with_the_longest_of_each_span_that_can_be_believed() -> None:
    lead = web.page(make_run()).answer
    assert isinstance(lead, str)
    rows = {r.metric: r for r in sorted(summarise(RUN), key=lambda r: (r.maximum, r.median)) if r.mark is None}
    down = rows[Metric.POWERDOWN]
    assert lead.startswith(f"The longest powerdown takes {down.maximum:,g} instructions")
    assert f"(core {down.core} in {down.test}, n = 3, median {down.median:,g})" in lead
    assert "the longest wakeup" in lead and "parallel" not in lead
    assert not web.page(replace(RUN, contents=Spans())).answer


def test_the_longest_call_is_no_median() -> None:
    """One call of twenty that takes longest is the longest, whatever the others take."""
    core = CoreId(0, 0)
    samples = [Sample("usual", Metric.CALL, core, 0, n, 2_471) for n in range(20)]
    samples += [Sample("rare", Metric.CALL, core, 0, n, 106_134 if n == 7 else 900) for n in range(20)]
    said = answer(run_with(contents=Spans(tuple(samples)), topology=Topology((1,)), tick=Tick(Clock.INSTRUCTIONS, 1.0)))
    assert said == "The longest call takes 106,134 instructions (core 0.0 in rare, n = 20, median 900)."


def test_an_answer_that_leaves_out_a_longer_span_of_a_marked_test_says_so() -> None:
    run = make_run()
    serial, parallel = "susp_deep_serial", "susp_deep_parallel"
    samples = [replace(one, test=test, value_ticks=value) for one in run.samples[:1] for test, value in ((serial, 10), (parallel, 90))]
    turns = changed(run, samples=samples, traces=(), topology=Topology((2, 4)))
    assert answer(turns).endswith("Tests marked (cores took turns) are left out.")
    shorter = changed(turns, samples=(samples[0], replace(samples[1], value_ticks=5)))
    assert "left out" not in answer(shorter)


def test_calls_of_one_figure_are_one_table_with_the_boot_behind_them() -> None:
    """As of a firmware of RISC-V: a call on several cores, and a boot that is longer than all."""
    core, other = CoreId(0, 0), CoreId(0, 1)
    figures = [("time.set_timer", core, 300), ("ipi.send_ipi", core, 900), ("ipi.send_ipi", other, 950), ("hsm.hart_stop", core, 700)]
    samples = [Sample(test, Metric.CALL, on, 0, 0, value) for test, on, value in figures]
    samples += [Sample("all", Metric.BOOT, core, 0, 0, 21_000_000)]
    together = single_figures(run_with(contents=Spans(tuple(samples)), topology=Topology((2,)), tick=Tick(Clock.INSTRUCTIONS, 1.0)))
    assert together is not None
    assert [row[0] for row in together.table.rows] == ["ipi.send_ipi", "ipi.send_ipi", "hsm.hart_stop", "time.set_timer", "all"]


@pytest.mark.parametrize(("calls", "sentence"), [(0, ""), (1, "1 of these 20 wakeups"), (2, "2 of these 20 wakeups")])
def test_the_answer_has_what_the_firmwares_trace_buffer_takes_of_the_longest_span(calls: int, sentence: str) -> None:
    core, test = CoreId(0, 0), "cpu_susp_serial"
    samples = tuple(Sample(test, Metric.WAKEUP, core, 0, n, 6234 if n < calls else 179) for n in range(20))
    frames = (Frame(0, "psci_warm_boot", 20, 3580), *((Frame(1, "trace_end_part", calls, 6054 * calls),) if calls else ()))
    spans = Spans(samples, functions=(SpanFunctions(test, Metric.WAKEUP, core, 20, (), frames=frames),))
    told = answer(run_with(contents=spans, topology=Topology((1,)), tick=Tick(Clock.INSTRUCTIONS, 1.0)))
    buffer = f"In {sentence} the firmware maintains its trace buffer, which takes 6,054 instructions (trace_end_part)."
    assert (buffer in told) if calls else ("trace buffer" not in told)
