# SPDX-License-Identifier: BSD-3-Clause
"""Rows of wake-ups: threads are threads, and CPUs only where the tool says so; text and JSON of one run are one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from latlab.core.model.enums import RowKind
from latlab.rt.readers.cyclictest import binds_to_each_cpu
from latlab.rt.readers.measured import read_wakeups
from support.command import latlab
from support.places import RT_DATA, TESTS, TOOLS_DATA
from support.tool_texts import RUNQLAT

FIELD = TESTS / "data" / "field"
THREADS = ((60_000, 4, 18, 217), (40_000, 5, 17, 340))


def _text(command: str = "") -> bytes:
    rows = (
        f"T:{at:2} ({437 + at:5}) P:80 I:1000 C:{got:7} Min:{low:7} Act:{5:5} Avg:{average:5} Max:{high:8}\n"
        for at, (got, low, average, high) in enumerate(THREADS)
    )
    return (command + "".join(rows)).encode()


def _json(cpus: tuple[int, ...]) -> bytes:
    entry = {
        str(at): {"histogram": {}, "cycles": got, "min": low, "max": high, "avg": float(average), "cpu": cpu}
        for at, ((got, low, average, high), cpu) in enumerate(zip(THREADS, cpus, strict=True))
    }
    return json.dumps({"cmdline": "cyclictest -q -t 2", "rt_test_version": "2.6", "return_code": 0, "thread": entry}).encode()


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ((FIELD / "threads-on-one-cpu.txt").read_bytes(), RowKind.THREAD),
        (_text(), RowKind.THREAD),
        (_text("$ cyclictest -t 2 -a 0 -q\n"), RowKind.THREAD),
        (_text("$ cyclictest -t 2 -a0-1 -q\n"), RowKind.THREAD),
        (_text("# cyclictest -S -p 80\n"), RowKind.CPU),
        (_text("# cyclictest --smp -p 80\n"), RowKind.CPU),
        (_text("# cyclictest -t 2 -a -q\n"), RowKind.CPU),
        (_text("$ sudo cyclictest -a -t -p 80\n"), RowKind.CPU),
        (_json((2, 3)), RowKind.CPU),
        (_json((0, 0)), RowKind.THREAD),
        ((TOOLS_DATA / "cyclicdeadline.txt").read_bytes(), RowKind.THREAD),
        ((TOOLS_DATA / "signaltest.json").read_bytes(), RowKind.THREAD),
        ((TOOLS_DATA / "stress_ng.txt").read_bytes(), RowKind.THREAD),
        ((TOOLS_DATA / "oslat.txt").read_bytes(), RowKind.CPU),
        ((RT_DATA / "rtla-timerlat.txt").read_bytes(), RowKind.CPU),
        (RUNQLAT.encode(), RowKind.ALL),
    ],
)
def test_a_row_is_of_a_cpu_only_where_the_tool_says_so(data: bytes, rows: RowKind) -> None:
    assert read_wakeups(data, "x").rows is rows


@pytest.mark.parametrize(
    ("options", "is_bound"), [("-Sp80", True), ("-p 80 -m", False), ("-t4 -a -m", True), ("-a 1 -t", False), ("-a", False)]
)
def test_only_options_that_bind_each_thread_say_a_cpu(options: str, is_bound: bool) -> None:
    assert binds_to_each_cpu(options) is is_bound


def test_two_threads_on_one_cpu_are_shown_as_threads(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    shown = latlab("import", FIELD / "threads-on-one-cpu.txt", store=store).stdout
    assert "thread 0  thread 1" in shown and "CPU 1" not in shown
    held = latlab("gate", "last", "--limit", "wakeup max <= 400us on cpu 1", store=store)
    assert held.returncode == 3 and "are no CPUs, as thread 0; leave out `on cpu`" in held.stdout
    assert latlab("gate", "last", "--limit", "wakeup max <= 400us", store=store).returncode == 0
    page = tmp_path / "page.html"
    assert latlab("report", "last", "-o", page, store=store).returncode == 0 and "CPU 1" not in page.read_text("utf-8")


@pytest.mark.parametrize("cpus", [(0, 1), (2, 3), (3, 2), (0, 0)])
def test_text_and_json_of_one_run_compare_as_one(cpus: tuple[int, ...], tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    for name, data in (("a.txt", _text()), ("b.json", _json(cpus))):
        (tmp_path / name).write_bytes(data)
        assert latlab("import", tmp_path / name, store=store).returncode == 0
    for pair in (("last~1", "last"), ("last", "last~1")):
        done = latlab("compare", *pair, "--format", "json", store=store)
        rows = json.loads(done.stdout)["rows"]
        assert {row["name"].rpartition(" ")[0] for row in rows} == {"thread 0", "thread 1"}
        assert rows and all(row["before"] == row["after"] for row in rows)
