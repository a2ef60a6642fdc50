# SPDX-License-Identifier: BSD-3-Clause
"""`latlab import-trace` and `latlab identify` on a trace, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Latlab
from latlab.calls.targets import traces
from latlab.core.errors import DataError, UsageError
from support.needs import found
from support.tarmac_traces import Dialect, make_trace


@pytest.fixture(autouse=True)
def fixture_reader(request: pytest.FixtureRequest) -> None:
    """The one that was built for this machine."""
    if "latlab" in request.fixturenames:
        found(traces.find_reader)


def test_a_trace_is_imported_and_its_runs_are_compared_by_their_clock(latlab: Latlab, tmp_path: Path) -> None:
    runs = []
    for extra in (0, 3):
        (tmp_path / f"{extra}.tarmac").write_text(make_trace(9, Dialect.GEM5, cores=1, calls=12, extra=extra).text)
        done = latlab("import-trace", tmp_path / f"{extra}.tarmac", "--format", "json")
        assert done.returncode == 0, done.stderr
        runs.append(json.loads(done.stdout))
    assert [run["source"] for run in runs] == ["Tarmac of gem5"] * 2
    for key, unit in (("run", "instructions"), ("run_by_clock", "cycles")):
        compared = latlab("compare", runs[0][key], runs[1][key])
        assert compared.returncode == 1, compared.stdout + compared.stderr
        assert "SiP fast call 0xc2000103" in compared.stdout and unit in compared.stdout
    mixed = latlab("compare", runs[0]["run"], runs[1]["run_by_clock"])
    assert mixed.returncode == 3 and "the clock differs, instructions in" in mixed.stderr


def test_a_folder_has_a_trace_for_each_core(latlab: Latlab, tmp_path: Path) -> None:
    trace = make_trace(3, Dialect.ES, cores=2)
    (tmp_path / "cores").mkdir()
    for core in range(2):
        (tmp_path / "cores" / str(core)).write_text(trace.of_core(core))
    done = latlab("import-trace", tmp_path / "cores", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert sum(call["count"] for call in json.loads(done.stdout)["calls"]) == len(trace.calls)


def test_missing_data_are_a_table_and_the_run_is_partial(latlab: Latlab, tmp_path: Path) -> None:
    lines = make_trace(3, Dialect.GEM5, cores=1).text.splitlines()
    (tmp_path / "trace").write_text("\n".join(lines[:10] + lines[12:]) + "\n")
    done = latlab("import-trace", tmp_path / "trace")
    assert done.returncode == 3
    assert "Missing data" in done.stdout and "numbered instructions are missing" in done.stdout
    assert "is partial: missing data behind" in done.stderr


def test_identify_prints_what_a_trace_has_and_keeps_nothing(latlab: Latlab, tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(make_trace(3, Dialect.FAST_MODELS).text)
    done = latlab("identify", tmp_path / "trace")
    assert done.returncode == 0, done.stderr
    assert "Tarmac of Fast Models" in done.stdout and "EL3" in done.stdout and "SiP fast call" in done.stdout
    assert latlab("ls").stdout.strip() == "" or "trace-" not in latlab("ls").stdout
    assert latlab("identify", tmp_path / "trace", "--machine", "virt").returncode == 2


def test_a_watched_trace_is_printed_and_not_kept(latlab: Latlab, tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(make_trace(3, Dialect.GEM5).text)
    done = latlab("watch", "--trace", tmp_path / "trace", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run"] == ""
    assert latlab("watch", "--trace", tmp_path / "trace", "--", "qemu-system-aarch64").returncode == 2


@pytest.mark.parametrize(
    ("text", "code", "words"), [(None, 2, "no such file"), ("", 3, "has no instruction in 0 lines"), ("hello\n", 3, "unknown form")]
)
def test_what_is_no_trace_is_one_sentence(text: str | None, code: int, words: str, latlab: Latlab, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "trace").write_text(text)
    done = latlab("import-trace", tmp_path / "trace")
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr


def test_a_reader_that_was_not_built_is_named_with_what_builds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "search_folders", lambda: (tmp_path,))
    with pytest.raises(UsageError, match=r"latlab-tarmac is in none of .*; build it with `make probe`"):
        traces.find_reader()
    (tmp_path / "probe").mkdir()
    (tmp_path / "probe" / "latlab-tarmac").touch()
    assert traces.find_reader() == tmp_path / "probe" / "latlab-tarmac"


def test_what_a_reader_says_of_another_version_is_refused() -> None:
    with pytest.raises(DataError, match="use the latlab that belongs to it"):
        traces.read_summary("LLTARMAC\t9\n")
