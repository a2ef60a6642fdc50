# SPDX-License-Identifier: BSD-3-Clause
"""`latlab import` of any file: which tool wrote it, what the user says of it, and what latlab itself exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from latlab.core.lifecycle.material import load_run
from latlab.core.model.amounts import amounts_of
from latlab.core.model.distributions import distributions_of
from latlab.core.model.run import Run
from latlab.core.store import run_json
from latlab.core.store.store import open_store
from support.command import latlab
from support.places import RT_DATA, TESTS, TOOLS_DATA
from support.tool_texts import RUNQLAT

FIELD = TESTS / "data" / "field"
TWO = "three-tools-of-one-test-run.txt"
EXPORTED = {
    "published:tf-a/juno/v2.9": "CPU_SUSPEND latencies",
    str(RT_DATA / "cyclictest-h.txt"): "Wake-up latency by cyclictest",
    str(TOOLS_DATA / "hackbench.txt"): "hackbench",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "s.sqlite"


def _loaded(place: Path, reference: str = "last") -> Run:
    return load_run(open_store(str(place)), reference)


def test_two_tools_in_one_file_ask_for_the_one_that_is_meant(place: Path) -> None:
    both = latlab("import", FIELD / TWO, store=place)
    assert both.returncode == 3 and "hwlatdetect and cyclictest" in both.stderr
    assert "--as hwlatdetect or --as cyclictest" in both.stderr
    one = latlab("import", FIELD / TWO, "--as", "cyclictest", store=place)
    assert one.returncode == 0
    run = _loaded(place)
    assert {each.test for each in distributions_of(run)} == {"cyclictest"}
    other = latlab("import", FIELD / TWO, "--as", "hwlatdetect", store=place)
    assert other.returncode == 0 and {each.test for each in amounts_of(_loaded(place))} == {"hwlatdetect"}


@pytest.mark.parametrize(
    ("first", "second"), [("oslat.txt", "pmqtest.txt"), ("stress_ng.txt", "oslat.txt"), ("perf_sched.txt", "osnoise_hist.txt")]
)
def test_no_tool_hides_another_one(first: str, second: str, place: Path, tmp_path: Path) -> None:
    file = tmp_path / "both.txt"
    file.write_text((TOOLS_DATA / first).read_text("utf-8") + (TOOLS_DATA / second).read_text("utf-8"), "utf-8")
    done = latlab("import", file, store=place)
    assert done.returncode == 3 and "it holds the output of two tools" in done.stderr and done.stderr.count("--as ") == 2


def test_a_console_log_beside_a_tool_is_two_as_well(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "both.log"
    file.write_text((FIELD / "rt-instr-tabs-expanded.log").read_text("utf-8") + (RT_DATA / "cyclictest-q.txt").read_text("utf-8"), "utf-8")
    done = latlab("import", file, store=place)
    assert done.returncode == 3 and "--as console or --as cyclictest" in done.stderr
    assert latlab("import", file, "--as", "cyclictest", store=place).returncode == 0
    assert latlab("import", file, "--as", "console", "--topology", "2,4", store=place).stderr.startswith("run psci-")


@pytest.mark.parametrize(
    ("tool", "code", "said"),
    [
        ("oslat", 3, "is no output of oslat, as it lacks the line `oslat V ...`; it is of cyclictest: leave out --as"),
        ("schbench", 3, "as it lacks the line `Latency percentiles (usec)`"),
        ("nosuch", 2, "--as 'nosuch' is an unknown tool; use console, jitterdebugger, "),
        ("console", 3, "has no dump line and no RT_INSTR figure"),
    ],
)
def test_a_name_that_does_not_fit_says_what_is_missing(tool: str, code: int, said: str, place: Path) -> None:
    done = latlab("import", RT_DATA / "cyclictest-q.txt", "--as", tool, store=place)
    assert done.returncode == code and said in done.stderr


def test_a_form_that_many_tools_print_is_read_when_its_tool_is_named(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "histogram.txt"
    file.write_text(RUNQLAT.partition("\n")[2], encoding="utf-8")
    assert "use --as runqlat if it is of runqlat" in latlab("import", file, store=place).stderr
    assert latlab("import", file, "--as", "runqlat", store=place).returncode == 0
    assert distributions_of(_loaded(place))[0].test == "runqlat"


@pytest.mark.parametrize("source", EXPORTED)
def test_an_export_is_a_run_that_every_verb_reads(source: str, place: Path, tmp_path: Path) -> None:
    reference = source
    if not source.startswith("published:"):
        latlab("import", source, store=place)
        reference = "last"
    file = tmp_path / "x.json"
    assert latlab("export", reference, "--format", "json", "-o", file, store=place).returncode == 0
    shown = latlab("show", file, store=place)
    assert shown.returncode == 0 and EXPORTED[source] in shown.stdout
    assert latlab("report", file, "--format", "md", store=place).returncode == 0
    assert "<html" in latlab("report", file, store=place).stdout
    assert latlab("import", file, store=place).returncode == 0
    found, exported = _loaded(place), run_json.parse(file.read_text("utf-8"), "x")
    assert found.contents == exported.contents and found.conditions == exported.conditions
    assert (found.platform, found.build, found.started_utc) == (exported.platform, exported.build, exported.started_utc)
    assert latlab("compare", file, found.id, store=place).returncode in (0, 3)


def test_an_export_says_everything_itself_and_a_damaged_one_is_refused(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    latlab("export", "published:tf-a/juno/v2.9", "-o", file, store=place)
    done = latlab("import", file, "--platform", "juno", store=place)
    assert (done.returncode, done.stderr) == (2, "latlab: x.json is an export of latlab, which states it; leave out --platform\n")
    whole = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({key: value for key, value in whole.items() if key != "topology"}), "utf-8")
    for verb in ("import", "show", "report"):
        done = latlab(verb, file, store=place)
        assert done.returncode == 3 and "a field is missing or has the wrong type" in done.stderr, verb
    other = tmp_path / "other.json"
    other.write_text('{"a": 1}')
    done = latlab("show", other, store=place)
    assert done.returncode == 2 and f"keep output of another tool with `latlab import {other}`" in done.stderr
