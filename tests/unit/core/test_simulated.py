# SPDX-License-Identifier: BSD-3-Clause
"""Figures of virtual time say that they are simulated, wherever they stand."""

from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.gate import report_gate
from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Run, Sample, Tick
from latlab.core.readers.dump import console_log
from latlab.core.readers.dump.frames import crc
from latlab.core.report import run_data as data
from latlab.core.report.comparison.comparison_pages import document as comparison_document
from latlab.core.report.comparison.comparison_pages import screen
from latlab.core.report.comparison.data import comparison_csv, comparison_json
from latlab.core.report.comparison.web import page as comparison_page
from latlab.core.report.exports import benchmark_json, bmf, hlog, junit, kcidb, lava, openmetrics, samples_csv, squad
from latlab.core.report.guides import MODEL, platform_of
from latlab.core.report.renderers import html, markdown, rst
from latlab.core.store import run_json
from latlab.core.store.store import open_store
from latlab.psci.campaign.publishing import publish_tf_a
from latlab.psci.pages import span_pages, web
from latlab.runs.campaign.importing_log import import_log
from support.runs import run_with

BODY = "LLT1:BOOT events=a1ecd35cf07b306d clock_hz=1000000000 capture_mticks=100000 topology=1,1 lead=0.0 iterations=1 el=1 gic=3 firmware="


def _run(name: str, factor: int = 1) -> Run:
    cores = (CoreId(0, 0), CoreId(1, 0))
    spans = ((Metric.POWERDOWN, 100_000), (Metric.WAKEUP, 30_000), (Metric.CACHE_FLUSH, 5_000))
    samples = [Sample("susp_deep_serial", m, core, 0, i, value * factor) for core in cores for i in range(2) for m, value in spans]
    return run_with(id=name, platform="juno", target="virtual:juno", tick=Tick(Clock.VIRTUAL, 1.0), lead=cores[0], samples=samples)


RENDERED = {
    "page": lambda run: html.document(web.page(run)),
    "guide in md": lambda run: markdown.document(span_pages.document(run)),
    "tables alone": lambda run: rst.document(span_pages.results(run)),
    "csv": data.run_csv,
    "head": lambda run: "".join(data.runs_json([run], {})),
    "json": run_json.render,
    "samples": samples_csv.render,
    "junit": junit.render,
    "squad": squad.render,
    "bmf": bmf.render,
    "lava": lava.render,
    "openmetrics": openmetrics.render,
    "kcidb": kcidb.render,
    "benchmark": benchmark_json.render,
    "hlog": hlog.render,
}


@pytest.mark.parametrize("form", RENDERED)
def test_every_form_of_a_run_says_it_and_none_of_a_boards_does(form: str) -> None:
    assert "simulated" in RENDERED[form](_run("v"))
    assert '"simulated"' in (text := RENDERED[form](replace(_run("b"), tick=Tick(Clock.TIME, 1.0)))) or "simulated" not in text


def test_every_table_says_it_in_its_heading() -> None:
    text = rst.document(span_pages.results(_run("v")))
    assert text.count("simulated µs") == text.count(".. table::") > 0


def test_a_comparison_says_it_in_its_title_its_tables_and_the_gates_line() -> None:
    comparison = compare(_run("a"), _run("b", 2))
    decision = report_gate(comparison, frozenset({"regressed"}))
    assert decision.exit_code == 1 and "simulated" in decision.lines[0]
    for page in (screen(comparison), comparison_document(comparison)):
        assert "simulated" in str(page.title)
    web_page = comparison_page(comparison)
    assert "simulated" in web_page.name and "simulated" in str(web_page.lead[0])
    for text in (comparison_json(comparison), comparison_csv(comparison), junit.comparison_junit(comparison, decision)):
        assert "simulated" in text


def test_facts_of_the_board_are_said_to_be_of_what_the_model_stands_for() -> None:
    (simulated,), (measured,) = (tuple(platform_of(run)) for run in (_run("v"), replace(_run("b"), tick=Tick(Clock.TIME, 1.0))))
    assert MODEL in str(simulated.blocks) and MODEL not in str(measured.blocks)


def _log(firmware: str) -> bytes:
    body = BODY + firmware
    figures = "".join(f"<RT_INSTR:susp_deep_serial\t{cluster}\t0\t100\t30\t5/>\n" for cluster in (0, 1))
    return f"<{body} *{crc(body)}>\n{figures}".encode()


def test_a_log_of_the_simulation_is_simulated_wherever_it_is_read(tmp_path: Path) -> None:
    simulated, measured = _log("latlab-psci-0.1.0;virtual_time;gcc-12.2.0"), _log("latlab-psci-0.1.0;juno;gcc-12.2.0")
    assert console_log.parse(simulated, "log").is_simulated and not console_log.parse(measured, "log").is_simulated
    store = open_store(str(tmp_path / "store.sqlite"))
    recorded = import_log(store, simulated, "console.log", platform="juno")
    assert store.load(recorded.run_id).is_simulated
    with pytest.raises(UsageError, match="simulated in virtual time"):
        import_log(store, simulated, "console.log", clock=Clock.TIME)
    (log := tmp_path / "console.log").write_bytes(simulated)
    with pytest.raises(DataError, match="publish what the board itself measured"):
        publish_tf_a([log], tmp_path)
