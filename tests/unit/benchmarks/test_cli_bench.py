# SPDX-License-Identifier: BSD-3-Clause
"""Files of other tools through the command line: kept, shown, compared, exported."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from latlab.core.cli.app import app
from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.model.amounts import amounts_of
from latlab.core.model.distributions import distributions_of
from latlab.core.model.enums import Metric
from latlab.core.store import references, run_json
from support.places import TOOLS_DATA
from support.refusals import refused


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    place = str(tmp_path / "store.sqlite")
    monkeypatch.setenv("LATLAB_STORE", place)
    return place


def _latlab(*arguments: str) -> int:
    return int(app(arguments, standalone_mode=False) or 0)


def _file(name: str) -> str:
    return str(TOOLS_DATA / name)


def test_a_benchmark_is_kept_shown_and_written_as_json(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    _latlab("import", _file("osnoise_top.txt"), "--platform", "board")
    shown = capsys.readouterr()
    assert "to the thread, %" in shown.out and "19.65166" in shown.out and "complete" in shown.err
    _latlab("show", "last", "--format", "json")
    run = run_json.parse(capsys.readouterr().out, "shown")
    assert run.kind == "amounts" and run.platform == "board" and amounts_of(run)[0].values == (19.65166,)
    assert run_json.parse(run_json.render(run), "again") == run
    _latlab("ls")
    assert "bench-" in capsys.readouterr().out


@pytest.mark.parametrize("format", ["table", "csv", "rst"])
def test_a_benchmark_is_shown_in_every_form(store: str, capsys: pytest.CaptureFixture[str], format: str) -> None:
    _latlab("import", _file("hackbench.txt"), "--format", format)
    text = capsys.readouterr().out
    is_for_programs = format == "csv"
    assert ("2958500" in text, "2,958,500" in text) == (is_for_programs, not is_for_programs)
    assert ("2,872,000 to 3,045,000" in text) == (not is_for_programs)


def test_a_benchmark_has_a_page(store: str, tmp_path: Path) -> None:
    _latlab("import", _file("hackbench.txt"))
    for format in ("html", "rst", "md"):
        _latlab("report", "last", "--format", format, "-o", str(tmp_path / f"page.{format}"))
        assert "threaded mode" in (tmp_path / f"page.{format}").read_text()


def test_two_benchmarks_are_compared_and_gated(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = "Running in process mode with 2 groups using 40 file descriptors each (== 80 tasks)\n"
    for name, times in (("a", (3.0, 3.01, 2.99, 3.02)), ("b", (4.0, 4.01, 3.99, 4.02))):
        (tmp_path / f"{name}.txt").write_text("".join(f"{head}Time: {time:.3f}\n" for time in times))
        _latlab("import", str(tmp_path / f"{name}.txt"))
    capsys.readouterr()
    _latlab("ls", "--format", "csv")
    ids = [row["id"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))]
    assert _latlab("compare", *ids) == 1
    text = capsys.readouterr().out
    assert "regressed" in text and "1 of 1 data point rose" in text
    assert _latlab("gate", *ids) == 1
    assert _latlab("gate", *reversed(ids)) == 0
    with pytest.raises(UsageError, match="twice: the same run"):
        _latlab("gate", ids[0], ids[0])
    capsys.readouterr()
    for format in ("rst", "html", "json", "csv"):
        _latlab("compare", *ids, "--format", format, "-o", str(tmp_path / f"comparison.{format}"))
        assert "process mode" in (tmp_path / f"comparison.{format}").read_text()
    _latlab("explain", *ids)
    assert "regressed: 3005000 µs to 4005000 µs (+33.3 %)" in capsys.readouterr().out


@pytest.mark.parametrize("format", ["json", "csv", "junit", "benchmark", "squad", "kcidb", "bmf", "lava", "openmetrics"])
def test_every_export_takes_a_benchmark(store: str, capsys: pytest.CaptureFixture[str], format: str) -> None:
    _latlab("import", _file("osnoise_top.txt"))
    capsys.readouterr()
    _latlab("export", "last", "--format", format)
    text = capsys.readouterr().out
    assert format == "junit" or "noise" in text
    if format in ("json", "squad", "kcidb", "bmf", "benchmark"):
        json.loads(text)


def test_a_problem_of_a_file_makes_its_run_partial(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = tmp_path / "h.txt"
    damaged.write_bytes((TOOLS_DATA / "hackbench.txt").read_bytes() + b"Time: 1,5\n")
    with pytest.raises(DataError, match=r"is partial: h\.txt:10: 'Time: 1,5' is no time of hackbench"):
        _latlab("import", str(damaged))


def test_what_was_due_is_refused_for_amounts_and_nothing_is_kept_of_an_unreadable_file(store: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leave out --duration and --interval"):
        _latlab("import", _file("hackbench.txt"), "--duration", "1s", "--interval", "1000")
    cut = tmp_path / "cut.txt"
    cut.write_text("hwlatdetect:  test duration 30 seconds\n")
    with pytest.raises(DataError, match="stopped before the end"):
        _latlab("import", str(cut))
    with pytest.raises(LatlabError, match="has no runs"):
        _latlab("show", "last")


def test_stalls_are_a_run_of_rt_with_their_own_name(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    _latlab("import", _file("oslat_z.txt"))
    assert "Stalls of a busy loop by oslat" in capsys.readouterr().out
    _latlab("show", "last", "--format", "json")
    run = run_json.parse(capsys.readouterr().out, "shown")
    assert {one.metric for one in distributions_of(run)} == {Metric.STALL}
    assert _latlab("compare", "last", "last") in (0, 3)
    text = capsys.readouterr().out
    assert "1,717,831 stalls, then 1,717,831 stalls" in text and "task_wakeup" not in text and "wake-ups" not in text


def test_a_file_of_amounts_is_no_reference_yet(tmp_path: Path) -> None:
    path = tmp_path / "hackbench.txt"
    path.write_bytes((TOOLS_DATA / "hackbench.txt").read_bytes())
    with pytest.raises(references.BadReference, match="has benchmark metrics; keep it with `latlab import"):
        references.load(str(path))


def test_a_log_of_the_test_framework_is_a_reference_and_can_be_kept(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "tftf.log"
    log.write_bytes(gzip.decompress((TOOLS_DATA / "tftf-performance.log.gz").read_bytes()))
    run = references.load(str(log))
    assert run.campaign == "smc" and len(run.samples) == 3000
    _latlab("import", str(log), "--platform", "qemu")
    shown = capsys.readouterr()
    assert "PSCI_VERSION-latency" in shown.out and "3000 samples" in shown.err
    assert _latlab("compare", str(log), "last") in (0, 3)


def test_a_log_of_averages_alone_is_refused_with_what_to_do(store: str, tmp_path: Path) -> None:
    log = tmp_path / "tftf.log"
    log.write_text("> Executing 'PSCI_VERSION latency'\nAverage time: 320 ns (ranging from 272 to 12608)\n")
    with pytest.raises(DataError, check=refused(place="tftf.log:2")):
        _latlab("import", str(log))
