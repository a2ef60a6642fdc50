# SPDX-License-Identifier: BSD-3-Clause
"""`show --span` and the Chrome trace of calls: the chosen span, and a sentence for one that is not there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import CalledAt, CoreId, Problem, SpanTimeline
from latlab.core.store.function_files import FUNCTIONS_LOG, KINDS_LOG, TIMELINES_LOG, render_functions
from latlab.core.store.store import open_store
from support.command import latlab
from support.function_runs import KINDS, TREE, run_of

LINES = tuple(
    SpanTimeline(
        "cpu_off_serial",
        Metric.POWERDOWN,
        CoreId(0, core),
        1,
        length,
        (CalledAt(0, "entry", 0, length, 4), CalledAt(1, "leaf", 3, length - 4, length - 4)),
    )
    for core, length in ((0, 10), (1, 14))
)


@pytest.fixture
def store(tmp_path: Path) -> tuple[Path, str]:
    path = tmp_path / "store.db"
    opened = open_store(str(path))
    run = run_of(TREE)
    run_id = opened.begin(run)
    opened.add(run_id, run.samples, logs={FUNCTIONS_LOG: render_functions(run.functions), TIMELINES_LOG: render_functions(LINES)})
    opened.finish(run_id, RunStatus.COMPLETE)
    return path, run_id


def test_the_calls_of_the_slowest_core_are_indented_below_their_callers(store: tuple[Path, str]) -> None:
    done = latlab("show", "last", "--span", "cpu_off_serial/powerdown", store=store[0])
    assert done.returncode == 0, done.stderr
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert f"cpu_off_serial/powerdown/core-0.1 of {store[1]}: 14 instructions, iteration 1" in lines[0]
    assert any(line.split() == ["0", "14", "4", "entry"] for line in lines)
    assert any(line.endswith("  leaf") and line.split() == ["3", "10", "10", "leaf"] for line in lines)


def test_a_core_that_is_named_is_the_one_that_is_shown_in_json_too(store: tuple[Path, str]) -> None:
    done = latlab("show", "last", "--span", "cpu_off_serial/powerdown/0.0", "--format", "json", store=store[0])
    found = json.loads(done.stdout)
    assert (found["core"], found["length"], found["unit"], found["calls"][1]["start"]) == ("0.0", 10, "insns", 3)


@pytest.mark.parametrize("span", ["cpu_off_serial", "nothing/powerdown", "cpu_off_serial/powerdown/0.7", "cpu_off_serial/powerdown/0.0/x"])
def test_a_span_that_is_not_there_is_refused_with_those_that_are(store: tuple[Path, str], span: str) -> None:
    done = latlab("show", "last", "--span", span, store=store[0])
    assert done.returncode == 2
    assert "cpu_off_serial/powerdown" in done.stderr and "TEST/METRIC" in done.stderr


def test_a_span_contradicts_a_test_and_a_log(store: tuple[Path, str]) -> None:
    assert latlab("show", "last", "--span", "a/powerdown", "--log", "probe", store=store[0]).returncode == 2
    assert latlab("show", "last", "--span", "cpu_off_serial/powerdown", "--format", "csv", store=store[0]).returncode == 2


def test_the_chrome_trace_has_a_slice_for_each_call(store: tuple[Path, str]) -> None:
    done = latlab("export", "last", "--format", "chrome", store=store[0])
    trace = json.loads(done.stdout)
    slices = [(one["tid"], one["name"], one["ts"], one["dur"]) for one in trace["traceEvents"] if one["ph"] == "X"]
    assert slices == [(0, "entry", 0, 10), (0, "leaf", 3, 6), (1, "entry", 0, 14), (1, "leaf", 3, 10)]
    assert trace["otherData"]["unit"] == "one displayed microsecond is one instruction"
    assert latlab("export", "last", "--format", "chrome", "--test", "no", store=store[0]).returncode == 2


def test_a_damaged_list_of_calls_is_one_sentence(tmp_path: Path) -> None:
    opened = open_store(str(tmp_path / "store.db"))
    run_id = opened.begin(run_of(TREE))
    opened.add(run_id, logs={TIMELINES_LOG: b"[{"})
    opened.finish(run_id, RunStatus.COMPLETE)
    done = latlab("show", "last", "--span", "a/powerdown", store=tmp_path / "store.db")
    assert done.returncode == 3
    assert f"{run_id}: its log calls is damaged" in done.stderr


def test_the_report_of_a_watch_is_its_own_page(tmp_path: Path) -> None:
    opened = open_store(str(tmp_path / "store.db"))
    run_id = opened.begin(run_of(TREE))
    opened.add(run_id, logs={KINDS_LOG: render_functions(KINDS)})
    opened.finish(run_id, RunStatus.COMPLETE)
    page = tmp_path / "page.html"
    assert latlab("report", "last", "-o", page, store=tmp_path / "store.db").returncode == 0
    assert "Calls into the firmware" in page.read_text()


def test_a_watch_that_saw_nothing_has_no_page_but_the_reason(tmp_path: Path) -> None:
    opened = open_store(str(tmp_path / "store.db"))
    run_id = opened.begin(replace(run_of(TREE), conditions=Conditions(instrument="crossings")))
    opened.add(run_id, problems=[Problem(0, "QEMU did not start the machine")])
    opened.finish(run_id, RunStatus.PARTIAL)
    page = tmp_path / "page.html"
    done = latlab("report", "last", "-o", page, store=tmp_path / "store.db")
    assert done.returncode == 3 and not page.exists()
    assert f"{run_id} saw nothing that a page could show: QEMU did not start the machine" in done.stderr
