# SPDX-License-Identifier: BSD-3-Clause
"""The command as a user meets it: results on stdout, progress and problems on stderr, a meaningful exit code, never a traceback."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from conftest import Latlab
from latlab.core.cli.interrupt import ACKNOWLEDGED
from latlab.core.errors import LatlabError
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Topology
from latlab.core.store.listing import heads
from latlab.core.store.store import Store, open_store
from latlab.runs.campaign.importing_log import import_log
from support.examples import examples
from support.fakes import fake_images, fake_qemu
from support.synthetic import log

LOG = log()
SMALL = log(Topology((1, 1)), 2, ("susp_deep_parallel", "psci_version_parallel"))
FIGURES = [line for line in LOG if "RT_INSTR" in line]


@pytest.fixture
def console(tmp_path: Path) -> Path:
    path = tmp_path / "console.log"
    path.write_text("\n".join(LOG) + "\n")
    return path


def test_a_log_is_imported_shown_and_listed(latlab: Latlab, console: Path) -> None:
    done = latlab("import", console, "--platform", "board")
    assert done.returncode == 0, done.stderr
    shown = latlab("show", "last", "--test", "cpu_susp_serial")
    assert shown.stdout.count("CPU_SUSPEND") == 1
    assert "µs" in shown.stdout
    assert "board" in latlab("ls").stdout


def test_json_and_csv_are_for_programs(latlab: Latlab, console: Path) -> None:
    done = latlab("import", console, "--format", "json")
    document = json.loads(done.stdout)
    assert document["topology"] == [2, 4]
    assert document["tick_value"] == 16.0
    assert len(document["samples"]) == 192
    rows = latlab("show", "--format", "csv").stdout.splitlines()
    assert rows[0].startswith("test,metric,cluster,core,n,")
    assert len(rows) == 1 + 5 * 3 * 6 + 6
    listed = json.loads(latlab("ls", "--format", "json").stdout)
    assert [run["id"] for run in listed] == [document["id"]]


def test_a_raw_log_comes_back_byte_for_byte(latlab: Latlab, console: Path) -> None:
    latlab("import", console)
    assert latlab("show", "--log", "console").stdout == console.read_text()
    missing = latlab("show", "--log", "secure")
    assert missing.returncode == 2
    assert "it has console" in missing.stderr


def test_a_log_with_figures_only_needs_its_topology(latlab: Latlab, tmp_path: Path) -> None:
    path = tmp_path / "foreign.log"
    path.write_text("NOTICE: booting\r\n" + "\r\n".join(f"[12.3] {line}" for line in FIGURES))
    refused = latlab("import", path)
    assert refused.returncode == 2
    assert "--topology" in refused.stderr
    done = latlab("import", path, "--topology", "2,4", "--format", "json", "--firmware", "other 2.0")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["clock"], document["tick_value"], document["build"]["firmware"]) == ("time", 1.0, "other 2.0")
    assert len(document["samples"]) == 192


def test_a_missing_figure_line_of_a_foreign_log_is_named(latlab: Latlab, tmp_path: Path) -> None:
    path = tmp_path / "foreign.log"
    path.write_text("\n".join(FIGURES[1:]))
    done = latlab("import", path, "--topology", "2,4")
    assert done.returncode == 3
    assert "core 0.0 has 1 lines of susp_deep_parallel, another core 2" in done.stdout + done.stderr


def test_a_damaged_log_ends_with_three_and_keeps_the_rest(latlab: Latlab, tmp_path: Path) -> None:
    path = tmp_path / "console.log"
    number = next(i for i, line in enumerate(LOG, 1) if "LLT1:DATA" in line)
    damaged = [line.replace("data=", "data=Z", 1) if i == number else line for i, line in enumerate(LOG, 1)]
    path.write_text("\n".join(damaged))
    done = latlab("import", path)
    assert done.returncode == 3
    assert f"line {number}: the CRC of a dump line" in done.stdout
    assert "174 valid samples kept" in done.stderr


@pytest.mark.parametrize("rescue", [True, False])
def test_a_damaged_boot_line_is_named_and_ends_with_three(latlab: Latlab, tmp_path: Path, rescue: bool) -> None:
    path = tmp_path / "console.log"
    lines = [LOG[0].replace("BOOT", "BOOS"), *(line for line in LOG[1:] if rescue or "RT_INSTR" not in line)]
    path.write_text("\n".join(lines))
    done = latlab("import", path)
    assert done.returncode == 3
    assert "console.log line 1: the CRC of a dump line" in done.stderr
    assert ("--topology" in done.stderr) is rescue


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "other: empty; the tool was killed before it printed"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "other: the format is not known; "),
        (b"[    0.000000] Booting Linux\n", "other: the format is not known; "),
    ],
)
def test_what_is_no_log_of_a_campaign_ends_with_three(latlab: Latlab, tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    done = latlab("import", path)
    assert done.returncode == 3
    assert said in done.stderr


def test_a_log_of_another_event_table_is_refused(latlab: Latlab, tmp_path: Path) -> None:
    from dataclasses import replace

    from support.console_lines import format_frame
    from support.synthetic import Model

    path = tmp_path / "console.log"
    path.write_text("\n".join([format_frame(replace(Model().header, events="f" * 16)), *LOG[1:]]))
    done = latlab("import", path)
    assert done.returncode == 3
    assert "event table ffffffffffffffff" in done.stderr


def test_a_topology_that_contradicts_the_log_is_refused(latlab: Latlab, console: Path) -> None:
    done = latlab("import", console, "--topology", "4")
    assert done.returncode == 2
    assert "contradicts" in done.stderr


MEMORY = Store(sa.create_engine("sqlite://"), "memory")
MEMORY.prepare()


@examples(400)
@given(st.integers(0, 8 * len("\n".join(SMALL)) - 1))
def test_a_flipped_bit_anywhere_in_a_log_changes_no_figure_unnoticed(bit: int) -> None:
    sound = set(MEMORY.load(import_log(MEMORY, "\n".join(SMALL).encode(), "log").run_id).samples)
    text = bytearray("\n".join(SMALL), "ascii")
    line = text[: bit // 8].count(b"\n") + 1
    text[bit // 8] ^= 1 << bit % 8
    try:
        recorded = import_log(MEMORY, bytes(text), "log", Topology((1, 1)))
    except LatlabError:
        assert line == 1
        return
    kept = set(MEMORY.load(recorded.run_id).samples)
    if recorded.status is RunStatus.COMPLETE:
        assert kept == sound
        return
    if line == 1:
        return
    assert kept <= sound
    assert len(kept) >= len(sound) / 2 - 6
    assert any(line == problem.line or f"line {line}" in problem.message for problem in recorded.problems), recorded.problems


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "nope"), "no runs"),
        (("show",), "no runs"),
        (("frob",), "No such command"),
        (("run",), "Usage:"),
        (("run", "psci", "--topology", "2,x"), "'2,x' is not a topology"),
        (("run", "psci", "--firmware", "/nowhere"), "make qemu_virt"),
        (("run", "psci", "--iterations", "many"), "--iterations"),
        (("run", "psci", "--timeout", "0"), "use more than 0"),
        (("run", "psci", "--timeout", "nan"), "use more than 0"),
        (("import", "/nowhere/console.log"), "/nowhere/console.log"),
        (("import", "/"), "/"),
        (("report", "last", "-o", "/nowhere/report.html"), "/nowhere/report.html: No such file or directory"),
        (("report", "last"), "no runs"),
        (("ls", "--store", "/proc/nowhere/store"), "there is no such store"),
        (("import", "README.md", "--store", "/proc/nowhere/store"), "cannot hold the store"),
        (("ls", "--store", "nonsense://here"), "neither a path nor a database URL"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(latlab: Latlab, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    open_store(str(tmp_path / "store.sqlite")).close()
    done = latlab(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_a_corrupt_store_ends_with_three(latlab: Latlab, tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"garbage " * 1000)
    done = latlab("ls")
    assert done.returncode == 3
    assert "not a store that can be read" in done.stderr


def test_an_empty_store_lists_nothing_and_says_what_to_do(latlab: Latlab, tmp_path: Path) -> None:
    open_store(str(tmp_path / "store.sqlite")).close()
    done = latlab("ls")
    assert (done.returncode, done.stdout) == (0, "")
    assert "latlab run psci" in done.stderr


def test_colour_is_left_out_where_it_is_not_wanted(latlab: Latlab, console: Path) -> None:
    latlab("import", console)
    weighted = latlab("show", FORCE_COLOR="1").stdout
    assert "\x1b" not in re.sub(r"\x1b\[[012]m", "", weighted)  # bold and dim are no colours
    assert "\x1b[3" not in latlab("show").stdout


@pytest.mark.parametrize("options", ["", "--format json"])
def test_a_reader_that_goes_away_is_no_error(latlab: Latlab, console: Path, tmp_path: Path, options: str) -> None:
    latlab("import", console)
    environment = {**os.environ, "LATLAB_STORE": str(tmp_path / "store.sqlite")}
    command = f"{sys.executable} -m latlab show {options} | head -c 10"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, env=environment, timeout=60, check=False)
    assert done.returncode == 0
    assert done.stderr == b""


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("gate", "last", "--limit", "powerdown max <= 1ns"), 1),
        (("gate", "last", "--limit", "powerdown max <= 1s"), 0),
        (("gate", "last", "--limit", "no_such_figure <= 1s"), 2),
        (("show", "last"), 0),
        (("ls", "--format", "json"), 0),
    ],
)
def test_an_exit_code_does_not_depend_on_whether_anybody_reads(
    latlab: Latlab, console: Path, tmp_path: Path, words: tuple[str, ...], code: int, unbuffered: str
) -> None:
    latlab("import", console)
    assert latlab(*words).returncode == code
    environment = {**os.environ, "LATLAB_STORE": str(tmp_path / "store.sqlite"), "PYTHONUNBUFFERED": unbuffered}
    nobody, unread = os.pipe()
    os.close(nobody)
    try:
        command = [sys.executable, "-m", "latlab", *words]
        done = subprocess.run(command, stdout=unread, stderr=unread, env=environment, timeout=60, check=False)
    finally:
        os.close(unread)
    assert done.returncode == code


def test_a_full_disk_is_said_in_one_sentence(latlab: Latlab, console: Path, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    latlab("import", console)
    for unbuffered in ("", "1"):
        environment = {**os.environ, "LATLAB_STORE": str(tmp_path / "store.sqlite"), "PYTHONUNBUFFERED": unbuffered}
        with open("/dev/full", "wb") as full:
            command = [sys.executable, "-m", "latlab", "show", "last"]
            shown = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, timeout=60, check=False)
        assert shown.returncode == 2 and shown.stderr.count("No space left") == 1 and "Traceback" not in shown.stderr
    done = latlab("report", "--format", "rst", "-o", "/dev/full")
    assert done.returncode == 2
    assert "/dev/full: No space left" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_is_kept_as_partial_and_its_emulator_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    store = tmp_path / "store.sqlite"
    qemu = fake_qemu(tmp_path, LOG, "pauses")
    images = fake_images(tmp_path / "images")
    command = [sys.executable, "-m", "latlab", "run", "psci", "--qemu", qemu, "--firmware", images, "--store", store]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _wait_for(lambda: (tmp_path / "paused").exists() and any(head.samples for head in heads(open_store(str(store)))))
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    acknowledged, rest = errors.decode().split(ACKNOWLEDGED, 1)
    assert "samples so far" not in acknowledged and "interrupted; the samples so far are kept as the partial run psci-" in rest
    assert b"Traceback" not in errors
    kept = open_store(str(store)).load("last")
    assert kept.status is RunStatus.PARTIAL
    assert kept.samples
    left = subprocess.run(["pgrep", "-f", str(qemu)], capture_output=True, check=False)
    assert left.stdout == b""


def _wait_for(happened: Callable[[], bool]) -> None:
    for _ in range(600):
        if happened():
            return
        time.sleep(0.1)
    raise AssertionError("what the test waits for never came")


def test_doctor_says_what_is_missing(latlab: Latlab, tmp_path: Path) -> None:
    done = latlab("doctor", "--qemu", "/nowhere/qemu")
    assert done.returncode == 2
    assert "/nowhere/qemu is missing" in done.stdout
    old = latlab("doctor", "--qemu", fake_qemu(tmp_path, LOG, version="7.2.22"))
    assert "QEMU 7.2.22" in old.stdout
    assert "needs QEMU 10" in old.stdout


def test_the_version_is_printed(latlab: Latlab) -> None:
    assert latlab("--version").stdout == f"latlab {version('latlab')}\n"


def test_help_does_not_load_what_it_does_not_need() -> None:
    code = "import sys; from latlab.core.cli import app; "
    code += "print([m for m in ('sqlalchemy', 'altair', 'numpy', 'rich.table') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
