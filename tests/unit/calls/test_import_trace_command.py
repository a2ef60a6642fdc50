# SPDX-License-Identifier: BSD-3-Clause
"""`latlab import-trace` and `latlab identify` on a trace, as a user calls them."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Latlab
from latlab.calls.campaign.traces import TraceRequest, read_trace
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
    for key, unit in (("run", "instructions"), ("run_by_clock", "ticks")):
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


def test_what_is_no_trace_leaves_no_run(latlab: Latlab, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello\n" * 1000)
    assert latlab("import-trace", tmp_path / "text").returncode == 3
    assert latlab("import-trace", tmp_path / "nowhere").returncode == 2
    assert json.loads(latlab("ls", "--format", "json").stdout or "[]") == []


def test_a_folder_with_other_files_is_refused_with_the_next_step(latlab: Latlab, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert latlab("import-trace", folder).stderr.count("has no files; name a trace, a folder of traces or a snapshot folder") == 1
    (folder / "uart.log").write_text("NOTICE:  Booting\n")
    (folder / ".hidden").write_text("")
    done = latlab("import-trace", folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "folder has no trace among its 1 files, such as uart.log; name a trace" in done.stderr
    assert "is a folder without snapshot.ini; name its files" in latlab("identify", folder).stderr
    (folder / "core.gz").write_bytes(gzip.compress(make_trace(3, Dialect.ES, cores=1).text.encode()))
    done = latlab("import-trace", folder)
    assert done.returncode == 2
    assert "also has files that are no trace, such as uart.log; name the traces alone, such as" in done.stderr
    (folder / "uart.log").unlink()
    assert latlab("import-trace", folder).returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_trace_that_is_interrupted_is_a_partial_run_of_what_was_read(number: signal.Signals, latlab: Latlab, tmp_path: Path) -> None:
    found(traces.find_reader)
    os.mkfifo(tmp_path / "trace")
    environment = {**os.environ, "LATLAB_STORE": str(tmp_path / "store.sqlite"), "NO_COLOR": "1"}
    command = (sys.executable, "-m", "latlab", "import-trace", str(tmp_path / "trace"))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    with process, (tmp_path / "trace").open("w") as writer:
        writer.write(make_trace(3, Dialect.GEM5, cores=1, calls=2000).text)
        writer.flush()
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "interrupted; what was read so far is kept as the partial run trace-" in errors and "ended with" not in errors
    runs = json.loads(latlab("ls", "--format", "json").stdout)
    assert {run["status"] for run in runs} == {"partial"} and runs[0]["samples"] > 0


def test_an_interrupt_before_the_first_instruction_keeps_nothing(latlab: Latlab, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "trace")
    environment = {**os.environ, "LATLAB_STORE": str(tmp_path / "store.sqlite")}
    command = (sys.executable, "-m", "latlab", "import-trace", str(tmp_path / "trace"))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    with process, (tmp_path / "trace").open("w"):
        process.terminate()
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, "interrupted before the first instruction of the trace; nothing is kept" in errors) == (130, True), errors
    assert json.loads(latlab("ls", "--format", "json").stdout or "[]") == []


def test_the_page_of_a_trace_without_calls_speaks_of_no_call(latlab: Latlab, tmp_path: Path) -> None:
    lines = [f"{n} clk IT ({n}) {0x8000 + 4 * n:08x} d503201f O EL3h_s : NOP" for n in range(1, 50)]
    (tmp_path / "trace").write_text("\n".join(lines) + "\n")
    run = json.loads(latlab("import-trace", tmp_path / "trace", "--format", "json").stdout)["run"]
    assert latlab("report", run, "-o", tmp_path / "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text().replace("&nbsp;", " ")
    assert "A trace without calls" in page and "100.0 % of 49 instructions" in page
    assert "longest call" not in page and "Parts of a call" not in page
    assert "All of the trace takes 49 instructions (core 0.0)." in latlab("show", run).stdout


def test_the_page_of_a_trace_with_missing_data_has_its_functions_and_no_figure(latlab: Latlab, tmp_path: Path) -> None:
    lines = [f"{n} clk IT ({n}) {0x8000 + 4 * n:08x} d503201f O EL3h_s : NOP" for n in range(1, 50) if n != 20]
    (tmp_path / "trace").write_text("\n".join(lines) + "\n")
    done = latlab("import-trace", tmp_path / "trace", "--format", "json")
    run = json.loads(done.stdout)
    assert (done.returncode, run["whole"], list(run["traced"])) == (3, {}, ["0.0"])
    assert latlab("report", run["run"], "-o", tmp_path / "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert "what was traced, and data is missing in between" in page and "numbered instructions are missing" in page
    assert "Parts of a call" not in page and "TRACE latencies" not in page
    assert json.loads(latlab("ls", "--format", "json").stdout)[0]["samples"] == 0


def test_the_first_lines_of_a_comparison_name_the_function(latlab: Latlab, tmp_path: Path) -> None:
    runs = []
    for extra in (0, 3):
        (tmp_path / "trace").write_text(make_trace(9, Dialect.FAST_MODELS, cores=1, calls=12, extra=extra).text)
        runs.append(json.loads(latlab("import-trace", tmp_path / "trace", "--format", "json").stdout)["run"])
    compared = latlab("compare", *runs).stdout
    assert "regressed, most in 0x9380 (+" in compared and "instructions a call)" in compared
    assert "other code" not in latlab("explain", *runs).stdout


def test_a_reader_that_was_not_built_is_named_with_what_builds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "search_folders", lambda: (tmp_path,))
    with pytest.raises(UsageError, match=r"latlab-tarmac is in none of .*; build it with `make probe`"):
        traces.find_reader()
    (tmp_path / "probe").mkdir()
    (tmp_path / "probe" / "latlab-tarmac").touch()
    assert traces.find_reader() == tmp_path / "probe" / "latlab-tarmac"


def test_a_reader_whose_library_is_missing_is_named_with_the_package(tmp_path: Path) -> None:
    reader = tmp_path / "latlab-coresight"
    reader.write_text(
        "#!/bin/sh\necho 'latlab-coresight: error while loading shared libraries: libopencsd.so.1: cannot open' >&2\nexit 127\n"
    )
    reader.chmod(0o755)
    with pytest.raises(UsageError, match=r"does not start: libopencsd\.so\.1 is missing; install the package with it \(libopencsd-dev"):
        read_trace(TraceRequest((tmp_path,), reader), lambda state, elapsed: None)


def test_what_a_reader_says_of_another_version_is_refused() -> None:
    with pytest.raises(DataError, match="use the latlab that belongs to it"):
        traces.read_summary("LLTARMAC\t9\n")
