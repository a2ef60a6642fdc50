# SPDX-License-Identifier: BSD-3-Clause
"""On which CPUs cyclictest's threads were, and what becomes of the figures of one that left its CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import RowKind
from latlab.rt.campaign.results import new_run, result_of
from latlab.rt.readers.thread_cpus import read_thread_cpus
from latlab.rt.targets.rt_job import NOTING, PROLOGUE
from support import recorder_files

FIGURES = b"""\
# Histogram
000002 000010\t000020
000003 000030\t000000
# Total: 000000040 000000020
# Min Latencies: 00002 00002
# Avg Latencies: 00002 00002
# Max Latencies: 00003 00002
# Histogram Overflows: 00000 00000
"""


def affinities(*cpus: str, pid: int = 900) -> bytes:
    """Those of the first thread, and then of the measuring ones."""
    lines = [f"/proc/{pid}/task/{pid + at}/status:Cpus_allowed_list:\t{cpu}" for at, cpu in enumerate(("0-3", *cpus))]
    return "\n".join(reversed(lines)).encode()


@pytest.mark.parametrize(
    ("cpus", "read"),
    [(("0", "1"), (0, 1)), (("0", "2"), (0, 2)), (("3", "0-3"), (3, None)), (("0,2", "1"), (None, 1)), ((), ())],
)
def test_the_threads_are_read_in_the_order_in_which_they_were_made(cpus: tuple[str, ...], read: tuple[int | None, ...]) -> None:
    assert read_thread_cpus(affinities(*cpus, pid=98).decode()) == read
    assert read_thread_cpus("Cpus_allowed_list:\t0\n/proc/x/task/y/status:Cpus_allowed_list:\t0") == ()


def columns(*cpus: str) -> tuple[list[int], tuple[str, ...]]:
    files = {"cyclictest.txt": FIGURES, "cyclictest-cpus.txt": affinities(*cpus), "recorder.rec": recorder_files.whole([[1000], [1000]])}
    found = result_of(new_run("rt", "linux", "x", 2, Conditions(mode=Mode.REAL)), files)
    cyclictest = [wakeups for wakeups in found.wakeups if wakeups.tool == "cyclictest"]
    assert all(wakeups.rows is RowKind.CPU for wakeups in cyclictest)
    return [cpu.number for wakeups in cyclictest for cpu in wakeups.cpus], found.problems


def test_a_column_is_of_the_cpu_on_which_its_thread_was() -> None:
    """A CPU that is off has none: the second thread is on the third CPU."""
    assert columns("0", "1") == ([0, 1], ()) and columns("0", "2") == ([0, 2], ())


def test_a_column_whose_thread_left_its_cpu_is_left_out_and_named() -> None:
    for cpus, numbers, moved in ((("0-1", "1"), [1], [0]), (("0", "0-1"), [0], [1]), (("0-1", "0-1"), [], [0, 1])):
        assert columns(*cpus)[0] == numbers
        assert [f"moved its thread {thread};" in problem for thread, problem in zip(moved, columns(*cpus)[1], strict=True)] == [True] * len(
            moved
        )


def test_affinities_of_another_number_of_threads_say_nothing() -> None:
    assert columns("0", "1", "2") == ([0, 1], ())


TOOL = """\
import os, sys, threading, time
out = sys.argv[1]
def wait():
    while not (os.path.exists(f"{out}/cyclictest-cpus.txt") and os.path.getsize(f"{out}/cyclictest-cpus.txt")):
        time.sleep(0.05)
threading.Thread(target=wait, daemon=True).start()
open(f"{out}/ready", "w").close()
wait()
sys.exit(5)
"""
WAITS = 'sleep() { until [ -e "$OUT/ready" ]; do command sleep 0.1; done; }'
"""In place of the time until shortly before the tool's end."""


def test_the_job_keeps_the_affinities_of_the_threads_of_its_tool_and_its_status(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text(TOOL)
    script = (
        f"{PROLOGUE}\n{NOTING}\n{WAITS}\nOUT={tmp_path}\nrun_noting_cpus 1 {sys.executable} {tmp_path}/tool.py {tmp_path}\nexit $status"
    )
    done = subprocess.run(["sh", "-c", script], capture_output=True, check=False, timeout=300)
    assert done.returncode == 5 and done.stderr == b""
    lines = (tmp_path / "cyclictest-cpus.txt").read_text().splitlines()
    assert len(lines) == 2 and all("/status:Cpus_allowed_list:" in line for line in lines)
    allowed = os.sched_getaffinity(0)
    assert read_thread_cpus("\n".join(lines)) == (min(allowed) if len(allowed) == 1 else None,)
