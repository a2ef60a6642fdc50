# SPDX-License-Identifier: BSD-3-Clause
import csv
import gzip
import io
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.cli.app import app
from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.model.conditions import Mode
from latlab.core.model.distributions import distributions_of
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Run
from latlab.core.store import run_json
from latlab.core.store.store import open_store
from latlab.rt.campaign.results import keep, new_run, workload_conditions
from latlab.rt.targets.rt_job import Workload
from support.places import RT_DATA

INFO = b"events=%s clock_hz=62500000 capture_mticks=875\n"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    place = str(tmp_path / "store.sqlite")
    monkeypatch.setenv("LATLAB_STORE", place)
    return place


def _latlab(*arguments: str) -> None:
    app(arguments, standalone_mode=False)


def _files() -> dict[str, bytes]:
    from latlab.core.readers.event_table import event_table

    return {
        "recorder.rec": gzip.decompress((RT_DATA / "recorder.rec.gz").read_bytes()),
        "el3-records.txt": (RT_DATA / "el3-records.txt").read_bytes(),
        "el3-info.txt": INFO % event_table().hash.encode(),
        "ftrace.txt": (RT_DATA / "ftrace.txt").read_bytes(),
    }


def _run(mode: Mode, campaign: str = "rt", **conditions: object) -> Run:
    measured = replace(workload_conditions(Workload(8), mode), **conditions)  # type: ignore[arg-type]
    return new_run(campaign, "guest", "QEMU virt", 1, measured)


def test_an_imported_histogram_is_a_run_that_is_shown_and_reported(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _latlab("import", str(RT_DATA / "cyclictest-h.txt"), "--duration", "1s", "--interval", "1000")
    assert "Maximum (µs)" in capsys.readouterr().out
    _latlab("show", "last", "--format", "json")
    run = run_json.parse(capsys.readouterr().out, "shown")
    assert [(one.got, one.maximum_ticks) for one in distributions_of(run)] == [(1000, 28_000), (996, 497_000)]
    page = tmp_path / "page.html"
    _latlab("report", "last", "-o", str(page))
    text = page.read_text()
    assert "Histogram by cyclictest" in text and "http://" not in text.partition("<script>")[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--duration", "ten"),
        ("--duration", "0s"),
        ("--load", "nothing"),
        ("--interval", "5"),
        ("--target", "ssh"),
        ("--host", "a"),
        ("--priority", "99"),
    ],
)
def test_wrong_options_are_refused_before_anything_starts(store: str, arguments: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        _latlab("run", "rt", *arguments)


def test_an_imported_file_with_its_schedule_says_what_was_missed(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    _latlab("import", str(RT_DATA / "cyclictest-h.txt"), "--duration", "1s", "--interval", "200")
    capsys.readouterr()
    _latlab("show", "last", "--format", "json")
    run = run_json.parse(capsys.readouterr().out, "shown")
    assert [(one.expected, one.missed) for one in distributions_of(run)] == [(5000, 4000), (5000, 4004)]


def test_the_json_of_a_shown_run_is_the_exported_one(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    run_id = keep(open_store(), _run(Mode.DETERMINISTIC), _files(), ())
    _latlab("show", run_id, "--format", "json")
    shown = capsys.readouterr().out
    _latlab("export", run_id)
    assert shown == capsys.readouterr().out


def test_the_csv_of_a_shown_run_has_every_table_and_none_of_what_is_not_published(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    run_id = keep(open_store(), _run(Mode.DETERMINISTIC), _files(), ())
    _latlab("show", run_id, "--format", "csv")
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert ["Latencies", "CPU 0"] in rows and ["Call", "CPU", "n", "Maximum (µs)", "Total (µs)"] in rows
    assert any(row[0] == "TRNG_RND" for row in rows)
    emulated = keep(open_store(), _run(Mode.MULTI_THREAD), _files(), ())
    with pytest.raises(UsageError, match="not published"):
        _latlab("show", emulated, "--format", "csv")


def test_truncated_input_is_refused_with_its_name(store: str, tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_text('{"thread": {"0": ')
    with pytest.raises(DataError, match=r"cut\.json:1"):
        _latlab("import", str(tmp_path / "cut.json"))


def test_what_is_wrong_with_an_imported_file_names_that_file_also_in_its_explanation(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "board7.txt"
    log.write_text((RT_DATA / "cyclictest-h.txt").read_text().partition("# Total")[0])
    with pytest.raises(DataError, match=r"board7\.txt"):
        _latlab("import", str(log))
    capsys.readouterr()
    _latlab("explain", "last")
    said = capsys.readouterr().out
    assert "board7.txt: the histogram has no totals, so it was cut off; overflows and maxima are unknown" in said


def test_a_whole_run_is_complete_and_says_who_stole_the_time(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    opened = open_store()
    run_id = keep(opened, _run(Mode.DETERMINISTIC), _files(), ())
    assert opened.load(run_id).status is RunStatus.COMPLETE
    _latlab("show", run_id)
    assert "TRNG_RND, called by kernel-stack randomisation in a system call" in capsys.readouterr().out


def test_what_was_measured_is_kept_when_the_target_goes_down(store: str) -> None:
    opened = open_store()
    whole = _files()
    cut = whole | {"recorder.rec": whole["recorder.rec"][: len(whole["recorder.rec"]) - 40]}
    run_id = keep(opened, _run(Mode.REAL), cut, ("board: the connection broke",))
    run = opened.load(run_id)
    assert run.status is RunStatus.PARTIAL
    messages = [problem.message for problem in run.problems]
    assert messages[0] == "board: the connection broke" and any("cut off" in message for message in messages)
    assert opened.logs(run_id)["recorder.rec"] == cut["recorder.rec"]


def test_a_run_in_which_nothing_came_back_is_kept_with_its_logs(store: str) -> None:
    opened = open_store()
    run_id = keep(opened, _run(Mode.REAL), {"console": b"boot..."}, ("the guest went down",))
    assert opened.logs(run_id)["console"] == b"boot..." and opened.load(run_id).status is RunStatus.PARTIAL
    with pytest.raises(DataError, match="no file of a recorder"):
        _latlab("show", run_id)


def test_a_firmware_with_another_event_table_attributes_nothing(store: str) -> None:
    opened = open_store()
    run_id = keep(opened, _run(Mode.DETERMINISTIC), _files() | {"el3-info.txt": INFO % (b"0" * 16)}, ())
    assert any("outliers are not attributed" in problem.message for problem in opened.load(run_id).problems)


def test_a_kernel_warning_makes_a_run_partial(store: str) -> None:
    opened = open_store()
    log = b"[    1.0] fine\n[    2.0] WARNING: CPU: 0 PID: 1 at kernel/x.c:1\n"
    run_id = keep(opened, _run(Mode.DETERMINISTIC), _files() | {"kernel.log": log}, ())
    assert any("kernel warned" in problem.message for problem in opened.load(run_id).problems)


def test_latencies_of_multi_threaded_emulation_are_not_published(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    run_id = keep(open_store(), _run(Mode.MULTI_THREAD), _files(), ())
    _latlab("show", run_id)
    assert "latencies of milliseconds are its own" in capsys.readouterr().out
    for arguments in (
        ("report", run_id, "--format", "rst"),
        ("report", run_id, "-o", "/tmp/never.html"),
        ("show", run_id, "--format", "rst"),
    ):
        with pytest.raises(LatlabError, match="not published"):
            _latlab(*arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--secure-world", "tz"), "--secure-world tz: 'tz' is unknown"),
        (("--secure-world", "optee", "--firmware", "build"), "leave out --firmware"),
        (("--secure-world", "optee", "--hold", "5"), "--hold is for our own firmware"),
        (("--worlds", "--mode", "multi-thread"), "--worlds reads the clock off"),
        (("--no-hwrng", "--rng-node", "optee"), "--no-hwrng loads no driver"),
    ],
)
def test_what_cannot_stand_below_the_guest_is_refused_before_anything_is_built(
    store: str, arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("latlab.core.targets.qemu.qemu.find_qemu", lambda *chosen: None)
    with pytest.raises(UsageError, match=said):
        _latlab("run", "rt", *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("rt-power", "--cycles", "0"),
        ("rt-power", "--affinity", "4"),
        ("rt-power", "--affinity", "0-3"),
        ("rt-power", "--timeout", "0"),
        ("rt-power", "--load", "nothing"),
        ("rt-power", "--host", "board"),
        ("rt", "--timeout", "-1"),
        ("rt", "--cores", "2"),
    ],
)
def test_an_option_that_the_guest_refuses_costs_no_image_of_it(
    store: str, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    monkeypatch.setattr("latlab.rt.verbs.run_rt.guest_image", made.append)
    monkeypatch.setattr("latlab.rt.verbs.run_power.guest_image", made.append)
    monkeypatch.setattr("latlab.core.targets.qemu.qemu.find_qemu", lambda *chosen: None)
    with pytest.raises(UsageError, match=arguments[1] if arguments[1] != "--cores" else "2 vCPUs"):
        _latlab("run", *arguments)
    assert made == []
