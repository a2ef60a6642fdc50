# SPDX-License-Identifier: BSD-3-Clause
import csv
import dis
import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.comparison.by_kind import compare, figures_of
from latlab.core.comparison.gate import report_gate
from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import ProblemKind
from latlab.core.model.run import CoreId, Problem, Spans, Topology
from latlab.core.readers.dump import console_log
from latlab.core.readers.published import rst_tables
from latlab.core.report.comparison import comparison_pages
from latlab.core.report.comparison import data as comparison_data
from latlab.core.report.comparison import web as comparison_web
from latlab.core.report.exports import benchmark_json, bmf, junit, kcidb, lava, openmetrics, samples_csv, squad
from latlab.core.report.exports.registry import EXPORTERS
from latlab.core.report.renderers import html, rst
from latlab.core.store import references, run_json
from latlab.psci.pages import chrome_trace
from support.examples import examples
from support.ladder_model import Truth, call, make_run
from support.runs import changed


@pytest.fixture(scope="module")
def juno():
    return references.load("published:tf-a/juno/v2.9"), references.load("published:tf-a/juno/v2.10")


@pytest.fixture(scope="module")
def release(juno):
    return compare(*juno)


@pytest.mark.parametrize("text", ["[" * 1_000_000, '{"a":' * 1_000_000])
def test_json_that_is_nested_too_deep_is_refused_in_a_sentence(text):
    with pytest.raises(DataError, match=r"^deep.json: JSON nested deeper than any run; export the run again$"):
        run_json.parse(text, "deep.json")


def test_the_cases_of_a_problem_survive_json_and_may_be_missing():
    cases = (Problem(3, "two deltas are wrong", ProblemKind.MISPRINTED_DELTA, ("first", "second")), Problem(9, "cut"))
    run = replace(references.load("published:tf-a/juno/v2.9"), problems=cases)
    written = run_json.render(run)
    assert run_json.parse(written, "run.json").problems == cases
    document = json.loads(written)
    del document["problem_details"]  # another writer may leave it out
    assert run_json.parse(json.dumps(document), "run.json").problems == tuple(replace(case, details=()) for case in cases)
    with pytest.raises(DataError, match="2 problems and details of 1"):
        run_json.parse(json.dumps(document | {"problem_details": [["first"]]}), "run.json")


def test_a_run_survives_json_with_traces_and_problems():
    run = make_run(Truth(), 3, boots=2, iterations=2)
    run = changed(
        run, traces=(call(CoreId(0, 1), 1000, 5),), problems=(Problem(7, "damaged"),), facts=(("a", "b"),), capture_cost_ticks=1.5
    )
    assert run_json.parse(run_json.render(run), "run.json") == run
    refused = replace(run, contents=Spans(run.samples, run.traces, refused=(("fwft.get", "NOT_SUPPORTED"),)))
    assert run_json.parse(run_json.render(refused), "run.json") == refused


@given(
    st.text()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    ).map(json.dumps)
)
@examples(100)
def test_json_of_anything_else_is_refused_with_its_file(text):
    with pytest.raises(DataError, match=r"^other\.json"):
        run_json.parse(text, "other.json")


@given(st.data())
@examples(100)
def test_a_run_with_a_field_replaced_is_read_or_refused_never_crashes(data):
    document = json.loads(run_json.render(make_run(Truth(tests=("cpu_susp_serial",)), 1)))
    key = data.draw(st.sampled_from(sorted(document)))
    document[key] = data.draw(st.none() | st.integers() | st.text() | st.lists(st.lists(st.integers() | st.text(), max_size=7), max_size=3))
    try:
        run_json.parse(json.dumps(document), "run.json")
    except DataError as error:
        assert str(error).startswith("run.json")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"capture_cost_ticks": 1e300}, "at `$.capture_cost_ticks`"),
        ({"capture_cost_ticks": -7}, "at `$.capture_cost_ticks`"),
        ({"tick_unit": "insns"}, "the unit is 'insns' and the clock time, whose unit is ns"),
        ({"topology": [10**12, 4]}, "is not one of 1 to 65536 cores"),
        ({"topology": []}, "is not one of"),
        ({"lead": "9.9"}, "the lead 9.9 is not in topology 2,4"),
        ({"version": True}, "version True"),
        ({"samples": [["t", "powerdown", "0.-1", 0, 0, 5]]}, "'0.-1' is not a core"),
        ({"samples": [["t", "powerdown", "0.1", -1, 0, 5]]}, "at `$.samples[0][3]`"),
        ({"samples": [["t", "powerdown", "0.1", 0, 0, 10**400]]}, "at `$.samples[0][5]`"),
        ({"build": {"firmware": [1, 2]}}, "at `$.build.firmware`"),
    ],
)
def test_a_run_that_contradicts_itself_is_refused_with_what_does(changed, said):
    document = json.loads(run_json.render(make_run(Truth(tests=("cpu_susp_serial",)), 1))) | changed
    with pytest.raises(DataError, match=re.escape(said)):
        run_json.parse(json.dumps(document), "run.json")


def test_a_run_of_a_log_that_names_only_the_second_cluster_survives_json():
    run = console_log.parse(b"<RT_INSTR:test_rt_instr_cpu_susp_serial\t1\t0\t5\t6\t7/>", "board.log")
    assert run.topology == Topology((0, 1))
    assert run_json.parse(run_json.render(run), "run.json") == run


def test_csv_has_a_line_for_each_sample(juno):
    rows = list(csv.DictReader(io.StringIO(samples_csv.render(juno[0]))))
    assert len(rows) == 96
    assert rows[0]["value_ticks"] == "5229" and rows[0]["value"] == "104580" and rows[0]["unit"] == "ns"


def test_figures_do_not_depend_on_the_order_of_the_queue():
    first, second = (figures_of(make_run(Truth(), seed)) for seed in (1, 2))
    shared = {f.path: f.value for f in first if not f.path.endswith(("system", "0", "1"))}
    for figure in second:
        if figure.path in shared:
            assert figure.value == pytest.approx(shared[figure.path], abs=60), figure.path


def test_benchmark_json_holds_steps_instead_of_cores_for_parallel_tests(juno):
    entries = {e["name"]: e for e in json.loads(benchmark_json.render(juno[0]))}
    assert entries["cpu_susp_parallel/powerdown/step"] | {"extra": ""} == {
        "name": "cpu_susp_parallel/powerdown/step", "unit": "µs", "value": pytest.approx(139.07, abs=0.01), "extra": "",
    }  # fmt: skip
    assert "cpu_susp_serial/powerdown/core-0.0" in entries and not any("parallel/powerdown/core" in name for name in entries)


def test_squad_metrics_are_numbers_or_one_number_a_boot():
    metrics = json.loads(squad.render(make_run(Truth(), 1, boots=3)))
    value = metrics["latlab/cpu_susp_serial/wakeup/core-0.0-ns"]
    assert value == [23000.0, 23000.0, 23000.0]


def test_kcidb_results_keep_kcidbs_own_schema(juno):
    schema = pytest.importorskip("kcidb_io").schema.LATEST
    document = json.loads(kcidb.render(juno[0]))
    assert schema.is_valid(document)
    statuses = {test["status"] for test in document["tests"]}
    assert statuses == {"DONE", "PASS"}


@pytest.mark.parametrize(("origin", "build"), [("", ""), ("a b", ""), ("Lab", ""), ("lab", "x"), ("lab", "A:x")])
def test_names_that_kcidbs_schema_refuses_are_refused_here(juno, origin, build):
    schema = pytest.importorskip("kcidb_io").schema.LATEST
    with pytest.raises(UsageError, match="KCIDB"):
        kcidb.render(juno[0], origin, build)
    document = json.loads(kcidb.render(juno[0]))
    for test in document["tests"]:
        test |= {"origin": origin} if not build else {"build_id": build}
    assert not schema.is_valid(document)


def test_junit_counts_what_it_holds(juno, release):
    (suite,) = ET.fromstring(junit.comparison_junit(release, report_gate(release, frozenset({"regressed"})))).findall("testsuite")
    assert suite.get("tests") == str(len(release.rows) + len(release.stops)) == str(len(suite.findall("testcase")))
    assert suite.get("failures") == str(len(suite.findall("testcase/failure"))) == "12"
    (suite,) = ET.fromstring(junit.render(juno[0])).findall("testsuite")
    assert suite.get("failures") == "0"


@given(st.text())
def test_junit_is_xml_whatever_a_log_held(text):
    run = replace(make_run(Truth(tests=("cpu_susp_serial",)), 1), problems=(Problem(1, text),))
    ET.fromstring(junit.render(run))


def test_a_chrome_trace_has_a_thread_for_each_core():
    topology_of_two = [call(CoreId(0, 0), 1000, 5), call(CoreId(0, 1), 1010, 95)]
    run = make_run(Truth(tests=("susp_deep_parallel",)), 1)
    run = changed(run, topology=type(run.topology)((2,)), traces=tuple(topology_of_two))
    events = json.loads(chrome_trace.render(run))["traceEvents"]
    assert {(e["pid"], e["tid"]) for e in events if e["ph"] == "X"} == {(0, 0), (0, 1)}
    total = sum(e["dur"] for e in events if e["ph"] == "X" and e["tid"] == 1)
    assert total == pytest.approx((5050 + 95 + 10) * 20 / 1000)


def test_a_chrome_trace_of_figures_alone_is_refused(juno):
    with pytest.raises(UsageError, match="has no traces"):
        chrome_trace.render(juno[0])


def test_the_gate_fails_on_what_it_is_told_to(release):
    assert report_gate(release, frozenset({"regressed"})).exit_code == 1
    assert report_gate(release, frozenset({"improved"})).exit_code == 0
    assert report_gate(release, frozenset({"unchanged"})).exit_code == 1


def test_comparison_json_says_its_schema_and_has_no_infinities(release):
    document = json.loads(comparison_data.comparison_json(release), parse_constant=pytest.fail)
    assert (document["schema"], document["version"], document["verdict"]) == ("latlab-comparison", 5, "regressed")
    assert len(document["printed_deltas"]) == 7


def test_comparison_csv_has_every_row_and_cell(release):
    rows = list(csv.DictReader(io.StringIO(comparison_data.comparison_csv(release))))
    assert len(rows) == len(release.rows) + sum(len(row.cells) for row in release.rows)


def test_the_rst_of_a_comparison_builds_in_sphinx_without_a_warning(release, tmp_path):
    pytest.importorskip("sphinx")
    (tmp_path / "conf.py").write_text("project = 'report'\n")
    (tmp_path / "index.rst").write_text(rst.document(comparison_pages.document(release)), "utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(tmp_path), str(tmp_path / "out")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


def test_the_rst_of_a_comparison_has_deltas_only_where_something_changed(release):
    reading = rst_tables.parse(rst.document(comparison_pages.document(release)))
    marked = {(t.test, f.metric.value) for t in reading.tables for f in t.figures if f.printed_delta is not None}
    assert {metric for _, metric in marked} == {"wakeup"}
    assert {test for test, _ in marked} == {
        "susp_deep_parallel",
        "susp_deep_serial",
        "cpu_susp_parallel",
        "cpu_susp_serial",
        "cpu_off_serial",
    }


def test_the_tables_of_a_comparison_are_read_back_with_the_same_figures(release, juno):
    reading = rst_tables.parse(rst.document(comparison_pages.document(release)))
    figures = {(t.test, f.metric, f.core): float(f.value) for t in reading.tables for f in t.figures}
    assert figures == {(s.test, s.metric, s.core): pytest.approx(s.value_ticks * 0.02) for s in juno[1].samples}


def test_the_page_of_a_comparison_needs_no_network(release):
    page = html.document(comparison_web.page(release))
    assert "src=" not in page.split("<script>")[0] and "<link" not in page
    assert page.count('class="chart"') == 2 + 2 and "regressed" in page


def figures_by_path(run):
    return {figure.path: figure for figure in figures_of(run)}


def test_benchers_file_has_the_value_of_each_figure_and_the_range_of_its_boots():
    run = make_run(Truth(), 1, boots=3)
    written = json.loads(bmf.render(run))
    figures = figures_by_path(run)
    assert written.keys() == figures.keys()
    for path, figure in figures.items():
        metric = written[path]["latency"]
        assert metric["value"] == pytest.approx(figure.value)
        ends = [metric[key] for key in ("lower_value", "upper_value") if key in metric]
        assert ends == pytest.approx([min(figure.values), max(figure.values)] if len(figure.values) > 1 else [])
    assert any(len(figure.values) > 1 for figure in figures.values())


def test_lavas_script_runs_in_a_shell_and_reports_every_figure_with_its_unit(tmp_path):
    run = make_run(Truth(), 1)
    tool = tmp_path / "lava-test-case"
    tool.write_text('#!/bin/sh\necho "$@"\n')
    tool.chmod(0o755)
    script, path = lava.render(run), {"PATH": str(tmp_path)}
    said = subprocess.run(["/bin/sh", "-e"], input=script, env=path, capture_output=True, text=True, check=True)
    words = [line.split() for line in said.stdout.splitlines()]
    figures = list(figures_of(run))
    assert [line[0] for line in words] == [figure.path.replace("/", "-") for figure in figures]
    assert [float(line[4]) for line in words] == pytest.approx([figure.value for figure in figures], rel=1e-5)
    assert {tuple(line[1:4]) for line in words} == {("--result", "pass", "--measurement")} and {line[6] for line in words} == {"ns"}


def test_openmetrics_declares_its_family_once_and_gives_times_in_seconds():
    run = replace(make_run(Truth(), 1), platform='a "board"')
    lines = openmetrics.render(run).splitlines()
    assert lines[:2] == ["# TYPE latlab_latency_seconds gauge", "# UNIT latlab_latency_seconds seconds"] and lines[-1] == "# EOF"
    samples = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
    assert [float(value) for _, value in samples] == pytest.approx([figure.value * 1e-9 for figure in figures_of(run)])
    assert len({labels for labels, _ in samples}) == len(samples)
    assert all(labels.startswith('latlab_latency_seconds{platform="a \\"board\\"",') for labels, _ in samples)


def used_names(function: Callable[..., Any]) -> set[str]:
    """The local variables that a function reads. Since Python 3.13 one instruction may load two."""
    loads = [one.argval for one in dis.get_instructions(function) if one.opname.startswith("LOAD_FAST")]
    return {name for names in loads for name in ((names,) if isinstance(names, str) else names)}


def test_every_exporter_takes_the_options_that_its_line_names() -> None:
    for name, exporter in EXPORTERS.items():
        code = exporter.render.__code__
        assert set(exporter.options) == {"test", "iteration", "origin", "build_id"} & set(code.co_names), name
        assert ("material" in used_names(exporter.render)) == exporter.reads_material, name
